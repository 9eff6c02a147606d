// SPDX-License-Identifier: MIT

/// @file crash.h
/// Report of a game that crashes in its step: the tick, the last mark, the recording and the
/// command that reproduces the crash. The process then ends as it would have without the report.

#ifndef BKS_TOOL_CRASH_H
#define BKS_TOOL_CRASH_H

#include <stdbool.h>

#include "backstitch/toolkit/lab.h"

/// Report crashes from now on.
void crash_catch(void);

/// Stop reporting crashes, in a process that may crash without harm.
void crash_release(void);

/// Set the name of this thread's game, as a command line names it. The name is copied. NULL: the
/// game's own name.
void crash_game(const char *name);

/// Set the recording that this thread reads or writes. The path is copied. NULL: none.
void crash_recording(const char *path);

/// Set the lab whose peers write DIR/peer-N.bks. It must outlive the match. NULL: no lab.
void crash_lab(bks_lab *lab, const char *folder, uint32_t peers);

// ---- functions for the crash handlers of each kind of system ----

/// Write the report to stderr if a step is under way and no report was written before. It may be
/// called anywhere, in a signal handler too.
/// @param what, detail  what happened, such as "crashed" and "SIGSEGV"
/// @return true if the report was written
bool crash_report(const char *what, const char *detail);

/// Install the handlers of crashes. After the report, the program ends as it would have without
/// them.
void crash_system_catch(void);

/// Remove the handlers that crash_system_catch() installed.
void crash_system_release(void);

#ifdef _WIN32
/// Exit status of a process that ended by abort(), with a newer C run-time of Windows. An older one
/// gives 3, which this program also returns for other reasons.
#define CRASH_ABORTED 0xc0000409u

enum { CRASH_NAME_BYTES = 32 };

/// Return true if an exit status of Windows is the code of an exception that ended the process. The
/// code of a warning or an error has bit 31 set and bit 28 clear; a small negative number has both
/// bits set.
bool crash_is(uint32_t status);

/// Return the name of an exception.
/// @param out  receives the text if the code has no name
/// @return a name, or `out`
const char *crash_name(uint32_t code, char out[CRASH_NAME_BYTES]);
#endif

#endif
