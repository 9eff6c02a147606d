// SPDX-License-Identifier: MIT

/// @file det.h
/// Tools for a deterministic step: random numbers whose whole state lies in the region, and
/// arithmetic that is the same on every machine.
///
/// Thread rule: plain data, one thread at a time for each generator.

#ifndef BACKSTITCH_DET_H
#define BACKSTITCH_DET_H

#include "backstitch/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// For functions that every unit compiles for itself.
#if defined(__GNUC__)
#define BKS_OWN_UNIT static __attribute__((noinline, unused))
#else
#define BKS_OWN_UNIT static inline
#endif

/// A random number generator (PCG-XSH-RR 64/32, M. O'Neill, pcg-random.org). Keep it in the state.
/// The same calls give the same numbers on every machine.
typedef struct bks_random {
    uint64_t state;     ///< moves with every number
    uint64_t increment; ///< the stream, always odd
} bks_random;

/// Begin a stream. Different streams of one seed do not overlap in practice.
/// @param random  not NULL
BKS_API void bks_random_seed(bks_random *random, uint64_t seed, uint64_t stream);

/// Draw the next 32 random bits.
/// @param random  not NULL, seeded
BKS_API uint32_t bks_random_next(bks_random *random);

/// Draw a number in 0..bound-1, each equally likely.
/// @param bound  at least 1; 0 gives 0
BKS_API uint32_t bks_random_below(bks_random *random, uint32_t bound);

/// Draw a number in least..greatest, each equally likely.
/// @param least  at most `greatest`; otherwise `least` comes back
BKS_API int32_t bks_random_between(bks_random *random, int32_t least, int32_t greatest);

/// Faults of a game's arithmetic as it was compiled. Bits.
typedef enum bks_arithmetic {
    BKS_ARITHMETIC_FUSED = 1,        ///< a * b + c is rounded once where others round twice
    BKS_ARITHMETIC_REASSOCIATED = 2, ///< (a + c) - c is a: the compiler calculates as it likes
    BKS_ARITHMETIC_EXCESS = 4,       ///< more digits are kept than the type has, as the x87 does
} bks_arithmetic;

/// Describe the first of these faults in words, with its cure: "fuses a * b + c: compile it with
/// -ffp-contract=off".
/// @param faults  bits of bks_arithmetic
/// @return a static text of at most 80 bytes; "" when there is none
BKS_API const char *bks_arithmetic_text(uint32_t faults);

// The functions below are compiled into the game's own units, so that they test how these were
// compiled. Volatile numbers keep the compiler from working the results out itself.

/// Find the faults of arithmetic in the translation unit that includes this header, by a * b + c,
/// (a + c) - c and a / b. A game need not call it: the config's defaults do.
/// @return bits of bks_arithmetic, 0 when all is as IEEE 754 has it
BKS_OWN_UNIT uint32_t bks_arithmetic_of_unit(void)
{
    volatile float one = 1.0f, three = 3.0f, large = 33554432.0f;
    volatile float near1 = 4097.0f / 4096.0f;               // its square needs 25 bits
    volatile float minus_square = -(1.0f + 1.0f / 2048.0f); // the square in 24 bits, negative
    volatile double one64 = 1.0, three64 = 3.0;
    volatile double near64 = 1.0 + 1.0 / 134217728.0;
    volatile double minus_square64 = -(1.0 + 1.0 / 67108864.0);
    volatile float third = one / three;
    volatile double third64 = one64 / three64;
    float rest = one / three - third;
    double rest64 = one64 / three64 - third64;
    if (rest < 0.0f || rest > 0.0f || rest64 < 0.0 || rest64 > 0.0) {
        return BKS_ARITHMETIC_EXCESS; // the checks below would show that, too
    }
    uint32_t faults = 0;
    float summand = one, much = large; // read once, or nothing could be cancelled
    if ((summand + much) - much > 0.0f) {
        faults |= BKS_ARITHMETIC_REASSOCIATED;
    }
    if (near1 * near1 + minus_square > 0.0f || near64 * near64 + minus_square64 > 0.0) {
        faults |= BKS_ARITHMETIC_FUSED;
    }
    return faults;
}

