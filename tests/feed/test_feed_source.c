// SPDX-License-Identifier: MIT

// A match is watched: by several, late, over bad lines, and by those who stop.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "feed/feed_end.h"
#include "feed/feed_match.h"
#include "game/some_game.h"
#include "session/session_internal.h"

#define SECOND_NS (1000 * NET_MS)

static void watchers_see_what_their_source_computed(void **state)
{
    (void)state;
    const bksi_feed_source_config config = feed_config(4);
    feed_network *network = feed_open(2, 600, &config);
    feed_come(network, 0); // before the match
    feed_run_until(network, 3 * SECOND_NS);
    feed_come(network, 1);
    feed_run_until(network, 4 * SECOND_NS);
    feed_come(network, 2); // takes the same beginning
    feed_run_until(network, 7 * SECOND_NS);
    feed_come(network, 3);
    feed_run_until(network, 20 * SECOND_NS);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(network->watchers[i].status, BKS_OVER);
        feed_assert_is_true(network, &network->watchers[i], true);
    }
    assert_true(bks_replay_info(network->watchers[1].replay)->first > 60);
    assert_int_equal(bks_replay_info(network->watchers[1].replay)->first,
                     bks_replay_info(network->watchers[2].replay)->first);
    assert_true(bks_replay_info(network->watchers[3].replay)->first >
                bks_replay_info(network->watchers[2].replay)->first);
    feed_close(network);
}

static void a_bad_line_slows_nobody(void **state)
{
    (void)state;
    const bksi_feed_source_config config = feed_config(3);
    feed_network *network = feed_open(2, 600, &config);
    network->watchers[1].loss_percent = 40;
    for (uint32_t i = 0; i < 3; i++) {
        network->watchers[i].jitter_ns = 20 * NET_MS;
        feed_run_until(network, (2 + i) * SECOND_NS);
        feed_come(network, i);
    }
    feed_run_until(network, 25 * SECOND_NS);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(network->watchers[i].status, BKS_OVER);
        feed_assert_is_true(network, &network->watchers[i], true);
    }
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(network->net.peers[i].events[BKS_EVENT_STARVED], 0);
    }
    for (uint32_t i = 0; i < 3; i += 2) {
        const feed_watcher *watcher = &network->watchers[i];
        assert_true(watcher->ticks > 250);
        print_message("watcher %u: %u ticks, %.0f ms behind, %.0f ms at most\n", i, watcher->ticks,
                      (double)watcher->behind_ns_sum / watcher->ticks / 1e6,
                      (double)watcher->behind_ns_most / 1e6);
        assert_true(watcher->behind_ns_most < 400 * NET_MS);
    }
    feed_close(network);
}

static void a_watcher_costs_little_beside_the_state(void **state)
{
    (void)state;
    const bksi_feed_source_config config = feed_config(1);
    feed_network *network = feed_open(4, 3000, &config);
    feed_come(network, 0);
    feed_run_until(network, 10 * SECOND_NS);
    const uint64_t before = network->watchers[0].bytes_to;
    feed_run_until(network, 40 * SECOND_NS);
    const double rate = (double)(network->watchers[0].bytes_to - before) / 30.0;
    print_message("%.0f bytes a second\n", rate);
    assert_true(rate < 1300.0);
    feed_close(network);
}

static void a_stopped_watcher_costs_nothing_after_5_s(void **state)
{
    (void)state;
    const bksi_feed_source_config config = feed_config(1);
    feed_network *network = feed_open(2, 3000, &config);
    feed_come(network, 0);
    feed_run_until(network, 5 * SECOND_NS);
    assert_int_equal(bksi_feed_source_watchers(feed_source(network)), 1);
    network->watchers[0].is_stopped = true;
    feed_run_until(network, 11 * SECOND_NS);
    assert_int_equal(bksi_feed_source_watchers(feed_source(network)), 0);
    const uint64_t bytes = network->watchers[0].bytes_to;
    feed_run_until(network, 20 * SECOND_NS);
    assert_int_equal(network->watchers[0].bytes_to, bytes);
    feed_assert_is_true(network, &network->watchers[0], false);
    feed_close(network);
}

