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

/// Linkage of functions that every translation unit compiles for itself.
#if defined(__GNUC__)
#define BKS_OWN_UNIT static __attribute__((noinline, unused))
#else
#define BKS_OWN_UNIT static inline
#endif

/// A random number generator (PCG-XSH-RR 64/32, M. O'Neill, pcg-random.org). Keep it in the state.
/// The same calls give the same numbers on every machine.
typedef struct bks_random {
    uint64_t state;     ///< position in the stream; each drawn number changes it
    uint64_t increment; ///< number that selects the stream, always odd
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
/// @param least  at most `greatest`; otherwise `least` is returned
BKS_API int32_t bks_random_between(bks_random *random, int32_t least, int32_t greatest);

/// Bits for the ways in which a game's compiled arithmetic departs from IEEE 754.
typedef enum bks_arithmetic {
    /// The compiler fuses a * b + c: it rounds once, where other compilers round twice.
    BKS_ARITHMETIC_FUSED = 1,
    BKS_ARITHMETIC_REASSOCIATED = 2, ///< the compiler reorders sums: it reduces (a + c) - c to a
    /// Results keep more digits than their type has, as on the x87.
    BKS_ARITHMETIC_EXCESS = 4,
} bks_arithmetic;

/// Describe the first fault in a set of bits, and its cure: "fuses a * b + c: compile it with
/// -ffp-contract=off".
/// @param faults  bits of bks_arithmetic
/// @return a static text of at most 80 bytes; "" when there is none
BKS_API const char *bks_arithmetic_text(uint32_t faults);

// The inline functions from here on are compiled into the game's own units, so they test how these
// were compiled. Their volatile variables keep the compiler from working out the results itself.

/// Find the faults of arithmetic in the translation unit that includes this header, by a * b + c,
/// (a + c) - c and a / b. A game need not call it: the config's defaults do.
/// @return bits of bks_arithmetic, 0 when the unit computes as IEEE 754 prescribes
BKS_OWN_UNIT uint32_t bks_arithmetic_of_unit(void)
{
    volatile float one = 1.0f, three = 3.0f, large = 33554432.0f;
    // The exact square of `near1` needs 25 bits, one more than a float has.
    volatile float near1 = 4097.0f / 4096.0f;
    volatile float minus_square = -(1.0f + 1.0f / 2048.0f);
    volatile double one64 = 1.0, three64 = 3.0;
    volatile double near64 = 1.0 + 1.0 / 134217728.0;
    volatile double minus_square64 = -(1.0 + 1.0 / 67108864.0);
    volatile float third = one / three;
    volatile double third64 = one64 / three64;
    float rest = one / three - third;
    double rest64 = one64 / three64 - third64;
    if (rest < 0.0f || rest > 0.0f || rest64 < 0.0 || rest64 > 0.0) {
        // Return only this fault: excess digits would make the checks below report other faults,
        // too.
        return BKS_ARITHMETIC_EXCESS;
    }
    uint32_t faults = 0;
    // Copy the two numbers out of their volatile variables: a compiler that reorders sums may
    // cancel copies, but never volatile terms.
    float summand = one, much = large;
    if ((summand + much) - much > 0.0f) {
        faults |= BKS_ARITHMETIC_REASSOCIATED;
    }
    if (near1 * near1 + minus_square > 0.0f || near64 * near64 + minus_square64 > 0.0) {
        faults |= BKS_ARITHMETIC_FUSED;
    }
    return faults;
}

#if defined(__GNUC__) && defined(__ELF__) && !defined(BKS_UNITS_UNLISTED)
/// Entry of this translation unit in the list of arithmetic tests. Every unit that includes this
/// header puts an entry into the section bks_units, unless it defines BKS_UNITS_UNLISTED, and the
/// linker joins the entries into the list.
typedef uint32_t (*bks_arithmetic_test)(void);
static const bks_arithmetic_test bks_arithmetic_entry __attribute__((used, section("bks_units"))) =
    bks_arithmetic_of_unit;
extern const bks_arithmetic_test __start_bks_units[] __attribute__((weak, visibility("hidden")));
extern const bks_arithmetic_test __stop_bks_units[] __attribute__((weak, visibility("hidden")));
#endif

/// Find the faults of arithmetic in every unit of the caller's program or shared object that
/// includes this header, if the linker can list them (ELF); on other systems, in the caller's unit
/// only.
/// @return bits of bks_arithmetic, combined over all units
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
// kept. The library sets it around every call of a game. These functions are for a program that
// steps a game without the library, and for threads that a step starts.
//
// Thread rule: these functions read and set the floating-point environment of the calling thread.

/// Bits for the ways in which a thread's floating-point environment changes results.
typedef enum bks_float_fault {
    BKS_FLOAT_ROUNDS = 1,    ///< the rounding mode is not to nearest, ties to even
    BKS_FLOAT_FLUSHES = 2,   ///< denormal operands or results are treated as zero
    BKS_FLOAT_PRECISION = 4, ///< the x87 keeps fewer digits than a long double has
    BKS_FLOAT_TRAPS = 8,     ///< an exception ends the program instead of giving a result
    BKS_FLOAT_NANS = 16,     ///< every NaN becomes the default one (Arm)
} bks_float_fault;

/// A thread's floating-point environment, as the processor has it. Plain data.
typedef struct bks_float_environment {
    /// Control register: MXCSR on x86, FPCR on AArch64, FPSCR on 32-bit Arm, elsewhere 0.
    uint64_t control;
    uint32_t x87; ///< control word of the x87 on x86, elsewhere 0
} bks_float_environment;

/// Find the faults of the calling thread's floating-point environment. A correct environment rounds
/// to nearest, keeps denormals, masks all exceptions, and has the x87 keep 64 bits. Only x86 and
/// Arm are checked.
/// @return bits of bks_float_fault, 0 when the environment is the one that a step has
BKS_API uint32_t bks_float_faults(void);

/// Describe faults of a floating-point environment: "flushes denormals to zero, rounds otherwise
/// than to nearest".
/// @param faults  bits of bks_float_fault; the text names the first two
/// @return a static text of at most 100 bytes; "" when there is none
BKS_API const char *bks_float_faults_text(uint32_t faults);

/// Set the calling thread's floating-point environment to the one that a step has: round to
/// nearest, keep denormals, mask all exceptions. The library does so around every call of a game.
/// An engine that steps the game itself, or a step with threads of its own, must do so around its
/// work:
///
///     const bks_float_environment before = bks_float_enter();
///     step_everything(state);
///     const uint32_t changed = bks_float_leave(&before);
///
/// The call takes a few nanoseconds: it writes only registers whose value differs.
/// @return the previous environment, for bks_float_leave()
BKS_API bks_float_environment bks_float_enter(void);

/// Restore the environment that bks_float_enter() returned, on the same thread. On x86 and Arm this
/// restores the exception flags, too, except those of the x87.
/// @param before  the environment that bks_float_enter() returned, not NULL
/// @return settings that the work since bks_float_enter() changed and did not undo: bits of
///         bks_float_fault, 0 for none. Results computed after such a change may differ from those
///         of other machines
BKS_API uint32_t bks_float_leave(const bks_float_environment *before);

// A sort and a hash map whose results are the same on every machine. The C library's qsort() may
// order equal items in any way, and most hash maps may be walked in any order.
//
// A table lies in the state, in memory that the game provides: one block without pointers, whose
// size never changes. Its items stay in the order in which they were put.
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
// Memory that is all zero is an empty table. Whatever bytes a table holds, as after a memory fault,
// no call reads or writes outside of it, and every call ends. Keys are compared by their bytes, so
// they must have no padding.
//
// Thread rule: plain data, one thread at a time for each table.

/// Sort items in place. Equal items keep their order, so only one result is possible. Needs no
/// extra memory, and n log² n comparisons and moves.
/// @param items       `count` items of `item_bytes` bytes each; may be NULL when count is 0
/// @param item_bytes  1 or more
/// @param compare     below 0 where a belongs before b, above 0 where b belongs before a, 0 where
///                    they are equal; gets `context`
BKS_API void bks_sort(void *items, size_t count, size_t item_bytes,
                      int (*compare)(void *context, const void *a, const void *b), void *context);

/// Maximum number of items in a table.
#define BKS_TABLE_CAPACITY_MAX (1u << 24)

/// Maximum size of a key, and of an item, in bytes.
#define BKS_TABLE_ITEM_BYTES_MAX (1u << 16)

/// Layout of a table. A constant of the game, kept outside the state.
typedef struct bks_table_shape {
    uint32_t capacity;   ///< maximum number of items, 1..BKS_TABLE_CAPACITY_MAX
    uint32_t key_bytes;  ///< size of a key, 1..BKS_TABLE_ITEM_BYTES_MAX
    uint32_t item_bytes; ///< size of an item, 1..BKS_TABLE_ITEM_BYTES_MAX
} bks_table_shape;

/// Size of a table of this shape in words of 8 bytes, as a constant expression.
#define BKS_TABLE_WORDS(capacity, key_bytes, item_bytes) \
    (2u + (size_t)(capacity) *                           \
              (2u + ((size_t)(key_bytes) + 7u) / 8u + ((size_t)(item_bytes) + 7u) / 8u))

/// Find the item of a key.
/// @param table  BKS_TABLE_WORDS words of 8 bytes, aligned to 8
/// @param shape  the same in all calls for this table
/// @param key    key_bytes bytes
/// @return the item, aligned to 8, valid until the next put, remove or sort; NULL when the key is
///         not in the table
BKS_API void *bks_table_find(const void *table, const bks_table_shape *shape, const void *key);

/// Find the item of a key, or add one after all others, filled with zeros. Adding an item may move
/// all others, because it may close the gaps that removed items left; pointers to items are then no
/// longer valid.
/// @return the item as for bks_table_find(); NULL: the table is full
BKS_API void *bks_table_put(void *table, const bks_table_shape *shape, const void *key);

/// Remove a key and its item. A key that is put again comes after all others.
/// @return true when the key was in the table
BKS_API bool bks_table_remove(void *table, const bks_table_shape *shape, const void *key);

/// Count the keys of a table. The call walks over the whole table.
BKS_API uint32_t bks_table_count(const void *table, const bks_table_shape *shape);

/// Get the next item, in the order in which items were put, or in key order after bks_table_sort();
/// repeat until NULL. During the walk you may remove the item returned last, but put nothing.
/// @param at       0 before the first call; the caller must not change it afterwards
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

// Parallel work in a step. Threads finish in a different order in each run, so results are gathered
// by job, and by index within a job. The state is then the same whatever the threads did, and with
// no threads at all.
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
// A job reads what no job writes, and writes what no other job reads. It takes no random number of
// a generator that it shares, adds and removes no items of pools, and does not call bks_mark(),
// bks_note(), bks_ask() or bks_fail(): these refuse calls from a job, because the order of the
// threads would decide the result. It cannot learn how many workers there are or which one it runs
// on: how the work is divided must depend on the state alone. The variant `threads` of bks check
// finds violations of these rules.
//
// Workers belong to the program and are never part of the state; the program sets them in
// bks_match_config.workers or bks_peer_config.workers. They are bks_threads, or your engine's own
// job system. A game with threads of its own uses the gather alone.
//
// Thread rule: stated at each call.

/// Maximum number of jobs in a run.
#define BKS_JOBS_MAX (1u << 16)

/// Workers that carry out jobs. {0}: the calling thread carries them out, one after the other.
typedef struct bks_workers {
    /// Call job(work, i) once for every i in 0..jobs-1, in any order, on any threads, and return
    /// when all have returned. The caller then sees all that the jobs wrote.
    void (*run)(void *context, uint32_t jobs, void (*job)(void *work, uint32_t number), void *work);
    void *context; ///< first argument of `run`, may be NULL
} bks_workers;

/// Run jobs and wait for all of them. Each job begins with the caller's floating-point environment,
/// and its thread's own environment is restored afterwards; a job that changes the environment is
/// logged. A job that runs jobs itself runs them on its own thread. Takes no memory.
/// @param workers  NULL, or workers whose `run` is NULL: the calling thread runs the jobs in the
///                 order of their numbers
/// @param jobs     0..BKS_JOBS_MAX
/// @param job      not NULL unless jobs is 0; `number` is 0..jobs-1
/// @param work     passed to all jobs, may be NULL
/// @return BKS_OK; BKS_ERR_BAD_ARGUMENT: no job ran, or the workers did not run each job exactly
///         once (logged)
BKS_API bks_status bks_jobs_run(const bks_workers *workers, uint32_t jobs,
                                void (*job)(void *work, uint32_t number), void *work);

/// Maximum number of results of a job.
#define BKS_GATHER_RESULTS_MAX (1u << 16)

/// Maximum size of a result, in bytes.
#define BKS_GATHER_RESULT_BYTES_MAX (1u << 16)

/// Maximum size of a gather: 1 GiB.
#define BKS_GATHER_BYTES_MAX (1u << 30)

/// Dimensions of a gather. A constant of the game, kept outside the state.
typedef struct bks_gather_shape {
    uint32_t jobs;         ///< most jobs of one run, 1..BKS_JOBS_MAX
    uint32_t results;      ///< most results of each job, 1..BKS_GATHER_RESULTS_MAX
    uint32_t result_bytes; ///< size of each result, 1..BKS_GATHER_RESULT_BYTES_MAX
} bks_gather_shape;

/// Size of a gather of this shape in words of 8 bytes, as a constant expression. If it is above
/// BKS_GATHER_BYTES_MAX bytes, all calls refuse the shape.
#define BKS_GATHER_WORDS(jobs, results, result_bytes) \
    (1u + (size_t)(jobs) * (1u + (size_t)(results) * (((size_t)(result_bytes) + 7u) / 8u)))

/// Empty a gather before a run's jobs start. Call it on one thread.
/// @param gather  BKS_GATHER_WORDS words of 8 bytes, aligned to 8. It may lie in the state, because
///                all its bytes, even unused ones, are the same on every machine
/// @param shape   the same in all calls for this gather
/// @param jobs    0..shape->jobs
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_gather_begin(void *gather, const bks_gather_shape *shape, uint32_t jobs);

/// Add a result of a job after the job's earlier results. Different jobs may call this at once, on
/// any threads; each single job from one thread at a time.
/// @param job  0..jobs-1 of bks_gather_begin()
/// @return the result, result_bytes bytes of zeros, aligned to 8, valid until the next
///         bks_gather_begin(); NULL: the job has no room left, which bks_gather_end() reports, or
///         no such job exists
BKS_API void *bks_gather_add(void *gather, const bks_gather_shape *shape, uint32_t job);

/// Check that no job had more results than its room. Call it on one thread, after all jobs have
/// returned.
/// @param error  may be NULL
/// @return BKS_OK; BKS_ERR_FULL: a job added more than shape->results. The error names the first
///         such job and how many it added, the same on every machine. Results that had room are
///         kept; BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_gather_end(const void *gather, const bks_gather_shape *shape,
                                                bks_error *error);

