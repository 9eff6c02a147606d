// SPDX-License-Identifier: MIT

// A watcher that loses its source, or finds no place, goes on with another member of the match.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/replay.h"
#include "feed/feed_match.h"
#include "game/some_game.h"

/// A match of 3 peers that all serve watchers, who come to the last.
static feed_network *open_three(bks_tick ticks, uint32_t watchers)
{
    const bksi_feed_source_config config = feed_config(watchers);
    feed_network *network = feed_open(3, ticks, &config);
    feed_create(network, 0, &config);
    feed_create(network, 1, &config);
    return network;
}

/// Return the number of watchers of a peer.
static uint32_t watchers_at(const feed_network *network, uint32_t peer)
{
    return bksi_feed_source_watchers(&network->servers[peer].source);
}

static void a_recording_goes_on_where_a_dead_source_left_it(void **state)
{
    (void)state;
    feed_network *network = open_three(900, 4);
    // Newcomers at different times shift the chunks of each source.
    feed_run_until(network, SECOND_NS);
    feed_come(network, 0);
    feed_run_until(network, 3 * SECOND_NS + 70 * NET_MS);
    feed_come(network, 1);
    feed_run_until(network, 5 * SECOND_NS + 230 * NET_MS);
    feed_crash(network, 2);
    feed_run_until(network, 9 * SECOND_NS);
    const bks_tick lost = network->watchers[0].end;
    assert_int_equal(watchers_at(network, 0) + watchers_at(network, 1), 0);
    feed_run_until(network, 12 * SECOND_NS);
    assert_int_equal(watchers_at(network, 0) + watchers_at(network, 1), 2);
    feed_run_until(network, 40 * SECOND_NS);
    network->at = 0; // compare with a peer that stays to the end
    for (uint32_t i = 0; i < 2; i++) {
        const feed_watcher *watcher = &network->watchers[i];
        assert_int_equal(watcher->status, BKS_OVER);
        assert_true(watcher->receiver.continues);
        assert_int_equal(watcher->end, 900);
        assert_true(lost > 100 && lost < 500);
        feed_assert_is_true(network, watcher, true);
    }
    feed_close(network);
}

static void watchers_of_a_source_that_leaves_go_on_at_once(void **state)
{
    (void)state;
    feed_network *network = open_three(900, 2);
    feed_run_until(network, SECOND_NS);
    feed_come(network, 0);
    feed_run_until(network, 4 * SECOND_NS);
    bksi_feed_source_finish(feed_source(network), net_session(&network->net, 2),
                            network->net.now_ns);
    assert_int_equal(bks_peer_leave(network->net.peers[2].peer), BKS_OK);
    const bks_tick left = network->servers[2].source.tape.next;
    feed_run_until(network, 5 * SECOND_NS + 500 * NET_MS);
    const feed_watcher *watcher = &network->watchers[0];
    assert_true(watcher->end > left + 30);
    feed_run_until(network, 30 * SECOND_NS);
    network->at = 0;
    assert_int_equal(watcher->status, BKS_OVER);
    assert_int_equal(watcher->end, 900);
    feed_assert_is_true(network, watcher, true);
    uint32_t leavers = 0;
    for (uint32_t i = 0; i < bks_replay_info(watcher->replay)->event_count; i++) {
        bks_replay_event event;
        assert_int_equal(bks_replay_event_at(watcher->replay, i, &event), BKS_OK);
        assert_int_not_equal(event.kind, BKS_REPLAY_CLOSED);
        leavers += event.kind == BKS_REPLAY_LEFT && event.peer == 2;
    }
    assert_int_equal(leavers, 1);
    feed_close(network);
}

static void a_delayed_source_that_leaves_costs_no_tick(void **state)
{
    (void)state;
    bksi_feed_source_config config = feed_config(2);
    config.delay_ns = 3 * SECOND_NS;
    feed_network *network = feed_open(3, 900, &config);
    feed_create(network, 0, &config);
    feed_create(network, 1, &config);
    feed_run_until(network, SECOND_NS);
    feed_come(network, 0);
    feed_run_until(network, 8 * SECOND_NS);
    bksi_feed_source_finish(feed_source(network), net_session(&network->net, 2),
                            network->net.now_ns);
    assert_int_equal(bks_peer_leave(network->net.peers[2].peer), BKS_OK);
    feed_run_until(network, 9 * SECOND_NS); // longer does bks_match_close() not wait
    network->servers[2].is_cut = true;
    network->at = 0;
    for (uint64_t ms = 9000; ms < 30000; ms += 50) {
        feed_run_until(network, ms * NET_MS);
        const bks_tick end = network->watchers[0].end;
        assert_true(network->settled_ns[end - 1] == 0 || end == 900 ||
                    network->net.now_ns - network->settled_ns[end - 1] >=
                        3 * SECOND_NS - 60 * NET_MS);
    }
    assert_int_equal(network->watchers[0].end, 900);
    feed_assert_is_true(network, &network->watchers[0], true);
    feed_close(network);
}