static void a_lost_source_leaves_a_valid_recording(void **state)
{
    (void)state;
    const bksi_feed_source_config config = feed_config(1);
    feed_network *network = feed_open(2, 600, &config);
    feed_come(network, 0);
    feed_run_until(network, 5 * SECOND_NS);
    network->servers[network->at].is_cut = true;
    feed_run_until(network, 9 * SECOND_NS);
    assert_int_equal(network->watchers[0].status, BKS_OK);
    feed_run_until(network, 13 * SECOND_NS); // the other peer serves nobody
    assert_int_equal(network->watchers[0].status, BKS_ERR_PEER_LOST);
    assert_int_equal(network->watchers[0].receiver.reason, BKSI_FEED_REASONS);
    feed_assert_is_true(network, &network->watchers[0], false);
    feed_close(network);
}

static void strangers_and_players_keys_get_no_byte(void **state)
{
    (void)state;
    const bksi_feed_source_config config = feed_config(1);
    feed_network *network = feed_open(2, 600, &config);
    uint8_t key[BKS_KEY_BYTES];
    memset(key, 8, sizeof(key));
    feed_come_with(network, 0, key);
    feed_come_with(network, 1, feed_match_key); // the feed's key is another one
    feed_run_until(network, 12 * SECOND_NS);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(network->watchers[i].status, BKS_ERR_TIMEOUT);
        assert_int_equal(network->watchers[i].bytes_to, 0);
    }
    feed_close(network);
}

static void one_too_many_is_refused_until_a_place_is_free(void **state)
{
    (void)state;
    const bksi_feed_source_config config = feed_config(1);
    feed_network *network = feed_open(2, 600, &config);
    feed_come(network, 0);
    feed_run_until(network, 2 * SECOND_NS);
    feed_come(network, 1);
    feed_run_until(network, 5 * SECOND_NS);
    assert_int_equal(network->watchers[1].status, BKS_ERR_REFUSED);
    assert_int_equal(network->watchers[1].receiver.reason, BKSI_FEED_FULL);
    feed_leave(network, 0);
    feed_come(network, 2);
    feed_run_until(network, 20 * SECOND_NS);
    assert_int_equal(network->watchers[2].status, BKS_OVER);
    feed_assert_is_true(network, &network->watchers[2], true);
    feed_close(network);
}

static void nothing_is_seen_before_the_delay(void **state)
{
    (void)state;
    bksi_feed_source_config config = feed_config(2);
    config.delay_ns = 3 * SECOND_NS;
    feed_network *network = feed_open(2, 600, &config);
    feed_come(network, 0);
    for (uint64_t ms = 0; ms < 9000; ms += 100) {
        feed_run_until(network, ms * NET_MS);
        const feed_watcher *watcher = &network->watchers[0];
        const bks_tick end = watcher->replay != NULL ? bks_replay_info(watcher->replay)->end : 0;
        assert_true(end == 0 ||
                    network->net.now_ns - network->settled_ns[end - 1] >= 3 * SECOND_NS);
        if (ms == 6000) {
            assert_true(end > 60);
            feed_come(network, 1);
        }
    }
    feed_close(network);
}

/// Packets that peers send to each other, each with its time.
static uint64_t traffic_of(bool is_watched)
{
    const bksi_feed_source_config config = feed_config(2);
    feed_network *network = feed_open(3, 600, &config);
    uint64_t random = 0;
    for (uint64_t ms = 1; ms < 12000; ms++) {
        if (is_watched && ms % 3000 == 0 && ms < 9000) {
            feed_come(network, (uint32_t)(ms / 3000) - 1);
        }
        network->net.random = 1; // lines of watchers draw random numbers, too
        feed_run_until(network, ms * NET_MS);
        for (size_t i = 0; i < network->net.packet_count; i++) {
            const net_packet *packet = &network->net.packets[i];
            random = random * 31 + packet->count * 7 + packet->from * 3 + packet->arrives_ns;
        }
    }
    assert_int_equal(network->watchers[0].status, is_watched ? BKS_OVER : BKS_OK);
    feed_close(network);
    return random;
}

