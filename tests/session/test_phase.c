// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/common/phase.h"

static void stages_follow_one_another(void **state)
{
    (void)state;
    session_phase phase = {0};
    assert_int_equal(bksi_phase_seen(&phase), BKS_PHASE_GATHERING);
    assert_false(bksi_phase_has_roster(&phase));
    bksi_phase_enter(&phase, STAGE_LINKING);
    assert_true(bksi_phase_is_linking(&phase));
    assert_true(bksi_phase_has_roster(&phase));
    assert_false(bksi_phase_has_start(&phase));
    bksi_phase_enter(&phase, STAGE_STARTING);
    assert_true(bksi_phase_has_start(&phase));
    assert_false(bksi_phase_is_linking(&phase));
    assert_true(bksi_phase_is_in_lobby(&phase));
    assert_int_equal(bksi_phase_seen(&phase), BKS_PHASE_GATHERING);
    bksi_phase_enter(&phase, STAGE_RUNNING);
    assert_true(bksi_phase_is_running(&phase));
    assert_false(bksi_phase_is_in_lobby(&phase));
    assert_int_equal(bksi_phase_seen(&phase), BKS_PHASE_RUNNING);
}

static void a_host_whose_guest_leaves_gathers_again(void **state)
{
    (void)state;
    session_phase phase = {0};
    bksi_phase_enter(&phase, STAGE_LINKING);
    bksi_phase_enter(&phase, STAGE_GATHERING);
    assert_false(bksi_phase_has_roster(&phase));
    assert_true(bksi_phase_is_in_lobby(&phase));
}

static void what_has_ended_still_knows_how_far_it_was(void **state)
{
    (void)state;
    session_phase phase = {.stage = STAGE_RUNNING};
    bksi_phase_end(&phase);
    assert_int_equal(bksi_phase_seen(&phase), BKS_PHASE_ENDED);
    assert_false(bksi_phase_is_running(&phase));
    assert_true(bksi_phase_has_start(&phase));
    bksi_phase_fail(&phase); // left, and then the game failed
    assert_int_equal(bksi_phase_seen(&phase), BKS_PHASE_FAILED);
    session_phase lobby = {.stage = STAGE_LINKING};
    bksi_phase_fail(&lobby);
    assert_int_equal(bksi_phase_seen(&lobby), BKS_PHASE_FAILED);
    assert_false(bksi_phase_is_in_lobby(&lobby));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stages_follow_one_another),
        cmocka_unit_test(a_host_whose_guest_leaves_gathers_again),
        cmocka_unit_test(what_has_ended_still_knows_how_far_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
