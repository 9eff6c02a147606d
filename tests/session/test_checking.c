// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/agree/checking.h"
#include "support/says.h"
#include "wire/carried.h"

enum { KEPT = 128, INPUTS = 7 };

static session_common common;
static session_checking checking;
static bksi_tick_hash own[KEPT];

static uint64_t state_of(bks_tick tick)
{
    return 0x1000000u + (uint64_t)tick;
}

/// Over the states up to a tick: any number.
static uint64_t chain_of(bks_tick tick)
{
    return 0x2000000u + 3 * (uint64_t)tick;
}

/// We are peer 0 of three; our hashes up to a tick are published.
static void begin(bks_tick published)
{
    common = (session_common){.now_ns = 10 * NS_PER_SECOND, .config = {.tick_rate_hz = 60}};
    common.seats = (session_seats){.all = 0x7, .hash_every = 1};
    bksi_membership_begin(&common.membership, 0, 0, common.seats.all);
    checking = (session_checking){0};
    for (bks_tick tick = 0; tick < KEPT; tick++) {
        own[tick] = (bksi_tick_hash){tick, state_of(tick), INPUTS, chain_of(tick)};
    }
    common.engine.settled =
        (bksi_settled){.hashes = own, .capacity_ticks = KEPT, .every = 1, .published = published};
}

static void hear(bks_tick tick, uint64_t state, uint64_t inputs)
{
    const bksi_input_hash hash = {tick, BKSI_HASH_FULL, state, inputs};
    bksi_checking_heard(&checking, &common, 1, &hash);
}

static void a_hash_that_comes_early_is_compared_once_ours_is_published(void **state)
{
    (void)state;
    begin(4);
    hear(5, state_of(5) + 1, INPUTS);
    hear(6, state_of(6), INPUTS);
    assert_false(checking.peers[1].differs);
    common.engine.settled.published = 6;
    bksi_checking_published(&checking, &common, 6);
    assert_false(checking.peers[1].differs);
    bksi_checking_published(&checking, &common, 5);
    assert_true(checking.peers[1].differs);
    assert_int_equal(checking.peers[1].differs_tick, 5);
    assert_false(checking.peers[2].differs);
}

static void states_and_inputs_must_both_be_the_same(void **state)
{
    (void)state;
    begin(20);
    hear(3, state_of(3), INPUTS);
    hear(-1, 0, 0);
    assert_false(checking.peers[1].differs);
    hear(4, state_of(4), INPUTS + 1);
    assert_true(checking.peers[1].differs);
    hear(5, state_of(5) + 1, INPUTS);
    assert_int_equal(checking.peers[1].differs_tick, 4);
    const bksi_input_hash same = {9, BKSI_HASH_SHORT, (chain_of(9) ^ INPUTS) & 0xFFFF, 0};
    assert_true(bksi_checking_is_same(&own[9], &same));
    assert_false(bksi_checking_is_same(&own[10], &same));
}

static void a_whole_hash_is_not_replaced_by_a_short_one(void **state)
{
    (void)state;
    begin(4);
    hear(5, state_of(5), INPUTS);
    const bksi_input_hash other = {5, BKSI_HASH_SHORT, 0, 0};
    bksi_checking_heard(&checking, &common, 1, &other);
    common.engine.settled.published = 5;
    bksi_checking_published(&checking, &common, 5);
    assert_false(checking.peers[1].differs);
}

static void one_packet_in_a_second_has_the_whole_hash(void **state)
{
    (void)state;
    begin(20);
    assert_int_equal(bksi_checking_fill(&checking, &common, 1, 19).kind, BKSI_HASH_NONE);
    for (uint32_t i = 0; i < 62; i++) {
        const bksi_input_hash hash = bksi_checking_fill(&checking, &common, 1, 20);
        const bool is_whole = i == 0 || i == 61;
        assert_int_equal(hash.kind, is_whole ? BKSI_HASH_FULL : BKSI_HASH_SHORT);
        assert_int_equal(hash.tick, 20);
        assert_true(hash.state == (is_whole ? state_of(20) : ((chain_of(20) ^ INPUTS) & 0xFFFF)));
        assert_true(bksi_checking_is_same(&own[20], &hash));
    }
}

/// The next HASHES to peer 1.
static void take_hashes(bksi_hashes_message *message)
{
    uint8_t bytes[BKSI_MESSAGE_BYTES_MAX];
    bksi_byte_writer writer = bksi_byte_writer_over(bytes, sizeof(bytes));
    bksi_checking_write_hashes(&checking, &common, 1, &writer);
    assert_false(writer.failed);
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, writer.at);
    assert_true(bksi_hashes_read(&reader, message));
}

