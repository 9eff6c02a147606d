// SPDX-License-Identifier: MIT

#include "det/jobs.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "det/some_jobs.h"
#include "support/catch_log.h"
#include "support/odd_floats.h"

typedef struct job_log {
    uint32_t order[SOME_JOBS];
    uint32_t count;
    uint32_t faults; ///< faults of the floating-point environment with which jobs began
    uint32_t sets;   ///< job that leaves a changed environment; 0: none
    uint32_t nested; ///< number of runs of jobs within jobs
    const bks_workers *workers;
} job_log;

static void note_job(void *work, uint32_t number)
{
    job_log *log = work;
    log->order[log->count++] = number;
    log->faults |= bks_float_faults();
    if (log->sets != 0 && number == log->sets) {
        (void)odd_floats_set();
    }
}

static void jobs_run_in_order_where_there_are_no_workers(void **state)
{
    (void)state;
    const bks_workers none = {0};
    const bks_workers *cases[] = {NULL, &none};
    for (size_t i = 0; i < 2; i++) {
        job_log log = {0};
        assert_int_equal(bks_jobs_run(cases[i], SOME_JOBS, note_job, &log), BKS_OK);
        assert_int_equal(log.count, SOME_JOBS);
        for (uint32_t job = 0; job < SOME_JOBS; job++) {
            assert_int_equal(log.order[job], job);
        }
    }
}

static void workers_of_the_program_run_them_in_their_own_order(void **state)
{
    (void)state;
    some_workers own = {0};
    const bks_workers workers = {.run = some_workers_run, .context = &own};
    job_log log = {0};
    assert_int_equal(bks_jobs_run(&workers, SOME_JOBS, note_job, &log), BKS_OK);
    assert_int_equal(log.order[0], SOME_JOBS - 1);
    assert_int_equal(own.runs, 1);
    uint64_t down[SOME_WORDS] = {0};
    uint64_t up[SOME_WORDS] = {0};
    assert_int_equal(bks_gather_begin(down, &some_shape, SOME_JOBS), BKS_OK);
    assert_int_equal(bks_gather_begin(up, &some_shape, SOME_JOBS), BKS_OK);
    assert_int_equal(bks_jobs_run(&workers, SOME_JOBS, some_job, down), BKS_OK);
    assert_int_equal(bks_jobs_run(NULL, SOME_JOBS, some_job, up), BKS_OK);
    assert_memory_equal(down, up, sizeof(up));
}

static void workers_that_leave_out_or_repeat_a_job_are_reported(void **state)
{
    (void)state;
    const struct {
        some_workers own;
        const char *text;
    } cases[] = {
        {{.skips = 1}, "workers ran 22 jobs, must run each of the 23 jobs once"},
        {{.repeats = 2}, "workers ran 25 jobs, must run each of the 23 jobs once"},
    };
    for (size_t i = 0; i < 2; i++) {
        uint64_t gather[SOME_WORDS] = {0};
        some_workers own = cases[i].own;
        const bks_workers workers = {.run = some_workers_run, .context = &own};
        catch_log log;
        catch_log_begin(&log);
        assert_int_equal(bks_gather_begin(gather, &some_shape, SOME_JOBS), BKS_OK);
        const bks_status status = bks_jobs_run(&workers, SOME_JOBS, some_job, gather);
        bks_log_clear_sink();
        assert_int_equal(status, BKS_ERR_BAD_ARGUMENT);
        assert_string_equal(log.text, cases[i].text);
    }
}

