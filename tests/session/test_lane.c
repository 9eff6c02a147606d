// SPDX-License-Identifier: MIT

// Bursts of commands, through the public calls: their bytes travel ahead of the ticks that take
// them. All members step the same commands at the same ticks, whoever leaves in the middle of a
// burst, and no tick waits for one.

#include <stdint.h>

enum { SEATS = 4, LONGEST = 3000, TICKS = 1200, DROP_MS = 2000 };

#include "base/mutant.h"
#include "session/command_match.h"
#include "wire/packet.h"

static void tune(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->command_bytes_max = LONGEST;
    config->command_room_bytes = 1 << 20;
    config->ticks = TICKS;
    config->tuning.window_ticks = 12;
    config->tuning.notify_after_ms = 300;
    config->tuning.drop_after_ms = DROP_MS;
    config->tuning.bulk_bytes = 4096;
}

static void begin(uint32_t peers, uint64_t seed)
{
    begin_match(peers, seed, tune);
    run_for(1500);
}

static void give_burst(uint32_t seat, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        give(seat, LONGEST);
    }
}

static void run_to_end(void)
{
    (void)toy_run_to_end(&network, network.now_ns + 40000 * TOY_MS);
}

static void a_burst_travels_ahead_and_delays_no_tick(void **state)
{
    (void)state;
    begin(3, 1);
    const bks_tick before = bks_session_tick(session_of(2));
    give_burst(1, 13);
    run_for(1500);
    const bks_tick now = bks_session_confirmed(session_of(2));
    assert_in_range(bks_session_tick(session_of(2)) - before, 88, 92);
    expect_same(7, now, 2);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(stats_of(i).starved_ticks, 0);
    }
    toy_destroy(&network);
}

static void commands_keep_their_order_whatever_their_size(void **state)
{
    (void)state;
    begin(3, 2);
    network.loss_percent = 10;
    network.duplicate_percent = 5;
    network.jitter_ns = 30 * TOY_MS;
    for (uint32_t i = 0; i < 1000; i++) {
        for (uint32_t seat = 0; seat < 3; seat++) {
            if (seed_below(20) == 0) {
                give(seat, 1 + seed_below(60));
            } else if (seed_below(100) == 0) {
                give_burst(seat, 1 + seed_below(4));
            }
        }
        run_for(10);
    }
    run_to_end();
    assert_true(given_count[0] > 20000 && given_count[1] > 20000 && given_count[2] > 20000);
    expect_same(7, TICKS, 7);
    toy_destroy(&network);
}

/// The owner's streams wait for the lane, and carry on after it.
static void a_stream_of_the_owner_arrives_whole_beside_a_burst(void **state)
{
    (void)state;
    begin(2, 3);
    uint8_t bytes[1000];
    uint64_t written = 0, read = 0;
    give_burst(0, 10);
    for (uint32_t i = 0; i < 1000 && read < 20000; i++) {
        size_t count = 0;
        for (uint32_t k = 0; k < sizeof(bytes); k++) {
            bytes[k] = (uint8_t)((written + k) * 31);
        }
        const size_t left = (size_t)(20000 - written);
        const size_t most = left < sizeof(bytes) ? left : sizeof(bytes);
        assert_int_equal(bks_session_bulk_write(session_of(0), 1, bytes, most, &count), BKS_OK);
        written += count;
        run_for(10);
        assert_int_equal(bks_session_bulk_read(session_of(1), 0, bytes, sizeof(bytes), &count),
                         BKS_OK);
        for (uint32_t k = 0; k < count; k++) {
            assert_int_equal(bytes[k], (uint8_t)((read + k) * 31));
        }
        read += count;
    }
    assert_int_equal(read, 20000);
    run_for(500);
    expect_same(3, bks_session_confirmed(session_of(1)), 1);
    toy_destroy(&network);
}

// ---- leavers ----

/// Peer 0 gets the lane of peer 2 and no INPUT.
static bool loses_inputs(const toy_network *toy, uint32_t from, uint32_t to, const uint8_t *bytes,
                         size_t count)
{
    (void)toy;
    (void)count;
    return from == 2 && to == 0 && bytes[0] >> 4 == BKSI_PACKET_INPUT;
}

/// Play a match in which peer 2 crashes in the middle of a burst, after peer 0 missed its last
/// ticks.
/// @param ms  time from the burst to the crash
static void crash_in_a_burst(uint32_t ms)
{
    begin(3, 20 + ms);
    for (uint32_t i = 0; i < 3; i++) {
        give(2, 900);
    }
    network.loses = loses_inputs;
    run_for(ms);
    for (uint32_t i = 0; i < 3; i++) {
        toy_cut(&network, 2, i, i != 2);
    }
    network.peers[2].is_frozen = true;
    run_to_end();
    assert_int_equal(phase_of(0), BKS_PHASE_ENDED);
    assert_int_equal(phase_of(1), BKS_PHASE_ENDED);
    assert_false(roster_of(0).is_in[2]);
}