static void a_match_sends_the_same_with_and_without_watchers(void **state)
{
    (void)state;
    const uint64_t alone = traffic_of(false);
    assert_true(alone != 0);
    assert_int_equal(alone, traffic_of(true));
}

static void any_window_and_save_policy_can_be_watched(void **state)
{
    (void)state;
    const struct {
        uint32_t window;
        bks_save_policy save;
    } cases[] = {{0, BKS_SAVE_AUTO}, {20, BKS_SAVE_EVERY}, {20, BKS_SAVE_TWO},
                 {20, BKS_SAVE_ONE}, {64, BKS_SAVE_TWO},   {2, BKS_SAVE_EVERY}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const bksi_feed_source_config config = feed_config(3);
        const feed_match match = {.peers = 2,
                                  .ticks = 600,
                                  .window_ticks = cases[i].window,
                                  .save = cases[i].save,
                                  .game = &some_game};
        feed_network *network = feed_open_as(&match, &config);
        for (uint32_t k = 0; k < 3; k++) {
            feed_run_until(network, (1 + 3 * k) * SECOND_NS);
            feed_come(network, k);
        }
        feed_run_until(network, 25 * SECOND_NS);
        for (uint32_t k = 0; k < 3; k++) {
            assert_int_equal(network->watchers[k].status, BKS_OVER);
            feed_assert_is_true(network, &network->watchers[k], true);
        }
        feed_close(network);
    }
}

static void nothing_is_allocated_after_the_start_and_all_is_given_back(void **state)
{
    (void)state;
    counting_allocator counter = {.fail_after = UINT32_MAX};
    bksi_feed_source_config config = feed_config(3);
    config.allocator = counting_allocator_hooks(&counter);
    feed_network *network = feed_open(2, 600, &config);
    feed_come(network, 0);
    feed_run_until(network, SECOND_NS);
    assert_true(network->servers[network->at].is_started);
    const uint32_t allocs = counter.allocs;
    for (uint32_t i = 1; i < 3; i++) {
        feed_run_until(network, (1 + 3 * i) * SECOND_NS);
        feed_come(network, i);
    }
    feed_run_until(network, 20 * SECOND_NS);
    assert_int_equal(network->watchers[2].status, BKS_OVER);
    assert_int_equal(counter.allocs, allocs);
    feed_close(network);
    assert_int_equal(counter.live_bytes, 0);
    assert_int_equal(counter.allocs, counter.releases);
    assert_false(counter.is_wrong);
}

static void memory_that_runs_out_is_no_crash(void **state)
{
    (void)state;
    bksi_feed_source_config config = feed_config(2);
    uint8_t identity[BKS_KEY_BYTES] = {1};
    bool has_memory = false;
    for (uint32_t i = 0; !has_memory; i++) {
        counting_allocator counter;
        config.allocator = counting_allocator_hooks(&counter);
        counter.fail_after = i;
        bksi_feed_source source;
        has_memory = bksi_feed_source_create(&source, &config, identity) == BKS_OK;
        if (has_memory) {
            bksi_feed_source_destroy(&source);
        }
        assert_int_equal(counter.live_bytes, 0);
    }
    for (uint32_t i = 0; i < 6; i++) { // at the start
        counting_allocator counter = {.fail_after = UINT32_MAX};
        config.allocator = counting_allocator_hooks(&counter);
        feed_network *network = feed_open(2, 600, &config);
        counter.fail_after = i;
        feed_run_until(network, SECOND_NS);
        assert_true(network->servers[network->at].is_started);
        assert_int_equal(feed_source(network)->has_tape, false);
        feed_close(network);
        assert_int_equal(counter.live_bytes, 0);
    }
}

