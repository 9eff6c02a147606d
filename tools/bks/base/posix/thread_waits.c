// SPDX-License-Identifier: MIT
//
// Calls in which threads wait for each other: conditions, barriers, sleeps and futexes.

#define _GNU_SOURCE

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "backstitch/base.h"
#include "base/posix/thread_calls.h"
#include "base/posix/thread_serial.h"

#if BKS_DEFINES_THREAD_CALLS

// ---- conditions ----
//
// Threads in turns wait for conditions here and not in the C library: there the system would choose
// which of several woken threads gets the mutex.

// Wait for a condition in turns.
// @return false if a timed wait ended without a signal
static bool wait_in_turn(void *condition, bool is_timed, real_call *unlock, void *mutex)
{
    serial_begin_wait(condition);
    (void)thread_call(unlock, mutex);
    (void)serial_wake(mutex);
    return serial_end_wait(is_timed);
}

static real_call unlock_posix = {.name = "pthread_mutex_unlock"};
static real_call unlock_c11 = {.name = "mtx_unlock"};

BKS_API int pthread_cond_wait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex)
{
    DECLARE_REAL(pthread_cond_wait);
    if (!thread_takes_turns()) {
        return real(condition, mutex);
    }
    (void)wait_in_turn(condition, false, &unlock_posix, mutex);
    return pthread_mutex_lock(mutex);
}

BKS_API int cnd_wait(cnd_t *condition, mtx_t *mutex)
{
    DECLARE_REAL(cnd_wait);
    if (!thread_takes_turns()) {
        return real(condition, mutex);
    }
    (void)wait_in_turn(condition, false, &unlock_c11, mutex);
    return mtx_lock(mutex);
}

BKS_API int pthread_cond_timedwait(pthread_cond_t *restrict condition,
                                   pthread_mutex_t *restrict mutex,
                                   const struct timespec *restrict until)
{
    DECLARE_REAL(pthread_cond_timedwait);
    if (!thread_takes_turns()) {
        return real(condition, mutex, until);
    }
    const bool is_woken = wait_in_turn(condition, true, &unlock_posix, mutex);
    const int status = pthread_mutex_lock(mutex);
    return status != 0 ? status : is_woken ? 0 : ETIMEDOUT;
}

BKS_API int pthread_cond_clockwait(pthread_cond_t *restrict condition,
                                   pthread_mutex_t *restrict mutex, clockid_t clock,
                                   const struct timespec *restrict until)
{
    DECLARE_REAL(pthread_cond_clockwait);
    return thread_takes_turns() ? pthread_cond_timedwait(condition, mutex, until)
                                : real(condition, mutex, clock, until);
}

BKS_API int cnd_timedwait(cnd_t *restrict condition, mtx_t *restrict mutex,
                          const struct timespec *restrict until)
{
    DECLARE_REAL(cnd_timedwait);
    if (!thread_takes_turns()) {
        return real(condition, mutex, until);
    }
    const bool is_woken = wait_in_turn(condition, true, &unlock_c11, mutex);
    const int status = mtx_lock(mutex);
    return status != thrd_success ? status : is_woken ? thrd_success : thrd_timedout;
}

static int wake(real_call *call, void *condition, bool wakes_all)
{
    while (serial_wake(condition) && wakes_all) {
    }
    const int status = thread_call(call, condition); // wakes threads that take no turns
    thread_call_may_switch();
    return status;
}

