// SPDX-License-Identifier: MIT

// A match that repairs states that differ: all have the same from one tick on, whatever gets lost,
// whichever differ, and it plays on meanwhile.

#include <string.h>

#include "base/bits.h"
#include "session/common/seats.h"
#include "session/inside.h"
#include "session/one_network.h"
#include "support/seed.h"
#include "wire/meet_message.h"

enum { FLIP = 100, SEEDS = 40, TICKS = 500 };

static uint32_t seed;
static bks_tick tuned_ticks;
static uint32_t tuned_keep;
static uint32_t tuned_drop;
static bks_on_desync tuned_guests;
static bool is_lockstep;
static bool is_mixed; ///< each peer has a window, a policy and a delay of its own

static uint32_t some(uint32_t bound, uint32_t peer)
{
    return (seed * 7919 + peer * 104729) % bound;
}

static void tune(bks_session_config *config, uint32_t peer)
{
    config->ticks = tuned_ticks;
    config->tuning.on_desync = peer == 0 ? BKS_ON_DESYNC_RESYNC : tuned_guests;
    config->tuning.keep_ticks = peer == 0 ? 64 : tuned_keep;
    config->tuning.drop_after_ms = tuned_drop;
    config->tuning.window_ticks = is_lockstep ? 0 : config->tuning.window_ticks;
    if (is_mixed) {
        config->tuning.window_ticks = 2 + some(BKS_WINDOW_MAX - 1, peer);
        config->tuning.save = (bks_save_policy)some(4, peer + 3);
    }
}

static void begin(uint32_t peers, uint32_t flips)
{
    toy_create(&network, peers, seed, tune);
    network.delay_ns = (10 + seed * 13 % 110) * TOY_MS;
    network.jitter_ns = seed * 7 % 30 * TOY_MS;
    network.loss_percent = seed * 5 % 16;
    for (uint32_t i = 0; i < peers; i++) {
        network.peers[i].flip_tick =
            (flips >> i & 1) != 0 ? FLIP + (bks_tick)(i * seed % 4) : BKS_TICK_NONE;
    }
}

static int reset(void **state)
{
    (void)state;
    seed = 1;
    tuned_ticks = TICKS;
    tuned_keep = 64;
    tuned_drop = 1000;
    tuned_guests = BKS_ON_DESYNC_REPORT;
    is_lockstep = is_mixed = false;
    return 0;
}

static uint32_t repairs_of(uint32_t peer, bks_repair *out)
{
    return bks_session_repairs(session_of(peer), out, BKS_REPAIRS_MAX);
}

/// All have ended as one match, with the same hashes from the repair on, and name the same repairs.
/// @return how many there are
static uint32_t assert_repaired(uint32_t peers)
{
    bks_repair first[BKS_REPAIRS_MAX];
    const uint32_t count = repairs_of(0, first);
    assert_in_range(count, 1, BKS_REPAIRS_MAX);
    for (uint32_t i = 0; i < peers; i++) {
        const toy_peer *peer = &network.peers[i];
        bks_repair own[BKS_REPAIRS_MAX];
        if (bks_session_status(peer->session) != BKS_OVER) {
            fail_msg("seed %u: peer %u ends with %d", seed, i,
                     (int)bks_session_status(peer->session));
        }
        assert_int_equal(bks_session_tick(peer->session), TICKS);
        assert_int_equal(repairs_of(i, own), count);
        assert_memory_equal(own, first, count * sizeof(own[0]));
        assert_int_equal(peer->events[BKS_EVENT_REPAIRED], count);
        for (bks_tick tick = first[count - 1].tick; tick <= TICKS; tick++) {
            if (peer->published[tick] != network.peers[0].published[tick]) {
                fail_msg("seed %u: peer %u differs at tick %d", seed, i, (int)tick);
            }
        }
        assert_int_equal(peer->wrong_loads, 0);
    }
    return count;
}

static void play(void)
{
    if (!toy_run_to_end(&network, 120000 * TOY_MS)) {
        fail_msg("seed %u: it does not end", seed);
    }
}

