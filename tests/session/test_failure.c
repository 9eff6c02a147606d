// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/agree/failure.h"

static session_common common;
static session_failure failure;

/// A match of two that runs, in which the step of a tick failed; what is settled ends before one.
static void begin(bks_tick spoilt, bks_tick settled)
{
    common = (session_common){.now_ns = 700, .phase = {.stage = STAGE_RUNNING}};
    common.seats = (session_seats){.all = 0x3, .self = 1};
    bksi_membership_begin(&common.membership, 0, 0, common.seats.all);
    common.engine.progress.spoilt = spoilt;
    common.engine.settled.tick = settled;
    failure = (session_failure){0};
}

static void fail_at(bks_op_kind kind, const char *problem)
{
    const bks_op op = {.kind = kind, .tick = 9};
    bksi_failure_of(&failure, &common, &op, problem);
}

static void assert_ended(const char *text)
{
    bks_event event;
    assert_true(failure.is_final);
    assert_int_equal(bksi_phase_seen(&common.phase), BKS_PHASE_FAILED);
    assert_true(bksi_events_take(&common.events, &event));
    assert_int_equal(event.kind, BKS_EVENT_FAILED);
    assert_int_equal(event.peer, 1);
    assert_int_equal(event.tick, 9);
    assert_string_equal(event.text, text);
    assert_false(bksi_events_take(&common.events, &event));
    assert_true((bksi_goodbyes_owed(&common.goodbyes) & PEER_BIT(0)) != 0);
    assert_true(common.goodbyes.has_left);
}

static void loads_and_samples_fail_for_good(void **state)
{
    (void)state;
    begin(BKS_TICK_NONE, 5);
    fail_at(BKS_OP_SAMPLE, "no pad");
    assert_ended("the game failed at tick 9: no pad");
    begin(BKS_TICK_NONE, 5);
    fail_at(BKS_OP_LOAD, "no room");
    assert_ended("the game failed at tick 9: no room");
}

static void a_step_that_failed_counts_once_its_state_is_settled(void **state)
{
    (void)state;
    begin(10, 9);
    fail_at(BKS_OP_STEP, "no fuel");
    bksi_failure_settle(&failure, &common);
    assert_false(failure.is_final);
    assert_true(bksi_phase_is_running(&common.phase));
    common.engine.settled.tick = 10;
    bksi_failure_settle(&failure, &common);
    assert_ended("the game failed at tick 9: no fuel");
    bksi_failure_settle(&failure, &common); // once
    bks_event event;
    assert_false(bksi_events_take(&common.events, &event));
    begin(10, 10);
    fail_at(BKS_OP_STEP, "no fuel");
    assert_ended("the game failed at tick 9: no fuel");
}

static void what_a_game_says_is_printed_as_far_as_it_fits(void **state)
{
    (void)state;
    begin(BKS_TICK_NONE, 5);
    fail_at(BKS_OP_SAMPLE, "a\tb\x1b\xc3~ ");
    assert_ended("the game failed at tick 9: a?b??~ ");
    begin(BKS_TICK_NONE, 5);
    char text[4 * PROBLEM_BYTES];
    for (size_t i = 0; i < sizeof(text); i++) {
        text[i] = i + 1 < sizeof(text) ? 'x' : '\0';
    }
    fail_at(BKS_OP_SAMPLE, text);
    assert_int_equal(failure.problem[PROBLEM_BYTES - 2], 'x');
    assert_int_equal(failure.problem[PROBLEM_BYTES - 1], '\0');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_and_samples_fail_for_good),
        cmocka_unit_test(a_step_that_failed_counts_once_its_state_is_settled),
        cmocka_unit_test(what_a_game_says_is_printed_as_far_as_it_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
