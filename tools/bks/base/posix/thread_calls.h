// SPDX-License-Identifier: MIT

/// @file thread_calls.h Calls of POSIX and C11 that this program defines in the C library's place,
/// so that threads pause at them, or run one after another.

#ifndef BKS_TOOL_THREAD_CALLS_H
#define BKS_TOOL_THREAD_CALLS_H

#include <stdbool.h>

#include "base/posix/real_call.h"

/// Call the C library's own function of an object, such as a mutex.
int thread_call(real_call *call, void *object);

/// Return true if a thread was made since threads are held up or ordered.
bool thread_calls_matter(void);

/// Return true if the calling thread takes turns with others.
bool thread_takes_turns(void);

/// Pause, or give away the turn after many calls, before or after a call that may let other threads
/// run.
void thread_call_may_switch(void);

/// Lock an object, and let other threads run until that works.
/// @param attempt  function that locks it only if that works at once
int thread_call_lock(real_call *lock, real_call *attempt, void *object);

/// Unlock an object, and wake whoever waits for it.
int thread_call_unlock(real_call *unlock, void *object);

#endif