#if defined(__GNUC__) && defined(__ELF__) && !defined(BKS_UNITS_UNLISTED)
/// All units of a program or a shared object that include this header, as the linker lists them;
/// one that defines BKS_UNITS_UNLISTED stays out.
typedef uint32_t (*bks_arithmetic_test)(void);
static const bks_arithmetic_test bks_arithmetic_entry __attribute__((used, section("bks_units"))) =
    bks_arithmetic_of_unit;
extern const bks_arithmetic_test __start_bks_units[] __attribute__((weak, visibility("hidden")));
extern const bks_arithmetic_test __stop_bks_units[] __attribute__((weak, visibility("hidden")));
#endif

/// Find the faults of arithmetic in every unit of the caller's program or shared object that
/// includes this header, where the linker can list them (ELF); elsewhere in the caller's unit.
/// @return bits of bks_arithmetic, those of all units together
BKS_OWN_UNIT uint32_t bks_arithmetic_here(void)
{
    uint32_t faults = bks_arithmetic_of_unit();
#if defined(__GNUC__) && defined(__ELF__) && !defined(BKS_UNITS_UNLISTED)
    for (const bks_arithmetic_test *test = __start_bks_units; test < __stop_bks_units; test++) {
        faults |= (*test)();
    }
#endif
    return faults;
}

// The floating-point environment of a step: how results are rounded, and whether denormals are
// kept. The library sets it around every call of a game; this is for code that steps by itself and
// for threads of a step.
//
// Thread rule: the environment is the calling thread's own.

/// Parts of a thread's floating-point environment that change results. Bits.
typedef enum bks_float_fault {
    BKS_FLOAT_ROUNDS = 1,    ///< rounds otherwise than to nearest, ties to even
    BKS_FLOAT_FLUSHES = 2,   ///< takes denormal operands or results for zero
    BKS_FLOAT_PRECISION = 4, ///< the x87 keeps fewer digits than a long double has
    BKS_FLOAT_TRAPS = 8,     ///< an exception ends the program instead of giving a result
    BKS_FLOAT_NANS = 16,     ///< every NaN becomes the default one (Arm)
} bks_float_fault;

/// A thread's floating-point environment, as the processor has it. Plain data.
typedef struct bks_float_environment {
    uint64_t control; ///< x86: MXCSR; AArch64: FPCR; 32-bit Arm: FPSCR; elsewhere 0
    uint32_t x87;     ///< x86: the x87's control word; elsewhere 0
} bks_float_environment;

/// Find the faults of the calling thread's floating-point environment. A sound one rounds to
/// nearest, keeps denormals, masks all exceptions, and has the x87 keep 64 bits. Only x86 and Arm
/// are checked.
/// @return bits of bks_float_fault, 0 when it is the known one
BKS_API uint32_t bks_float_faults(void);

/// Describe faults in words: "flushes denormals to zero, rounds otherwise than to nearest".
/// @param faults  bits of bks_float_fault; the first two of them are named
/// @return a static text of at most 100 bytes; "" when there is none
BKS_API const char *bks_float_faults_text(uint32_t faults);

/// Set the calling thread's floating-point environment to the one that a step has: round to
/// nearest, keep denormals, mask all exceptions. The library does so around all that it calls of a
/// game; an engine that steps for itself, or a step that has threads of its own, does it around its
/// work:
///
///     const bks_float_environment before = bks_float_enter();
///     step_everything(state);
///     const uint32_t changed = bks_float_leave(&before);
///
/// Takes a few nanoseconds; registers are written only where they differ.
/// @return the environment that was, for bks_float_leave()
BKS_API bks_float_environment bks_float_enter(void);

/// Restore the environment that bks_float_enter() returned, on the same thread; on x86 and Arm with
/// its exception flags, but for those of the x87.
/// @param before  the environment that bks_float_enter() returned, not NULL
/// @return settings that the work in between changed and did not undo: bits of bks_float_fault, 0
///         for none. Results of that work from the change on may differ from those of other
///         machines
BKS_API uint32_t bks_float_leave(const bks_float_environment *before);

