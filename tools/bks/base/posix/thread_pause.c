// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "base/altered_system.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "backstitch/base.h"

enum {
    LONGEST_US = 400,
    // Limit for all pauses together between two calls of thread_pause_next_stretch().
    STRETCH_US = 2000,
};

static atomic_bool is_on;
static _Atomic uint64_t draws;
static _Atomic uint64_t pauses;
static _Atomic uint32_t made;
static _Atomic uint32_t ended;
static _Atomic uint32_t slept_us;
static uint64_t pause_seed;

void thread_pause_begin(uint64_t seed)
{
    pause_seed = seed;
    atomic_store(&is_on, true);
}

void thread_pause_next_stretch(void)
{
    atomic_store(&slept_us, 0);
}

uint32_t thread_pause_alive(void)
{
    return atomic_load(&made) - atomic_load(&ended);
}

uint64_t thread_pause_count(void)
{
    return atomic_load(&pauses);
}

// Pause the calling thread: a third of the calls do nothing, a third yield, a third sleep.
void thread_pause(void)
{
    const uint64_t drawn = bks_hash64_pair(pause_seed, atomic_fetch_add(&draws, 1));
    if (drawn % 3 == 0) {
        return;
    }
    atomic_fetch_add(&pauses, 1);
    const uint32_t us = 1 + (uint32_t)(drawn >> 32) % LONGEST_US;
    if (drawn % 3 == 1 || atomic_fetch_add(&slept_us, us) > STRETCH_US) {
        (void)sched_yield();
        return;
    }
    const struct timespec time = {.tv_nsec = (long)us * 1000};
    (void)nanosleep(&time, NULL);
}

#if defined(__has_feature)
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif

#if !defined(__GLIBC__) || defined(__SANITIZE_THREAD__) || HAS_FEATURE(address_sanitizer) || \
    HAS_FEATURE(thread_sanitizer) || HAS_FEATURE(memory_sanitizer)

bool thread_pause_works(void)
{
    return false;
}

#else

typedef int create_function(pthread_t *thread, const pthread_attr_t *attributes,
                            void *(*start)(void *context), void *context);
typedef int lock_function(pthread_mutex_t *mutex);

static void *find_real(const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    if (symbol == NULL) {
        abort(); // this cannot happen: the symbol is always in the C library
    }
    return symbol;
}

bool thread_pause_works(void)
{
    return true;
}

/// Function that a thread runs after its first pause.
typedef struct thread_start {
    void *(*start)(void *context);
    void *context;
} thread_start;

static void count_end(void *context)
{
    (void)context;
    atomic_fetch_add(&ended, 1);
}

static void *start_paused(void *context)
{
    const thread_start own = *(thread_start *)context;
    void *result = NULL;
    free(context);
    thread_pause();
    // count_end() also runs if the thread calls pthread_exit().
    pthread_cleanup_push(count_end, NULL);
    result = own.start(own.context);
    pthread_cleanup_pop(1);
    return result;
}

BKS_API int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                           void *(*start)(void *context), void *restrict context)
{
    static void *volatile found;
    if (found == NULL) {
        found = find_real("pthread_create");
    }
    create_function *real;
    _Static_assert(sizeof(real) == sizeof(found), "as POSIX says");
    void *symbol = found;
    __builtin_memcpy(&real, &symbol, sizeof(real));
    thread_start *paused = atomic_load(&is_on) ? malloc(sizeof(*paused)) : NULL;
    if (paused == NULL) {
        return real(thread, attributes, start, context);
    }
    *paused = (thread_start){.start = start, .context = context};
    atomic_fetch_add(&made, 1);
    const int status = real(thread, attributes, start_paused, paused);
    if (status != 0) {
        free(paused);
        count_end(NULL);
    }
    thread_pause();
    return status;
}

static lock_function *find_lock(void *volatile *found, const char *name)
{
    if (*found == NULL) {
        *found = find_real(name);
    }
    lock_function *real;
    void *symbol = *found;
    __builtin_memcpy(&real, &symbol, sizeof(real));
    return real;
}

static void pause_beside_threads(void)
{
    if (atomic_load_explicit(&made, memory_order_relaxed) > 0) {
        thread_pause();
    }
}

BKS_API int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    static void *volatile found;
    pause_beside_threads();
    return find_lock(&found, "pthread_mutex_lock")(mutex);
}

BKS_API int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    static void *volatile found;
    const int status = find_lock(&found, "pthread_mutex_unlock")(mutex);
    pause_beside_threads();
    return status;
}

#endif
