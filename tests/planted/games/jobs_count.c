// SPDX-License-Identifier: MIT

// Jobs count in a static variable. They run in place.

#include "backstitch/det.h"
#include "planted.h"

enum { COUNTS = 4 };

typedef struct jobs_state {
    planted_base base;
    uint32_t counts[COUNTS];
} jobs_state;

static uint32_t hidden[COUNTS];

static void jobs_init(void *state, const bks_start *start)
{
    (void)start;
    ((jobs_state *)state)->base.ticks = 0;
}

static void count(void *state, uint32_t job)
{
    ((jobs_state *)state)->counts[job] = ++hidden[job];
}

static void jobs_step(void *state, const bks_step *step)
{
    jobs_state *jobs = state;
    planted_move(&jobs->base, step);
    (void)bks_jobs_run(bks_step_workers(step), COUNTS, count, jobs);
    bks_mark(step, "counts");
}

PLANTED("jobs_count", jobs_state, .state_bytes = sizeof(jobs_state), .init = jobs_init,
        .step = jobs_step);
