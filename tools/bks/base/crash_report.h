// SPDX-License-Identifier: MIT

/// @file crash_report.h
/// What a crash in a game's step prints, and what catches crashes, for each kind of system in a
/// file of its own.

#ifndef BKS_TOOL_CRASH_REPORT_H
#define BKS_TOOL_CRASH_REPORT_H

#include <stdbool.h>

/// Write the report to stderr, the first time and when a step is under way. It may be called
/// anywhere, in a signal handler too.
/// @param what, detail  such as "crashed" and "SIGSEGV"
/// @return whether it was written
bool crash_report(const char *what, const char *detail);

/// Catch what ends a program that crashes, and let it end all the same.
void crash_system_catch(void);

/// Undo it.
void crash_system_release(void);

#endif