static void a_number_of_no_job_runs_nothing(void **state)
{
    (void)state;
    some_workers own = {.beyond = 4};
    const bks_workers workers = {.run = some_workers_run, .context = &own};
    job_log log = {0};
    catch_log lines;
    catch_log_begin(&lines);
    const bks_status status = bks_jobs_run(&workers, 5, note_job, &log);
    bks_log_clear_sink();
    assert_int_equal(status, BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(log.count, 5);
    assert_non_null(strstr(lines.text, "workers ran 9 jobs"));
}

static void a_job_has_the_floating_point_environment_of_the_step(void **state)
{
    (void)state;
    job_log log = {0};
    assert_int_equal(bks_jobs_run(NULL, SOME_JOBS, note_job, &log), BKS_OK);
    assert_int_equal(log.faults, 0);
    log.count = 0;
    const uint32_t set = odd_floats_set();
    const bks_status status = bks_jobs_run(NULL, SOME_JOBS, note_job, &log);
    const uint32_t behind = bks_float_faults();
    odd_floats_clear();
    assert_int_equal(status, BKS_OK);
    assert_int_equal(log.faults, set);
    assert_int_equal(behind, set);
}

static void what_a_job_sets_reaches_neither_the_next_job_nor_the_step(void **state)
{
    (void)state;
    job_log log = {.sets = 3};
    catch_log lines;
    catch_log_begin(&lines);
    const bks_status status = bks_jobs_run(NULL, SOME_JOBS, note_job, &log);
    bks_log_clear_sink();
    assert_int_equal(status, BKS_OK);
    assert_int_equal(log.faults, 0);
    assert_int_equal(bks_float_faults(), 0);
    assert_int_equal(lines.count, 1);
    assert_string_equal(lines.id, "jobs.floats");
    assert_non_null(strstr(lines.text, "rounds otherwise than to nearest"));
    assert_non_null(strstr(lines.text, "bks_float_leave()")); // the line is not cut
}

static void run_inner(void *work, uint32_t number)
{
    job_log *log = work;
    log->count = 0;
    (void)number;
    if (bks_jobs_run(log->workers, SOME_JOBS, note_job, log) == BKS_OK && log->order[0] == 0 &&
        log->order[SOME_JOBS - 1] == SOME_JOBS - 1) {
        log->nested++;
    }
}

static void jobs_of_a_job_run_in_place(void **state)
{
    (void)state;
    some_workers own = {0};
    const bks_workers workers = {.run = some_workers_run, .context = &own};
    job_log log = {.workers = &workers};
    assert_int_equal(bks_jobs_run(&workers, 5, run_inner, &log), BKS_OK);
    assert_int_equal(log.nested, 5);
    assert_int_equal(own.runs, 1);
}

static void refuse_in_job(void *work, uint32_t number)
{
    bool *refused = work;
    refused[number] = bksi_jobs_refuse("bks_mark");
}

static void a_call_is_refused_within_a_job_alone(void **state)
{
    (void)state;
    bool refused[3] = {false};
    catch_log log;
    catch_log_begin(&log);
    assert_false(bksi_jobs_refuse("bks_mark"));
    assert_int_equal(log.count, 0);
    assert_int_equal(bks_jobs_run(NULL, 3, refuse_in_job, refused), BKS_OK);
    assert_int_equal(log.count, 3);
    assert_string_equal(log.id, "bks_mark");
    assert_non_null(strstr(log.text, "must be called by the step itself"));
    assert_false(bksi_jobs_refuse("bks_mark"));
    bks_log_clear_sink();
    assert_true(refused[0] && refused[1] && refused[2]);
}

static void numbers_out_of_range_run_nothing(void **state)
{
    (void)state;
    job_log log = {0};
    catch_log lines;
    catch_log_begin(&lines);
    assert_int_equal(bks_jobs_run(NULL, BKS_JOBS_MAX + 1, note_job, &log), BKS_ERR_BAD_ARGUMENT);
    assert_string_equal(lines.text, "jobs is 65537, must be 0..65536");
    assert_int_equal(bks_jobs_run(NULL, 1, NULL, &log), BKS_ERR_BAD_ARGUMENT);
    bks_log_clear_sink();
    assert_int_equal(bks_jobs_run(NULL, 0, NULL, NULL), BKS_OK);
    assert_int_equal(log.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_run_in_order_where_there_are_no_workers),
        cmocka_unit_test(workers_of_the_program_run_them_in_their_own_order),
        cmocka_unit_test(workers_that_leave_out_or_repeat_a_job_are_reported),
        cmocka_unit_test(a_number_of_no_job_runs_nothing),
        cmocka_unit_test(a_job_has_the_floating_point_environment_of_the_step),
        cmocka_unit_test(what_a_job_sets_reaches_neither_the_next_job_nor_the_step),
        cmocka_unit_test(jobs_of_a_job_run_in_place),
        cmocka_unit_test(a_call_is_refused_within_a_job_alone),
        cmocka_unit_test(numbers_out_of_range_run_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