static void the_state_of_one_becomes_that_of_the_others(void **state)
{
    (void)state;
    for (seed = 1; seed <= seed_rounds(SEEDS); seed++) {
        const uint32_t peers = 2 + seed % 4;
        const uint32_t odd = 1 + seed % (peers - 1);
        is_mixed = seed % 3 != 0;
        begin(peers, 1u << odd);
        play();
        assert_int_equal(assert_repaired(peers), 1);
        bks_repair repair;
        assert_int_equal(bks_session_repairs(session_of(0), &repair, 1), 1);
        assert_int_equal(repair.peer, odd);
        assert_int_equal(repair.since, network.peers[odd].flip_tick);
        assert_int_not_equal(repair.from, odd);
        assert_int_equal(repair.bytes, 64);
        assert_true(repair.tick > repair.since && repair.tick < repair.since + 90);
        // All have the state that the inputs make.
        assert_true(network.peers[odd].published[TICKS] ==
                    toy_straight_run(peers, TICKS, network.hold_input_ticks));
        assert_int_equal(network.peers[odd].restore_ops, 1);
        toy_destroy(&network);
    }
}

static void of_two_the_hosts_state_counts(void **state)
{
    (void)state;
    begin(2, 1);
    play();
    assert_int_equal(assert_repaired(2), 1);
    bks_repair repair;
    assert_int_equal(bks_session_repairs(session_of(1), &repair, 1), 1);
    assert_int_equal(repair.peer, 1);
    assert_int_equal(repair.from, 0);
    assert_int_equal(network.peers[0].restore_ops, 0);
    toy_destroy(&network);
}

static void the_host_is_repaired_by_the_most(void **state)
{
    (void)state;
    begin(3, 1);
    play();
    assert_int_equal(assert_repaired(3), 1);
    bks_repair repair;
    assert_int_equal(bks_session_repairs(session_of(2), &repair, 1), 1);
    assert_int_equal(repair.peer, 0);
    assert_int_equal(repair.from, 1);
    toy_destroy(&network);
}

static void several_are_repaired_at_once(void **state)
{
    (void)state;
    for (seed = 1; seed <= seed_rounds(SEEDS); seed++) {
        begin(5, 0x12);
        play();
        assert_in_range(assert_repaired(5), 2, 3);
        assert_true(network.peers[1].published[TICKS] ==
                    toy_straight_run(5, TICKS, network.hold_input_ticks));
        toy_destroy(&network);
    }
}

// Lockstep over a link that loses much takes its time, with and without a repair.
static void lockstep_is_repaired_too(void **state)
{
    (void)state;
    is_lockstep = true;
    for (seed = 1; seed <= 8; seed++) {
        begin(3, 0);
        play();
        const uint64_t usual_ns = network.now_ns;
        toy_destroy(&network);
        begin(3, 2);
        play();
        assert_in_range(network.now_ns / TOY_MS, 0, usual_ns / TOY_MS * 11 / 10 + 1000);
        assert_int_equal(assert_repaired(3), 1);
        toy_destroy(&network);
    }
}

static bool has_seen_a_difference(uint32_t peers)
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < peers; i++) {
        seen |= bksi_checking_seen(&session_of(i)->checking, &session_of(i)->common);
    }
    return seen != 0;
}

static bool are_repaired(uint32_t peers)
{
    bool are = true;
    for (uint32_t i = 0; i < peers; i++) {
        are &= network.peers[i].events[BKS_EVENT_REPAIRED] > 0;
    }
    return are;
}

/// From when the first peer sees a difference until all have the same again.
static uint32_t measure_repair_ms(uint32_t peers)
{
    while (!has_seen_a_difference(peers)) {
        run_for(1);
        assert_true(network.now_ns < 60000 * TOY_MS);
    }
    uint32_t ms = 0;
    for (; !are_repaired(peers); ms++) {
        run_for(1);
        assert_true(ms < 10000);
    }
    return ms;
}

