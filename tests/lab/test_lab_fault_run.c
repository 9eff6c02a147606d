// SPDX-License-Identifier: MIT

#include "some_lab.h"

#include "lab/lab_internal.h"
#include "support/counting_allocator.h"

#define GOOD_LINK "delay=40ms,jitter=5ms"

/// Run up to a time after the first tick.
static void run_to(bks_lab *lab, uint64_t after_ns)
{
    while (lab->first_tick_ns == UINT64_MAX) {
        assert_true(bks_lab_advance(lab, bks_lab_now(lab) + SOME_SECOND_NS / 100));
    }
    assert_true(bks_lab_advance(lab, lab->first_tick_ns + after_ns));
}

static bks_tick tick_of(const bks_lab *lab, uint32_t peer)
{
    return bks_session_tick(lab->peers[peer].session);
}

static bks_stats stats_of(const bks_lab *lab, uint32_t peer)
{
    bks_stats stats;
    assert_int_equal(bks_session_stats(lab->peers[peer].session, &stats), BKS_OK);
    return stats;
}

static void assert_steps_between(bks_lab *lab, uint32_t peer, uint64_t span_ns, bks_tick least,
                                 bks_tick most)
{
    const bks_tick before = tick_of(lab, peer);
    assert_true(bks_lab_advance(lab, bks_lab_now(lab) + span_ns));
    assert_in_range(tick_of(lab, peer) - before, least, most);
}

static void every_fault_counts_and_the_match_continues(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *spec;
    } cases[] = {
        {"pause", "pause=1@2s+800ms"},       {"cut", "cut=0-1@1s+2s"},
        {"split", "split=0.1/2@1.5s+700ms"}, {"drift", "drift=1:+200ppm"},
        {"clock", "clock=1@1s-3s"},          {"slow", "slow=2@1s+1s:3x"},
        {"full", "full=1@2s+500ms"},         {"heal", "heal@1s"},
        {"speed", "speed=0@1s:25%"},         {"pause_game", "pause-game=1@2s+1s"},
    };
    bks_lab_config config = some_lab_config(1, 3, 300);
    const uint64_t wanted = some_match(&config, GOOD_LINK, NULL).final_hash;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        config = some_lab_config(1, 3, 300);
        const bks_lab_result result = some_match(&config, GOOD_LINK, cases[i].spec);
        if (!result.agreed || result.final_hash != wanted) {
            fail_msg("%s: %s", cases[i].spec, result.reason);
        }
        assert_int_equal(fault_count(&result, cases[i].name), 1);
    }
}

static void a_pause_of_the_match_lasts_and_lets_its_peer_stand_still(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 3, 300);
    const bks_lab_result plain = some_match(&config, GOOD_LINK, NULL);
    const bks_lab_config again = some_lab_config(1, 3, 300);
    const bks_lab_result result =
        some_match(&again, GOOD_LINK, "pause-game=1@1s+60s,pause=1@2s+58s");
    assert_true(result.agreed);
    assert_true(result.final_hash == plain.final_hash);
    assert_in_range(result.match_ns - plain.match_ns, 59 * SOME_SECOND_NS, 62 * SOME_SECOND_NS);
    assert_int_equal(result.peers[0].stats.views, 0);
    assert_int_equal(some_moment(&result, "paused"), 3);
    assert_in_range((uint64_t)result.peers[2].stats.paused_ms, 59500, 60500);
    const bks_lab_config third = some_lab_config(1, 3, 300);
    const bks_lab_result dropped = some_match(&third, GOOD_LINK, "pause=1@2s+58s");
    assert_int_equal(dropped.peers[0].stats.views, 1);
}

static void a_fault_after_the_end_does_not_count(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 2, 60);
    const bks_lab_result result =
        some_match(&config, NULL, "pause=1@5s+1s,cut=0-1@5s+1s,crash=1@5s,lie=0@5s,clock=1@5s+1s");
    assert_agreed(&result, 60);
    static const char *const names[] = {"pause", "cut", "crash", "lie", "clock"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        assert_int_equal(fault_count(&result, names[i]), 0);
    }
}

