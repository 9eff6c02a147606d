// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "session/inspect.h"
#include "session/session_internal.h"

static bks_session session, other;
static bksi_tick_hash own[16];

/// Peer 1 of three, with the hashes of ticks 0..9 published.
static void begin(bks_session *one)
{
    memset(one, 0, sizeof(*one));
    one->common.now_ns = 900;
    one->common.seats = (session_seats){.all = 0x7, .self = 1};
    bksi_membership_begin(&one->common.membership, 0, 0, 0x7);
    one->common.seats.peers[1].first_player = 2;
    for (bks_tick tick = 0; tick < 16; tick++) {
        own[tick] = (bksi_tick_hash){tick, 100 + (uint64_t)tick, 200 + (uint64_t)tick, 0};
    }
    one->common.engine.settled =
        (bksi_settled){.hashes = own, .capacity_ticks = 16, .every = 1, .published = 9};
}

/// A view without a peer is entered.
static void drop(bks_session *one, uint32_t peer)
{
    const bks_tick ends[BKS_PEERS_MAX] = {50, 51, 52};
    next_view next;
    bksi_membership_plan(&next, PEER_BIT(peer), ends);
    bksi_membership_enter(&one->common.membership, 1, &next);
}

static void views_are_seen_as_they_are(void **state)
{
    (void)state;
    begin(&session);
    begin(&other);
    assert_int_equal(bksi_inspect_view(&session), 0);
    assert_true(bksi_inspect_has(&session, 0));
    assert_int_equal(bksi_inspect_end(&session, 0), BKS_TICK_NONE);
    assert_int_equal(bksi_inspect_host(&session), 0);
    assert_true(bksi_inspect_same_view(&session, &other));
    drop(&session, 0);
    assert_int_equal(bksi_inspect_view(&session), 1);
    assert_false(bksi_inspect_has(&session, 0));
    assert_int_equal(bksi_inspect_end(&session, 0), 50);
    assert_int_equal(bksi_inspect_host(&session), 1);
    assert_false(bksi_inspect_same_view(&session, &other));
    drop(&other, 2); // another view of the same number
    assert_false(bksi_inspect_same_view(&session, &other));
    begin(&other);
    drop(&other, 0);
    assert_true(bksi_inspect_same_view(&session, &other));
}

static void numbers_are_those_of_the_parts(void **state)
{
    (void)state;
    begin(&session);
    session.common.engine.known.timelines[2].head = 33;
    session.tempo.pace.delay.now = 4;
    session.common.links.peers[2].packets_received = 17;
    assert_int_equal(bksi_inspect_own_player(&session), 2);
    assert_int_equal(bksi_inspect_own_head(&session), 33);
    assert_int_equal(bksi_inspect_delay(&session), 4);
    assert_int_equal(bksi_inspect_packets(&session, 2), 17);
    assert_int_equal(bksi_inspect_packets(&session, 0), 0);
    assert_ptr_equal(bksi_inspect_layout(&session), &session.common.layout);
    assert_false(bksi_inspect_is_voting(&session));
    session.views.ballots.newest[1].leavers = 1;
    assert_true(bksi_inspect_is_voting(&session));
    const bksi_equivocation equivocation = {0};
    bksi_inspect_equivocate(&session, &equivocation);
    assert_ptr_equal(session.common.equivocation, &equivocation);
}

static void only_published_inputs_have_a_hash(void **state)
{
    (void)state;
    begin(&session);
    assert_int_equal(bksi_inspect_inputs_hash(&session, 9), 209);
    assert_int_equal(bksi_inspect_inputs_hash(&session, 10), 0);
}

static void a_difference_is_heard_before_it_is_noticed_and_reported(void **state)
{
    (void)state;
    begin(&session);
    session_checking_peer *peer = &session.checking.peers[2];
    peer->hashes[5] = (bksi_input_hash){5, BKSI_HASH_FULL, 105, 205};
    peer->hashes[12] = (bksi_input_hash){12, BKSI_HASH_FULL, 0, 0}; // ours is not there yet
    bksi_inspected_difference difference = bksi_inspect_difference(&session, 2);
    assert_false(difference.is_heard || difference.is_seen || difference.is_reported);
    peer->hashes[6] = (bksi_input_hash){6, BKSI_HASH_FULL, 106, 205};
    assert_true(bksi_inspect_difference(&session, 2).is_heard);
    assert_false(bksi_inspect_difference(&session, 0).is_heard);
    peer->differs = true;
    peer->differs_ns = 500;
    difference = bksi_inspect_difference(&session, 2);
    assert_true(difference.is_seen && !difference.is_reported);
    assert_int_equal(difference.since_ns, 400);
    peer->is_reported = true;
    assert_true(bksi_inspect_difference(&session, 2).is_reported);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_are_seen_as_they_are),
        cmocka_unit_test(numbers_are_those_of_the_parts),
        cmocka_unit_test(only_published_inputs_have_a_hash),
        cmocka_unit_test(a_difference_is_heard_before_it_is_noticed_and_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
