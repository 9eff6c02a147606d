// SPDX-License-Identifier: MIT

// Jobs gather their results in the state.

#include "backstitch/det.h"
#include "planted.h"

enum { JOBS = 12, RESULTS = 5 };

static const bks_gather_shape shape = {
    .jobs = JOBS, .results = RESULTS, .result_bytes = sizeof(float)};

typedef struct jobs_state {
    planted_base base;
    float sum;
    uint64_t found[BKS_GATHER_WORDS(JOBS, RESULTS, sizeof(float))];
} jobs_state;

static void jobs_init(void *state, const bks_start *start)
{
    (void)start;
    (void)bks_gather_begin(((jobs_state *)state)->found, &shape, JOBS);
}

static void find(void *work, uint32_t job)
{
    jobs_state *jobs = work;
    for (uint32_t i = 0; i < (jobs->base.ticks + job) % (RESULTS + 1); i++) {
        float *found = bks_gather_add(jobs->found, &shape, job);
        *found = (float)(job * 5 + i) / 3.0f;
    }
}

static void jobs_step(void *state, const bks_step *step)
{
    jobs_state *jobs = state;
    planted_move(&jobs->base, step);
    (void)bks_gather_begin(jobs->found, &shape, JOBS);
    (void)bks_jobs_run(bks_step_workers(step), JOBS, find, jobs);
    if (bks_gather_end(jobs->found, &shape, NULL) != BKS_OK) {
        bks_fail(step, "more was found than there is room for");
    }
    uint64_t at = 0;
    const float *found;
    while ((found = bks_gather_next(jobs->found, &shape, &at, NULL)) != NULL) {
        jobs->sum = jobs->sum / 2.0f + *found;
    }
    bks_mark(step, "find");
}

PLANTED("sound_jobs", jobs_state, .state_bytes = sizeof(jobs_state), .init = jobs_init,
        .step = jobs_step);