static void the_burst_of_a_leaver_is_the_same_for_all_that_stay(void **state)
{
    (void)state;
    uint32_t partly = 0;
    for (uint32_t ms = 60; ms < 500; ms += 20) {
        crash_in_a_burst(ms);
        expect_same(3, TICKS, 0);
        uint32_t bytes = 0;
        (void)is_same(3, TICKS, 2, &bytes);
        partly += bytes > 0;
        toy_destroy(&network);
    }
    assert_in_range(partly, 3, 22);
}

static void a_lane_of_the_dead_that_is_ignored_is_seen(void **state)
{
    (void)state;
    uint32_t differ = 0;
    const bksi_mutant before = bksi_mutant_set(BKSI_MUTANT_LANE_DEAD);
    for (uint32_t ms = 60; ms < 500; ms += 20) {
        crash_in_a_burst(ms);
        uint32_t bytes = 0;
        differ += !is_same(3, TICKS, 2, &bytes);
        toy_destroy(&network);
    }
    (void)bksi_mutant_set(before);
    assert_true(differ > 0);
}

static void a_goodbye_in_the_middle_of_a_burst_ends_it_for_all_alike(void **state)
{
    (void)state;
    for (uint32_t ms = 0; ms < 600; ms += 60) {
        begin(3, 40 + ms);
        network.jitter_ns = 20 * TOY_MS;
        network.loss_percent = 5;
        give_burst(2, 8);
        give_burst(1, 2);
        run_for(ms);
        assert_int_equal(bks_session_leave(session_of(2)), BKS_OK);
        run_to_end();
        assert_false(roster_of(0).is_in[2]);
        expect_same(3, TICKS, 3);
        toy_destroy(&network);
    }
}

/// The burst waits for peer 2 as well, until the others drop it.
static void a_burst_waits_for_a_silent_member_until_it_is_dropped(void **state)
{
    (void)state;
    begin(3, 50);
    network.peers[2].is_frozen = true;
    give_burst(1, 5);
    run_for(DROP_MS + 2000);
    assert_false(roster_of(0).is_in[2]);
    expect_same(3, bks_session_confirmed(session_of(0)), 2);
    toy_destroy(&network);
}

/// Peers 2 and 3 sleep one after the other. The ballot about peer 2 needs the answer of peer 3, so
/// it is withdrawn when peer 2 is back.
static void a_ballot_that_is_withdrawn_leaves_the_lanes_as_they_were(void **state)
{
    (void)state;
    for (uint32_t ms = 0; ms < 300; ms += 30) {
        begin(4, 60 + ms);
        give_burst(2, 4);
        give_burst(0, 2);
        run_for(ms);
        network.peers[2].is_frozen = true;
        run_for(DROP_MS - 400);
        network.peers[3].is_frozen = true;
        run_for(800);
        bool has_ballot = false;
        for (uint32_t i = 0; i < 2; i++) {
            has_ballot |= (session_of(i)->common.membership.frozen & 4) != 0;
        }
        assert_true(has_ballot);
        network.peers[2].is_frozen = false;
        give_burst(2, 2);
        run_for(200);
        network.peers[3].is_frozen = false;
        give(1, 10);
        run_to_end();
        for (uint32_t i = 0; i < 4; i++) {
            assert_int_equal(phase_of(i), BKS_PHASE_ENDED);
            assert_true(roster_of(0).is_in[i]);
        }
        expect_same(15, TICKS, 15);
        toy_destroy(&network);
    }
}

static void both_sides_of_a_split_step_the_same_commands_on_their_side(void **state)
{
    (void)state;
    for (uint32_t ms = 0; ms < 400; ms += 50) {
        begin(4, 70 + ms);
        give_burst(0, 4);
        give_burst(3, 4);
        run_for(ms);
        for (uint32_t i = 0; i < 3; i++) {
            toy_cut(&network, 3, i, true);
        }
        give_burst(0, 2);
        run_for(2 * DROP_MS + 2000);
        give_burst(1, 2);
        run_for(1000);
        assert_false(roster_of(0).is_in[3]);
        expect_same(7, bks_session_confirmed(session_of(0)), 3);
        for (uint32_t i = 0; i < 3; i++) {
            toy_cut(&network, 3, i, false);
        }
        run_to_end();
        expect_same(7, TICKS, 3);
        assert_int_equal(network.peers[3].events[BKS_EVENT_DROPPED], 1);
        toy_destroy(&network);
    }
}