static void a_full_source_sends_watchers_to_members_with_room(void **state)
{
    (void)state;
    feed_network *network = open_three(900, 2);
    for (uint32_t i = 0; i < 7; i++) {
        feed_run_until(network, (2000 + 300 * i) * NET_MS);
        feed_come(network, i);
    }
    feed_run_until(network, 9 * SECOND_NS);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(watchers_at(network, i), 2);
    }
    assert_int_equal(network->watchers[6].status, BKS_ERR_REFUSED);
    assert_int_equal(network->watchers[6].receiver.reason, BKSI_FEED_FULL);
    feed_run_until(network, 25 * SECOND_NS);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(network->watchers[i].status, BKS_OVER);
        feed_assert_is_true(network, &network->watchers[i], true);
    }
    feed_close(network);
}

/// Return the most bytes that a peer's source sends in the time of one tick, in the next second.
static uint64_t most_bytes_in_a_tick(feed_network *network, uint32_t peer)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < 60; i++) {
        const uint64_t before = network->servers[peer].bytes_to;
        feed_run_until(network, network->net.now_ns + 16 * NET_MS);
        const uint64_t bytes = network->servers[peer].bytes_to - before;
        most = bytes > most ? bytes : most;
    }
    return most;
}

static void a_source_with_the_most_watchers_still_answers_others(void **state)
{
    (void)state;
    bksi_feed_source_config config = feed_config(BKSI_FEED_WATCHERS_MAX);
    config.bytes_per_s = 128000;
    feed_network *network = feed_open(2, 1200, &config);
    for (uint32_t i = 0; i < FEED_WATCHERS; i++) {
        feed_run_until(network, (2000 + 100 * i) * NET_MS);
        feed_come(network, i);
    }
    feed_run_until(network, 13 * SECOND_NS);
    assert_int_equal(watchers_at(network, 1), BKSI_FEED_WATCHERS_MAX);
    const uint64_t most = most_bytes_in_a_tick(network, 1);
    print_message("%u bytes in a tick at most\n", (uint32_t)most);
    assert_true(most < 16 * 160); // so many packets of records
    const bks_tick newest = network->settled;
    for (uint32_t i = 0; i < BKSI_FEED_WATCHERS_MAX; i++) {
        assert_in_range(newest - network->watchers[i].end, 0, 24);
    }
    for (uint32_t i = BKSI_FEED_WATCHERS_MAX; i < FEED_WATCHERS; i++) {
        assert_int_equal(network->watchers[i].status, BKS_ERR_REFUSED);
        assert_int_equal(network->watchers[i].receiver.reason, BKSI_FEED_FULL);
    }
    feed_run_until(network, 30 * SECOND_NS);
    for (uint32_t i = 0; i < BKSI_FEED_WATCHERS_MAX; i++) {
        assert_int_equal(network->watchers[i].status, BKS_OVER);
        feed_assert_is_true(network, &network->watchers[i], true);
    }
    feed_close(network);
}

/// Have so many watchers come to one of 3 peers with 8 places each at once, and wait until each
/// knows whether it has a place.
static feed_network *open_crowd(uint32_t watchers)
{
    feed_network *network = open_three(1200, 8);
    feed_run_until(network, 2 * SECOND_NS);
    for (uint32_t i = 0; i < watchers; i++) {
        feed_come(network, i);
    }
    feed_run_until(network, 12 * SECOND_NS);
    return network;
}