// A sort and a hash map whose results are the same on every machine. The C library's qsort()
// leaves open how equal items are ordered, and most maps the order in which they are walked.
//
// A table lies in the state, in memory that the game gives: no pointers, one block, never larger
// than planned. Its items stay in the order in which they were put.
//
//     static const bks_table_shape by_unit = {
//         .capacity = 256, .key_bytes = sizeof(uint32_t), .item_bytes = sizeof(order)};
//     // in the state: an array of BKS_TABLE_WORDS(256, sizeof(uint32_t), sizeof(order)) uint64_t
//
//     order *o = bks_table_put(state->orders, &by_unit, &unit); // NULL: full
//     uint32_t at = 0;
//     const void *key = NULL;
//     while ((o = bks_table_next(state->orders, &by_unit, &at, &key)) != NULL) { … }
//
// Memory that is all zero is an empty table. Whatever bytes it holds, as after a memory fault, no
// call leaves it or runs on forever. Keys are compared by their bytes: no padding in them.
//
// Thread rule: plain data, one thread at a time for each table.

/// Sort items in place. Equal ones keep their order, so there is one result only. Takes no memory,
/// and n log² n comparisons and moves.
/// @param items       `count` of `item_bytes` bytes each; may be NULL when count is 0
/// @param item_bytes  1 or more
/// @param compare     below 0 where a belongs before b, above 0 where b belongs before a, 0 where
///                    they are equal; gets `context`
BKS_API void bks_sort(void *items, size_t count, size_t item_bytes,
                      int (*compare)(void *context, const void *a, const void *b), void *context);

/// Most items of a table.
#define BKS_TABLE_CAPACITY_MAX (1u << 24)

/// Most bytes of a key, and of an item.
#define BKS_TABLE_ITEM_BYTES_MAX (1u << 16)

/// Layout of a table. A constant of the game: not in the state.
typedef struct bks_table_shape {
    uint32_t capacity;   ///< items, 1..BKS_TABLE_CAPACITY_MAX
    uint32_t key_bytes;  ///< size of a key, 1..BKS_TABLE_ITEM_BYTES_MAX
    uint32_t item_bytes; ///< size of an item, 1..BKS_TABLE_ITEM_BYTES_MAX
} bks_table_shape;

/// Words of 8 bytes for a table of such a shape, as a constant expression.
#define BKS_TABLE_WORDS(capacity, key_bytes, item_bytes) \
    (2u + (size_t)(capacity) *                           \
              (2u + ((size_t)(key_bytes) + 7u) / 8u + ((size_t)(item_bytes) + 7u) / 8u))

/// Find the item of a key.
/// @param table  BKS_TABLE_WORDS words of 8 bytes, aligned to 8
/// @param shape  the same in all calls for this table
/// @param key    key_bytes bytes
/// @return the item, aligned to 8, valid until the next put, remove or sort; NULL: there is none
BKS_API void *bks_table_find(const void *table, const bks_table_shape *shape, const void *key);

/// Find the item of a key, or add one after all others, filled with zeros. Now and then, and in a
/// full table after each removal, this moves all items.
/// @return the item as for bks_table_find(); NULL: the table is full
BKS_API void *bks_table_put(void *table, const bks_table_shape *shape, const void *key);

/// Remove a key and its item. A key that is put again comes after all others.
/// @return true when it was there
BKS_API bool bks_table_remove(void *table, const bks_table_shape *shape, const void *key);

/// Count the keys of a table. Walks over all.
BKS_API uint32_t bks_table_count(const void *table, const bks_table_shape *shape);

/// Get the next item, in the order in which they were put, or sorted; repeat until NULL. The one
/// that was returned last may be removed meanwhile; nothing may be put.
/// @param at       0 for the first, then left alone
/// @param out_key  receives the key, may be NULL
/// @return the next item, NULL: there are no more
BKS_API void *bks_table_next(const void *table, const bks_table_shape *shape, uint32_t *at,
                             const void **out_key);

/// Put the items into the order of their keys.
/// @param compare  compares two keys, as for bks_sort(); NULL: by their bytes, the first counts
///                 most
BKS_API void bks_table_sort(void *table, const bks_table_shape *shape,
                            int (*compare)(void *context, const void *a, const void *b),
                            void *context);