// With round trips of 160 ms and 3 % loss: half of them go for the call, half for what each has
// there, one for what differs, one for the end of it, which the host decides. What gets lost costs
// no second.
static void all_have_the_same_again_within_four_round_trips_though_packets_get_lost(void **state)
{
    (void)state;
    uint32_t sum_ms = 0;
    uint32_t slow = 0;
    for (seed = 1; seed <= SEEDS; seed++) {
        begin(4, 1u << seed % 4);
        network.delay_ns = 80 * TOY_MS;
        network.jitter_ns = 0;
        network.loss_percent = 3;
        const uint32_t ms = measure_repair_ms(4);
        if (ms > 1000) {
            fail_msg("seed %u: it takes %u ms", seed, ms);
        }
        sum_ms += ms;
        slow += ms > 650 ? 1 : 0;
        toy_destroy(&network);
    }
    print_message("a repair takes %u ms, %u of %d more than 650\n", sum_ms / SEEDS, slow, SEEDS);
    assert_in_range(sum_ms / SEEDS, 1, 600);
    assert_in_range(slow, 0, SEEDS / 10);
}

// We may be the ones whom most agree with, so that others take our bytes.
static void what_comes_before_all_have_said_what_they_have_is_not_written(void **state)
{
    (void)state;
    begin(4, 2);
    network.loss_percent = 0;
    network.lost_types[3] = 1u << BKSI_PACKET_MEET;
    while (network.peers[1].events[BKS_EVENT_DESYNC] == 0) {
        run_for(1);
        assert_true(network.now_ns < 60000 * TOY_MS);
    }
    run_for(1500);
    const session_fetch *fetch = &session_of(1)->fetch;
    assert_int_equal(fetch->slots[0].step, FETCH_IS_ANSWERED);
    assert_int_equal(network.peers[1].write_ops, 0);
    network.lost_types[3] = 0;
    play();
    assert_int_equal(assert_repaired(4), 1);
    assert_int_equal(network.peers[1].write_ops, 1);
    toy_destroy(&network);
}

// No peer waits: each tick is stepped when it would have been without a repair.
static void play_does_not_stop_for_it(void **state)
{
    (void)state;
    uint64_t starved[2];
    for (uint32_t i = 0; i < 2; i++) {
        begin(3, i == 0 ? 0 : 4);
        network.loss_percent = 0;
        play();
        starved[i] =
            stats_of(0).starved_ticks + stats_of(1).starved_ticks + stats_of(2).starved_ticks;
        toy_destroy(&network);
    }
    assert_int_equal(starved[1], starved[0]);
}

static void the_third_within_a_minute_stops_the_match(void **state)
{
    (void)state;
    begin(3, 2);
    for (uint32_t i = 0; i < 2; i++) {
        while (network.peers[0].events[BKS_EVENT_REPAIRED] <= i) {
            run_for(10);
            assert_true(network.now_ns < 60000 * TOY_MS);
        }
        run_for(500);
        network.peers[1].flip_tick = bks_session_confirmed(session_of(1)) + 30;
    }
    play();
    const bks_tick end = bks_session_tick(session_of(0));
    assert_true(end < TICKS);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(network.peers[i].events[BKS_EVENT_REPAIRED], 2);
        assert_int_equal(network.peers[i].events[BKS_EVENT_STOPPING], 1);
        assert_int_equal(bks_session_tick(session_of(i)), end);
        assert_int_equal(bks_session_status(session_of(i)), BKS_ERR_DESYNC);
    }
    toy_destroy(&network);
}

static void with_guests_that_keep_no_states_it_stops(void **state)
{
    (void)state;
    tuned_keep = 0;
    begin(3, 2);
    play();
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(network.peers[i].events[BKS_EVENT_STOPPING], 1);
        assert_int_equal(network.peers[i].events[BKS_EVENT_REPAIRED], 0);
        assert_int_equal(bks_session_status(session_of(i)), BKS_ERR_DESYNC);
    }
    toy_destroy(&network);
}

static void without_a_difference_nothing_is_said(void **state)
{
    (void)state;
    begin(3, 0);
    play();
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(repairs_of(i, (bks_repair[BKS_REPAIRS_MAX]){{0}}), 0);
        assert_int_equal(bks_session_status(session_of(i)), BKS_OVER);
    }
    toy_destroy(&network);
}

