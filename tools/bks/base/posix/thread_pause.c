// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "base/altered_system.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "backstitch/base.h"
#include "base/posix/thread_serial.h"

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
// Number of threads that this process made, also before thread_pause_begin().
static _Atomic uint32_t created;
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

uint32_t thread_created_count(void)
{
    return atomic_load(&created);
}

uint64_t thread_pause_count(void)
{
    return atomic_load(&pauses);
}

void thread_serial_begin(void)
{
    serial_begin();
    atomic_store(&is_on, true);
}

bool thread_serial_was_used(void)
{
    return atomic_load(&made) > 0;
}

// ---- pauses ----

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
typedef int create_c11_function(thrd_t *thread, thrd_start_t start, void *context);
typedef int object_function(void *object);

// Return the C library's own function. Of several versions of a condition's functions take the one
// that programs are linked to.
static void *find_real(void *volatile *found, const char *name)
{
    if (*found == NULL) {
        void *symbol = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
        *found = symbol != NULL ? symbol : dlsym(RTLD_NEXT, name);
    }
    if (*found == NULL) {
        abort(); // this cannot happen: the symbol is always in the C library
    }
    return *found;
}

bool thread_pause_works(void)
{
    return true;
}

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
    free(context);
    if (serial_is_on()) {
        serial_enter(own.entry);
    } else {
        thread_pause();
    }
    return own;
}

static void *start_paused(void *context)
{
    const thread_start own = begin_thread(context);
    void *result = NULL;
    // count_end() also runs if the thread calls pthread_exit().
    pthread_cleanup_push(count_end, NULL);
    result = own.start(own.context);
    pthread_cleanup_pop(1);
    return result;
}

static int start_c11_paused(void *context)
{
    const thread_start own = begin_thread(context);
    int result = 0;
    pthread_cleanup_push(count_end, NULL);
    result = own.start_c11(own.context);
    pthread_cleanup_pop(1);
    return result;
}

static bool has_threads(void)
{
    return atomic_load_explicit(&made, memory_order_relaxed) > 0;
}

// Let other threads go first if this one has a turn, else pause at random.
static void end_turn(bool has_turn)
{
    if (has_turn) {
        serial_end_turn();
    } else {
        thread_pause();
    }
}

// Count a thread that is about to be made.
// @return memory for its start, NULL if it starts as without this program
static thread_start *count_thread(const thread_start *start)
{
    atomic_fetch_add(&created, 1);
    thread_start *paused = atomic_load(&is_on) ? malloc(sizeof(*paused)) : NULL;
    if (paused != NULL) {
        *paused = *start;
        paused->entry = serial_is_on() ? serial_reserve() : -1;
        atomic_fetch_add(&made, 1);
    }
    return paused;
}

static void end_create(thread_start *paused, bool is_made, bool has_turn)
{
    if (!is_made) {
        serial_release(paused->entry);
        free(paused);
        atomic_fetch_add(&ended, 1);
    }
    end_turn(has_turn);
}

BKS_API int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                           void *(*start)(void *context), void *restrict context)
{
    static void *volatile found;
    create_function *real;
    _Static_assert(sizeof(real) == sizeof(found), "as POSIX says");
    void *symbol = find_real(&found, "pthread_create");
    __builtin_memcpy(&real, &symbol, sizeof(real));
    thread_start *paused = count_thread(&(thread_start){.start = start, .context = context});
    if (paused == NULL) {
        return real(thread, attributes, start, context);
    }
    const bool has_turn = serial_take_turn();
    const int status = real(thread, attributes, start_paused, paused);
    end_create(paused, status == 0, has_turn);
    return status;
}

BKS_API int thrd_create(thrd_t *thread, thrd_start_t start, void *context)
{
    static void *volatile found;
    create_c11_function *real;
    void *symbol = find_real(&found, "thrd_create");
    __builtin_memcpy(&real, &symbol, sizeof(real));
    thread_start *paused = count_thread(&(thread_start){.start_c11 = start, .context = context});
    if (paused == NULL) {
        return real(thread, start, context);
    }
    const bool has_turn = serial_take_turn();
    const int status = real(thread, start_c11_paused, paused);
    end_create(paused, status == thrd_success, has_turn);
    return status;
}

static int call(void *volatile *found, const char *name, void *object)
{
    object_function *real;
    void *symbol = find_real(found, name);
    __builtin_memcpy(&real, &symbol, sizeof(real));
    return real(object);
}

static int call_lock(void *volatile *found, const char *name, void *mutex)
{
    if (has_threads()) {
        end_turn(serial_take_turn());
    }
    return call(found, name, mutex);
}

// Call a function after which another thread may run.
static int call_wake(void *volatile *found, const char *name, void *object)
{
    if (!has_threads()) {
        return call(found, name, object);
    }
    const bool has_turn = serial_take_turn();
    const int status = call(found, name, object);
    end_turn(has_turn);
    return status;
}

// Wake one thread that waits at a condition, or all of them. A wait with a time limit is the C
// library's.
static int call_signal(void *volatile *found, const char *name, void *condition)
{
    (void)(serial_is_on() && serial_wake(condition));
    return call_wake(found, name, condition);
}

static int call_broadcast(void *volatile *found, const char *name, void *condition)
{
    while (serial_is_on() && serial_wake(condition)) {
    }
    return call_wake(found, name, condition);
}

typedef int wait_function(void *condition, void *mutex);

static int call_wait(void *volatile found[3], const char *const names[3], void *condition,
                     void *mutex)
{
    wait_function *real;
    if (serial_begin_wait(condition)) {
        (void)call(&found[1], names[1], mutex);
        serial_end_wait();
        return call(&found[2], names[2], mutex);
    }
    void *symbol = find_real(&found[0], names[0]);
    __builtin_memcpy(&real, &symbol, sizeof(real));
    return real(condition, mutex);
}

BKS_API int pthread_cond_wait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex)
{
    static const char *const names[3] = {"pthread_cond_wait", "pthread_mutex_unlock",
                                         "pthread_mutex_lock"};
    static void *volatile found[3];
    return call_wait(found, names, condition, mutex);
}

BKS_API int cnd_wait(cnd_t *condition, mtx_t *mutex)
{
    static const char *const names[3] = {"cnd_wait", "mtx_unlock", "mtx_lock"};
    static void *volatile found[3];
    return call_wait(found, names, condition, mutex);
}

#define DEFINE_CALL(kind, name, type)              \
    BKS_API int name(type *object)                 \
    {                                              \
        static void *volatile found;               \
        return call_##kind(&found, #name, object); \
    }

DEFINE_CALL(lock, pthread_mutex_lock, pthread_mutex_t)
DEFINE_CALL(lock, mtx_lock, mtx_t)
DEFINE_CALL(wake, pthread_mutex_unlock, pthread_mutex_t)
DEFINE_CALL(signal, pthread_cond_signal, pthread_cond_t)
DEFINE_CALL(broadcast, pthread_cond_broadcast, pthread_cond_t)
DEFINE_CALL(wake, sem_post, sem_t)
DEFINE_CALL(wake, mtx_unlock, mtx_t)
DEFINE_CALL(signal, cnd_signal, cnd_t)
DEFINE_CALL(broadcast, cnd_broadcast, cnd_t)

#endif
