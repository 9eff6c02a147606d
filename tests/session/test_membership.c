// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/common/membership.h"

static const bks_tick ends[BKS_PEERS_MAX] = {[0] = 10, [3] = 20};
static session_membership membership;

/// Four peers in a first view with some number.
static void begin(session_membership *of, uint32_t view)
{
    *of = (session_membership){0};
    bksi_membership_begin(of, view, view * UINT64_C(0x123456789), 0xf);
}

/// A view without the peers of a mask is entered.
static void enter(session_membership *of, uint32_t leavers)
{
    next_view next;
    bksi_membership_plan(&next, leavers, ends);
    bksi_membership_enter(of, 1, &next);
}

/// Whichever number the first view has.
static void a_leaver_is_in_every_view_before_its_own(void **state)
{
    (void)state;
    for (uint32_t first = 0; first < 40; first++) {
        begin(&membership, first);
        assert_int_equal(bksi_membership_now(&membership), 15);
        bksi_membership_freeze(&membership, 4);
        bksi_membership_freeze(&membership, 8); // in place of the one before
        assert_false(bksi_membership_is_frozen(&membership, 2));
        assert_true(bksi_membership_is_frozen(&membership, 3));
        enter(&membership, 8);
        assert_false(bksi_membership_is_frozen(&membership, 3));
        enter(&membership, 1);
        assert_int_equal(membership.view, first + 2);
        assert_int_equal(bksi_membership_oldest(&membership), first);
        assert_int_equal(bksi_membership_find(&membership, first)->members, 15);
        assert_int_equal(bksi_membership_find(&membership, first + 1)->members, 7);
        assert_int_equal(bksi_membership_find(&membership, first + 1)->leavers, 8);
        assert_int_equal(bksi_membership_find(&membership, first + 2)->members, 6);
        assert_null(bksi_membership_find(&membership, first + 3));
        assert_null(bksi_membership_find(&membership, first - 1));
        assert_int_equal(bksi_membership_now(&membership), 6);
        assert_int_equal(bksi_membership_end(&membership, 3), 20);
        assert_int_equal(bksi_membership_end(&membership, 0), 10);
        assert_int_equal(bksi_membership_end(&membership, 1), BKS_TICK_NONE);
    }
}

static void the_lowest_peer_left_is_the_host(void **state)
{
    (void)state;
    begin(&membership, 0);
    enter(&membership, 8);
    assert_int_equal(bksi_membership_host(&membership), 0);
    assert_int_equal(membership.handovers, 0);
    enter(&membership, 1);
    assert_int_equal(bksi_membership_host(&membership), 1);
    assert_int_equal(membership.handovers, 1); // to us
}

static void a_view_is_known_by_its_number_and_its_hash(void **state)
{
    (void)state;
    session_membership one, other;
    begin(&one, 0);
    begin(&other, 0);
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
    begin(&membership, 0);
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
    begin(&membership, 7);
    assert_false(bksi_membership_is_behind(&membership, 2));
    enter(&membership, 8);
    assert_true(bksi_membership_is_behind(&membership, 2));
    bksi_membership_seen(&membership, 2, 8);
    assert_false(bksi_membership_is_behind(&membership, 2));
    bksi_membership_seen(&membership, 2, 7); // a packet that was overtaken
    assert_false(bksi_membership_is_behind(&membership, 2));
}

/// More views than there are peers, as when some come again.
static void the_newest_views_are_kept(void **state)
{
    (void)state;
    begin(&membership, 0);
    enter(&membership, 8);
    for (uint32_t v = 2; v < 100; v++) {
        enter(&membership, 0);
        const uint32_t oldest = v < BKSI_GONE_VIEWS_MAX ? 0 : v - BKSI_GONE_VIEWS_MAX + 1;
        assert_int_equal(bksi_membership_oldest(&membership), oldest);
        assert_non_null(bksi_membership_find(&membership, oldest));
        assert_null(bksi_membership_find(&membership, oldest - 1));
        assert_true(
            bksi_membership_knows(&membership, v, bksi_membership_name(&membership, v).hash));
        assert_false(
            bksi_membership_knows(&membership, v, bksi_membership_name(&membership, v - 1).hash));
        assert_int_equal(bksi_membership_agrees_on(&membership, 1, 5), oldest <= 1);
        assert_int_equal(bksi_membership_end(&membership, 3), 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_leaver_is_in_every_view_before_its_own),
        cmocka_unit_test(the_lowest_peer_left_is_the_host),
        cmocka_unit_test(a_view_is_known_by_its_number_and_its_hash),
        cmocka_unit_test(a_hash_of_an_older_view_is_true_up_to_where_the_first_leaver_ends),
        cmocka_unit_test(a_peer_is_behind_until_it_is_seen_in_our_view),
        cmocka_unit_test(the_newest_views_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
