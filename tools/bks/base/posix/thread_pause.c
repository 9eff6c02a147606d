// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "base/altered_system.h"

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "backstitch/base.h"

enum {
    LONGEST_US = 400,
    // Limit for all pauses together between two calls of thread_pause_next_stretch().
    STRETCH_US = 2000,
};

static atomic_bool is_on;
static atomic_bool is_serial;
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

// ---- threads one after another ----

// A thread that is not done after LOOKS_MAX looks, a second or more, may spin until this one does
// something. After GIVE_UPS_MAX such threads nothing is waited for any more.
enum { LOOK_US = 50, LOOKS_MAX = 10000, GIVE_UPS_MAX = 3, WAITERS_MAX = 256 };

static _Atomic uint32_t give_ups;

/// Numbers of the threads that wait for others, at the turn of each, modulo WAITERS_MAX; 0: none.
static _Atomic long waiters[WAITERS_MAX];
static _Atomic uint32_t turns;

// Return true if the thread with this number, of this process, runs or could run.
static bool is_running(long thread)
{
    char path[64];
    char text[128] = "";
    (void)snprintf(path, sizeof(path), "/proc/self/task/%ld/stat", thread);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return false;
    }
    (void)!fread(text, 1, sizeof(text) - 1, file);
    (void)fclose(file);
    const char *name_end = strrchr(text, ')');
    return name_end != NULL && name_end[1] == ' ' && name_end[2] == 'R';
}

// Return true if a thread must be waited for at turn `own`. Of two threads that wait for each other
// the one that came later goes on.
static bool goes_first(long thread, uint32_t own)
{
    for (uint32_t turn = own + 1; turn != own + WAITERS_MAX; turn++) {
        if (atomic_load(&waiters[turn % WAITERS_MAX]) == thread) {
            return turn <= atomic_load(&turns);
        }
    }
    return is_running(thread);
}

static bool others_run(uint32_t own)
{
    DIR *threads = opendir("/proc/self/task");
    bool do_run = false;
    const struct dirent *entry;
    while (threads != NULL && !do_run && (entry = readdir(threads)) != NULL) {
        const long thread = strtol(entry->d_name, NULL, 10);
        do_run = thread > 0 && thread != (long)gettid() && goes_first(thread, own);
    }
    if (threads != NULL) {
        (void)closedir(threads);
    }
    return do_run;
}

// Take a turn before a call that may let other threads run: all of them go first then, however soon
// they run. Return 0 unless threads run one after another.
static uint32_t take_turn(void)
{
    if (!atomic_load_explicit(&is_serial, memory_order_relaxed)) {
        return 0;
    }
    const uint32_t own = atomic_fetch_add(&turns, 1) + 1;
    atomic_store(&waiters[own % WAITERS_MAX], (long)gettid());
    return own;
}

// Sleep until every other thread has ended or waits.
static void wait_for_others(uint32_t own)
{
    const struct timespec time = {.tv_nsec = LOOK_US * 1000L};
    uint32_t looks = 0;
    while (atomic_load(&give_ups) < GIVE_UPS_MAX && others_run(own)) {
        (void)nanosleep(&time, NULL);
        if (++looks == LOOKS_MAX) {
            atomic_fetch_add(&give_ups, 1);
            break;
        }
    }
    atomic_store(&waiters[own % WAITERS_MAX], 0);
}

void thread_serial_begin(void)
{
    atomic_store(&is_serial, true);
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
    if (!atomic_load(&is_serial)) {
        thread_pause();
    }
    // count_end() also runs if the thread calls pthread_exit().
    pthread_cleanup_push(count_end, NULL);
    result = own.start(own.context);
    pthread_cleanup_pop(1);
    return result;
}

static bool has_threads(void)
{
    return atomic_load_explicit(&made, memory_order_relaxed) > 0;
}

// Let other threads go first if this one has a turn, else pause at random.
static void end_turn(uint32_t turn)
{
    if (turn != 0) {
        wait_for_others(turn);
    } else {
        thread_pause();
    }
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
    const uint32_t turn = take_turn();
    const int status = real(thread, attributes, start_paused, paused);
    if (status != 0) {
        free(paused);
        count_end(NULL);
    }
    end_turn(turn);
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

BKS_API int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    static void *volatile found;
    if (has_threads()) {
        end_turn(take_turn());
    }
    return find_lock(&found, "pthread_mutex_lock")(mutex);
}

BKS_API int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    static void *volatile found;
    const uint32_t turn = has_threads() ? take_turn() : 0;
    const int status = find_lock(&found, "pthread_mutex_unlock")(mutex);
    if (has_threads()) {
        end_turn(turn);
    }
    return status;
}

#endif
