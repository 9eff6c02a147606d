// SPDX-License-Identifier: MIT

/// @file altered_system.h
/// The system as `bks check` shows it to a game: libraries and stacks at other addresses, threads
/// that pause, other clocks, the same random numbers in each run. See heap.h for memory.

#ifndef BKS_TOOL_ALTERED_SYSTEM_H
#define BKS_TOOL_ALTERED_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

// ---- addresses ----

/// Let the system find room for libraries only below an address: reserve all free room above it.
/// @param end  a multiple of the size of a page; what is mapped next ends there
/// @return false: something lies just below it
bool code_place_begin(uint64_t end);

/// Release the reserved room.
void code_place_end(void);

/// Make a stack at an address. Once in a process.
/// @param end  one past its highest address, a multiple of 16
/// @return false: something lies there already, or the C library cannot change stacks
bool other_stack_make(uint64_t end);

/// Call a function on the other stack. Not from within such a call.
void other_stack_call(void (*function)(void *context), void *context);

// ---- threads ----
//
// The program defines pthread_create, pthread_mutex_lock and pthread_mutex_unlock, and passes them
// on to the C library. Once switched on, threads that are made from then on pause at their start,
// and all pause at locks.

/// Return true if threads can be paused: not under sanitizers that need these calls for themselves.
bool thread_pause_works(void);

/// Begin to pause threads that are made from now on, and those that take locks beside them.
/// @param seed  another one gives other pauses
void thread_pause_begin(uint64_t seed);

/// Pause the calling thread for a random while, or not at all.
void thread_pause(void);

/// Begin a new stretch, so that pauses may be long again: all pauses of a stretch together have a
/// limit.
void thread_pause_next_stretch(void);

/// Count the threads that were made since thread_pause_begin() and have not ended.
uint32_t thread_pause_alive(void);

/// Count the pauses so far.
uint64_t thread_pause_count(void);

// ---- clocks ----
//
// The program defines clock_gettime, gettimeofday, time, timespec_get, clock and times, and passes
// them on to the C library until a shift begins. It affects the whole process but for
// tool_clock_ns().

/// Let wall clock and monotonic clock show another time. Call it once, before other threads run.
/// @param seconds  later
/// @param rate     how many times as fast they go, 1 or above
void clock_shift_begin(int64_t seconds, uint32_t rate);

/// Let both clocks stand at one time. When they are read very often they move on by a microsecond
/// each time, for loops that wait.
/// @param us  since 1970
void clock_shift_stand(int64_t us);

/// Set how far clocks that stand move on each time that they are read.
/// @param us  0 (default): as clock_shift_stand() says
void clock_shift_creep(int64_t us);

/// First time of clocks that stand: the first of January 2026. Clocks of processor time show the
/// time since.
#define CLOCK_SHIFT_BEGUN_S INT64_C(1767225600)

/// Read a clock as it really is.
void clock_shift_real(clockid_t clock, struct timespec *out);

// ---- random numbers ----
//
// The system's random numbers that games ask for, made the same in each run: the program defines
// getrandom, getentropy and arc4random, and asks the system until numbers are fixed. It affects
// the whole process. Devices and the processor's own instruction are not changed.

/// Let random numbers be those of a seed, beginning with its first.
/// @param seed  any
void random_fix_begin(uint64_t seed);

/// Let each random number be this one: its lowest bytes, least first.
void random_fix_answer(uint64_t number);

#endif