static void a_leaver_is_in_the_recording(void **state)
{
    (void)state;
    const bksi_feed_source_config config = feed_config(1);
    feed_network *network = feed_open(3, 600, &config);
    feed_come(network, 0);
    feed_run_until(network, 4 * SECOND_NS);
    assert_int_equal(bks_peer_leave(network->net.peers[1].peer), BKS_OK);
    feed_run_until(network, 20 * SECOND_NS);
    const feed_watcher *watcher = &network->watchers[0];
    assert_int_equal(watcher->status, BKS_OVER);
    feed_assert_is_true(network, watcher, true);
    const bks_recording *info = bks_replay_info(watcher->replay);
    uint32_t left = 0;
    for (uint32_t i = 0; i < info->event_count; i++) {
        bks_replay_event event;
        assert_int_equal(bks_replay_event_at(watcher->replay, i, &event), BKS_OK);
        left += event.kind == BKS_REPLAY_LEFT && event.peer == 1;
    }
    assert_int_equal(left, 1);
    feed_close(network);
}

static void a_source_that_leaves_early_closes_the_recording(void **state)
{
    (void)state;
    const bksi_feed_source_config config = feed_config(1);
    feed_network *network = feed_open(2, 600, &config);
    feed_come(network, 0);
    feed_run_until(network, 4 * SECOND_NS);
    assert_int_equal(bks_peer_leave(network->net.peers[1].peer), BKS_OK);
    feed_run_until(network, 8 * SECOND_NS);
    const feed_watcher *watcher = &network->watchers[0];
    assert_int_equal(watcher->status, BKS_OVER);
    feed_assert_is_true(network, watcher, true);
    assert_true(bks_replay_info(watcher->replay)->end < 300);
    bks_replay_event event;
    const uint32_t count = bks_replay_info(watcher->replay)->event_count;
    assert_true(count > 0);
    assert_int_equal(bks_replay_event_at(watcher->replay, count - 1, &event), BKS_OK);
    assert_int_equal(event.kind, BKS_REPLAY_CLOSED);
    feed_close(network);
}

static void watchers_of_a_repaired_source_are_told_and_may_come_again(void **state)
{
    (void)state;
    const bksi_feed_source_config config = feed_config(2);
    feed_network *network = feed_open(2, 600, &config);
    feed_come(network, 0);
    feed_run_until(network, 4 * SECOND_NS);
    // The session gets the repair by hand: the state was right all the time.
    session_common *common = &net_session(&network->net, 1)->common;
    const bks_repair repair = {.tick = 120, .since = 110, .peer = 1, .from = 0, .bytes = 8};
    bksi_repairs_add(&common->repairs, &common->events, &repair);
    feed_run_until(network, 5 * SECOND_NS);
    assert_int_equal(network->watchers[0].status, BKS_ERR_PEER_LOST);
    assert_int_equal(network->watchers[0].receiver.reason, BKSI_FEED_REPAIRED);
    feed_come(network, 1);
    feed_run_until(network, 20 * SECOND_NS);
    assert_int_equal(network->watchers[1].status, BKS_OVER);
    feed_assert_is_true(network, &network->watchers[1], true);
    feed_close(network);
}

static void init_large(void *state, const bks_start *start)
{
    some_init(state, start);
    (void)bks_pool_create(bks_arena_of(state, sizeof(some_state)), "large", 1024, 700);
}

static void a_watcher_goes_on_while_a_large_state_is_packed_for_another(void **state)
{
    (void)state;
    bks_game large = some_game;
    large.configure = feed_configure_large;
    large.init = init_large;
    const bksi_feed_source_config config = feed_config(2);
    const feed_match match = {.peers = 2, .at = 1, .ticks = 600, .window_ticks = 8, .game = &large};
    feed_network *network = feed_open_as(&match, &config);
    feed_run_until(network, 2 * SECOND_NS);
    feed_come(network, 0);
    feed_run_until(network, 6 * SECOND_NS);
    const uint64_t made_ns = feed_source(network)->tape.made_ns;
    feed_come(network, 1);
    feed_run_until(network, 20 * SECOND_NS);
    assert_true(feed_source(network)->tape.made_ns > made_ns);
    assert_true(feed_source(network)->tape.beginning.state_bytes > (size_t)512
                                                                       << 10); // several updates
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(network->watchers[i].status, BKS_OVER);
        feed_assert_is_true(network, &network->watchers[i], true);
    }
    feed_close(network);
}

