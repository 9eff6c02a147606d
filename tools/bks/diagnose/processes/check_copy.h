// SPDX-License-Identifier: MIT

/// @file check_copy.h
/// A copy of the process, for steps that are not those of the check: whatever the game keeps
/// outside its state stays as it is. For each kind of system in a file of its own.

#ifndef BKS_TOOL_CHECK_COPY_H
#define BKS_TOOL_CHECK_COPY_H

#include <sys/types.h>

#include "diagnose/processes/check_parts.h"

/// Whether there are copies here.
bool check_copy_is_possible(void);

/// Make one. It ends after eight seconds, also when the game handles or blocks that signal: threads
/// are not copied, so a step may wait for one in vain.
/// @return 0 in the copy, -1: there is none
pid_t check_copy_make(void);

/// Wait for it, and end it when it waits for a thread.
/// @return whether it ended by itself
bool check_copy_wait(const variant_process *variant, pid_t process);

#endif
