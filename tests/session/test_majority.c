// SPDX-License-Identifier: MIT

#include "session/agree/majority.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static bksi_meet_message messages[BKS_PEERS_MAX];
static const bksi_meet_message *said[BKS_PEERS_MAX];

static void say(const char *states)
{
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        messages[i] = (bksi_meet_message){.state = (uint64_t)states[i]};
        said[i] = &messages[i];
    }
}

static void the_largest_group_counts_and_of_equal_ones_the_lowest(void **state)
{
    (void)state;
    say("abbbcccc");
    assert_int_equal(bksi_majority_now(said, 0xFF), 0xF0);
    assert_int_equal(bksi_majority_now(said, 0x7F), 0x0E);
    assert_int_equal(bksi_majority_now(said, 0x03), 0x01);
    assert_int_equal(bksi_majority_now(said, 0x36), 0x06);
    assert_int_equal(bksi_majority_now(said, 0x92), 0x90);
}

/// What all had before is in the chain of each, also where no peer has seen that it differs.
static void a_member_that_had_other_states_before_is_repaired_too(void **state)
{
    (void)state;
    say("aaaaaaaa");
    assert_int_equal(bksi_majority_repaired(said, 0x0F), 0);
    messages[2].before = 7;
    assert_int_equal(bksi_majority_repaired(said, 0x0F), 0x04);
}

/// They were no group before.
static void a_member_without_what_the_most_have_is_repaired_whatever_it_had_before(void **state)
{
    (void)state;
    say("xyaaaza-");
    for (uint32_t i = 0; i < 7; i++) {
        messages[i].before = (0x23u >> i & 1) != 0 ? 1 : 2;
    }
    assert_int_equal(bksi_majority_now(said, 0x6F), 0x4C);
    assert_int_equal(bksi_majority_repaired(said, 0x6F), 0x23);
}

/// The others could not take it.
static void a_state_that_its_own_game_refuses_counts_only_where_each_is_refused(void **state)
{
    (void)state;
    say("aabbcccc");
    messages[0].is_refused = messages[1].is_refused = true;
    assert_int_equal(bksi_majority_now(said, 0x0F), 0x0C);
    assert_int_equal(bksi_majority_repaired(said, 0x0F), 0x03);
    assert_int_equal(bksi_majority_now(said, 0x07), 0x04);
    messages[2].is_refused = true;
    assert_int_equal(bksi_majority_now(said, 0x07), 0x03);
}

/// So that it fetches nothing, which its game would refuse.
static void a_member_with_the_state_of_the_most_has_it_though_its_game_refuses_it(void **state)
{
    (void)state;
    say("aaab----");
    messages[2].is_refused = true;
    assert_int_equal(bksi_majority_now(said, 0x0F), 0x07);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_group_counts_and_of_equal_ones_the_lowest),
        cmocka_unit_test(a_member_that_had_other_states_before_is_repaired_too),
        cmocka_unit_test(a_member_without_what_the_most_have_is_repaired_whatever_it_had_before),
        cmocka_unit_test(a_state_that_its_own_game_refuses_counts_only_where_each_is_refused),
        cmocka_unit_test(a_member_with_the_state_of_the_most_has_it_though_its_game_refuses_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
