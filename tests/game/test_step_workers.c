// SPDX-License-Identifier: MIT

#include "backstitch/det.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "backstitch/toolkit/runner.h"
#include "det/some_jobs.h"
#include "support/catch_log.h"

/// A game whose step does jobs, and whose jobs may call what they must not.
typedef struct working_state {
    uint64_t gather[SOME_WORDS];
} working_state;

static struct {
    const bks_step *step;
    bool calls; ///< bks_mark() and its kin in a job
    uint32_t answers;
} working;

static void working_job(void *work, uint32_t number)
{
    some_job(work, number);
    if (working.calls && number == 0) {
        char answer = 0;
        bks_mark(working.step, "in a job");
        bks_note(working.step, "in a job");
        bks_fail(working.step, "in a job");
        working.answers += (uint32_t)bks_ask(working.step, 1, &answer, sizeof(answer));
    }
}

static void working_init(void *state, const bks_start *start)
{
    (void)state;
    (void)start;
}

static void working_step(void *state, const bks_step *step)
{
    working_state *s = state;
    working.step = step;
    (void)bks_gather_begin(s->gather, &some_shape, SOME_JOBS);
    (void)bks_jobs_run(bks_step_workers(step), SOME_JOBS, working_job, s->gather);
    bks_mark(step, "jobs");
}

static const bks_field working_fields[] = {{.name = "move", .bits = 2}};
static const bks_game working_game = {.name = "working",
                                      .tick_rate_hz = 60,
                                      .players_max = 1,
                                      .fields = working_fields,
                                      .field_count = 1,
                                      .state_bytes = sizeof(working_state),
                                      .init = working_init,
                                      .step = working_step};

static void count_mark(void *context, bks_tick tick, const char *name)
{
    (void)tick;
    uint32_t *marks = context;
    (*marks)++;
    assert_string_equal(name, "jobs");
}

/// @return the state's hash after a step
static uint64_t step_with(bks_workers workers, uint32_t *marks, bks_status expected)
{
    const int32_t input = 0;
    const bks_runner_config config = {.game = &working_game,
                                      .players = 1,
                                      .marked = count_mark,
                                      .context = marks,
                                      .workers = workers.run != NULL ? &workers : NULL};
    bks_runner *runner = NULL;
    assert_int_equal(bks_runner_create(&config, &runner, NULL), BKS_OK);
    assert_int_equal(bks_runner_step(runner, 0, &input, NULL), expected);
    const uint64_t hash = bks_runner_hash(runner);
    bks_runner_destroy(runner);
    return hash;
}

static void a_step_has_the_workers_of_its_runner(void **state)
{
    (void)state;
    some_workers own = {0};
    uint32_t marks = 0;
    const uint64_t alone = step_with((bks_workers){0}, &marks, BKS_OK);
    const bks_workers workers = {.run = some_workers_run, .context = &own};
    assert_true(step_with(workers, &marks, BKS_OK) == alone);
    assert_int_equal(own.runs, 1);
    assert_int_equal(marks, 2);
}

static void a_step_made_by_hand_has_none(void **state)
{
    (void)state;
    const bks_step step = {.tick = 1};
    catch_log log;
    catch_log_begin(&log);
    assert_null(bks_step_workers(&step));
    assert_int_equal(log.count, 0);
    assert_null(bks_step_workers(NULL));
    assert_string_equal(log.text, "step is NULL, must not be");
    bks_log_clear_sink();
}

static void a_job_cannot_mark_note_ask_or_fail(void **state)
{
    (void)state;
    uint32_t marks = 0;
    catch_log log;
    working.calls = true;
    catch_log_begin(&log);
    (void)step_with((bks_workers){0}, &marks, BKS_OK);
    working.calls = false;
    bks_log_clear_sink();
    assert_int_equal(marks, 1);
    assert_int_equal(working.answers, 0);
    assert_int_equal(log.count, 4);
    assert_non_null(strstr(log.text, "bks_ask is called by a job"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_has_the_workers_of_its_runner),
        cmocka_unit_test(a_step_made_by_hand_has_none),
        cmocka_unit_test(a_job_cannot_mark_note_ask_or_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
