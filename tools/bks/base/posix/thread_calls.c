// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "base/posix/thread_calls.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>

#include "backstitch/base.h"
#include "base/altered_system.h"
#include "base/posix/thread_serial.h"

static _Atomic uint32_t made;
static _Atomic uint32_t ended;
// Number of threads that this process made, also before threads were held up or ordered.
static _Atomic uint32_t created;

void thread_serial_begin(void)
{
    serial_begin();
}

void thread_serial_rest(bool is_resting)
{
    serial_rest(is_resting);
}

uint32_t thread_pause_alive(void)
{
    return atomic_load(&made) - atomic_load(&ended);
}

uint32_t thread_created_count(void)
{
    return atomic_load(&created);
}

bool thread_pause_works(void)
{
    return BKS_DEFINES_THREAD_CALLS;
}

#if BKS_DEFINES_THREAD_CALLS

int thread_call(real_call *call, void *object)
{
    int (*real)(void *object);
    real_call_find(call, &real);
    return real(object);
}

bool thread_calls_matter(void)
{
    return atomic_load_explicit(&made, memory_order_relaxed) > 0;
}

bool thread_takes_turns(void)
{
    return thread_calls_matter() && serial_takes_turns();
}

void thread_call_may_switch(void)
{
    if (thread_takes_turns()) {
        serial_may_pass();
    } else if (thread_calls_matter() && !serial_has_begun()) {
        thread_pause();
    }
}

// ---- threads begin and end ----

/// Function that a thread runs after its first pause, either of POSIX or of C11.
typedef struct thread_start {
    void *(*start)(void *context);
    thrd_start_t start_c11;
    void *context;
    int entry; ///< index of its entry in thread_serial.c, -1: none
} thread_start;

static void count_end(void *context)
{
    (void)context;
    serial_leave();
    atomic_fetch_add(&ended, 1);
}

static thread_start begin_thread(void *context)
{
    const thread_start own = *(thread_start *)context;
    serial_enter(own.entry);
    free(context);
    if (!serial_has_begun()) {
        thread_pause();
    }
    return own;
}

static void *start_held(void *context)
{
    const thread_start own = begin_thread(context);
    void *result = NULL;
    // count_end() also runs if the thread calls pthread_exit().
    pthread_cleanup_push(count_end, NULL);
    result = own.start(own.context);
    pthread_cleanup_pop(1);
    return result;
}

static int start_c11_held(void *context)
{
    const thread_start own = begin_thread(context);
    int result = 0;
    pthread_cleanup_push(count_end, NULL);
    result = own.start_c11(own.context);
    pthread_cleanup_pop(1);
    return result;
}

// Count a thread that is about to be made.
// @return memory for its start, NULL if it starts as without this program
static thread_start *count_thread(const thread_start *start)
{
    atomic_fetch_add(&created, 1);
    thread_start *held = thread_pause_is_on() || serial_has_begun() ? malloc(sizeof(*held)) : NULL;
    if (held != NULL) {
        *held = *start;
        held->entry = serial_reserve();
        atomic_fetch_add(&made, 1);
    }
    return held;
}

static void end_create(const thread_start *held, int entry, bool is_made, uintptr_t handle)
{
    if (is_made) {
        serial_made(entry, handle);
    } else {
        serial_release(entry);
        free((void *)(uintptr_t)held);
        atomic_fetch_add(&ended, 1);
    }
    thread_call_may_switch();
}

BKS_API int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                           void *(*start)(void *context), void *restrict context)
{
    DECLARE_REAL(pthread_create);
    thread_start *held = count_thread(&(thread_start){.start = start, .context = context});
    if (held == NULL) {
        return real(thread, attributes, start, context);
    }
    const int entry = held->entry;
    const int status = real(thread, attributes, start_held, held);
    end_create(held, entry, status == 0, status == 0 ? (uintptr_t)*thread : 0);
    return status;
}

BKS_API int thrd_create(thrd_t *thread, thrd_start_t start, void *context)
{
    DECLARE_REAL(thrd_create);
    thread_start *held = count_thread(&(thread_start){.start_c11 = start, .context = context});
    if (held == NULL) {
        return real(thread, start, context);
    }
    const int entry = held->entry;
    const int status = real(thread, start_c11_held, held);
    const bool is_made = status == thrd_success;
    end_create(held, entry, is_made, is_made ? (uintptr_t)*thread : 0);
    return status;
}

static void await_end(uintptr_t handle)
{
    while (thread_takes_turns() && serial_is_alive(handle)) {
        serial_begin_wait((const void *)handle);
        (void)serial_end_wait(true);
    }
}

BKS_API int pthread_join(pthread_t thread, void **out)
{
    DECLARE_REAL(pthread_join);
    await_end((uintptr_t)thread);
    return real(thread, out);
}

BKS_API int thrd_join(thrd_t thread, int *out)
{
    DECLARE_REAL(thrd_join);
    await_end((uintptr_t)thread);
    return real(thread, out);
}

// ---- locks ----

// Return true if an attempt has failed because another thread holds the object. C11 and POSIX have
// their own numbers.
static bool is_busy(int status)
{
    return status == EBUSY || status == thrd_busy || (status < 0 && errno == EAGAIN);
}

static int lock_in_turn(real_call *lock, real_call *attempt, void *object)
{
    while (thread_takes_turns()) {
        const int status = thread_call(attempt, object);
        if (!is_busy(status)) {
            return status;
        }
        serial_begin_wait(object);
        (void)serial_end_wait(true);
    }
    return thread_call(lock, object);
}

int thread_call_lock(real_call *lock, real_call *attempt, void *object)
{
    thread_call_may_switch();
    return lock_in_turn(lock, attempt, object);
}

int thread_call_unlock(real_call *unlock, void *object)
{
    const int status = thread_call(unlock, object);
    (void)serial_wake(object);
    thread_call_may_switch();
    return status;
}

#define DEFINE_LOCK(lock, attempt, type)                 \
    BKS_API int lock(type *object)                       \
    {                                                    \
        static real_call locks = {.name = #lock};        \
        static real_call tries = {.name = #attempt};     \
        return thread_call_lock(&locks, &tries, object); \
    }

#define DEFINE_UNLOCK(unlock, type)                   \
    BKS_API int unlock(type *object)                  \
    {                                                 \
        static real_call unlocks = {.name = #unlock}; \
        return thread_call_unlock(&unlocks, object);  \
    }

DEFINE_LOCK(pthread_mutex_lock, pthread_mutex_trylock, pthread_mutex_t)
DEFINE_LOCK(mtx_lock, mtx_trylock, mtx_t)
DEFINE_LOCK(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, pthread_rwlock_t)
DEFINE_LOCK(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, pthread_rwlock_t)
DEFINE_LOCK(sem_wait, sem_trywait, sem_t)
DEFINE_UNLOCK(pthread_mutex_unlock, pthread_mutex_t)
DEFINE_UNLOCK(mtx_unlock, mtx_t)
DEFINE_UNLOCK(pthread_rwlock_unlock, pthread_rwlock_t)
DEFINE_UNLOCK(sem_post, sem_t)

#endif
