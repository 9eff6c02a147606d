// SPDX-License-Identifier: MIT

/// @file child_system.h
/// Between child_finish.c and what starts and ends processes, for each kind of system in a file of
/// its own, which also has the other calls of child.h.

#ifndef BKS_TOOL_CHILD_SYSTEM_H
#define BKS_TOOL_CHILD_SYSTEM_H

#include "base/child.h"

/// Ask a process to end, which it may do in its own time.
void child_ask_to_end(pid_t process);

/// Close the files that were to gather what it writes (child_streams.c).
void child_close_streams(child *process);

/// Give back what the system keeps of a process that has ended.
void child_forget(pid_t process);

#endif
