// SPDX-License-Identifier: MIT

#include "det/jobs.h"

#include <stdatomic.h>
#include <string.h>

#include "backstitch/det.h"

#include "base/report.h"
#include "det/float_environment.h"

/// A call of bks_jobs_run(), shared by all its jobs.
typedef struct jobs_run {
    void (*job)(void *work, uint32_t number);
    void *work;
    uint32_t jobs;
    bks_float_environment floats; ///< floating-point environment of the caller
    /// Faults of the caller's floating-point environment, as bits of bks_float_fault.
    uint32_t faults;
    _Atomic uint32_t done;
    _Atomic uint32_t changed; ///< bits of bks_float_fault: changes of the environment by jobs
} jobs_run;

static _Thread_local bool is_in_job;

static void run_job(void *context, uint32_t number)
{
    jobs_run *run = context;
    atomic_fetch_add_explicit(&run->done, 1, memory_order_relaxed);
    if (number >= run->jobs) {
        // Ignore a job number out of range: this call has made `done` too large, so bks_jobs_run()
        // notices it.
        return;
    }
    const bool was_in_job = is_in_job;
    const bks_float_environment before = bksi_float_take(&run->floats);
    is_in_job = true;
    run->job(run->work, number);
    is_in_job = was_in_job;
    const uint32_t changed = bksi_float_leave(&before) & ~run->faults;
    if (changed != 0) {
        atomic_fetch_or_explicit(&run->changed, changed, memory_order_relaxed);
    }
}

static void run_in_place(jobs_run *run)
{
    for (uint32_t number = 0; number < run->jobs; number++) {
        run_job(run, number);
    }
}

static bks_status finish(jobs_run *run)
{
    const uint32_t changed = atomic_load(&run->changed);
    const uint32_t done = atomic_load(&run->done);
    if (changed != 0) {
        bksi_log(BKS_LOG_WARNING, "jobs.floats",
                 "a job calls code that %s and does not undo it: enclose that code in "
                 "bks_float_enter() and bks_float_leave()",
                 bks_float_faults_text(changed));
    }
    if (done != run->jobs) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, "bks_jobs_run", "workers",
                         "workers ran %u jobs, must run each of the %u jobs once", done, run->jobs);
    }
    return BKS_OK;
}

bks_status bks_jobs_run(const bks_workers *workers, uint32_t jobs,
                        void (*job)(void *work, uint32_t number), void *work)
{
    static const char call[] = "bks_jobs_run";
    if (jobs > BKS_JOBS_MAX) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "jobs", "jobs is %u, must be 0..%u",
                         jobs, BKS_JOBS_MAX);
    }
    if (jobs == 0) {
        return BKS_OK;
    }
    BKSI_REFUSE_NULL(NULL, job);
    jobs_run run = {.job = job, .work = work, .jobs = jobs};
    run.floats = bksi_float_here();
    run.faults = bks_float_faults();
    if (workers == NULL || workers->run == NULL || is_in_job) {
        run_in_place(&run);
    } else {
        workers->run(workers->context, jobs, run_job, &run);
    }
    return finish(&run);
}

bool bksi_jobs_refuse(const char *call)
{
    if (!is_in_job) {
        return false;
    }
    (void)bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, NULL,
                    "%s is called by a job, must be called by the step itself: gather what the job "
                    "has to say",
                    call);
    return true;
}

// Layout of a gather's block, in words of 8 bytes: the number of jobs of the run; then, for each
// job, the number of its results and room for them. The number also counts results that had no
// room. No two jobs share a word, and all bytes depend on the jobs alone.
//
// A gather's block may be damaged, so every number in it is checked against its limit.

enum { WORD = 8 };

/// Pointers to the parts of a gather's block.
typedef struct gather_parts {
    uint8_t *head;
    uint8_t *lanes; ///< results, by job
    uint32_t jobs;  ///< number of jobs for which there is room
    uint32_t results;
    uint32_t result_bytes;
    size_t result_room;
    size_t lane_bytes;
} gather_parts;

static uint32_t read_32(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof(value));
    return value;
}

static void write_word(uint8_t *at, uint32_t value)
{
    const uint32_t word[2] = {value, 0};
    memcpy(at, word, sizeof(word));
}

static bks_status check_number(uint32_t value, uint32_t most, const char *call, const char *name,
                               bks_error *error)
{
    return value >= 1 && value <= most ? BKS_OK
                                       : bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, name,
                                                   "%s is %u, must be 1..%u", name, value, most);
}