// Parallel work in a step. Threads are done in an order that no two runs share, so what they give
// is gathered by job, and by index within a job. Then a state is the same whatever the threads
// did, and whether there are any.
//
//     static void find_hits(void *work, uint32_t job) // reads the state, adds to its own job
//     {
//         game *g = work;
//         for (uint32_t i = job * 64; i < job * 64 + 64; i++) {
//             hit *h = meets(g, i) ? bks_gather_add(g->hits, &hits, job) : NULL;
//             if (h != NULL) { … }
//         }
//     }
//
//     static const bks_gather_shape hits = {.jobs = 16, .results = 64, .result_bytes =
//     sizeof(hit)};
//     // g->hits: an array of BKS_GATHER_WORDS(16, 64, sizeof(hit)) uint64_t
//     bks_gather_begin(g->hits, &hits, 16);
//     bks_jobs_run(bks_step_workers(step), 16, find_hits, g);
//     status = bks_gather_end(g->hits, &hits, &error);
//     uint64_t at = 0;
//     const hit *h;
//     while ((h = bks_gather_next(g->hits, &hits, &at, NULL)) != NULL) { apply(g, h); }
//
// A job reads what no job writes, and writes what no other job reads. It takes no random number
// of a generator that it shares, adds and removes no items of pools, and does not call bks_mark(),
// bks_note(), bks_ask() and bks_fail(), which refuse: whichever thread comes first would decide.
// It cannot learn how many workers there are or which one it runs on: how the work is divided
// must depend on the state alone. bks check has the variant `threads` for all this.
//
// Workers are the program's, never part of the state: bks_match_config.workers,
// bks_peer_config.workers. They are bks_threads, or your engine's own job system. A game with
// threads of its own uses the gather alone.
//
// Thread rule: stated at each call.

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

/// Room of a gather. A constant of the game: not in the state.
typedef struct bks_gather_shape {
    uint32_t jobs;         ///< 1..BKS_JOBS_MAX
    uint32_t results;      ///< most results of each job, 1..BKS_GATHER_RESULTS_MAX
    uint32_t result_bytes; ///< size of each result, 1..BKS_GATHER_RESULT_BYTES_MAX
} bks_gather_shape;

/// Words of 8 bytes for a gather of such a shape, as a constant expression. A product above
/// BKS_GATHER_BYTES_MAX bytes is refused by all calls.
#define BKS_GATHER_WORDS(jobs, results, result_bytes) \
    (1u + (size_t)(jobs) * (1u + (size_t)(results) * (((size_t)(result_bytes) + 7u) / 8u)))

/// Empty a gather before the jobs of a run start. Call it on one thread.
/// @param gather  BKS_GATHER_WORDS words of 8 bytes, aligned to 8: in the state or elsewhere. In
///                the state its bytes are the same on every machine, the unused ones too
/// @param shape   the same in all calls for this gather
/// @param jobs    0..shape->jobs
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_gather_begin(void *gather, const bks_gather_shape *shape, uint32_t jobs);

/// Add a result of a job after its others. Different jobs may do so at once, on any threads; one
/// job on one thread at a time.
/// @param job  0..jobs-1 of bks_gather_begin()
/// @return the result, result_bytes bytes of zeros, aligned to 8, valid until the next
///         bks_gather_begin(); NULL: the job's room is full, which bks_gather_end() reports, or
///         there is no such job
BKS_API void *bks_gather_add(void *gather, const bks_gather_shape *shape, uint32_t job);

/// Check that all results had room. Call it on one thread, once all jobs have returned.
/// @param error  may be NULL
/// @return BKS_OK; BKS_ERR_FULL: a job added more than shape->results. The error names the first
///         such job and how many it added, the same on every machine. What had room is kept;
///         BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_gather_end(const void *gather, const bks_gather_shape *shape,
                                                bks_error *error);

/// Get the next result, by job, and within a job as it added them; repeat until NULL. Call it once
/// all jobs have returned.
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

/// Get the threads as workers, for bks_match_config and bks_jobs_run(). Several threads may run
/// jobs with them at once: one has the threads, the others run theirs in place meanwhile.
/// @return the workers, valid until bks_threads_destroy(); {0} for NULL
BKS_API bks_workers bks_threads_workers(bks_threads *threads);

/// End the threads. No jobs may run with them. NULL is allowed.
BKS_API void bks_threads_destroy(bks_threads *threads);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_DET_H
