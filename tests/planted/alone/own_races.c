// SPDX-License-Identifier: MIT

// A pool of the game's own threads adds up floats in the order in which the threads are done.
//
// The threads wait at a condition; with POOL_C11 at one of C11; with POOL_SPINS they spin, so that
// nothing orders them. With RARE the sum is used in one tick only, so that most runs are equal.
// With COUNTS the pool gathers in order, and a static variable counts steps; with ASKS it does, and
// an environment variable is read.

#define _DEFAULT_SOURCE

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>

#include "planted.h"

enum { WORKERS = 3, FIRST_TICK = 9, ROUNDS = 300 };

typedef struct pool_state {
    planted_base base;
    float sum;
    uint32_t prize;
} pool_state;

static float done[WORKERS];
static uint32_t order[WORKERS];
static uint32_t done_count;

// Calculate the result of a thread. The time that it takes varies from round to round.
static float calculate(uint32_t number, uint32_t round)
{
    volatile uint32_t passed = 0;
    for (uint32_t i = 0; i < ROUNDS + (number * 37 + round) % 50; i++) {
        passed += i;
    }
    return 1.0f / (float)(number + 3);
}

#ifdef POOL_SPINS

static _Atomic uint32_t rounds;
static _Atomic uint32_t finished;
static atomic_flag lock = ATOMIC_FLAG_INIT;

static void *work(void *context)
{
    const uint32_t number = (uint32_t)(uintptr_t)context;
    for (uint32_t round = 1;; round++) {
        while (atomic_load(&rounds) != round) {
            (void)sched_yield();
        }
        const float sum = calculate(number, round);
        while (atomic_flag_test_and_set(&lock)) {
        }
        order[done_count] = number;
        done[done_count++] = sum;
        atomic_flag_clear(&lock);
        atomic_fetch_add(&finished, 1);
    }
    return NULL;
}

static void work_all(void)
{
    done_count = 0;
    atomic_store(&finished, 0);
    atomic_fetch_add(&rounds, 1);
    while (atomic_load(&finished) < WORKERS) {
        (void)sched_yield();
    }
}

static void make_thread(uint32_t number)
{
    pthread_t thread;
    (void)pthread_create(&thread, NULL, work, (void *)(uintptr_t)number);
    (void)pthread_detach(thread);
}

#else

#ifdef POOL_C11
#define LOCK   mtx_lock
#define UNLOCK mtx_unlock
#define WAIT   cnd_wait
#define WAKE   cnd_broadcast
static mtx_t lock;
static cnd_t wanted;
static cnd_t finished;
#else
#define LOCK   pthread_mutex_lock
#define UNLOCK pthread_mutex_unlock
#define WAIT   pthread_cond_wait
#define WAKE   pthread_cond_broadcast
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wanted = PTHREAD_COND_INITIALIZER;
static pthread_cond_t finished = PTHREAD_COND_INITIALIZER;
#endif

static uint32_t rounds;

static void work_on(uint32_t number)
{
    for (uint32_t round = 1;; round++) {
        (void)LOCK(&lock);
        while (rounds != round) {
            (void)WAIT(&wanted, &lock);
        }
        (void)UNLOCK(&lock);
        const float sum = calculate(number, round);
        (void)LOCK(&lock);
        order[done_count] = number;
        done[done_count++] = sum;
        (void)WAKE(&finished);
        (void)UNLOCK(&lock);
    }
}

static void work_all(void)
{
    (void)LOCK(&lock);
    done_count = 0;
    rounds++;
    (void)WAKE(&wanted);
    while (done_count < WORKERS) {
        (void)WAIT(&finished, &lock);
    }
    (void)UNLOCK(&lock);
}

#ifdef POOL_C11
static int work(void *context)
{
    work_on((uint32_t)(uintptr_t)context);
    return 0;
}
#else
static void *work(void *context)
{
    work_on((uint32_t)(uintptr_t)context);
    return NULL;
}
#endif

static void make_thread(uint32_t number)
{
#ifdef POOL_C11
    thrd_t thread;
    (void)thrd_create(&thread, work, (void *)(uintptr_t)number);
    (void)thrd_detach(thread);
#else
    pthread_t thread;
    (void)pthread_create(&thread, NULL, work, (void *)(uintptr_t)number);
    (void)pthread_detach(thread);
#endif
}

#endif

static void begin_pool(void)
{
    static bool is_begun;
    if (is_begun) {
        return;
    }
    is_begun = true;
#ifdef POOL_C11
    (void)mtx_init(&lock, mtx_plain);
    (void)cnd_init(&wanted);
    (void)cnd_init(&finished);
#endif
    for (uint32_t i = 0; i < WORKERS; i++) {
        make_thread(i);
    }
}

static void pool_init(void *state, const bks_start *start)
{
    (void)start;
    ((pool_state *)state)->sum = 0;
    begin_pool();
}

static void pool_step(void *state, const bks_step *step)
{
    pool_state *pool = state;
    planted_move(&pool->base, step);
    begin_pool();
    work_all();
    float sum = 0;
#if defined(COUNTS) || defined(ASKS)
    for (uint32_t i = 0; i < WORKERS; i++) {
        for (uint32_t j = 0; j < WORKERS; j++) {
            sum += order[j] == i ? done[j] : 0;
        }
    }
#else
    for (uint32_t i = 0; i < WORKERS; i++) {
        sum = sum * 1.01f + done[i];
    }
#endif
#ifdef RARE
    if (step->tick == FIRST_TICK) {
#else
    if (step->tick >= FIRST_TICK) {
#endif
        pool->sum = pool->sum * 0.5f + sum;
    }
    bks_mark(step, "gather");
#ifdef COUNTS
    static uint32_t steps;
    pool->prize = ++steps;
#endif
#ifdef ASKS
    const char *home = getenv("HOME");
    pool->prize = home != NULL ? (uint32_t)home[1] : 0;
#endif
    bks_mark(step, "prize");
}

PLANTED("own_races", pool_state, .state_bytes = sizeof(pool_state), .init = pool_init,
        .step = pool_step);
