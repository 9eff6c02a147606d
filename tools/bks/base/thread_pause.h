// SPDX-License-Identifier: MIT

/// @file thread_pause.h
/// Holds threads up at random: the program defines pthread_create, pthread_mutex_lock and
/// pthread_mutex_unlock, and passes them on to the C library; once switched on, threads that are
/// made from then on pause at their start, and all pause at locks.

#ifndef BKS_TOOL_THREAD_PAUSE_H
#define BKS_TOOL_THREAD_PAUSE_H

#include <stdbool.h>
#include <stdint.h>

/// Whether threads can be held up. Not under sanitizers that need these calls for themselves.
bool thread_pause_works(void);

/// Hold up threads that are made from now on, and those that lock beside them.
/// @param seed  another one gives other pauses
void thread_pause_begin(uint64_t seed);

/// Pause the calling thread for a random while, or not at all.
void thread_pause(void);

/// Let pauses be long again: each stretch has a limit for all of them together.
void thread_pause_next_stretch(void);

/// Threads that were made since thread_pause_begin() and have not ended.
uint32_t thread_pause_alive(void);

/// Pauses so far.
uint64_t thread_pause_count(void);

#endif