/// Get the next result, ordered by job, and within a job in the order of adding; repeat until NULL.
/// Call it after all jobs have returned.
/// @param at       0 before the first call; the caller must not change it afterwards
/// @param out_job  receives the job that added the result, may be NULL
/// @return the next result; NULL: there are no more
BKS_API void *bks_gather_next(void *gather, const bks_gather_shape *shape, uint64_t *at,
                              uint32_t *out_job);

/// Maximum number of workers of a bks_threads.
#define BKS_THREADS_MAX 64u

/// Threads that carry out jobs. Opaque.
typedef struct bks_threads bks_threads;

/// Create threads. This call takes all memory and starts all threads. The threads receive no
/// signals. After a fork() the new process has none of these threads: create new ones there. On
/// WebAssembly there are no threads, and the library lacks these calls.
/// @param workers    number of threads that work at a time, including the calling thread:
///                   0..BKS_THREADS_MAX. With 0 or 1 no thread is made and jobs run in place
/// @param allocator  NULL: malloc and free
/// @param out        receives the threads, NULL on failure
/// @param error      may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_OUT_OF_MEMORY; BKS_ERR_IO: the system gives no
///         more threads
/// Owned by the caller; release with bks_threads_destroy().
BKS_API BKS_NODISCARD bks_status bks_threads_create(uint32_t workers,
                                                    const bks_allocator *allocator,
                                                    bks_threads **out, bks_error *error);

/// Get the threads as workers, for bks_match_config and bks_jobs_run(). Several threads may run
/// jobs with them at once: one of them gets the workers, and each of the others runs its jobs on
/// its own thread meanwhile.
/// @return the workers, valid until bks_threads_destroy(); {0} for NULL
BKS_API bks_workers bks_threads_workers(bks_threads *threads);

/// Stop and release the threads. No jobs may be running on them. NULL is allowed.
BKS_API void bks_threads_destroy(bks_threads *threads);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_DET_H
