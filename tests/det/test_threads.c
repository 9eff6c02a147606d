// SPDX-License-Identifier: MIT

#define _POSIX_C_SOURCE 200809L // pthread_sigmask, nanosleep

#include "backstitch/det.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <time.h>

#include <cmocka.h>

#include "det/some_jobs.h"
#include "support/catch_log.h"
#include "support/counting_allocator.h"
#include "support/odd_floats.h"

static bks_threads *make(uint32_t workers)
{
    bks_threads *threads = NULL;
    assert_int_equal(bks_threads_create(workers, NULL, &threads, NULL), BKS_OK);
    return threads;
}

static void any_number_of_workers_gives_the_same_bytes(void **state)
{
    (void)state;
    static const uint32_t counts[] = {0, 1, 2, 3, 8, BKS_THREADS_MAX};
    uint64_t expected[SOME_WORDS] = {0};
    assert_int_equal(bks_gather_begin(expected, &some_shape, SOME_JOBS), BKS_OK);
    assert_int_equal(bks_jobs_run(NULL, SOME_JOBS, some_job, expected), BKS_OK);
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        bks_threads *threads = make(counts[i]);
        const bks_workers workers = bks_threads_workers(threads);
        for (uint32_t run = 0; run < 100; run++) {
            uint64_t gather[SOME_WORDS] = {0};
            assert_int_equal(bks_gather_begin(gather, &some_shape, SOME_JOBS), BKS_OK);
            assert_int_equal(bks_jobs_run(&workers, SOME_JOBS, some_job, gather), BKS_OK);
            assert_int_equal(bks_gather_end(gather, &some_shape, NULL), BKS_OK);
            assert_memory_equal(gather, expected, sizeof(expected));
        }
        bks_threads_destroy(threads);
    }
}

/// Jobs that each wait until `wanted` of them have begun.
typedef struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint32_t begun;
    uint32_t wanted;
    pthread_t thread[8];
    uint32_t faults;   ///< faults of the floating-point environment with which jobs began
    bool takes_signal; ///< a job on another thread than the first takes a signal
    pthread_t caller;
} meeting;

static void meet(void *work, uint32_t number)
{
    meeting *m = work;
    sigset_t blocked;
    (void)pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    (void)pthread_mutex_lock(&m->lock);
    m->thread[number] = pthread_self();
    m->faults |= bks_float_faults();
    m->takes_signal |=
        pthread_equal(m->caller, pthread_self()) == 0 && sigismember(&blocked, SIGTERM) == 0;
    m->begun++;
    (void)pthread_cond_broadcast(&m->changed);
    while (m->begun < m->wanted) {
        (void)pthread_cond_wait(&m->changed, &m->lock);
    }
    (void)pthread_mutex_unlock(&m->lock);
}

static meeting meeting_of(uint32_t wanted)
{
    return (meeting){.lock = PTHREAD_MUTEX_INITIALIZER,
                     .changed = PTHREAD_COND_INITIALIZER,
                     .wanted = wanted,
                     .caller = pthread_self()};
}

static void that_number_of_jobs_runs_at_a_time_and_the_caller_does_some(void **state)
{
    (void)state;
    bks_threads *threads = make(4);
    const bks_workers workers = bks_threads_workers(threads);
    meeting m = meeting_of(4); // fewer threads would wait forever
    uint32_t callers = 0;
    assert_int_equal(bks_jobs_run(&workers, 4, meet, &m), BKS_OK);
    for (uint32_t i = 0; i < 4; i++) {
        callers += pthread_equal(m.thread[i], pthread_self()) != 0 ? 1 : 0;
        for (uint32_t other = 0; other < i; other++) {
            assert_int_equal(pthread_equal(m.thread[i], m.thread[other]), 0);
        }
    }
    assert_int_equal(callers, 1);
    assert_false(m.takes_signal);
    bks_threads_destroy(threads);
}

static void threads_calculate_as_the_step_whatever_they_were_made_with(void **state)
{
    (void)state;
    (void)odd_floats_set();
    bks_threads *threads = make(4); // they inherit this
    odd_floats_clear();
    const bks_workers workers = bks_threads_workers(threads);
    meeting known = meeting_of(4);
    assert_int_equal(bks_jobs_run(&workers, 4, meet, &known), BKS_OK);
    meeting odd = meeting_of(4);
    const uint32_t set = odd_floats_set();
    const bks_status status = bks_jobs_run(&workers, 4, meet, &odd);
    odd_floats_clear();
    bks_threads_destroy(threads);
    assert_int_equal(known.faults, 0);
    assert_int_equal(status, BKS_OK);
    assert_int_equal(odd.faults, set);
}

static void set_floats(void *work, uint32_t number)
{
    meet(work, number);
    (void)odd_floats_set();
}