static void the_repair_survives_a_host_that_is_gone(void **state)
{
    (void)state;
    for (seed = 1; seed <= seed_rounds(SEEDS); seed++) {
        begin(4, 8);
        while (network.peers[0].events[BKS_EVENT_DESYNC] == 0) {
            run_for(1);
            assert_true(network.now_ns < 60000 * TOY_MS);
        }
        run_for(seed * 20);
        network.peers[0].is_frozen = true;
        network.cut[0] = ~0u;
        uint64_t limit_ns = network.now_ns + 60000 * TOY_MS;
        while (phase_of(1) == BKS_PHASE_RUNNING || phase_of(2) == BKS_PHASE_RUNNING ||
               phase_of(3) == BKS_PHASE_RUNNING) {
            run_for(10);
            if (network.now_ns > limit_ns) {
                fail_msg("seed %u: it does not end", seed);
            }
        }
        for (uint32_t i = 1; i < 4; i++) {
            if (network.peers[i].published[TICKS] != network.peers[1].published[TICKS] ||
                bks_session_status(session_of(i)) != BKS_OVER) {
                fail_msg("seed %u: peer %u ends at %d with %d", seed, i,
                         (int)bks_session_tick(session_of(i)),
                         (int)bks_session_status(session_of(i)));
            }
        }
        toy_destroy(&network);
    }
}

static bool is_done(uint32_t peer)
{
    const session_meeting *meeting = &session_of(peer)->meeting;
    return meeting->own.tick != BKS_TICK_NONE && meeting->own.stage == BKSI_MEET_DONE;
}

/// The host alone knows when all are done. A guest that does not hear it for long waits.
static void what_has_ended_for_the_host_fails_for_no_peer(void **state)
{
    (void)state;
    begin(3, 4);
    network.loss_percent = 0;
    while (!is_done(1)) {
        run_for(1);
        assert_true(network.now_ns < 60000 * TOY_MS);
    }
    const bks_tick tick = session_of(1)->meeting.own.tick;
    network.lost_types[0] = UINT32_C(1) << BKSI_PACKET_MEET;
    run_for(9000);
    assert_int_equal(network.peers[0].events[BKS_EVENT_REPAIRED], 1);
    assert_int_equal(network.peers[1].events[BKS_EVENT_REPAIRED], 0);
    assert_true(bks_session_tick(session_of(1)) <= tick + BKSI_HELD_TICKS_MAX);
    network.lost_types[0] = 0;
    play();
    assert_int_equal(assert_repaired(3), 1);
    toy_destroy(&network);
}

/// The peers that stay end as one match, at its end.
static void assert_played_on(uint32_t stays)
{
    const uint64_t limit_ns = network.now_ns + 120000 * TOY_MS;
    const uint32_t first = bksi_lowest_bit(stays);
    EACH_PEER (i, stays) {
        while (phase_of(i) == BKS_PHASE_RUNNING) {
            run_for(10);
            if (network.now_ns > limit_ns) {
                fail_msg("seed %u: peer %u does not end", seed, i);
            }
        }
        if (network.peers[i].published[TICKS] != network.peers[first].published[TICKS] ||
            bks_session_status(session_of(i)) != BKS_OVER) {
            fail_msg("seed %u: peer %u ends at %d with %d", seed, i,
                     (int)bks_session_tick(session_of(i)), (int)bks_session_status(session_of(i)));
        }
    }
}

/// The host says to one member alone that all are to meet.
static void call_meeting(uint32_t member, bks_tick tick)
{
    uint8_t body[BKSI_BODY_BYTES_MAX];
    bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
    bksi_meet_write(&writer, &(bksi_meet_message){.tick = tick});
    inside_say(session_of(member), network.now_ns, session_of(0), BKSI_PACKET_MEET, body,
               writer.at);
}