/// Times of the lobby are counted from the beginning, those of the match from its first tick,
/// whichever comes first.
static void faults_of_the_lobby_come_while_peers_connect(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 2, 300);
    const bks_lab_result before = some_match(&config, GOOD_LINK, NULL);
    const bks_lab_config paused_config = some_lab_config(1, 2, 300);
    const bks_lab_result paused = some_match(&paused_config, GOOD_LINK, "lobby:pause=0@10ms+900ms");
    assert_agreed(&paused, 300);
    assert_int_equal(fault_count(&paused, "pause"), 1);
    assert_true(paused.connect_ns > before.connect_ns + SOME_SECOND_NS * 6 / 10);
    const bks_lab_config late_config = some_lab_config(1, 2, 300);
    const bks_lab_result late =
        some_match(&late_config, GOOD_LINK,
                   "pause=1@100ms+100ms,lobby:pause=0@3s+100ms,lobby:cut=0-1@2s+100ms,"
                   "rebind=1@50ms,lobby:rebind=1@40ms");
    assert_agreed(&late, 300);
    assert_int_equal(fault_count(&late, "pause"), 2);
    assert_int_equal(fault_count(&late, "cut"), 1);
    assert_int_equal(fault_count(&late, "rebind"), 2);
}

static void a_paused_peer_does_nothing_and_then_catches_up(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 2, 600);
    bks_lab *lab = some_lab(&config, GOOD_LINK, "pause=1@2s+500ms");
    run_to(lab, 2 * SOME_SECOND_NS);
    const uint64_t received = stats_of(lab, 1).packets_received;
    assert_steps_between(lab, 1, SOME_SECOND_NS * 49 / 100, 0, 1);
    assert_true(stats_of(lab, 1).packets_received <= received + 1);
    assert_true(bks_lab_advance(lab, bks_lab_now(lab) + SOME_SECOND_NS));
    // Packets that came during the pause waited for the peer.
    assert_true(stats_of(lab, 1).packets_received > received + 60);
    assert_in_range(tick_of(lab, 0) - tick_of(lab, 1) + 4, 0, 8);
    bks_lab_destroy(lab);
}

static void a_cut_link_silences_one_pair_alone(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 3, 600);
    bks_lab *lab = some_lab(&config, NULL, "cut=2-0@2s+1s");
    run_to(lab, 2 * SOME_SECOND_NS + SOME_SECOND_NS / 100);
    for (uint32_t from = 0; from < 3; from++) {
        for (uint32_t to = 0; to < 3; to++) {
            const bool is_cut = from + to == 2 && from != to;
            assert_int_equal(bksi_lab_faults_block(lab, from, to), is_cut);
        }
    }
    bks_lab_destroy(lab);
}

static void a_cut_of_one_direction_leaves_the_other(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 3, 600);
    bks_lab *lab = some_lab(&config, NULL, "cut=2>0@2s+1s");
    run_to(lab, 2 * SOME_SECOND_NS + SOME_SECOND_NS / 100);
    for (uint32_t from = 0; from < 3; from++) {
        for (uint32_t to = 0; to < 3; to++) {
            assert_int_equal(from != to && bksi_lab_faults_block(lab, from, to),
                             from == 2 && to == 0);
        }
    }
    bks_lab_destroy(lab);
}

static uint64_t rate_of(const bks_lab *lab, uint32_t from, uint32_t to)
{
    return bksi_lab_link_get_spec(lab->links[from][to])->rate_bits_per_s;
}

static void a_link_narrows_in_the_middle_and_widens_again(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 2, 600);
    bks_lab *lab = some_lab(&config, "rate=1mbit,delay=10ms",
                            "rate=0-1@2s:24kbit,rate=1>0@3s:100mbit,heal@4s,rate=0-1@5s:1kbit");
    run_to(lab, SOME_SECOND_NS);
    assert_int_equal(rate_of(lab, 0, 1), 1000000);
    run_to(lab, 2 * SOME_SECOND_NS + SOME_SECOND_NS / 100);
    assert_int_equal(rate_of(lab, 0, 1), 24000);
    assert_int_equal(rate_of(lab, 1, 0), 24000);
    run_to(lab, 3 * SOME_SECOND_NS + SOME_SECOND_NS / 100);
    assert_int_equal(rate_of(lab, 0, 1), 24000);
    assert_int_equal(rate_of(lab, 1, 0), 100000000);
    run_to(lab, 6 * SOME_SECOND_NS);
    assert_int_equal(rate_of(lab, 0, 1), 0); // a link that healed stays perfect
    bks_lab_result result;
    assert_int_equal(bks_lab_outcome(lab, &result), BKS_OK);
    assert_int_equal(fault_count(&result, "rate_change"), 2);
    bks_lab_destroy(lab);
}