static void twenty_watchers_of_one_invitation_spread_over_the_members(void **state)
{
    (void)state;
    feed_network *network = open_crowd(20);
    uint32_t all = 0;
    for (uint32_t i = 0; i < 3; i++) {
        print_message("%u watchers at %u\n", watchers_at(network, i), i);
        all += watchers_at(network, i);
    }
    assert_int_equal(all, 20);
    assert_int_equal(watchers_at(network, 2), 8);
    for (uint32_t i = 0; i < 2; i++) { // by chance, not all to the same one
        assert_in_range(watchers_at(network, i), 4, 8);
    }
    for (uint32_t i = 0; i < 20; i++) {
        assert_in_range(network->settled - network->watchers[i].end, 0, 24);
    }
    feed_close(network);
}

static void a_crowd_with_one_too_many_fills_every_member(void **state)
{
    (void)state;
    feed_network *network = open_crowd(25);
    uint32_t refused = 0;
    for (uint32_t i = 0; i < 25; i++) {
        refused += network->watchers[i].status == BKS_ERR_REFUSED;
    }
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(watchers_at(network, i), 8);
    }
    assert_int_equal(refused, 1);
    feed_close(network);
}

/// A match of 3 peers, 3 s after the source of the only watcher has crashed.
static feed_network *open_and_crash(void)
{
    feed_network *network = open_three(900, 2);
    feed_run_until(network, SECOND_NS);
    feed_come(network, 0);
    feed_run_until(network, 6 * SECOND_NS);
    feed_crash(network, 2);
    feed_run_until(network, 9 * SECOND_NS);
    return network;
}

static void members_without_the_ticks_are_passed_over(void **state)
{
    (void)state;
    feed_network *network = open_and_crash();
    bksi_feed_tape_drop(&network->servers[1].source.tape); // as after a repair
    feed_run_until(network, 40 * SECOND_NS);
    network->at = 0;
    assert_int_equal(network->watchers[0].status, BKS_OVER);
    assert_int_equal(network->watchers[0].end, 900);
    feed_assert_is_true(network, &network->watchers[0], true);
    feed_close(network);
}

static void a_watcher_whom_no_member_can_serve_keeps_what_it_has(void **state)
{
    (void)state;
    feed_network *network = open_and_crash();
    for (uint32_t i = 0; i < 2; i++) {
        bksi_feed_tape_drop(&network->servers[i].source.tape);
    }
    feed_run_until(network, 20 * SECOND_NS);
    network->at = 0;
    assert_int_equal(network->watchers[0].status, BKS_ERR_PEER_LOST);
    feed_assert_is_true(network, &network->watchers[0], false);
    feed_close(network);
}

static void a_source_of_another_match_with_the_same_key_is_passed_over(void **state)
{
    (void)state;
    feed_network *network = open_three(900, 2);
    feed_run_until(network, SECOND_NS);
    feed_come(network, 0);
    feed_run_until(network, 3 * SECOND_NS);
    for (uint32_t i = 0; i < 2; i++) {
        network->servers[i].source.seed++;
    }
    feed_crash(network, 2);
    feed_run_until(network, 15 * SECOND_NS);
    network->at = 0;
    assert_int_equal(network->watchers[0].status, BKS_ERR_PEER_LOST);
    feed_assert_is_true(network, &network->watchers[0], false);
    feed_close(network);
}

static void a_watcher_that_waits_for_a_later_tick_has_no_records_walked(void **state)
{
    (void)state;
    feed_network *network = open_three(900, 2);
    feed_run_until(network, 6 * SECOND_NS);
    bksi_feed_tape tape = network->servers[0].source.tape;
    bksi_feed_cursor cursor;
    assert_int_equal(bksi_feed_tape_find(&tape, tape.next - 20, &cursor), BKSI_FEED_STRETCH_HELD);
    assert_true(cursor.place > tape.ring.first && cursor.place < tape.ring.end);
    tape.ring.bytes = NULL; // nothing can be read
    const bks_tick ahead = 10 * (bks_tick)tape.tick_rate_hz;
    assert_int_equal(bksi_feed_tape_find(&tape, tape.next + 1, &cursor), BKSI_FEED_STRETCH_LATER);
    assert_int_equal(bksi_feed_tape_find(&tape, tape.next + ahead, &cursor),
                     BKSI_FEED_STRETCH_LATER);
    assert_int_equal(bksi_feed_tape_find(&tape, tape.next + ahead + 1, &cursor),
                     BKSI_FEED_STRETCH_LOST);
    feed_close(network);
}

