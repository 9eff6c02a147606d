// SPDX-License-Identifier: MIT

#include "session/agree/said.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static bksi_meet_message messages[BKS_PEERS_MAX];
static const bksi_meet_message *said[BKS_PEERS_MAX];

/// By peer: a stage, or `-` for nothing.
static void say(const char *stages)
{
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        messages[i] = (bksi_meet_message){.tick = stages[i] == '-' ? BKS_TICK_NONE : 90};
        messages[i].stage = (bksi_meet_stage)(stages[i] == '-' ? 0 : stages[i] - '0');
        said[i] = &messages[i];
    }
}

static void members_are_at_a_stage_when_the_slowest_is(void **state)
{
    (void)state;
    say("2214-0--");
    assert_true(bksi_said_are_at(said, 0x0B, BKSI_MEET_DONE));
    assert_false(bksi_said_are_at(said, 0x0F, BKSI_MEET_DONE));
    assert_true(bksi_said_are_at(said, 0x0F, BKSI_MEET_STATED));
    assert_true(bksi_said_are_at(said, 0x2F, BKSI_MEET_HEARD));
    assert_false(bksi_said_are_at(said, 0x1F, BKSI_MEET_HEARD));
}

static void one_that_has_given_up_is_at_no_stage(void **state)
{
    (void)state;
    say("2232----");
    assert_false(bksi_said_are_at(said, 0x0F, BKSI_MEET_HEARD));
    assert_true(bksi_said_has_failed(said, 0x0F));
    assert_false(bksi_said_has_failed(said, 0x0B));
}

static void members_agree_when_all_have_the_same_now(void **state)
{
    (void)state;
    say("222-----");
    messages[0].now = messages[1].now = 7;
    assert_true(bksi_said_agree(said, 0x03));
    assert_false(bksi_said_agree(said, 0x07));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_at_a_stage_when_the_slowest_is),
        cmocka_unit_test(one_that_has_given_up_is_at_no_stage),
        cmocka_unit_test(members_agree_when_all_have_the_same_now),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