/// Return the size in bytes of the links of all pairs, which a fault before or after the link
/// enlarges.
static size_t links_bytes(const char *first_fault, const char *link, const char *last_fault)
{
    counting_allocator counter;
    bks_lab_config config = some_lab_config(1, 2, 60);
    config.allocator = counting_allocator_hooks(&counter);
    bks_lab *lab = some_lab(&config, NULL, first_fault);
    bks_error error = {0};
    assert_int_equal(bks_lab_link(lab, link, &error), BKS_OK);
    if (last_fault != NULL) {
        assert_int_equal(bks_lab_fault(lab, last_fault, &error), BKS_OK);
    }
    const size_t bytes = counter.live_bytes;
    bks_lab_destroy(lab);
    assert_int_equal(counter.live_bytes, 0);
    return bytes;
}

static void a_link_has_room_for_what_faults_will_let_it_carry(void **state)
{
    (void)state;
    static const char fault[] = "rate=0-1@40s:10mbit";
    const size_t without = links_bytes(NULL, "delay=50ms,rate=24kbit", NULL);
    const size_t with = links_bytes(fault, "delay=50ms,rate=24kbit", NULL);
    assert_true(with > without + 2 * 400 * BKS_PACKET_BYTES_MAX);
    assert_int_equal(with, links_bytes(NULL, "delay=50ms,rate=24kbit", fault));
}

static void a_filled_queue_makes_packets_late(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 2, 600);
    bks_lab *lab = some_lab(&config, "0>1:rate=1mbit", "fill=0>1@2s:400ms,fill=1>0@2s:400ms");
    run_to(lab, 2 * SOME_SECOND_NS + SOME_SECOND_NS / 20);
    const uint64_t next_ns = bksi_lab_link_next_time(lab->links[0][1]);
    assert_in_range(next_ns - lab->first_tick_ns, 2 * SOME_SECOND_NS + 4 * SOME_SECOND_NS / 10,
                    2 * SOME_SECOND_NS + 42 * SOME_SECOND_NS / 100);
    bks_lab_result result;
    assert_int_equal(bks_lab_outcome(lab, &result), BKS_OK);
    assert_int_equal(fault_count(&result, "fill"), 1); // the way back has no rate
    bks_lab_destroy(lab);
}

static void a_split_cuts_between_groups_alone(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 4, 600);
    bks_lab *lab = some_lab(&config, NULL, "split=0.3/2@2s+1s");
    run_to(lab, 2 * SOME_SECOND_NS + SOME_SECOND_NS / 100);
    for (uint32_t from = 0; from < 4; from++) {
        for (uint32_t to = 0; to < 4; to++) {
            const bool is_apart = (from == 2) != (to == 2) && from != 1 && to != 1;
            assert_int_equal(from != to && bksi_lab_faults_block(lab, from, to), is_apart);
        }
    }
    bks_lab_destroy(lab);
}

static void a_fast_clock_gains_what_it_says(void **state)
{
    (void)state;
    lab_peer peer = {.drift_ppm = 200};
    assert_int_equal(bksi_lab_to_peer_time(&peer, 10 * SOME_SECOND_NS),
                     10 * SOME_SECOND_NS + 2000000);
    peer.drift_ppm = -100000;
    assert_int_equal(bksi_lab_to_peer_time(&peer, SOME_SECOND_NS), SOME_SECOND_NS * 9 / 10);
    static const int64_t drifts[] = {0, 1, -1, 200, -200, 99999, -99999};
    for (size_t i = 0; i < sizeof(drifts) / sizeof(drifts[0]); i++) {
        peer.drift_ppm = drifts[i];
        for (uint64_t at = 1; at < UINT64_C(1) << 45; at = at * 3 + 7) {
            const uint64_t lab_ns = bksi_lab_from_peer_time(&peer, at);
            assert_true(bksi_lab_to_peer_time(&peer, lab_ns) >= at);
            assert_true(lab_ns == 0 || bksi_lab_to_peer_time(&peer, lab_ns - 1) < at);
        }
        assert_true(bksi_lab_from_peer_time(&peer, UINT64_MAX) == UINT64_MAX);
    }
}

static uint64_t some_clock(void *context)
{
    return *(uint64_t *)context;
}

