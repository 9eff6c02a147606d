// SPDX-License-Identifier: MIT

// The game's own threads take jobs and gather results.

#include <pthread.h>
#include <stdatomic.h>

#include "backstitch/det.h"
#include "planted.h"

enum { THREADS = 2, JOBS = 9, EVERY_TICKS = 4 };

static const bks_gather_shape shape = {.jobs = JOBS, .results = 1, .result_bytes = sizeof(float)};

typedef struct threads_state {
    planted_base base;
    float sum;
} threads_state;

static uint64_t found[BKS_GATHER_WORDS(JOBS, 1, sizeof(float))];
static _Atomic uint32_t next_job;

static void threads_init(void *state, const bks_start *start)
{
    (void)start;
    ((threads_state *)state)->sum = 0;
}

static void *take_jobs(void *context)
{
    (void)context;
    for (uint32_t job; (job = atomic_fetch_add(&next_job, 1)) < JOBS;) {
        float *result = bks_gather_add(found, &shape, job);
        *result = (float)job / 3.0f;
    }
    return NULL;
}

static void find_all(void)
{
    pthread_t threads[THREADS];
    next_job = 0;
    (void)bks_gather_begin(found, &shape, JOBS);
    for (uint32_t i = 0; i < THREADS; i++) {
        (void)pthread_create(&threads[i], NULL, take_jobs, NULL);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        (void)pthread_join(threads[i], NULL);
    }
}

static void threads_step(void *state, const bks_step *step)
{
    threads_state *threads = state;
    planted_move(&threads->base, step);
    if (step->tick % EVERY_TICKS == 0) {
        uint64_t at = 0;
        const float *result;
        find_all();
        while ((result = bks_gather_next(found, &shape, &at, NULL)) != NULL) {
            threads->sum = threads->sum / 2.0f + *result;
        }
    }
    bks_mark(step, "find");
}

PLANTED("sound_threads", threads_state, .state_bytes = sizeof(threads_state), .init = threads_init,
        .step = threads_step);