static void of_a_liar_nothing_is_taken_and_the_next_of_the_most_is_asked(void **state)
{
    (void)state;
    for (seed = 1; seed <= seed_rounds(SEEDS); seed++) {
        begin(4, 8);
        network.peers[0].lies = true;
        play();
        assert_int_equal(assert_repaired(4), 1);
        bks_repair repair;
        assert_int_equal(bks_session_repairs(session_of(0), &repair, 1), 1);
        assert_in_range(repair.from, 1, 2); // the first may be lost for too long
        assert_int_equal(network.peers[3].restore_ops, 1);
        toy_destroy(&network);
    }
}

// Each plays on with its own state until then, and shows no one what the liar gave as its own.
static void where_all_of_the_most_lie_it_stops(void **state)
{
    (void)state;
    begin(2, 2);
    network.peers[0].lies = true;
    play();
    assert_int_equal(network.peers[1].restore_ops, 0);
    assert_in_range(network.peers[1].write_ops, 1, 3);
    assert_int_equal(bks_session_tick(session_of(1)), bks_session_tick(session_of(0)));
    const bks_tick met_in = session_of(1)->meeting.own.tick;
    assert_int_equal(bksi_rollback_find_kept(&session_of(1)->common.engine, met_in), BKS_KEEP_NONE);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(network.peers[i].events[BKS_EVENT_STOPPING], 1);
        assert_int_equal(network.peers[i].events[BKS_EVENT_REPAIRED], 0);
        assert_int_equal(bks_session_status(session_of(i)), BKS_ERR_DESYNC);
    }
    toy_destroy(&network);
}

// That member holds back a tick of which the next host knows nothing, and takes no earlier one.
static void a_meeting_of_which_one_alone_has_heard_outlives_the_host(void **state)
{
    (void)state;
    for (seed = 1; seed <= seed_rounds(SEEDS); seed++) {
        const uint32_t peers = 3 + seed % 3;
        tuned_drop = 5000;
        is_lockstep = seed % 4 == 0;
        begin(peers, 0);
        network.peers[peers - 1].flip_tick = FLIP + 20 + (bks_tick)(seed % 60);
        while (bks_session_tick(session_of(0)) < FLIP + 20) {
            run_for(1);
            assert_true(network.now_ns < 60000 * TOY_MS);
        }
        call_meeting(1 + seed % (peers - 1),
                     FLIP + (is_lockstep ? 80 : 23 + (bks_tick)(seed % 5) * 30));
        assert_int_equal(bks_session_leave(session_of(0)), BKS_OK);
        assert_played_on((1u << peers) - 2);
        toy_destroy(&network);
    }
}

static void a_member_that_vanishes_in_a_meeting_ends_nothing(void **state)
{
    (void)state;
    for (seed = 1; seed <= seed_rounds(SEEDS); seed++) {
        const uint32_t gone = 1 + seed % 2;
        tuned_drop = 5000;
        begin(4, 8);
        while (!session_of(0)->meeting.is_on) {
            run_for(1);
            assert_true(network.now_ns < 60000 * TOY_MS);
        }
        run_for(seed * 3);
        network.peers[gone].is_frozen = true;
        network.cut[gone] = ~0u;
        assert_played_on(0xF & ~(1u << gone));
        toy_destroy(&network);
    }
}

/// By sender and receiver, bits: MEET of these stages gets lost.
static uint32_t drop_from, drop_to, drop_least, drop_most;

static bool loses_meet(const toy_network *net, uint32_t from, uint32_t to, const uint8_t *bytes,
                       size_t count)
{
    uint8_t body[BKSI_BODY_BYTES_MAX];
    size_t n = 0;
    if ((drop_from >> from & 1) == 0 || (drop_to >> to & 1) == 0) {
        return false;
    }
    if (inside_read(net->peers[to].session, bytes, count, body, &n) != BKSI_PACKET_MEET) {
        return false;
    }
    const uint32_t stage = body[4] & 7;
    return stage >= drop_least && stage <= drop_most;
}

static void say_stage(uint32_t from, uint32_t to, bks_tick tick, bksi_meet_stage stage)
{
    uint8_t body[BKSI_BODY_BYTES_MAX];
    bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
    bksi_meet_write(&writer, &(bksi_meet_message){.tick = tick, .stage = stage});
    inside_say(session_of(to), network.now_ns, session_of(from), BKSI_PACKET_MEET, body, writer.at);
}