static void two_that_differ_send_each_other_many_hashes(void **state)
{
    (void)state;
    begin(100);
    assert_false(bksi_checking_owes_hashes(&checking, &common, 1));
    assert_int_equal(bksi_checking_peers(&checking), 0);
    hear(90, 0, INPUTS);
    uint32_t sent = 0;
    bks_tick last = 90;
    for (uint32_t i = 0; i < 100; i++, common.now_ns += 50 * NS_PER_MS) {
        assert_int_equal(bksi_checking_peers(&checking), sent < 8 ? PEER_BIT(1) : 0);
        if (!bksi_checking_owes_hashes(&checking, &common, 1)) {
            continue;
        }
        bksi_hashes_message message;
        take_hashes(&message);
        assert_int_equal(message.first + (bks_tick)message.count - 1, last);
        assert_int_equal(message.count, last >= (bks_tick)BKSI_HASHES_MAX ? BKSI_HASHES_MAX : 7);
        last = message.first > 0 ? message.first - 1 : 90; // each goes on where the last one ended
        assert_true(message.state[1] == state_of(message.first + 1));
        assert_int_equal(message.inputs[1], INPUTS);
        // All else waits for them, so the first four go as often as they can; then 100 ms apart.
        assert_true(sent < 4 ? i == sent : i % 2 == 1);
        sent++;
    }
    assert_int_equal(sent, 8);
}

static void hear_short(bks_tick tick, uint64_t states)
{
    const bksi_input_hash hash = {tick, BKSI_HASH_SHORT, (states ^ INPUTS) & 0xFFFF, 0};
    bksi_checking_heard(&checking, &common, 1, &hash);
}

/// Before the newest tick whose chain was the same no first one can lie.
static void their_hashes_begin_where_they_agreed_last(void **state)
{
    (void)state;
    begin(100);
    hear_short(80, chain_of(80));
    hear(85, state_of(85), INPUTS); // alone it says nothing of those before
    hear_short(90, 0);
    hear_short(95, chain_of(95)); // by chance
    bksi_hashes_message message;
    take_hashes(&message);
    assert_int_equal(message.first, 80);
    assert_int_equal(message.count, 11);
    begin(100);
    hear_short(80, chain_of(80));
    hear(70, 0, INPUTS); // its packet was overtaken
    take_hashes(&message);
    assert_int_equal(message.first, 70);
    assert_int_equal(message.count, 1);
}

static void on_a_line_with_no_room_they_send_fewer_hashes_than_inputs(void **state)
{
    (void)state;
    begin(100);
    bksi_line_rate *rate = &common.links.peers[1].rate;
    *rate =
        (bksi_line_rate){.config = {.least = 10.0, .most = 60.0}, .rate = 20.0, .ceiling = 25.0};
    hear(90, 0, INPUTS);
    bksi_hashes_message message;
    take_hashes(&message);
    common.now_ns += 200 * NS_PER_MS - 1;
    assert_false(bksi_checking_owes_hashes(&checking, &common, 1));
    common.now_ns++;
    assert_true(bksi_checking_owes_hashes(&checking, &common, 1));
}

static void the_first_tick_that_differs_is_reported_once(void **state)
{
    (void)state;
    begin(20);
    bksi_hashes_message message = {.first = 8, .step_ticks = 2, .count = 4};
    for (uint32_t i = 0; i < 4; i++) {
        message.state[i] = state_of(8 + 2 * (bks_tick)i) + (i >= 2 ? 1 : 0);
        message.inputs[i] = INPUTS;
    }
    bksi_checking_heard_many(&checking, &common, &common.events, 1, &message);
    bksi_checking_heard_many(&checking, &common, &common.events, 1, &message);
    bks_event event;
    assert_true(bksi_events_take(&common.events, &event));
    assert_int_equal(event.kind, BKS_EVENT_DESYNC);
    assert_int_equal(event.peer, 1);
    assert_int_equal(event.tick, 12);
    assert_true(event.own_hash == state_of(12));
    assert_true(event.peer_hash == state_of(12) + 1);
    assert_false(event.inputs_differ);
    assert_says(event.text, "the state of peer 1 differs from ours first at tick 12");
    assert_true(checking.has_desynced);
    assert_false(bksi_events_take(&common.events, &event));
}