static void watchers_go_on_from_a_source_whose_recording_failed(void **state)
{
    (void)state;
    feed_network *network = open_three(900, 4);
    feed_run_until(network, SECOND_NS);
    feed_come(network, 0);
    feed_run_until(network, 4 * SECOND_NS);
    bksi_feed_tape *tape = &network->servers[2].source.tape;
    const size_t room = tape->room.count;
    tape->room.count = 0; // the next recording does not fit
    feed_come(network, 1);
    feed_run_until(network, 5 * SECOND_NS);
    tape->room.count = room;
    assert_true(tape->has_failed);
    feed_come(network, 2);
    feed_run_until(network, 7 * SECOND_NS);
    assert_int_equal(watchers_at(network, 2), 0);
    assert_int_equal(watchers_at(network, 0) + watchers_at(network, 1), 3);
    feed_run_until(network, 25 * SECOND_NS);
    network->at = 0;
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(network->watchers[i].status, BKS_OVER);
        assert_int_equal(network->watchers[i].end, 900);
        feed_assert_is_true(network, &network->watchers[i], true);
    }
    feed_close(network);
}

static void a_source_whose_disk_is_full_still_serves(void **state)
{
    (void)state;
    const bksi_feed_source_config config = feed_config(2);
    feed_network *network = feed_open(2, 600, &config);
    feed_run_until(network, SECOND_NS);
    feed_come(network, 0);
    feed_run_until(network, 3 * SECOND_NS);
    memory_sink *disk = &network->net.peers[1].record;
    disk->fail_from = disk->writes;
    feed_run_until(network, 5 * SECOND_NS);
    feed_come(network, 1);
    feed_run_until(network, 20 * SECOND_NS);
    assert_true(disk->writes > disk->fail_from);
    network->at = 0;
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(network->watchers[i].status, BKS_OVER);
        assert_int_equal(network->watchers[i].end, 600);
        feed_assert_is_true(network, &network->watchers[i], true);
    }
    feed_close(network);
}

static void sources_in_a_match_of_8_machines_name_the_7_others(void **state)
{
    (void)state;
    bks_game game = some_game;
    game.players_max = BKS_PEERS_MAX;
    const bksi_feed_source_config config = feed_config(1);
    const feed_match match = {.peers = BKS_PEERS_MAX, .ticks = 120, .game = &game};
    feed_network *network = feed_open_as(&match, &config);
    for (uint32_t i = 1; i < BKS_PEERS_MAX; i++) {
        feed_create(network, i, &config);
    }
    feed_come(network, 0);
    feed_run_until(network, 2 * SECOND_NS);
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        const bksi_feed_members *members = &network->servers[i].source.members;
        assert_int_equal(members->count, BKS_PEERS_MAX - 1);
        for (uint32_t k = 0; k < members->count; k++) {
            assert_int_not_equal(members->addresses[k].bytes[1], i);
        }
    }
    assert_int_equal(network->watchers[0].receiver.members.count, BKS_PEERS_MAX - 1);
    feed_run_until(network, 15 * SECOND_NS);
    assert_int_equal(network->watchers[0].status, BKS_OVER);
    feed_assert_is_true(network, &network->watchers[0], true);
    feed_close(network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recording_goes_on_where_a_dead_source_left_it),
        cmocka_unit_test(watchers_of_a_source_that_leaves_go_on_at_once),
        cmocka_unit_test(a_delayed_source_that_leaves_costs_no_tick),
        cmocka_unit_test(a_full_source_sends_watchers_to_members_with_room),
        cmocka_unit_test(a_source_with_the_most_watchers_still_answers_others),
        cmocka_unit_test(twenty_watchers_of_one_invitation_spread_over_the_members),
        cmocka_unit_test(a_crowd_with_one_too_many_fills_every_member),
        cmocka_unit_test(members_without_the_ticks_are_passed_over),
        cmocka_unit_test(a_watcher_whom_no_member_can_serve_keeps_what_it_has),
        cmocka_unit_test(a_source_of_another_match_with_the_same_key_is_passed_over),
        cmocka_unit_test(a_watcher_that_waits_for_a_later_tick_has_no_records_walked),
        cmocka_unit_test(watchers_go_on_from_a_source_whose_recording_failed),
        cmocka_unit_test(a_source_whose_disk_is_full_still_serves),
        cmocka_unit_test(sources_in_a_match_of_8_machines_name_the_7_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