static void
a_meeting_that_failed_for_one_alone_holds_up_no_other_once_the_host_is_gone(void **state)
{
    (void)state;
    begin(3, 1);
    network.loss_percent = 0;
    network.lost_types[1] = network.lost_types[2] = 1u << BKSI_PACKET_COMPARE;
    while (!is_done(1) || !is_done(2)) {
        run_for(1);
        assert_true(network.now_ns < 60000 * TOY_MS);
    }
    say_stage(0, 1, session_of(1)->meeting.own.tick, BKSI_MEET_FAILED);
    network.lost_types[0] = 1u << BKSI_PACKET_MEET;
    assert_int_equal(bks_session_leave(session_of(0)), BKS_OK);
    run_for(60000);
    for (uint32_t i = 1; i < 3; i++) {
        assert_int_not_equal(phase_of(i), BKS_PHASE_RUNNING);
        assert_int_equal(bks_session_tick(session_of(i)), TICKS);
    }
    toy_destroy(&network);
}

static void a_member_that_was_silent_for_long_hears_how_it_ended(void **state)
{
    (void)state;
    tuned_drop = 30000;
    begin(3, 4);
    network.loss_percent = 0;
    while (!is_done(1)) {
        run_for(1);
        assert_true(network.now_ns < 60000 * TOY_MS);
    }
    network.peers[1].is_frozen = true;
    run_for(12000);
    network.peers[1].is_frozen = false;
    run_for(120000);
    assert_repaired(3);
    toy_destroy(&network);
}

static void a_member_that_speaks_to_the_host_alone_holds_up_no_other(void **state)
{
    (void)state;
    begin(3, 4);
    network.loss_percent = 0;
    drop_from = 4, drop_to = 2, drop_least = BKSI_MEET_DONE, drop_most = BKSI_MEET_ENDED;
    network.loses = loses_meet;
    play();
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(bks_session_status(session_of(i)), BKS_OVER);
        assert_int_equal(network.peers[i].events[BKS_EVENT_REPAIRED], 1);
        assert_true(network.peers[i].published[TICKS] == network.peers[0].published[TICKS]);
    }
    toy_destroy(&network);
}

static void members_that_decided_by_other_words_do_not_end_with_other_states(void **state)
{
    (void)state;
    begin(3, 1);
    network.loss_percent = 0;
    drop_from = 4, drop_to = 1, drop_least = BKSI_MEET_STATED, drop_most = BKSI_MEET_ENDED;
    network.loses = loses_meet;
    while (!is_done(1)) {
        run_for(1);
        assert_true(network.now_ns < 60000 * TOY_MS);
    }
    network.peers[2].is_frozen = true;
    network.cut[2] = ~0u;
    assert_played_on(3);
    toy_destroy(&network);
}

static bool has_restored_nothing;

static const char *watch_keep(const toy_peer *peer, const bks_op *op)
{
    (void)peer;
    if (op->kind == BKS_OP_RESTORE && op->keep == BKS_KEEP_NONE) {
        has_restored_nothing = true;
        return "keep is BKS_KEEP_NONE";
    }
    return NULL;
}

static void what_failed_is_not_restored(void **state)
{
    (void)state;
    has_restored_nothing = false;
    begin(2, 2);
    network.loss_percent = 0;
    network.peers[1].fails = watch_keep;
    const session_fetch *fetch = &session_of(1)->fetch;
    while (!(fetch->may_write && fetch->slots[0].step == FETCH_IS_ANSWERED)) {
        run_for(1);
        assert_true(network.now_ns < 60000 * TOY_MS);
    }
    say_stage(0, 1, session_of(1)->meeting.own.tick, BKSI_MEET_FAILED);
    run_for(200);
    assert_false(has_restored_nothing);
    toy_destroy(&network);
}

