// SPDX-License-Identifier: MIT

#include "det/jobs.h"

#include <stdatomic.h>

#include "base/report.h"
#include "det/float_environment.h"

/// One run, which all its jobs share.
typedef struct jobs_run {
    void (*job)(void *work, uint32_t number);
    void *work;
    uint32_t jobs;
    bks_float_environment floats; ///< of the caller
    uint32_t faults;              ///< of that
    _Atomic uint32_t done;
    _Atomic uint32_t changed; ///< what jobs changed and left: bits of bks_float_fault
} jobs_run;

static _Thread_local bool is_in_job;

static void run_job(void *context, uint32_t number)
{
    jobs_run *run = context;
    atomic_fetch_add_explicit(&run->done, 1, memory_order_relaxed);
    if (number >= run->jobs) {
        return; // too many are done then
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
                 "a job calls something that %s and leaves it so. The next job begins as on other "
                 "machines. Restore it behind what changes it: bks_float_enter(), "
                 "bks_float_leave()",
                 bks_float_faults_text(changed));
    }
    if (done != run->jobs) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, "bks_jobs_run", "workers",
                         "workers ran %u jobs, must be the %u that there are, each once", done,
                         run->jobs);
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
    if (job == NULL) {
        return bksi_fail_null(NULL, call, "job");
    }
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
