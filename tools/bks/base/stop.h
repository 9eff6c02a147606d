// SPDX-License-Identifier: MIT

/// @file stop.h
/// Handling of Ctrl-C and similar signals: a long command checks for them, and cleans up before it
/// ends.

#ifndef BKS_TOOL_STOP_H
#define BKS_TOOL_STOP_H

#include <stdbool.h>

/// Catch SIGINT, SIGTERM and SIGHUP from now on: note the signal instead of ending the program. A
/// second SIGINT ends the program at once. So does the first if the game's step does not end.
void stop_catch(void);

/// Return true if one of the caught signals has come.
bool stop_is_wanted(void);

/// Set a function that runs however the program ends, for example to restore the terminal. It is
/// called once. After a crash it runs in a signal handler (crash.h), so it may only write to
/// descriptors.
/// @param restore  NULL: remove the function
void stop_at_end(void (*restore)(void));

/// Call the function of stop_at_end() now, unless it was called before. Safe in a signal handler.
void stop_restore(void);

// ---- functions for the signal handlers of each kind of system ----

/// Time after which an unfinished step counts as endless, in seconds.
enum { STOP_STEP_S = 2 };

/// Message that is printed when a step does not end.
#define STOP_STEP_TEXT "bks: the game's step does not end, and was ended with the program\n"

/// Note that the program should end. Safe in a signal handler.
/// @return true if this was noted before
bool stop_remember(void);

/// Store the function of stop_at_end().
/// @return true if `restore` is the first function, so the caller must install handlers that call
///         stop_restore()
bool stop_keep(void (*restore)(void));

#ifdef _WIN32
/// Exit status of a process that was ended by Ctrl-C or by another process, on Windows.
#define STOP_ENDED 0xc000013au
#endif

#endif
