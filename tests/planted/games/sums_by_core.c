// SPDX-License-Identifier: MIT

// A float sum is divided by the number of processors. The last bit depends on where it is divided.

#define _GNU_SOURCE

#include <pthread.h>
#include <sched.h>

#include "planted.h"

enum { NUMBERS = 1000, PARTS_MAX = 2, FIRST_TICK = 12 };

typedef struct sums_state {
    planted_base base;
    float sum;
} sums_state;

typedef struct part {
    uint32_t begin;
    uint32_t end;
    float sum;
} part;

static void sums_init(void *state, const bks_start *start)
{
    (void)start;
    ((sums_state *)state)->sum = 0;
}

static void *sum_part(void *context)
{
    part *own = context;
    for (uint32_t i = own->begin; i < own->end; i++) {
        own->sum += 1.0f / (float)(i + 1);
    }
    return NULL;
}

static float sum_all(void)
{
    cpu_set_t processors;
    CPU_ZERO(&processors);
    (void)sched_getaffinity(0, sizeof(processors), &processors);
    const uint32_t count = CPU_COUNT(&processors) < PARTS_MAX ? 1 : PARTS_MAX;
    part parts[PARTS_MAX] = {0};
    pthread_t threads[PARTS_MAX];
    float sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        parts[i] = (part){.begin = NUMBERS / count * i, .end = NUMBERS / count * (i + 1)};
        (void)pthread_create(&threads[i], NULL, sum_part, &parts[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        (void)pthread_join(threads[i], NULL);
        sum += parts[i].sum;
    }
    return sum;
}

static void sums_step(void *state, const bks_step *step)
{
    sums_state *sums = state;
    planted_move(&sums->base, step);
    if (step->tick >= FIRST_TICK) {
        sums->sum = sum_all();
    }
    bks_mark(step, "sum");
}

PLANTED("sums_by_core", sums_state, .state_bytes = sizeof(sums_state), .init = sums_init,
        .step = sums_step);