static void watchers_that_come_and_leave_have_the_state_copied_each_2_s_at_most(void **state)
{
    (void)state;
    const bksi_feed_source_config config = feed_config(2);
    feed_network *network = feed_open(2, 1200, &config);
    uint64_t made_ns = 0;
    uint32_t copies = 0;
    for (uint64_t ms = 3000; ms < 11000; ms += 10) {
        const uint32_t index = (uint32_t)(ms - 3000) / 500;
        feed_run_until(network, ms * NET_MS);
        if (ms % 500 == 0) {
            feed_come(network, index);
        } else if (ms % 500 == 400) {
            assert_int_equal(bksi_feed_source_watchers(feed_source(network)), 1);
            feed_leave(network, index);
        }
        const uint64_t newest_ns =
            feed_source(network)->has_tape ? feed_source(network)->tape.made_ns : 0;
        if (newest_ns != made_ns) {
            assert_true(made_ns == 0 || newest_ns - made_ns >= 2 * SECOND_NS);
            made_ns = newest_ns;
            copies++;
        }
    }
    assert_in_range(copies, 3, 5);
    feed_close(network);
}

/// Watcher for which the network takes a feed_end, from its address.
#define END_WATCHER 3

/// Ask for a place each ms.
static void ask_again_and_again(feed_network *network, feed_end *end, uint32_t ms)
{
    const uint8_t version = BKSI_FEED_VERSION;
    for (uint32_t i = 0; i < ms; i++) {
        end->now_ns = network->net.now_ns;
        feed_end_say(end, NULL, feed_source(network), BKSI_FEED_WATCH, &version, 1);
        feed_run_until(network, network->net.now_ns);
        network->watchers[END_WATCHER].packet_count = 0;
    }
}

static void refused_watchers_take_no_bytes_from_those_who_watch(void **state)
{
    (void)state;
    bksi_feed_source_config config = feed_config(1);
    config.bytes_per_s = 8000;
    feed_network *network = feed_open(2, 2400, &config);
    uint8_t key[BKS_KEY_BYTES];
    bksi_feed_key(feed_match_key, key);
    feed_watcher *refused = &network->watchers[END_WATCHER];
    refused->packets = calloc(FEED_PACKETS, sizeof(feed_packet));
    assert_non_null(refused->packets);
    feed_run_until(network, 2 * SECOND_NS);
    feed_come(network, 0);
    feed_run_until(network, 8 * SECOND_NS);
    feed_end end;
    feed_end_open(&end, key, true);
    end.now_ns = network->net.now_ns;
    feed_end_call(&end, feed_source(network));
    assert_true(end.is_sealed);
    feed_run_until(network, end.now_ns);
    const feed_watcher *watcher = &network->watchers[0];
    const uint64_t before = watcher->bytes_to;
    refused->bytes_to = 0;
    ask_again_and_again(network, &end, 10000);
    print_message("%u bytes a second to the refused one\n", (uint32_t)refused->bytes_to / 10);
    assert_in_range(refused->bytes_to, 10 * 20 * BKSI_DATAGRAM_HEAD_BYTES, 10 * 20 * 100);
    assert_true(watcher->bytes_to - before + refused->bytes_to < 10 * 8000);
    assert_int_equal(watcher->status, BKS_OK);
    assert_true(watcher->behind_ns_most < 400 * NET_MS);
    assert_in_range(network->settled - watcher->end, 0, 24);
    feed_assert_is_true(network, watcher, false);
    const uint64_t refused_bytes = refused->bytes_to;
    feed_source(network)->held_ns = network->net.now_ns + SECOND_NS; // a member's line is cramped
    ask_again_and_again(network, &end, 900);
    feed_source(network)->held_ns = 0;
    feed_source(network)->credit = -8000; // the bytes of a second are spent in advance
    ask_again_and_again(network, &end, 900);
    assert_int_equal(refused->bytes_to, refused_bytes);
    feed_end_close(&end);
    feed_close(network);
}