static void of_a_meeting_that_another_replaces_no_bytes_stay(void **state)
{
    (void)state;
    begin(2, 2);
    network.loss_percent = 0;
    network.peers[0].lies = true;
    drop_from = 1, drop_to = 2, drop_least = BKSI_MEET_FAILED, drop_most = BKSI_MEET_FAILED;
    network.loses = loses_meet;
    while (!session_of(1)->meeting.is_on) {
        run_for(1);
        assert_true(network.now_ns < 60000 * TOY_MS);
    }
    const bks_tick first = session_of(1)->meeting.own.tick;
    while (session_of(1)->meeting.own.tick == first) {
        run_for(1);
        assert_true(network.now_ns < 60000 * TOY_MS);
    }
    run_for(40);
    const uint32_t keep = bksi_rollback_find_kept(&session_of(1)->common.engine, first);
    if (keep != BKS_KEEP_NONE) {
        print_message("  kept of %d: %016llx, published %016llx\n", (int)first,
                      (unsigned long long)network.peers[1].kept[keep],
                      (unsigned long long)network.peers[1].published[first]);
    }
    assert_true(keep == BKS_KEEP_NONE ||
                network.peers[1].kept[keep] == network.peers[1].published[first]);
    toy_destroy(&network);
}

/// Say something to peer 1 as another peer would.
static bool hear(uint32_t from, const bksi_meet_message *message)
{
    bks_session *session = session_of(1);
    return bksi_meeting_heard(&session->meeting, &session->common, from, message);
}

static void run_until_tick(bks_tick tick)
{
    while (bks_session_tick(session_of(1)) < tick) {
        run_for(1);
        assert_true(network.now_ns < 60000 * TOY_MS);
    }
}

/// An answer to a question that is being fetched, of anything.
static void answer_anything(uint32_t to, uint32_t from)
{
    const session_fetch *fetch = &session_of(to)->fetch;
    const session_fetch_slot *slot = &fetch->slots[toy_random(&network, FETCH_ASKED_MAX)];
    if (fetch->stage != FETCH_ASKS || slot->step != FETCH_IS_ASKED || fetch->peer != from) {
        return;
    }
    bksi_compare_answer answer = {.to = slot->question, .oldest = BKS_TICK_NONE};
    answer.state_bytes =
        toy_random(&network, 8) > 0 ? fetch->state_bytes : 1 + toy_random(&network, UINT32_MAX);
    for (uint32_t i = 0; i < BKSI_COMPARE_RUNS_MAX; i++) {
        answer.differ[i] = (uint64_t)toy_random(&network, UINT32_MAX) << toy_random(&network, 33);
    }
    answer.bytes[0] = (uint8_t)toy_random(&network, 256);
    uint8_t body[BKSI_BODY_BYTES_MAX];
    bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
    bksi_compare_write_answer(&writer, &answer);
    inside_say(session_of(to), network.now_ns, session_of(from), BKSI_PACKET_COMPARE, body,
               writer.at);
}

static void whatever_is_answered_the_match_ends_and_no_one_waits_for_it(void **state)
{
    (void)state;
    for (seed = 1; seed <= 16; seed++) {
        begin(2, 2);
        network.delay_ns = 40 * TOY_MS;
        network.loss_percent = 0;
        network.lost_types[0] = 1u << BKSI_PACKET_COMPARE;
        while (phase_of(0) != BKS_PHASE_ENDED && phase_of(0) != BKS_PHASE_FAILED) {
            answer_anything(1, 0);
            run_for(5);
            assert_true(network.now_ns < 60000 * TOY_MS);
        }
        run_for(1000);
        for (uint32_t i = 0; i < 2; i++) {
            assert_int_equal(bks_session_status(session_of(i)), BKS_ERR_DESYNC);
            assert_int_equal(network.peers[i].events[BKS_EVENT_STARVED], 0);
            assert_in_range(network.peers[i].look_ops + network.peers[i].write_ops, 1, 20000);
        }
        toy_destroy(&network);
    }
}

