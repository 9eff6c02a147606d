// SPDX-License-Identifier: MIT

// Jobs append results to one list in order of completion.

#include <stdatomic.h>

#include "backstitch/det.h"
#include "planted.h"

enum { JOBS = 12, FIRST_TICK = 9 };

typedef struct unsorted_state {
    planted_base base;
    uint32_t order;
} unsorted_state;

static uint32_t found[JOBS];
static _Atomic uint32_t found_count;

static void unsorted_init(void *state, const bks_start *start)
{
    (void)start;
    ((unsorted_state *)state)->order = 1;
}

static void find(void *work, uint32_t job)
{
    (void)work;
    found[atomic_fetch_add(&found_count, 1)] = job;
}

static uint32_t apply_all(void)
{
    uint32_t order = 1;
    for (uint32_t i = 0; i < JOBS; i++) {
        order = order * 31u + found[i];
    }
    return order;
}

static void unsorted_step(void *state, const bks_step *step)
{
    unsorted_state *unsorted = state;
    planted_move(&unsorted->base, step);
    if (step->tick >= FIRST_TICK) {
        found_count = 0;
        (void)bks_jobs_run(bks_step_workers(step), JOBS, find, NULL);
        unsorted->order = apply_all();
    }
    bks_mark(step, "find");
}

PLANTED("unsorted_results", unsorted_state, .state_bytes = sizeof(unsorted_state),
        .init = unsorted_init, .step = unsorted_step);