static void a_wall_clock_that_jumps_reaches_nothing_but_costs(void **state)
{
    (void)state;
    uint64_t clock_ns = 7;
    bks_lab_config config = some_lab_config(1, 2, 200);
    config.clock_ns = some_clock;
    config.clock_context = &clock_ns;
    const bks_lab_result wanted = some_match(&config, GOOD_LINK, NULL);
    bks_lab_config again = some_lab_config(1, 2, 200);
    again.clock_ns = some_clock;
    again.clock_context = &clock_ns;
    bks_lab *lab = some_lab(&again, GOOD_LINK, "clock=1@1s-3s,clock=1@2s+1s");
    run_to(lab, SOME_SECOND_NS);
    // The only clock that a peer may ever read jumps …
    assert_true(lab->peers[1].wall_jump_ns == -3 * (int64_t)SOME_SECOND_NS);
    assert_true(bksi_lab_peer_clock(&lab->peers[1]) == 7 - 3 * SOME_SECOND_NS);
    assert_true(bksi_lab_peer_clock(&lab->peers[0]) == 7);
    while (bks_lab_advance(lab, UINT64_MAX)) {
    }
    bks_lab_result result;
    assert_int_equal(bks_lab_outcome(lab, &result), BKS_OK);
    bks_lab_destroy(lab);
    // … and the match is the same to the last bit.
    assert_int_equal(fault_count(&result, "clock"), 2);
    assert_memory_equal(result.peers, wanted.peers, sizeof(result.peers));
    assert_true(result.final_hash == wanted.final_hash && result.match_ns == wanted.match_ns);
}

static void a_slow_peer_is_late_and_only_while_it_is_slow(void **state)
{
    (void)state;
    bks_lab_config config = some_lab_config(1, 2, 600);
    bks_lab *lab = some_lab(&config, NULL, "slow=1@2s+1s:24x");
    run_to(lab, 2 * SOME_SECOND_NS);
    // A step takes the time of three ticks.
    assert_steps_between(lab, 1, SOME_SECOND_NS, 10, 30);
    assert_true(bks_lab_advance(lab, bks_lab_now(lab) + SOME_SECOND_NS));
    assert_steps_between(lab, 1, SOME_SECOND_NS, 54, 62);
    bks_lab_destroy(lab);
}

static void a_peer_that_cannot_send_still_hears(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 2, 600);
    bks_lab *lab = some_lab(&config, NULL, "full=1@2s+1s");
    run_to(lab, 2 * SOME_SECOND_NS + SOME_SECOND_NS / 10);
    const uint64_t at_0 = stats_of(lab, 0).packets_received;
    const uint64_t at_1 = stats_of(lab, 1).packets_received;
    assert_true(bks_lab_advance(lab, bks_lab_now(lab) + SOME_SECOND_NS / 2));
    assert_true(stats_of(lab, 0).packets_received == at_0);
    assert_true(stats_of(lab, 1).packets_received > at_1 + 5);
    bks_lab_destroy(lab);
}

static void a_peer_with_a_new_address_sends_from_there_and_is_reached_there_alone(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 2, 600);
    bks_lab *lab = some_lab(&config, NULL, "rebind=1@2s");
    run_to(lab, 2 * SOME_SECOND_NS + SOME_SECOND_NS / 10);
    const uint64_t heard = stats_of(lab, 1).packets_received;
    const uint64_t refused = stats_of(lab, 0).packets_refused;
    assert_int_equal(lab->peers[1].rebinds, 1);
    assert_true(bks_lab_advance(lab, bks_lab_now(lab) + SOME_SECOND_NS));
    // A peer that does not follow the new address refuses packets from it, and sends none to it.
    const bool follows = stats_of(lab, 0).packets_refused == refused;
    assert_true(follows == (stats_of(lab, 1).packets_received > heard));
    bks_lab_destroy(lab);
}

static void a_dropped_peer_answers_one_that_wakes_later(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 3, 900);
    bks_lab *lab = some_lab(&config, NULL, "pause=0@0s+8500ms,full=2@0s+6400ms");
    run_to(lab, 8 * SOME_SECOND_NS);
    assert_true(lab->peers[2].is_out);
    assert_false(lab->peers[0].is_out || lab->peers[1].is_out);
    // Without it peer 0 would wait 5 s for peer 2.
    run_to(lab, 9 * SOME_SECOND_NS);
    assert_true(lab->peers[0].is_out != lab->peers[1].is_out);
    bks_lab_destroy(lab);
}

