// SPDX-License-Identifier: MIT

/// @file altered_system.h The altered system that `bks check` shows to a game: libraries and stacks
/// at other addresses, threads that pause, other clocks, the same random numbers in each run,
/// answers for environment variables that are not set. heap.h alters memory.

#ifndef BKS_TOOL_ALTERED_SYSTEM_H
#define BKS_TOOL_ALTERED_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

// ---- addresses of libraries and stacks ----

/// Make the system place libraries that are loaded later below an address, by reserving all free
/// address space above it.
/// @param end  a multiple of the page size; the next mapping ends at this address
/// @return false if another mapping lies just below `end`
bool code_place_begin(uint64_t end);

/// Release the address space that code_place_begin() reserved.
void code_place_end(void);

/// Make a second stack at an address. Call it once in a process.
/// @param end  one past the stack's highest address, a multiple of 16
/// @return false if memory is already mapped at the address, or if the C library cannot change
///         stacks
bool other_stack_make(uint64_t end);

/// Call a function on the stack of other_stack_make(). Do not call it from a function that already
/// runs on that stack.
void other_stack_call(void (*function)(void *context), void *context);

// ---- threads ----
//
// The program defines the calls of POSIX and C11 that make a thread, lock, unlock, or wake a thread
// that waits, and passes them on to the C library. After thread_pause_begin(), new threads pause
// when they start, and all threads pause at these calls.

/// Return true if threads can be paused. Some sanitizers need the thread calls for themselves, so
/// pauses do not work under them.
bool thread_pause_works(void);

/// Pause threads at random from now on: new threads when they start, and every thread when it locks
/// or unlocks a mutex after the first new thread was made.
/// @param seed  seed of the random pauses
void thread_pause_begin(uint64_t seed);

/// Return true after thread_pause_begin().
bool thread_pause_is_on(void);

/// Pause the calling thread for a random time, which may be zero.
void thread_pause(void);

/// From now on let only one thread run at a time, until it waits for another one or has made a
/// hundred calls that may let others run. Their order is the same in each run, unless a thread
/// waits for another one without any of these calls, as one that spins does.
void thread_serial_begin(void);

/// Say whether the first thread waits for another process, so that its threads rest.
void thread_serial_rest(bool is_resting);

/// Return the number of threads that this process has made, also before thread_pause_begin(). 0 if
/// thread_pause_works() returns false.
uint32_t thread_created_count(void);

/// Renew the time budget of the random pauses. Between two calls of this function all threads'
/// pauses together last a few milliseconds at most.
void thread_pause_next_stretch(void);

/// Return the number of threads that were made since thread_pause_begin() and still run.
uint32_t thread_pause_alive(void);

/// Return the number of random pauses of threads since thread_pause_begin().
uint64_t thread_pause_count(void);

// ---- clocks ----
//
// The program defines clock_gettime, gettimeofday, time, timespec_get, clock and times, and passes
// calls on to the C library. After clock_shift_stand(), every clock of the process stands still
// except tool_clock_ns().

/// Stop the wall clock and the monotonic clock at a given time. If they are read very often, they
/// advance by a microsecond at each read, so that loops that wait for the clock end.
/// @param us  time since 1970, in µs
void clock_shift_stand(int64_t us);

/// Set how far stopped clocks advance at each read.
/// @param us  advance in µs; 0 (default): one microsecond, and only if the clocks are read very
///            often
void clock_shift_creep(int64_t us);

/// Time from which stopped clocks count: January 1, 2026. bks check adds the time of the tick.
/// Stopped clocks of processor time begin at 0 on that date.
#define CLOCK_SHIFT_BEGUN_S INT64_C(1767225600)

/// Read a clock as the system has it, without the shift.
void clock_shift_real(clockid_t clock, struct timespec *out);

// ---- random numbers ----
// The system's random numbers, made the same in each run. The program defines getrandom, getentropy
// and arc4random. They ask the system until random_fix_begin() is called. The fix affects the whole
// process. Random devices and the processor's own instruction are not changed.

/// Replace the system's random numbers by the sequence of a seed.
/// @param seed  any value
void random_fix_begin(uint64_t seed);

/// Answer every request for random bytes with `number`, its lowest byte first.
void random_fix_answer(uint64_t number);

// ---- environment variables ----
// The program defines getenv and secure_getenv.

/// From now on answer "1" to code that is loaded later, such as a plug-in and its libraries, when
/// it asks for an environment variable that is not set.
void unset_names_answer(void);

#endif
