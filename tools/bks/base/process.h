// SPDX-License-Identifier: MIT

/// @file process.h
/// Processes: on which processors they run, what they take of these, and memory that several see;
/// for each kind of system in a file of its own.

#ifndef BKS_TOOL_PROCESS_H
#define BKS_TOOL_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Keep in mind which processors there are. Once.
void processors_keep(void);

/// Put this thread, those that it will make and, with `others`, all others of the process onto one
/// processor, or onto all of those that were there.
/// @return whether there are several, and it was done
bool processors_use(bool is_one, bool others);

/// A clock that never goes back, whatever clocks the game is shown.
uint64_t process_time_now_ns(void);

/// Processor time that this process has taken.
uint64_t process_time_own_ns(void);

/// Processor time that a child has taken, 0 when the system does not say.
uint64_t process_time_ns(pid_t process);

/// Return true if a child sleeps, was stopped or has ended, rather than waits for a processor or a
/// disk; also if the system does not say.
bool process_time_rests(pid_t process);

/// Make memory that several processes see, all zero. Processes that are started from then on
/// inherit it.
/// @return its number in all of them: a descriptor, on Windows a handle; negative: there is none
int shared_memory_make(size_t bytes);

/// Map the first bytes of it. What was not made ready takes no memory, and elsewhere than on
/// Windows neither do pages that nothing was written to.
/// @return NULL: the number is none, or there is no room
void *shared_memory_map(int number, size_t bytes);

/// Make a part ready to be read and written, in every process that maps it: to be called before the
/// first does. What is ready stays as it is.
/// @param place  in what shared_memory_map() returned
/// @return false: there is no room
bool shared_memory_ready(void *place, size_t bytes);

void shared_memory_unmap(void *memory, size_t bytes);

/// Return true if it is still open: a game may close descriptors that are not its own.
bool shared_memory_is_open(int number);

void shared_memory_close(int number);

#endif
