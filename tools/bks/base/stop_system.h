// SPDX-License-Identifier: MIT

/// @file stop_system.h
/// What stop.c keeps, for what catches the wish to end, which each kind of system has in a file of
/// its own.

#ifndef BKS_TOOL_STOP_SYSTEM_H
#define BKS_TOOL_STOP_SYSTEM_H

#include <stdbool.h>

/// A step that is the same one after so long does not end.
enum { STOP_STEP_S = 2 };

/// What is said then.
#define STOP_STEP_TEXT "bks: the game's step does not end, and was ended with the program\n"

/// Remember that the program should end. Safe in a signal handler.
/// @return whether it was remembered before
bool stop_remember(void);

/// Keep what stop_at_end() was given.
/// @return whether it is the first: from now on stop_restore() is due however the program ends
bool stop_keep(void (*restore)(void));

#endif
