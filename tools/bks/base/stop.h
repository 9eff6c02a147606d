// SPDX-License-Identifier: MIT

/// @file stop.h
/// Ctrl-C and its kin: a command that runs for long asks whether it should end, and tidies up.

#ifndef BKS_TOOL_STOP_H
#define BKS_TOOL_STOP_H

#include <stdbool.h>

/// From now on SIGINT, SIGTERM and SIGHUP are remembered instead of ending the program. A second
/// SIGINT ends it at once. So does one alone while the game is in a step that does not end.
void stop_catch(void);

/// Return true if one of the signals came.
bool stop_is_wanted(void);

/// Set a function that runs however the program ends, such as to restore the terminal. It is called
/// once, from a signal handler when the program crashes (crash.h), and so may only write to
/// descriptors.
/// @param restore  NULL: nothing any more
void stop_at_end(void (*restore)(void));

/// Call that function now, if it was not called yet. Safe in a signal handler.
void stop_restore(void);

// ---- for what catches the wish to end, in a file of its own for each kind of system ----

/// Time after which a step that is still the same one counts as endless.
enum { STOP_STEP_S = 2 };

/// Message when a step does not end.
#define STOP_STEP_TEXT "bks: the game's step does not end, and was ended with the program\n"

/// Remember that the program should end. Safe in a signal handler.
/// @return whether it was remembered before
bool stop_remember(void);

/// Keep the function of stop_at_end().
/// @return whether it is the first: from now on stop_restore() is due however the program ends
bool stop_keep(void (*restore)(void));

#ifdef _WIN32
/// Exit status of a process that another one ends, as by Ctrl-C.
#define STOP_ENDED 0xc000013au
#endif

#endif