static void the_delay_holds_when_the_source_leaves_a_match_that_goes_on(void **state)
{
    (void)state;
    bksi_feed_source_config config = feed_config(1);
    config.delay_ns = 3 * SECOND_NS;
    feed_network *network = feed_open(3, 1200, &config);
    feed_come(network, 0);
    feed_run_until(network, 8 * SECOND_NS);
    bks_peer *peer = network->net.peers[2].peer;
    const feed_watcher *watcher = &network->watchers[0];
    bksi_feed_source_finish(feed_source(network), bks_peer_session(peer), network->net.now_ns);
    const bks_tick left = feed_source(network)->tape.next;
    assert_int_equal(bks_peer_leave(peer), BKS_OK);
    for (uint64_t ms = 8000; ms < 13000; ms += 50) {
        feed_run_until(network, ms * NET_MS);
        assert_true(watcher->end > 60 && watcher->end <= left);
        assert_true(network->net.now_ns - network->settled_ns[watcher->end - 1] >= 3 * SECOND_NS);
    }
    assert_int_equal(watcher->end, left);
    feed_run_until(network, 16 * SECOND_NS); // it asks the others, who serve nobody
    assert_int_equal(watcher->status, BKS_OVER);
    feed_assert_is_true(network, watcher, true);
    assert_true(bks_session_tick(net_session(&network->net, 0)) > left + 120); // it goes on
    feed_close(network);
}

static void what_the_delay_holds_back_goes_out_when_nobody_plays_on(void **state)
{
    (void)state;
    for (uint32_t has_left = 0; has_left < 2; has_left++) { // the other peer, or the match is over
        bksi_feed_source_config config = feed_config(1);
        config.delay_ns = 3 * SECOND_NS;
        feed_network *network = feed_open(2, has_left != 0 ? 1200 : 400, &config);
        feed_come(network, 0);
        feed_run_until(network, 6 * SECOND_NS);
        if (has_left != 0) {
            assert_int_equal(bks_peer_leave(network->net.peers[0].peer), BKS_OK);
        }
        feed_run_until(network, 8 * SECOND_NS);
        const feed_watcher *watcher = &network->watchers[0];
        bks_session *session = net_session(&network->net, 1);
        bksi_feed_source_finish(feed_source(network), session, network->net.now_ns);
        assert_true(watcher->end < feed_source(network)->tape.next - 60);
        feed_run_until(network, 9 * SECOND_NS);
        assert_int_equal(watcher->end, feed_source(network)->tape.next);
        assert_int_equal(watcher->status, BKS_OVER);
        feed_assert_is_true(network, watcher, true);
        feed_close(network);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(watchers_see_what_their_source_computed),
        cmocka_unit_test(a_bad_line_slows_nobody),
        cmocka_unit_test(a_watcher_costs_little_beside_the_state),
        cmocka_unit_test(a_stopped_watcher_costs_nothing_after_5_s),
        cmocka_unit_test(a_lost_source_leaves_a_valid_recording),
        cmocka_unit_test(strangers_and_players_keys_get_no_byte),
        cmocka_unit_test(one_too_many_is_refused_until_a_place_is_free),
        cmocka_unit_test(nothing_is_seen_before_the_delay),
        cmocka_unit_test(any_window_and_save_policy_can_be_watched),
        cmocka_unit_test(nothing_is_allocated_after_the_start_and_all_is_given_back),
        cmocka_unit_test(memory_that_runs_out_is_no_crash),
        cmocka_unit_test(a_leaver_is_in_the_recording),
        cmocka_unit_test(a_source_that_leaves_early_closes_the_recording),
        cmocka_unit_test(a_watcher_goes_on_while_a_large_state_is_packed_for_another),
        cmocka_unit_test(watchers_that_come_and_leave_have_the_state_copied_each_2_s_at_most),
        cmocka_unit_test(refused_watchers_take_no_bytes_from_those_who_watch),
        cmocka_unit_test(the_delay_holds_when_the_source_leaves_a_match_that_goes_on),
        cmocka_unit_test(what_the_delay_holds_back_goes_out_when_nobody_plays_on),
        cmocka_unit_test(watchers_of_a_repaired_source_are_told_and_may_come_again),
        cmocka_unit_test(a_match_sends_the_same_with_and_without_watchers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
