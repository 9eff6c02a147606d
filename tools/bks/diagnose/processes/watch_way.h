// SPDX-License-Identifier: MIT

/// @file watch_way.h Finds out how this machine can watch bytes. Many virtual machines take a
/// hardware watchpoint and never fire it.

#ifndef BKS_TOOL_WATCH_WAY_H
#define BKS_TOOL_WATCH_WAY_H

#include "diagnose/processes/check_watch.h"

/// Environment variable for tests: `page` pretends that hardware watchpoints never fire, `none`
/// that nothing stops a program at a write.
#define WATCH_WAY_VARIABLE "BKS_WATCHPOINTS"

/// Find the first way that works on this machine, by watching a new process that stores to some
/// bytes. Later calls return the first call's answer.
/// @param out  receives the reason for CHECK_WATCH_NONE
check_watch_way watch_way_find(code_line *out);

#endif