static void what_a_job_sets_on_a_thread_ends_with_it(void **state)
{
    (void)state;
    bks_threads *threads = make(4);
    const bks_workers workers = bks_threads_workers(threads);
    meeting sets = meeting_of(4);
    catch_log log;
    catch_log_begin(&log);
    const bks_status status = bks_jobs_run(&workers, 4, set_floats, &sets);
    bks_log_clear_sink();
    meeting after = meeting_of(4);
    assert_int_equal(bks_jobs_run(&workers, 4, meet, &after), BKS_OK);
    bks_threads_destroy(threads);
    assert_int_equal(status, BKS_OK);
    assert_string_equal(log.id, "jobs.floats");
    assert_int_equal(log.count, 1);
    assert_int_equal(after.faults, 0);
    assert_int_equal(bks_float_faults(), 0);
}

/// Run matches on several threads that share workers.
typedef struct sharer {
    bks_workers workers;
    bool is_wrong;
} sharer;

static void *share(void *context)
{
    sharer *s = context;
    uint64_t expected[SOME_WORDS] = {0};
    (void)bks_gather_begin(expected, &some_shape, SOME_JOBS);
    (void)bks_jobs_run(NULL, SOME_JOBS, some_job, expected);
    for (uint32_t run = 0; run < 200; run++) {
        uint64_t gather[SOME_WORDS] = {0};
        (void)bks_gather_begin(gather, &some_shape, SOME_JOBS);
        s->is_wrong |= bks_jobs_run(&s->workers, SOME_JOBS, some_job, gather) != BKS_OK ||
                       memcmp(gather, expected, sizeof(gather)) != 0;
    }
    return NULL;
}

static void several_callers_may_run_jobs_at_once(void **state)
{
    (void)state;
    bks_threads *threads = make(3);
    sharer sharers[3];
    pthread_t callers[3];
    for (uint32_t i = 0; i < 3; i++) {
        sharers[i] = (sharer){.workers = bks_threads_workers(threads)};
        assert_int_equal(pthread_create(&callers[i], NULL, share, &sharers[i]), 0);
    }
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(pthread_join(callers[i], NULL), 0);
        assert_false(sharers[i].is_wrong);
    }
    bks_threads_destroy(threads);
}

static void all_memory_is_taken_at_create_and_given_back(void **state)
{
    (void)state;
    counting_allocator counter;
    const bks_allocator allocator = counting_allocator_hooks(&counter);
    bks_threads *threads = NULL;
    bks_error error = {0};
    assert_int_equal(bks_threads_create(8, &allocator, &threads, NULL), BKS_OK);
    const uint32_t allocs = counter.allocs;
    const bks_workers workers = bks_threads_workers(threads);
    uint64_t gather[SOME_WORDS] = {0};
    assert_int_equal(bks_gather_begin(gather, &some_shape, SOME_JOBS), BKS_OK);
    assert_int_equal(bks_jobs_run(&workers, SOME_JOBS, some_job, gather), BKS_OK);
    assert_int_equal(counter.allocs, allocs);
    bks_threads_destroy(threads);
    assert_int_equal(counter.live_bytes, 0);
    assert_false(counter.is_wrong);
    counter.fail_after = 0;
    assert_int_equal(bks_threads_create(8, &allocator, &threads, &error), BKS_ERR_OUT_OF_MEMORY);
    assert_null(threads);
    assert_string_equal(error.field, "allocator");
}

static void wrong_arguments_are_named(void **state)
{
    (void)state;
    bks_threads *threads = NULL;
    bks_error error = {0};
    const bks_allocator half = {.alloc = counting_alloc};
    assert_int_equal(bks_threads_create(BKS_THREADS_MAX + 1, NULL, &threads, &error),
                     BKS_ERR_BAD_ARGUMENT);
    assert_string_equal(error.text, "workers is 65, must be 0..64");
    assert_int_equal(bks_threads_create(1, &half, &threads, &error), BKS_ERR_BAD_ARGUMENT);
    assert_string_equal(error.field, "allocator");
    assert_int_equal(bks_threads_create(1, NULL, NULL, &error), BKS_ERR_BAD_ARGUMENT);
    assert_string_equal(error.field, "out");
    assert_null(bks_threads_workers(NULL).run);
    bks_threads_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_workers_gives_the_same_bytes),
        cmocka_unit_test(that_number_of_jobs_runs_at_a_time_and_the_caller_does_some),
        cmocka_unit_test(threads_calculate_as_the_step_whatever_they_were_made_with),
        cmocka_unit_test(what_a_job_sets_on_a_thread_ends_with_it),
        cmocka_unit_test(several_callers_may_run_jobs_at_once),
        cmocka_unit_test(all_memory_is_taken_at_create_and_given_back),
        cmocka_unit_test(wrong_arguments_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
