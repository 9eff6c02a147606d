// SPDX-License-Identifier: MIT

// The game's own threads note who is done first, and a step hashes the order.
//
// With OWN_NUMBER it is the number of the process that varies: threads are no cause. With OWN_COIN
// it is a bit of that number, so that half of all runs differ. With NAPS each thread sleeps a
// little, another time in each run, as a busy machine holds it up.

#define _DEFAULT_SOURCE

#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "planted.h"

enum { WORKERS = 4, FIRST_TICK = 9, ROUNDS = 2000 };

typedef struct pool_state {
    planted_base base;
    uint32_t order;
} pool_state;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t done[WORKERS];
static uint32_t done_count;

static void nap(void)
{
#ifdef NAPS
    struct timespec now = {0};
    (void)syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    const struct timespec time = {.tv_nsec = now.tv_nsec / 16 % 500000};
    (void)syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, NULL);
#endif
}

static void *work(void *context)
{
    const uint32_t number = (uint32_t)(uintptr_t)context;
    nap();
    volatile uint32_t sum = 0;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        sum += i;
    }
    (void)pthread_mutex_lock(&lock);
    done[done_count++] = number;
    (void)pthread_mutex_unlock(&lock);
    return NULL;
}

static uint32_t work_all(void)
{
    pthread_t threads[WORKERS];
    uint32_t order = 1;
    done_count = 0;
    for (uint32_t i = 0; i < WORKERS; i++) {
        (void)pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i);
    }
    for (uint32_t i = 0; i < WORKERS; i++) {
        (void)pthread_join(threads[i], NULL);
    }
#ifdef OWN_NUMBER
    order = (uint32_t)getpid();
#elif defined(OWN_COIN)
    order = (uint32_t)getpid() * 2654435761u >> 31;
#else
    for (uint32_t i = 0; i < WORKERS; i++) {
        order = order * WORKERS + done[i];
    }
#endif
    return order;
}

static void pool_init(void *state, const bks_start *start)
{
    (void)start;
    ((pool_state *)state)->order = 0;
}

static void pool_step(void *state, const bks_step *step)
{
    pool_state *pool = state;
    planted_move(&pool->base, step);
    if (step->tick >= FIRST_TICK) {
        pool->order = pool->order * 31u + work_all();
    }
    bks_mark(step, "gather");
}

PLANTED("own_pool", pool_state, .state_bytes = sizeof(pool_state), .init = pool_init,
        .step = pool_step);