#define DEFINE_WAKE(function, wakes_all, type)       \
    BKS_API int function(type *condition)            \
    {                                                \
        static real_call call = {.name = #function}; \
        return wake(&call, condition, wakes_all);    \
    }

DEFINE_WAKE(pthread_cond_signal, false, pthread_cond_t)
DEFINE_WAKE(pthread_cond_broadcast, true, pthread_cond_t)
DEFINE_WAKE(cnd_signal, false, cnd_t)
DEFINE_WAKE(cnd_broadcast, true, cnd_t)

// ---- barriers ----
//
// A barrier of threads in turns stays one of theirs if the order is given up, because some may wait
// at it then.

enum { BARRIERS_MAX = 64 };

/// Barrier of threads in turns.
typedef struct turn_barrier {
    const pthread_barrier_t *barrier; ///< NULL: the entry is free
    unsigned count;                   ///< threads that it waits for
    _Atomic unsigned arrived;
} turn_barrier;

static turn_barrier barriers[BARRIERS_MAX];

static turn_barrier *find_barrier(const pthread_barrier_t *barrier)
{
    for (size_t i = 0; i < BARRIERS_MAX; i++) {
        if (barriers[i].barrier == barrier) {
            return &barriers[i];
        }
    }
    return NULL;
}

BKS_API int pthread_barrier_init(pthread_barrier_t *restrict barrier,
                                 const pthread_barrierattr_t *restrict attributes, unsigned count)
{
    DECLARE_REAL(pthread_barrier_init);
    const int status = real(barrier, attributes, count);
    turn_barrier *entry = find_barrier(barrier);
    entry = entry != NULL ? entry : find_barrier(NULL);
    if (status == 0 && serial_has_begun() && entry != NULL) {
        entry->barrier = barrier;
        entry->count = count;
        atomic_store(&entry->arrived, 0);
    }
    return status;
}

BKS_API int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    DECLARE_REAL(pthread_barrier_wait);
    turn_barrier *entry = serial_has_entry() ? find_barrier(barrier) : NULL;
    if (entry == NULL) {
        return real(barrier);
    }
    serial_begin_wait(barrier);
    const bool is_last = atomic_fetch_add(&entry->arrived, 1) + 1 == entry->count;
    if (is_last) {
        atomic_store(&entry->arrived, 0);
        while (serial_wake(barrier)) {
        }
    }
    (void)serial_end_wait(false);
    return is_last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

BKS_API int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
    DECLARE_REAL(pthread_barrier_destroy);
    turn_barrier *entry = find_barrier(barrier);
    if (entry != NULL) {
        entry->barrier = NULL;
    }
    return real(barrier);
}

// ---- sleeps ----
//
// A thread that sleeps gives its turn away and does not sleep: how long others take is no reason to
// go on. It sleeps only if no other thread can run.

static bool sleeps_in_turn(void)
{
    return thread_takes_turns() && serial_pass();
}

BKS_API int sched_yield(void)
{
    DECLARE_REAL(sched_yield);
    return sleeps_in_turn() ? 0 : real();
}

BKS_API void thrd_yield(void)
{
    DECLARE_REAL(thrd_yield);
    if (!sleeps_in_turn()) {
        real();
    }
}

BKS_API int nanosleep(const struct timespec *time, struct timespec *rest)
{
    DECLARE_REAL(nanosleep);
    return sleeps_in_turn() ? 0 : real(time, rest);
}

BKS_API int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                            struct timespec *rest)
{
    DECLARE_REAL(clock_nanosleep);
    return sleeps_in_turn() ? 0 : real(clock, flags, time, rest);
}

BKS_API int usleep(useconds_t time)
{
    DECLARE_REAL(usleep);
    return sleeps_in_turn() ? 0 : real(time);
}

BKS_API int thrd_sleep(const struct timespec *time, struct timespec *rest)
{
    DECLARE_REAL(thrd_sleep);
    return sleeps_in_turn() ? 0 : real(time, rest);
}

// ---- futexes ----
//
// Languages other than C wait by futexes, as C++ does for atomics. Each of their waits may end
// without cause, and then looks again.

static long wait_by_futex(const _Atomic uint32_t *word, uint32_t expected)
{
    if (atomic_load(word) != expected) {
        errno = EAGAIN;
        return -1;
    }
    serial_begin_wait((const void *)(uintptr_t)word);
    (void)serial_end_wait(true);
    return 0;
}

// Read as many values as a system call can have, however many are given, as the C library does.
BKS_API __attribute__((no_sanitize_address)) long syscall(long number, ...)
{
    DECLARE_REAL(syscall);
    long values[6];
    va_list list;
    va_start(list, number);
    for (size_t i = 0; i < 6; i++) {
        values[i] = va_arg(list, long);
    }
    va_end(list);
    const long operation = values[1] & FUTEX_CMD_MASK;
    if (number != SYS_futex || !thread_takes_turns()) {
        return real(number, values[0], values[1], values[2], values[3], values[4], values[5]);
    }
    if (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET) {
        return wait_by_futex((const _Atomic uint32_t *)(uintptr_t)values[0], (uint32_t)values[2]);
    }
    long woken = 0;
    const bool wakes = operation == FUTEX_WAKE || operation == FUTEX_WAKE_BITSET;
    while (wakes && woken < values[2] && serial_wake((const void *)(uintptr_t)values[0])) {
        woken++;
    }
    const long status =
        real(number, values[0], values[1], values[2], values[3], values[4], values[5]);
    thread_call_may_switch();
    return status < 0 ? status : status + woken;
}

#endif
