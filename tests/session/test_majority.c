// SPDX-License-Identifier: MIT

#include "session/majority.h"

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

static void that_two_differed_before_one_of_them_says(void **state)
{
    (void)state;
    say("aaaaaaaa");
    assert_int_equal(bksi_majority_repaired(said, 0x0F), 0);
    messages[0].differing = 4;
    messages[2].differing = 2;
    messages[3].differing = 4;
    assert_int_equal(bksi_majority_repaired(said, 0x0F), 0x04);
}

/// They were no group before: nobody says so of the other.
static void whoever_has_not_what_the_most_have_is_repaired_whatever_it_was_before(void **state)
{
    (void)state;
    say("xyaaaza-");
    for (uint32_t i = 0; i < 7; i++) {
        messages[i].differing = (0x23u >> i & 1) != 0 ? 0x4C : 0x23;
    }
    assert_int_equal(bksi_majority_now(said, 0x6F), 0x4C);
    assert_int_equal(bksi_majority_repaired(said, 0x6F), 0x23);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_group_counts_and_of_equal_ones_the_lowest),
        cmocka_unit_test(that_two_differed_before_one_of_them_says),
        cmocka_unit_test(whoever_has_not_what_the_most_have_is_repaired_whatever_it_was_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