/// One of the most that says another state later than the one by which all decided would have every
/// other take what no one else has.
static void what_a_peer_stated_stays(void **state)
{
    (void)state;
    begin(3, 0);
    run_until_tick(60);
    session_meeting *meeting = &session_of(1)->meeting;
    bksi_meet_message report = {
        .tick = 90, .stage = BKSI_MEET_STATED, .state = 1, .inputs = 2, .differing = 2};
    meeting->own.tick = 90;
    assert_true(hear(2, &report));
    report.stage = BKSI_MEET_DONE;
    report.state = report.inputs = report.differing = 9;
    report.since[1] = 5;
    assert_true(hear(2, &report));
    assert_int_equal(meeting->peers[2].report.stage, BKSI_MEET_DONE);
    assert_int_equal(meeting->peers[2].report.state, 1);
    assert_int_equal(meeting->peers[2].report.inputs, 2);
    assert_int_equal(meeting->peers[2].report.differing, 2);
    assert_int_equal(meeting->peers[2].report.since[1], 0);
    meeting->own.tick = BKS_TICK_NONE;
    toy_destroy(&network);
}

/// No host could call another meeting until such a tick came.
static void no_host_calls_a_meeting_that_never_comes(void **state)
{
    (void)state;
    tuned_ticks = 0;
    begin(3, 0);
    run_until_tick(60);
    const bks_tick head = bksi_common_own_head(&session_of(1)->common);
    const bks_tick far[] = {INT32_MAX, INT32_MAX - 1, head + 400};
    for (size_t i = 0; i < sizeof(far) / sizeof(far[0]); i++) {
        assert_false(hear(0, &(bksi_meet_message){.tick = far[i]}));
    }
    assert_int_equal(session_of(1)->meeting.announced, BKS_TICK_NONE);
    assert_true(hear(0, &(bksi_meet_message){.tick = head + 10}));
    assert_int_equal(session_of(1)->meeting.announced, head + 10);
    toy_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_state_of_one_becomes_that_of_the_others, reset),
        cmocka_unit_test_setup(of_two_the_hosts_state_counts, reset),
        cmocka_unit_test_setup(the_host_is_repaired_by_the_most, reset),
        cmocka_unit_test_setup(several_are_repaired_at_once, reset),
        cmocka_unit_test_setup(lockstep_is_repaired_too, reset),
        cmocka_unit_test_setup(
            all_have_the_same_again_within_four_round_trips_though_packets_get_lost, reset),
        cmocka_unit_test_setup(what_comes_before_all_have_said_what_they_have_is_not_written,
                               reset),
        cmocka_unit_test_setup(play_does_not_stop_for_it, reset),
        cmocka_unit_test_setup(the_third_within_a_minute_stops_the_match, reset),
        cmocka_unit_test_setup(with_guests_that_keep_no_states_it_stops, reset),
        cmocka_unit_test_setup(without_a_difference_nothing_is_said, reset),
        cmocka_unit_test_setup(the_repair_survives_a_host_that_is_gone, reset),
        cmocka_unit_test_setup(what_has_ended_for_the_host_fails_for_no_peer, reset),
        cmocka_unit_test_setup(whatever_is_answered_the_match_ends_and_no_one_waits_for_it, reset),
        cmocka_unit_test_setup(of_a_liar_nothing_is_taken_and_the_next_of_the_most_is_asked, reset),
        cmocka_unit_test_setup(where_all_of_the_most_lie_it_stops, reset),
        cmocka_unit_test_setup(a_meeting_of_which_one_alone_has_heard_outlives_the_host, reset),
        cmocka_unit_test_setup(a_member_that_vanishes_in_a_meeting_ends_nothing, reset),
        cmocka_unit_test_setup(
            a_meeting_that_failed_for_one_alone_holds_up_no_other_once_the_host_is_gone, reset),
        cmocka_unit_test_setup(a_member_that_was_silent_for_long_hears_how_it_ended, reset),
        cmocka_unit_test_setup(a_member_that_speaks_to_the_host_alone_holds_up_no_other, reset),
        cmocka_unit_test_setup(members_that_decided_by_other_words_do_not_end_with_other_states,
                               reset),
        cmocka_unit_test_setup(what_failed_is_not_restored, reset),
        cmocka_unit_test_setup(of_a_meeting_that_another_replaces_no_bytes_stay, reset),
        cmocka_unit_test_setup(what_a_peer_stated_stays, reset),
        cmocka_unit_test_setup(no_host_calls_a_meeting_that_never_comes, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
