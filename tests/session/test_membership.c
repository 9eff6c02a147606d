// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/membership.h"

static const session_seats four = {.all = 0xf, .self = 1};
static const bks_tick ends[BKS_PEERS_MAX] = {[0] = 10, [3] = 20};

/// A view without the peers of a mask is entered.
static void enter(session_membership *membership, uint32_t leavers)
{
    next_view next;
    bksi_membership_plan(&next, leavers, ends);
    bksi_membership_enter(membership, &four, &next);
}

static void a_leaver_is_in_every_view_before_its_own(void **state)
{
    (void)state;
    session_membership membership = {0};
    assert_int_equal(bksi_membership_now(&membership, &four), 15);
    bksi_membership_freeze(&membership, 4);
    bksi_membership_freeze(&membership, 8); // in place of the one before
    assert_false(bksi_membership_is_frozen(&membership, 2));
    assert_true(bksi_membership_is_frozen(&membership, 3));
    enter(&membership, 8);
    assert_false(bksi_membership_is_frozen(&membership, 3));
    enter(&membership, 1);
    assert_int_equal(membership.view, 2);
    assert_int_equal(bksi_membership_in(&membership, &four, 0), 15);
    assert_int_equal(bksi_membership_in(&membership, &four, 1), 7);
    assert_int_equal(bksi_membership_in(&membership, &four, 2), 6);
    assert_int_equal(bksi_membership_now(&membership, &four), 6);
    assert_int_equal(bksi_membership_end(&membership, 3), 20);
    assert_int_equal(bksi_membership_end(&membership, 0), 10);
    assert_int_equal(bksi_membership_end(&membership, 1), BKS_TICK_NONE);
}

static void the_lowest_peer_left_is_the_host(void **state)
{
    (void)state;
    session_membership membership = {0};
    enter(&membership, 8);
    assert_int_equal(bksi_membership_host(&membership, &four), 0);
    assert_int_equal(membership.handovers, 0);
    enter(&membership, 1);
    assert_int_equal(bksi_membership_host(&membership, &four), 1);
    assert_int_equal(membership.handovers, 1); // to us
}

static void a_view_is_known_by_its_number_and_its_hash(void **state)
{
    (void)state;
    session_membership one = {0}, other = {0};
    enter(&one, 8);
    enter(&other, 1);
    const bksi_view_name name = bksi_membership_name(&one, 1);
    assert_true(bksi_membership_is_ours(&one, &name));
    assert_false(bksi_membership_is_ours(&other, &name));
    assert_true(bksi_membership_knows(&one, 1, name.hash));
    assert_false(bksi_membership_knows(&other, 1, name.hash));
    assert_true(bksi_membership_knows(&other, 2, 123)); // a later one may be
    enter(&one, 1);
    assert_false(bksi_membership_is_ours(&one, &name));
    assert_true(bksi_membership_knows(&one, 1, name.hash));
}

static void a_hash_of_an_older_view_is_true_up_to_where_the_first_leaver_ends(void **state)
{
    (void)state;
    session_membership membership = {0};
    enter(&membership, 8);
    enter(&membership, 1);
    assert_true(bksi_membership_agrees_on(&membership, 2, 1000));
    assert_true(bksi_membership_agrees_on(&membership, 1, 10));
    assert_false(bksi_membership_agrees_on(&membership, 1, 11));
    assert_true(bksi_membership_agrees_on(&membership, 0, 10));
    assert_false(bksi_membership_agrees_on(&membership, 3, 0)); // not ours yet
}

static void a_peer_is_behind_until_it_is_seen_in_our_view(void **state)
{
    (void)state;
    session_membership membership = {0};
    assert_false(bksi_membership_is_behind(&membership, 2));
    enter(&membership, 8);
    assert_true(bksi_membership_is_behind(&membership, 2));
    bksi_membership_seen(&membership, 2, 1);
    assert_false(bksi_membership_is_behind(&membership, 2));
    bksi_membership_seen(&membership, 2, 0); // a packet that was overtaken
    assert_false(bksi_membership_is_behind(&membership, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_leaver_is_in_every_view_before_its_own),
        cmocka_unit_test(the_lowest_peer_left_is_the_host),
        cmocka_unit_test(a_view_is_known_by_its_number_and_its_hash),
        cmocka_unit_test(a_hash_of_an_older_view_is_true_up_to_where_the_first_leaver_ends),
        cmocka_unit_test(a_peer_is_behind_until_it_is_seen_in_our_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