static void what_is_not_explained_in_a_second_is_reported_as_it_is(void **state)
{
    (void)state;
    begin(20);
    const bksi_input_hash hash = {9, BKSI_HASH_SHORT, 0, 0};
    bksi_checking_heard(&checking, &common, 1, &hash);
    common.now_ns += NS_PER_SECOND - 1;
    bksi_checking_update(&checking, &common, &common.events);
    bks_event event;
    assert_false(bksi_events_take(&common.events, &event));
    common.now_ns++;
    bksi_checking_update(&checking, &common, &common.events);
    assert_true(bksi_events_take(&common.events, &event));
    assert_says(event.text, "peer 1 differs from us at tick 9 or before");
    begin(20);
    hear(9, state_of(9), INPUTS + 1);
    bksi_checking_end(&checking, &common, &common.events);
    assert_true(bksi_events_take(&common.events, &event));
    assert_says(event.text, "the inputs of peer 1 differ from ours first at tick 9");
}

/// The chain shows a difference that has healed by then: that tick is none that differs.
static void a_tick_that_is_the_same_again_is_not_said_to_differ(void **state)
{
    (void)state;
    begin(20);
    hear_short(9, 0);
    hear(9, state_of(9), INPUTS);
    common.now_ns += NS_PER_SECOND;
    bksi_checking_update(&checking, &common, &common.events);
    bks_event event;
    assert_true(bksi_events_take(&common.events, &event));
    assert_says(event.text, "peer 1 differs from us at tick 9 or before");
    assert_true(event.peer_hash == 0);
}

static void what_was_said_in_an_older_view_is_forgotten_where_it_counts_no_more(void **state)
{
    (void)state;
    begin(4);
    hear(10, 0, 0);
    hear(11, 0, 0);
    const bks_tick ends[BKS_PEERS_MAX] = {[2] = 10};
    next_view next;
    bksi_membership_plan(&next, PEER_BIT(2), ends);
    bksi_membership_enter(&common.membership, common.seats.self, &next);
    bksi_checking_forget(&checking, &common);
    assert_int_equal(checking.peers[1].hashes[10].kind, BKSI_HASH_FULL);
    assert_int_equal(checking.peers[1].hashes[11].kind, BKSI_HASH_NONE);
}

static void hear_from(uint32_t peer, bks_tick tick, uint64_t state)
{
    const bksi_input_hash hash = {tick, BKSI_HASH_FULL, state, INPUTS};
    bksi_checking_heard(&checking, &common, peer, &hash);
}

static void the_one_that_stands_alone_is_said_when_it_is_known_of_all(void **state)
{
    (void)state;
    begin(20);
    assert_int_equal(bksi_checking_alone(&checking, &common), BKS_PEERS_MAX);
    hear_from(1, 9, 1);
    assert_int_equal(bksi_checking_alone(&checking, &common), BKS_PEERS_MAX); // 2 may differ too
    hear_from(2, 8, state_of(8));
    assert_int_equal(bksi_checking_alone(&checking, &common), BKS_PEERS_MAX);
    hear_from(2, 10, state_of(10));
    assert_int_equal(bksi_checking_alone(&checking, &common), 1);

    begin(20);
    hear_from(1, 9, 1);
    hear_from(2, 9, 1);
    assert_int_equal(bksi_checking_alone(&checking, &common), 0); // we do
    begin(20);
    hear_from(1, 9, 1);
    hear_from(2, 9, 2);
    assert_int_equal(bksi_checking_alone(&checking, &common), BKS_PEERS_MAX); // each differs
    begin(20);
    common.seats.all = 0x3;
    bksi_membership_begin(&common.membership, 0, 0, common.seats.all);
    hear_from(1, 9, 1);
    assert_int_equal(bksi_checking_alone(&checking, &common), BKS_PEERS_MAX); // we are two
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_one_that_stands_alone_is_said_when_it_is_known_of_all),
        cmocka_unit_test(a_hash_that_comes_early_is_compared_once_ours_is_published),
        cmocka_unit_test(states_and_inputs_must_both_be_the_same),
        cmocka_unit_test(a_whole_hash_is_not_replaced_by_a_short_one),
        cmocka_unit_test(one_packet_in_a_second_has_the_whole_hash),
        cmocka_unit_test(two_that_differ_send_each_other_many_hashes),
        cmocka_unit_test(their_hashes_begin_where_they_agreed_last),
        cmocka_unit_test(on_a_line_with_no_room_they_send_fewer_hashes_than_inputs),
        cmocka_unit_test(the_first_tick_that_differs_is_reported_once),
        cmocka_unit_test(what_is_not_explained_in_a_second_is_reported_as_it_is),
        cmocka_unit_test(a_tick_that_is_the_same_again_is_not_said_to_differ),
        cmocka_unit_test(what_was_said_in_an_older_view_is_forgotten_where_it_counts_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
