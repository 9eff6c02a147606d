// SPDX-License-Identifier: MIT

/// @file shared_memory.h
/// Memory that several processes see, for each kind of system in a file of its own.

#ifndef BKS_TOOL_SHARED_MEMORY_H
#define BKS_TOOL_SHARED_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/// Make some, all zero. Processes that are started from then on inherit it.
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

/// Whether it is still open: a game may close all that it does not know.
bool shared_memory_is_open(int number);

void shared_memory_close(int number);

#endif