static void a_crashed_peer_is_gone_and_not_compared(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 3, 600);
    bks_lab *lab = some_lab(&config, NULL, "crash=2@2s");
    run_to(lab, 3 * SOME_SECOND_NS);
    assert_true(lab->peers[2].is_crashed);
    assert_in_range(tick_of(lab, 2), 119, 122);
    bks_lab_result result;
    while (bks_lab_advance(lab, UINT64_MAX)) {
    }
    assert_int_equal(bks_lab_outcome(lab, &result), BKS_OK);
    assert_int_equal(fault_count(&result, "crash"), 1);
    assert_int_equal(result.desync_tick, BKS_TICK_NONE);
    assert_true(result.compared >= 120);
    assert_int_equal(tick_of(lab, 2), result.peers[2].ticks);
    bks_lab_destroy(lab);
}

static void a_lie_is_found_at_its_tick_within_a_round_trip_and_two_ticks(void **state)
{
    (void)state;
    for (uint32_t peers = 2; peers <= 4; peers++) {
        const bks_lab_config config = some_lab_config(peers, peers, 300);
        const bks_lab_result result = some_match(&config, "delay=40ms", "lie=1@2s");
        assert_false(result.agreed);
        assert_int_equal(fault_count(&result, "lie"), 1);
        assert_in_range(result.desync_tick, 120, 127);
        // The tick is confirmed after one way through the network, and reported after another.
        assert_in_range(result.desync_found_tick, result.desync_tick,
                        result.desync_tick + 5 + 5 + 2);
        if (peers > 2) {
            assert_int_equal(result.desync_peers, 1u << 2); // the peer that got the other inputs
        }
    }
}

static void after_the_heal_nothing_is_lost_and_nothing_is_late(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 2, 600);
    bks_lab *lab = some_lab(&config, "delay=80ms,loss=20%,dup=5%", "heal@3s");
    run_to(lab, 3 * SOME_SECOND_NS + SOME_SECOND_NS / 5);
    const bks_lab_link_counters before = *bksi_lab_link_get_counters(lab->links[0][1]);
    assert_true(before.lost > 10);
    assert_true(bks_lab_advance(lab, bks_lab_now(lab) + SOME_SECOND_NS));
    const bks_lab_link_counters *after = bksi_lab_link_get_counters(lab->links[0][1]);
    assert_true(after->lost == before.lost && after->duplicated == before.duplicated);
    assert_true(after->sent - before.sent == after->delivered - before.delivered);
    bks_lab_destroy(lab);
}

static void faults_take_effect_in_the_order_of_their_times(void **state)
{
    (void)state;
    bks_lab_config config = some_lab_config(3, 3, 300);
    const bks_lab_result one = some_match(&config, GOOD_LINK, "pause=1@3s+100ms,cut=0-2@1s+1s");
    config = some_lab_config(3, 3, 300);
    const bks_lab_result other = some_match(&config, GOOD_LINK, "cut=0-2@1s+1s,pause=1@3s+100ms");
    assert_memory_equal(&one, &other, sizeof(one));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fault_counts_and_the_match_continues),
        cmocka_unit_test(a_pause_of_the_match_lasts_and_lets_its_peer_stand_still),
        cmocka_unit_test(a_fault_after_the_end_does_not_count),
        cmocka_unit_test(faults_of_the_lobby_come_while_peers_connect),
        cmocka_unit_test(a_paused_peer_does_nothing_and_then_catches_up),
        cmocka_unit_test(a_cut_link_silences_one_pair_alone),
        cmocka_unit_test(a_cut_of_one_direction_leaves_the_other),
        cmocka_unit_test(a_link_narrows_in_the_middle_and_widens_again),
        cmocka_unit_test(a_link_has_room_for_what_faults_will_let_it_carry),
        cmocka_unit_test(a_filled_queue_makes_packets_late),
        cmocka_unit_test(a_split_cuts_between_groups_alone),
        cmocka_unit_test(a_fast_clock_gains_what_it_says),
        cmocka_unit_test(a_wall_clock_that_jumps_reaches_nothing_but_costs),
        cmocka_unit_test(a_slow_peer_is_late_and_only_while_it_is_slow),
        cmocka_unit_test(a_peer_that_cannot_send_still_hears),
        cmocka_unit_test(a_peer_with_a_new_address_sends_from_there_and_is_reached_there_alone),
        cmocka_unit_test(a_dropped_peer_answers_one_that_wakes_later),
        cmocka_unit_test(a_crashed_peer_is_gone_and_not_compared),
        cmocka_unit_test(a_lie_is_found_at_its_tick_within_a_round_trip_and_two_ticks),
        cmocka_unit_test(after_the_heal_nothing_is_lost_and_nothing_is_late),
        cmocka_unit_test(faults_take_effect_in_the_order_of_their_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
