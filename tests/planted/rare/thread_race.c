// SPDX-License-Identifier: MIT

// Two threads work for one step, and the one that is done first is noted. Nearly always it is the
// one that was begun first, and only when it was not twice in a row does the state show it.

#include <pthread.h>

#include "planted.h"

typedef struct race_state {
    planted_base base;
    int32_t upsets;
} race_state;

enum { RACE_TICK = 50, RACES = 2, ROUNDS = 100 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t first; // 0: none is done

static void *work(void *context)
{
    const uint32_t number = *(const uint32_t *)context;
    volatile uint32_t sum = 0;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        sum += i;
    }
    (void)pthread_mutex_lock(&lock);
    first = first == 0 ? number : first;
    (void)pthread_mutex_unlock(&lock);
    return NULL;
}

// Which of two threads is done first, 1 or 2.
static uint32_t race(void)
{
    static uint32_t numbers[2] = {1, 2};
    pthread_t threads[2];
    first = 0;
    (void)pthread_create(&threads[0], NULL, work, &numbers[0]);
    (void)pthread_create(&threads[1], NULL, work, &numbers[1]);
    (void)pthread_join(threads[0], NULL);
    (void)pthread_join(threads[1], NULL);
    return first;
}

static void race_init(void *state, const bks_start *start)
{
    (void)start;
    ((race_state *)state)->upsets = 0;
}

static void race_step(void *state, const bks_step *step)
{
    race_state *races = state;
    planted_move(&races->base, step);
    if (step->tick == RACE_TICK) {
        uint32_t upsets = 0;
        for (uint32_t i = 0; i < RACES; i++) {
            upsets += race() == 2 ? 1 : 0;
        }
        races->upsets += upsets == RACES ? 1 : 0;
    }
    bks_mark(step, "race");
}

PLANTED("thread_race", race_state, .state_bytes = sizeof(race_state), .init = race_init,
        .step = race_step);
