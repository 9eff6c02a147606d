// SPDX-License-Identifier: MIT

/// @file thread_serial.h Threads that run one after another. Only one of them has the turn, and the
/// others wait for it. A thread gives its turn to the next one at calls that may let others run,
/// and nothing but the order of these calls decides who is next. So the order is the same in each
/// run, however busy the machine is.

#ifndef BKS_TOOL_THREAD_SERIAL_H
#define BKS_TOOL_THREAD_SERIAL_H

#include <stdbool.h>
#include <stdint.h>

/// Begin, in the first thread of the process, which gets the turn.
void serial_begin(void);

/// Return true after serial_begin().
bool serial_has_begun(void);

/// Return true if the calling thread has an entry, which serial_begin_wait() needs.
bool serial_has_entry(void);

/// Return true if the calling thread takes turns: after serial_begin(), unless it has no entry,
/// rests, or the order was given up.
bool serial_takes_turns(void);

/// Reserve an entry for a thread that is about to be made. Threads beyond the first 256 have none.
/// @return its index, -1: none
int serial_reserve(void);

/// Enter the system's handle of a thread that was made, for serial_is_alive().
void serial_made(int index, uintptr_t handle);

/// Release an entry that was reserved for a thread that was not made.
void serial_release(int index);

/// Give the calling thread its entry and wait for its turn. Call it once in each thread.
void serial_enter(int index);

/// Release the calling thread's entry, wake whoever waits for its handle, and give away the turn.
void serial_leave(void);

/// Return true if a thread with this handle has an entry.
bool serial_is_alive(uintptr_t handle);

/// Give away the turn after every hundredth call of the thread that has it. Call it where another
/// thread may run, so that one that looks again and again keeps no other from its work.
void serial_may_pass(void);

/// Give away the turn and wait for the next one.
/// @return false if no other thread can run
bool serial_pass(void);

/// Say that the calling thread is about to wait for an object. A call of serial_wake() from here on
/// ends the wait.
void serial_begin_wait(const void *object);

/// Give away the turn until serial_wake() was called, and wait for the next turn.
/// @param is_timed  true: wait no longer than until no other thread can run, or some turns have
///                  passed
/// @return false if the wait ended without serial_wake()
bool serial_end_wait(bool is_timed);

/// Wake the thread that has waited longest for an object.
/// @return false if none waits
bool serial_wake(const void *object);

/// Say whether the first thread of the process waits for another process, however long that takes.
void serial_rest(bool is_resting);

#endif
