// SPDX-License-Identifier: MIT

/// @file process_time.h
/// What processes take of the processors, for each kind of system in a file of its own.

#ifndef BKS_TOOL_PROCESS_TIME_H
#define BKS_TOOL_PROCESS_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/// A clock that never goes back, whatever clocks the game is shown.
uint64_t process_time_now_ns(void);

/// Processor time that this process has taken.
uint64_t process_time_own_ns(void);

/// Processor time that a child has taken, 0 when the system does not say.
uint64_t process_time_ns(pid_t process);

/// Whether a child sleeps, was stopped or has ended, rather than waits for a processor or a disk;
/// true where the system does not say.
bool process_time_rests(pid_t process);

#endif