static void a_match_ends_in_the_middle_of_a_burst(void **state)
{
    (void)state;
    begin(2, 80);
    while (bks_session_tick(session_of(1)) < TICKS - 20) {
        run_for(10);
    }
    give_burst(1, 20);
    assert_true(toy_run_to_end(&network, network.now_ns + 3000 * TOY_MS));
    expect_same(3, TICKS, 0);
    toy_destroy(&network);
}

static void a_narrow_line_brings_a_burst_in_the_end_and_ticks_go_on(void **state)
{
    (void)state;
    begin(2, 81);
    network.narrow[1] = 1;
    network.narrow_every = 3;
    const bks_tick before = bks_session_confirmed(session_of(0));
    give_burst(1, 2);
    run_for(10000);
    assert_in_range(bks_session_confirmed(session_of(0)) - before, 500, 601);
    expect_same(3, bks_session_confirmed(session_of(0)), 2);
    toy_destroy(&network);
}

// ---- liars ----

/// Tell peer 0 that peer 2 sampled one more tick, whose commands are the next bytes of its lane.
/// @return true if peer 0 took the tick
static bool is_taken(uint32_t count)
{
    const bksi_blob blob = {.count = count, .is_ahead = true};
    return is_taken_by(0, 2, &blob);
}

/// Tell peer 0 bytes of the lane of peer 2.
/// @return true if peer 0 took the message
static bool tell_lane(uint32_t place, const void *bytes, size_t count)
{
    uint8_t body[BKSI_BODY_BYTES_MAX] = {[BKSI_ECHO_BYTES - 1] = BKSI_HOLD_NONE};
    bksi_byte_writer writer =
        bksi_byte_writer_over(body + BKSI_ECHO_BYTES, sizeof(body) - BKSI_ECHO_BYTES);
    const bksi_bulk_message message = {
        .is_lane = true, .has_data = true, .place = place, .bytes = count, .data = bytes};
    bksi_bulk_message_write(&writer, &message);
    const uint64_t refused = session_of(0)->packets.refused;
    inside_say(session_of(0), network.now_ns, session_of(2), BKSI_PACKET_BULK, body,
               BKSI_ECHO_BYTES + writer.at);
    return session_of(0)->packets.refused == refused;
}

/// Tell peer 0 a piece of the lane of peer 2 whose bytes are not packed.
/// @return place behind the piece
static uint32_t tell_plain(uint32_t place, const char *bytes, uint8_t count)
{
    uint8_t piece[BKSI_PIECE_HEAD_BYTES + UINT8_MAX] = {(uint8_t)(count - 1)};
    memcpy(piece + BKSI_PIECE_HEAD_BYTES, bytes, count);
    assert_true(tell_lane(place, piece, BKSI_PIECE_HEAD_BYTES + (size_t)count));
    return place + BKSI_PIECE_HEAD_BYTES + count;
}

static void begin_with_liar(void)
{
    begin(3, 90);
    network.peers[2].is_frozen = true;
    run_for(200);
}

/// Check that peer 0 takes no tick of these bytes of its lane from the liar and none after it, and
/// lets it go.
static void expect_refused(uint32_t count)
{
    assert_false(is_taken(count));
    assert_false(is_taken(3));
    run_for(7000);
    assert_false(roster_of(0).is_in[2]);
    toy_destroy(&network);
}

/// No honest peer names bytes that have not come, so nothing more of the liar is taken.
static void a_tick_takes_nothing_that_its_lane_does_not_have(void **state)
{
    (void)state;
    static const uint32_t counts[] = {6, BKSI_BLOB_BYTES_MAX};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        begin_with_liar();
        (void)tell_plain(0, "\1\0x\2\0", 5);
        expect_refused(counts[i]);
    }
    begin_with_liar();
    assert_true(tell_lane(0, "\5\0\1\0x", 5)); // half of a piece
    expect_refused(3);
    begin_with_liar();
    assert_true(tell_lane(0, "\2", 1)); // half of its head
    expect_refused(3);
}

