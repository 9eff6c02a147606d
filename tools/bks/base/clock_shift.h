// SPDX-License-Identifier: MIT

/// @file clock_shift.h
/// The clocks that games ask, made wrong: the program defines clock_gettime, gettimeofday, time,
/// timespec_get, clock and times, and hands them on to the C library until a shift begins. It
/// affects the whole process but for tool_clock_ns(). The system's random numbers likewise.

#ifndef BKS_TOOL_CLOCK_SHIFT_H
#define BKS_TOOL_CLOCK_SHIFT_H

#include <stdint.h>
#include <time.h>

/// From now on wall clock and monotonic clock show another time. Once, before other threads run.
/// @param seconds  later
/// @param rate     how many times as fast they go, 1 or above
void clock_shift_begin(int64_t seconds, uint32_t rate);

/// From now on both clocks stand at one time. When they are asked very often they move on by a
/// microsecond each time, for those who wait in a loop.
/// @param us  since 1970
void clock_shift_stand(int64_t us);

/// How far clocks that stand move on each time that they are asked.
/// @param us  0 (default): as clock_shift_stand() says
void clock_shift_creep(int64_t us);

/// What clocks that stand show at the start, the first of January 2026; those of processor time
/// show what has passed since.
#define CLOCK_SHIFT_BEGUN_S INT64_C(1767225600)

/// A clock as it is.
void clock_shift_real(clockid_t clock, struct timespec *out);

// ---- random numbers ----
//
// The system's random numbers that games ask for, made the same in each run: the program defines
// getrandom, getentropy and arc4random, and asks the system until numbers are fixed. It affects
// the whole process. Devices and the processor's own instruction are not changed.

/// From now on the numbers are those of a seed, beginning with its first.
/// @param seed  any
void random_fix_begin(uint64_t seed);

/// From now on each number is this one: its lowest bytes, least first.
void random_fix_answer(uint64_t number);

#endif
