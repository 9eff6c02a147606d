// SPDX-License-Identifier: MIT

/// @file debugger.h
/// Stopping in the debugger that this program runs in.

#ifndef BKS_TOOL_DEBUGGER_H
#define BKS_TOOL_DEBUGGER_H

#include <stdbool.h>

/// Whether a debugger is attached.
bool debugger_is_there(void);

/// Stop in it. Without one this ends the program.
void debugger_stop(void);

#endif