/// A tick names the plain bytes of whole pieces.
static void a_piece_that_is_damaged_or_has_another_size_is_refused(void **state)
{
    (void)state;
    enum { COUNT = 600 };
    static const uint8_t plain[COUNT] = {(COUNT / 2 - 2) & 255, 1,
                                         [COUNT / 2] = (COUNT / 2 - 2) & 255, 1};
    for (uint32_t i = 0; i < 5; i++) {
        begin_with_liar();
        uint8_t piece[BKSI_PIECE_HEAD_BYTES + COUNT];
        const bksi_blob blob = {.bytes = plain, .count = COUNT};
        const uint32_t size =
            bksi_burst_pack(&session_of(2)->inputs.runs.lane.packer, &blob, piece);
        assert_in_range(size, 10, 100);
        piece[BKSI_PIECE_HEAD_BYTES] ^= i == 1; // no frame of zstd
        piece[1] ^= i == 2 ? 0x80 : 0;          // a frame as if it were commands
        assert_true(tell_lane(0, piece, size));
        static const uint32_t named[] = {COUNT, COUNT, 20, COUNT - 1, COUNT + 1};
        if (i > 0) {
            expect_refused(named[i]);
            continue;
        }
        assert_true(is_taken(COUNT));
        toy_destroy(&network);
    }
}

/// A sender has no more pieces under way at once, so tiny ones cost little time.
static void a_tick_of_more_pieces_than_a_sender_has_under_way_is_refused(void **state)
{
    (void)state;
    for (uint32_t more = 0; more < 2; more++) {
        begin_with_liar();
        const uint32_t pieces = BKSI_LANE_PIECES + more;
        uint32_t place = 0;
        for (uint32_t i = 0; i < pieces; i++) {
            place = tell_plain(place, "\1\0x", 3);
        }
        if (more > 0) {
            expect_refused(3 * pieces);
            continue;
        }
        assert_true(is_taken(3 * pieces));
        toy_destroy(&network);
    }
}

/// A liar sends bytes of its lane to peer 0 alone.
static void the_chain_of_inputs_shows_who_sends_a_lane_to_some_only(void **state)
{
    (void)state;
    begin_with_liar();
    uint32_t place = tell_plain(0, "\1\0x", 3);
    place = tell_plain(place, "\2\0", 2);
    assert_true(is_taken(3));
    assert_true(is_taken(2));
    place = tell_plain(place, "a", 1);
    place = tell_plain(place, "b", 1);
    (void)tell_plain(place, "\0\0c", 3);
    assert_true(is_taken(2));
    assert_false(is_taken(3)); // a command of no bytes
    assert_false(tell_lane(BKSI_LANE_BYTES + 100, "x", 1));
    assert_int_equal(bks_session_drop(session_of(0), 2), BKS_OK);
    run_for(3000);
    assert_false(roster_of(0).is_in[2]);
    // Peer 1 has these ticks from peer 0, and not the bytes. The chain of inputs shows the liar.
    assert_true(network.peers[0].events[BKS_EVENT_DESYNC] > 0);
    const bks_tick before = bks_session_confirmed(session_of(1));
    run_for(1000);
    assert_in_range(bks_session_confirmed(session_of(1)) - before, 55, 65);
    toy_destroy(&network);
}

static void tune_without(bks_session_config *config, uint32_t peer)
{
    tune(config, peer);
    config->command_bytes_max = 0;
    config->command_room_bytes = 0;
}

static void a_game_without_commands_refuses_a_lane(void **state)
{
    (void)state;
    toy_create(&network, 3, 91, tune_without);
    run_for(1500);
    assert_false(tell_lane(0, "\1\0x", 3));
    toy_destroy(&network);
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 32);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_burst_travels_ahead_and_delays_no_tick),
        cmocka_unit_test(commands_keep_their_order_whatever_their_size),
        cmocka_unit_test(a_stream_of_the_owner_arrives_whole_beside_a_burst),
        cmocka_unit_test(the_burst_of_a_leaver_is_the_same_for_all_that_stay),
        cmocka_unit_test(a_lane_of_the_dead_that_is_ignored_is_seen),
        cmocka_unit_test(a_goodbye_in_the_middle_of_a_burst_ends_it_for_all_alike),
        cmocka_unit_test(a_burst_waits_for_a_silent_member_until_it_is_dropped),
        cmocka_unit_test(a_ballot_that_is_withdrawn_leaves_the_lanes_as_they_were),
        cmocka_unit_test(both_sides_of_a_split_step_the_same_commands_on_their_side),
        cmocka_unit_test(a_match_ends_in_the_middle_of_a_burst),
        cmocka_unit_test(a_narrow_line_brings_a_burst_in_the_end_and_ticks_go_on),
        cmocka_unit_test(a_tick_takes_nothing_that_its_lane_does_not_have),
        cmocka_unit_test(a_piece_that_is_damaged_or_has_another_size_is_refused),
        cmocka_unit_test(a_tick_of_more_pieces_than_a_sender_has_under_way_is_refused),
        cmocka_unit_test(the_chain_of_inputs_shows_who_sends_a_lane_to_some_only),
        cmocka_unit_test(a_game_without_commands_refuses_a_lane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
