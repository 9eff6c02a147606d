// SPDX-License-Identifier: MIT

/// @file jobs.h
/// Parallel work in a step. Threads are done in an order that no two runs share, so what they give
/// is gathered by job, and by index within a job. Then a state is the same whatever the threads
/// did, and whether there are any.
///
///     static void find_hits(void *work, uint32_t job) // reads the state, adds to its own job
///     {
///         game *g = work;
///         for (uint32_t i = job * 64; i < job * 64 + 64; i++) {
///             hit *h = meets(g, i) ? bks_gather_add(g->hits, &hits, job) : NULL;
///             if (h != NULL) { … }
///         }
///     }
///
///     static const bks_gather_shape hits = {.jobs = 16, .results = 64, .result_bytes =
///     sizeof(hit)};
///     // g->hits: an array of BKS_GATHER_WORDS(16, 64, sizeof(hit)) uint64_t
///     bks_gather_begin(g->hits, &hits, 16);
///     bks_jobs_run(bks_step_workers(step), 16, find_hits, g);
///     status = bks_gather_end(g->hits, &hits, &error);
///     uint64_t at = 0;
///     const hit *h;
///     while ((h = bks_gather_next(g->hits, &hits, &at, NULL)) != NULL) { apply(g, h); }
///
/// A job reads what no job writes, and writes what no other job reads. It takes no random number
/// of a generator that it shares, adds and removes no items of pools, and does not call bks_mark(),
/// bks_note(), bks_ask() and bks_fail(), which refuse: whichever thread comes first would decide.
/// It cannot learn how many workers there are or which one it runs on: how the work is divided
/// must depend on the state alone. bks check has the variant `threads` for all this.
///
/// Workers are the program's, never part of the state: bks_match_config.workers,
/// bks_peer_config.workers. They are bks_threads, or your engine's own job system. A game with
/// threads of its own uses the gather alone.
///
/// Thread rule: stated at each call.

#ifndef BACKSTITCH_JOBS_H
#define BACKSTITCH_JOBS_H

#include "backstitch/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Most jobs of a run.
#define BKS_JOBS_MAX (1u << 16)

/// Carries out jobs. {0}: the calling thread does, one job after the other.
typedef struct bks_workers {
    /// Call job(work, i) once for every i in 0..jobs-1, in any order, on any threads, and return
    /// when all have returned. What they wrote is visible to the caller then.
    void (*run)(void *context, uint32_t jobs, void (*job)(void *work, uint32_t number), void *work);
    void *context; ///< handed to run, may be NULL
} bks_workers;

/// Run jobs and wait for all of them. Each begins with the floating-point environment of the
/// caller, and its thread has its own back afterwards; a job that leaves another one is logged. A
/// job that runs jobs does so in place. Takes no memory.
/// @param workers  NULL, or one whose run is NULL: in place, in the order of their numbers
/// @param jobs     0..BKS_JOBS_MAX
/// @param job      not NULL unless jobs is 0; `number` is 0..jobs-1
/// @param work     handed to all jobs, may be NULL
/// @return BKS_OK; BKS_ERR_BAD_ARGUMENT: nothing ran, or, logged, the workers did not run each job
///         once
BKS_API bks_status bks_jobs_run(const bks_workers *workers, uint32_t jobs,
                                void (*job)(void *work, uint32_t number), void *work);

/// Most results of a job.
#define BKS_GATHER_RESULTS_MAX (1u << 16)

/// Most bytes of a result.
#define BKS_GATHER_RESULT_BYTES_MAX (1u << 16)

/// Most bytes of a gather, 1 GiB.
#define BKS_GATHER_BYTES_MAX (1u << 30)

/// What a gather has room for. A constant of the game: not in the state.
typedef struct bks_gather_shape {
    uint32_t jobs;         ///< 1..BKS_JOBS_MAX
    uint32_t results;      ///< of each job, 1..BKS_GATHER_RESULTS_MAX
    uint32_t result_bytes; ///< of each result, 1..BKS_GATHER_RESULT_BYTES_MAX
} bks_gather_shape;

/// Words of 8 bytes for a gather of such a shape, as a constant expression. A product above
/// BKS_GATHER_BYTES_MAX bytes is refused by all calls.
#define BKS_GATHER_WORDS(jobs, results, result_bytes) \
    (1u + (size_t)(jobs) * (1u + (size_t)(results) * (((size_t)(result_bytes) + 7u) / 8u)))

/// Empty a gather, for the jobs of one run. Before they run, on one thread.
/// @param gather  BKS_GATHER_WORDS words of 8 bytes, aligned to 8: in the state or elsewhere. In
///                the state its bytes are the same on every machine, the unused ones too
/// @param shape   the same in all calls for this gather
/// @param jobs    0..shape->jobs
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_gather_begin(void *gather, const bks_gather_shape *shape, uint32_t jobs);

/// Add a result of a job behind its others. Different jobs may do so at once, on any threads; one
/// job on one thread at a time.
/// @param job  0..jobs-1 of bks_gather_begin()
/// @return the result, result_bytes bytes of zeros, aligned to 8, valid until the next
///         bks_gather_begin(); NULL: the job's room is full, which bks_gather_end() reports, or
///         there is no such job
BKS_API void *bks_gather_add(void *gather, const bks_gather_shape *shape, uint32_t job);

/// Say whether all results had room. When all jobs have returned, on one thread.
/// @param error  may be NULL
/// @return BKS_OK; BKS_ERR_FULL: a job added more than shape->results. The error names the first
///         such job and how many it added, the same on every machine. What had room is kept;
///         BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_gather_end(const void *gather, const bks_gather_shape *shape,
                                                bks_error *error);

/// Walk over the results, by job, and within a job as it added them. When all jobs have returned.
/// @param at       0 for the first, then left alone
/// @param out_job  receives whose result it is, may be NULL
/// @return the next result; NULL: there are no more
BKS_API void *bks_gather_next(void *gather, const bks_gather_shape *shape, uint64_t *at,
                              uint32_t *out_job);

/// Most workers of a bks_threads.
#define BKS_THREADS_MAX 64u

/// A few threads that wait for jobs. Opaque.
typedef struct bks_threads bks_threads;

/// Make threads. All memory and all threads are taken here. They take no signals. A process made by
/// fork() has none of them: make its own. WebAssembly has no threads, and the library no such calls
/// there.
/// @param workers    how many work at a time, the calling thread among them: 0..BKS_THREADS_MAX.
///                   With 0 or 1 no thread is made and jobs run in place
/// @param allocator  NULL: malloc and free
/// @param out        receives them, NULL on failure
/// @param error      may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_OUT_OF_MEMORY; BKS_ERR_IO: the system gives no
///         more threads
/// Owned by the caller; release with bks_threads_destroy().
BKS_API BKS_NODISCARD bks_status bks_threads_create(uint32_t workers,
                                                    const bks_allocator *allocator,
                                                    bks_threads **out, bks_error *error);

/// The threads as workers, for bks_match_config and bks_jobs_run(). Several threads may run jobs
/// with them at once: one has the threads, the others run theirs in place meanwhile.
/// @return the workers, valid until bks_threads_destroy(); {0} for NULL
BKS_API bks_workers bks_threads_workers(bks_threads *threads);

/// End the threads. No jobs may run with them. NULL is allowed.
BKS_API void bks_threads_destroy(bks_threads *threads);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_JOBS_H
