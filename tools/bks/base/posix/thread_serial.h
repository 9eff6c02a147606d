// SPDX-License-Identifier: MIT

/// @file thread_serial.h Turns of threads that run one after another: a thread at a call that may
/// let others run goes on only once every other thread has ended, waits, or has had more turns.

#ifndef BKS_TOOL_THREAD_SERIAL_H
#define BKS_TOOL_THREAD_SERIAL_H

#include <stdbool.h>
#include <stdint.h>

/// Begin, in the first thread of the process.
void serial_begin(void);

/// Return true after serial_begin().
bool serial_is_on(void);

/// Reserve an entry for a thread that is about to be made. Threads beyond the first 256 have none.
/// @return its index, -1: none
int serial_reserve(void);

/// Give the calling thread its entry. Call it once in each thread.
void serial_enter(int index);

/// Release the calling thread's entry, or one that was reserved for a thread that was not made.
void serial_leave(void);
void serial_release(int index);

/// Say that the calling thread is at a turn. Call it before a call that may let other threads run.
/// @return false unless threads run one after another and this one has an entry
bool serial_take_turn(void);

/// Sleep until it is the calling thread's turn.
void serial_end_turn(void);

/// Say that the calling thread waits at a condition. Call it before its mutex is unlocked.
/// @return false unless threads run one after another and this one has an entry
bool serial_begin_wait(const void *condition);

/// Sleep until the condition is signalled to the calling thread, and then until its turn.
void serial_end_wait(void);

/// Wake the thread that has waited longest at a condition.
/// @return false if none waits
bool serial_wake(const void *condition);

#endif
