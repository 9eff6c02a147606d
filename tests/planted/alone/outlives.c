// SPDX-License-Identifier: MIT

// A thread of the game reads the state, also when that is gone. OUTLIVES in the
// environment makes a step crash ("crash"), or come to something else ("add").

#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "planted.h"

// The state is so large that the system unmaps it.
enum { STATE_BYTES = 1 << 22, EVERY_NS = 300000000, OTHER_TICK = 20 };

typedef struct reader_state {
    planted_base base;
    uint8_t field[STATE_BYTES - sizeof(planted_base)];
} reader_state;

static _Atomic(const reader_state *) newest;
static atomic_uint sum;

static void *read_on(void *context)
{
    for (;;) {
        (void)nanosleep(&(struct timespec){.tv_nsec = EVERY_NS}, NULL);
        const volatile uint8_t *at = &atomic_load(&newest)->field[STATE_BYTES / 2];
        atomic_fetch_add(&sum, *at);
    }
    return context;
}

static void reader_init(void *state, const bks_start *start)
{
    (void)start;
    ((reader_state *)state)->field[STATE_BYTES / 2] = 1;
}

static void reader_step(void *state, const bks_step *step)
{
    reader_state *reader = state;
    planted_move(&reader->base, step);
    const char *how = step->tick == OTHER_TICK ? getenv("OUTLIVES") : NULL;
    if (how != NULL && strcmp(how, "crash") == 0) {
        abort();
    }
    reader->base.x[0] += how != NULL && strcmp(how, "add") == 0 ? 1 : 0;
    if (atomic_exchange(&newest, reader) == NULL) {
        pthread_t thread;
        (void)pthread_create(&thread, NULL, read_on, NULL);
    }
}

PLANTED("outlives", reader_state, .state_bytes = STATE_BYTES, .init = reader_init,
        .step = reader_step);