static bks_status check_shape(const bks_gather_shape *shape, const char *call, bks_error *error)
{
    bks_status status = check_number(shape->jobs, BKS_JOBS_MAX, call, "shape.jobs", error);
    if (status == BKS_OK) {
        status = check_number(shape->results, BKS_GATHER_RESULTS_MAX, call, "shape.results", error);
    }
    if (status == BKS_OK) {
        status = check_number(shape->result_bytes, BKS_GATHER_RESULT_BYTES_MAX, call,
                              "shape.result_bytes", error);
    }
    const uint64_t words = 1 + shape->jobs * (1 + (uint64_t)shape->results *
                                                      ((shape->result_bytes + WORD - 1) / WORD));
    if (status == BKS_OK && words > BKS_GATHER_BYTES_MAX / WORD) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "shape",
                         "shape takes %llu words of 8 bytes, must be at most %u",
                         (unsigned long long)words, BKS_GATHER_BYTES_MAX / WORD);
    }
    return status;
}

static bks_status open_gather(const void *gather, const bks_gather_shape *shape, const char *call,
                              gather_parts *out, bks_error *error)
{
    if (gather == NULL || shape == NULL) {
        return bksi_fail_null(error, call, gather == NULL ? "gather" : "shape");
    }
    const bks_status status = check_shape(shape, call, error);
    if (status != BKS_OK) {
        return status;
    }
    // Drop const: only functions whose caller passed a pointer without const write the block.
    out->head = (uint8_t *)(uintptr_t)gather;
    out->lanes = out->head + WORD;
    out->jobs = shape->jobs;
    out->results = shape->results;
    out->result_bytes = shape->result_bytes;
    out->result_room = ((size_t)shape->result_bytes + WORD - 1) / WORD * WORD;
    out->lane_bytes = WORD + shape->results * out->result_room;
    return BKS_OK;
}

/// Return the number of jobs of the run, limited to the jobs that have room.
static uint32_t jobs_of(const gather_parts *g)
{
    const uint32_t jobs = read_32(g->head);
    return jobs < g->jobs ? jobs : g->jobs;
}

static uint8_t *lane_of(const gather_parts *g, uint32_t job)
{
    return g->lanes + job * g->lane_bytes;
}

static uint8_t *result_of(const gather_parts *g, uint32_t job, uint32_t index)
{
    return lane_of(g, job) + WORD + index * g->result_room;
}

bks_status bks_gather_begin(void *gather, const bks_gather_shape *shape, uint32_t jobs)
{
    static const char call[] = "bks_gather_begin";
    gather_parts g = {0};
    const bks_status status = open_gather(gather, shape, call, &g, NULL);
    if (status != BKS_OK) {
        return status;
    }
    if (jobs > g.jobs) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "jobs",
                         "jobs is %u, must be 0..%u, as shape.jobs has it", jobs, g.jobs);
    }
    write_word(g.head, jobs);
    for (uint32_t job = 0; job < g.jobs; job++) {
        write_word(lane_of(&g, job), 0);
    }
    return BKS_OK;
}

void *bks_gather_add(void *gather, const bks_gather_shape *shape, uint32_t job)
{
    static const char call[] = "bks_gather_add";
    gather_parts g = {0};
    if (open_gather(gather, shape, call, &g, NULL) != BKS_OK) {
        return NULL;
    }
    const uint32_t jobs = jobs_of(&g);
    if (job >= jobs) {
        (void)bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "job",
                        "job is %u, must be below the %u of bks_gather_begin()", job, jobs);
        return NULL;
    }
    uint8_t *lane = lane_of(&g, job);
    const uint32_t index = read_32(lane);
    if (index < UINT32_MAX) {
        write_word(lane, index + 1);
    }
    if (index >= g.results) {
        return NULL;
    }
    uint8_t *result = result_of(&g, job, index);
    memset(result, 0, g.result_room);
    return result;
}

bks_status bks_gather_end(const void *gather, const bks_gather_shape *shape, bks_error *error)
{
    static const char call[] = "bks_gather_end";
    gather_parts g = {0};
    const bks_status status = open_gather(gather, shape, call, &g, error);
    if (status != BKS_OK) {
        return status;
    }
    const uint32_t jobs = jobs_of(&g);
    for (uint32_t job = 0; job < jobs; job++) {
        const uint32_t count = read_32(lane_of(&g, job));
        if (count > g.results) {
            return bksi_fail(error, BKS_ERR_FULL, call, "shape.results",
                             "job %u added %u results, must be at most %u, as shape.results has it",
                             job, count, g.results);
        }
    }
    return BKS_OK;
}

void *bks_gather_next(void *gather, const bks_gather_shape *shape, uint64_t *at, uint32_t *out_job)
{
    static const char call[] = "bks_gather_next";
    gather_parts g = {0};
    if (open_gather(gather, shape, call, &g, NULL) != BKS_OK) {
        return NULL;
    }
    BKSI_REFUSE_NULL_OR(NULL, at);
    const uint32_t jobs = jobs_of(&g);
    while (*at / g.results < jobs) {
        const uint32_t job = (uint32_t)(*at / g.results);
        const uint32_t index = (uint32_t)(*at % g.results);
        if (index < read_32(lane_of(&g, job))) {
            *at += 1;
            if (out_job != NULL) {
                *out_job = job;
            }
            return result_of(&g, job, index);
        }
        *at = ((uint64_t)job + 1) * g.results;
    }
    return NULL;
}
