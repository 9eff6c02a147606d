// SPDX-License-Identifier: MIT

/// @file crash_report.h
/// What a crash in a game's step prints, for what catches crashes.

#ifndef BKS_TOOL_CRASH_REPORT_H
#define BKS_TOOL_CRASH_REPORT_H

#include "backstitch/game.h"

/// Write the report to stderr. It may be called anywhere, in a signal handler too.
/// @param what, detail  such as "crashed" and "SIGSEGV"
void crash_report_write(const char *what, const char *detail, const bks_step_place *place);

#endif
