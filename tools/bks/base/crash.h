// SPDX-License-Identifier: MIT

/// @file crash.h
/// Report of a game that crashes in its step: the tick, the last mark, the recording and the
/// command that reproduces it. The process then ends as it would have without the report.

#ifndef BKS_TOOL_CRASH_H
#define BKS_TOOL_CRASH_H

#include <stdbool.h>

#include "backstitch/toolkit/lab.h"

/// Report crashes from now on.
void crash_catch(void);

/// Stop reporting crashes, in a process that may crash without harm.
void crash_release(void);

/// Set the game that this thread steps, as a command line names it. Copied; NULL: by its own name.
void crash_game(const char *name);

/// Set the recording that this thread steps from or writes. Copied; NULL: none.
void crash_recording(const char *path);

/// Set the lab whose peers write DIR/peer-N.bks; NULL: none. It must outlive the match.
void crash_lab(bks_lab *lab, const char *folder, uint32_t peers);

// ---- for what catches crashes, in a file of its own for each kind of system ----

/// Write the report to stderr, the first time and when a step is under way. It may be called
/// anywhere, in a signal handler too.
/// @param what, detail  such as "crashed" and "SIGSEGV"
/// @return whether it was written
bool crash_report(const char *what, const char *detail);

/// Catch what ends a program that crashes, and let it end all the same.
void crash_system_catch(void);

/// Undo crash_system_catch().
void crash_system_release(void);

#ifdef _WIN32
/// Exit status of a process that abort() ends, as newer run-times do it; that of an older one is 3,
/// an exit status of ours.
#define CRASH_ABORTED 0xc0000409u

enum { CRASH_NAME_BYTES = 32 };

/// Return true if an exit status is the code of an exception that ended the process: such a code
/// has the highest bit, for a warning or an error, and never bit 28, which small negative numbers
/// have.
bool crash_is(uint32_t status);

/// Name an exception.
/// @param out  receives the text where the code has no name of its own
/// @return a name, or `out`
const char *crash_name(uint32_t code, char out[CRASH_NAME_BYTES]);
#endif

#endif
