// SPDX-License-Identifier: MIT

/// @file some_jobs.h
/// Jobs with different numbers of results, and workers for tests.

#ifndef TEST_SOME_JOBS_H
#define TEST_SOME_JOBS_H

#include <string.h>

#include "backstitch/det.h"

enum { SOME_JOBS = 23, SOME_RESULTS = 6 };

/// A result that does not fill whole words.
typedef struct some_result {
    uint32_t job;
    uint32_t index;
    uint8_t rest[5];
} some_result;

static const bks_gather_shape some_shape = {
    .jobs = SOME_JOBS, .results = SOME_RESULTS, .result_bytes = sizeof(some_result)};

enum { SOME_WORDS = 1 + SOME_JOBS * (1 + SOME_RESULTS * 2) };
_Static_assert(SOME_WORDS == BKS_GATHER_WORDS(SOME_JOBS, SOME_RESULTS, sizeof(some_result)),
               "a constant expression");

/// Return the number of results of a job: 0 to SOME_RESULTS.
static inline uint32_t some_count(uint32_t job)
{
    return job * 5 % (SOME_RESULTS + 1);
}

/// Add the job's results to the gather at `work`.
static inline void some_job(void *work, uint32_t job)
{
    for (uint32_t i = 0; i < some_count(job); i++) {
        some_result *result = bks_gather_add(work, &some_shape, job);
        if (result != NULL) {
            *result = (some_result){.job = job, .index = i, .rest = {1, 2, 3, 4, (uint8_t)i}};
        }
    }
}

/// Workers that run jobs from the last to the first, skip `skips` of them, and repeat the last one
/// `repeats` times.
typedef struct some_workers {
    uint32_t runs;
    uint32_t skips;
    uint32_t repeats;
    uint32_t beyond; ///< numbers beyond the last job that are run, too
} some_workers;

static inline void some_workers_run(void *context, uint32_t jobs,
                                    void (*job)(void *work, uint32_t number), void *work)
{
    some_workers *own = context;
    own->runs++;
    for (uint32_t number = jobs; number > own->skips; number--) {
        job(work, number - 1);
    }
    for (uint32_t i = 0; i < own->repeats; i++) {
        job(work, jobs - 1);
    }
    for (uint32_t i = 0; i < own->beyond; i++) {
        job(work, jobs + i);
    }
}

#endif
