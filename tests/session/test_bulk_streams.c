// SPDX-License-Identifier: MIT

// Streams of bytes beside the match: whole and in order whatever the network does, and an end that
// says so when a peer or the match is gone.

#include <string.h>

#include "session/inside.h"
#include "session/one_network.h"
#include "support/seed.h"

#define BUFFER 4096u

static uint64_t written[TOY_PEERS_MAX][TOY_PEERS_MAX]; ///< from, to
static uint64_t read[TOY_PEERS_MAX][TOY_PEERS_MAX];    ///< from, to
static uint32_t without;                               ///< bits of peers that have no streams

static void tune(bks_session_config *config, uint32_t peer)
{
    config->ticks = 900;
    config->tuning.drop_after_ms = 2000;
    config->tuning.bulk_bytes = (without >> peer & 1) != 0 ? 0 : BUFFER;
}

static void begin(uint32_t peers, uint32_t bits_without)
{
    memset(written, 0, sizeof(written));
    memset(read, 0, sizeof(read));
    without = bits_without;
    toy_create(&network, peers, seed_next(), tune);
}

/// Byte at a place of a stream.
static uint8_t byte_at(uint32_t from, uint32_t to, uint64_t place)
{
    return (uint8_t)((place * 2654435761u + from * 8 + to) >> 11);
}

/// Write as much as is taken, up to a place.
static bks_status write_up_to(uint32_t from, uint32_t to, uint64_t end)
{
    uint8_t chunk[700];
    bks_status status = BKS_OK;
    size_t taken = 1;
    while (written[from][to] < end && taken > 0 && status == BKS_OK) {
        const uint64_t left = end - written[from][to];
        const size_t count = left < sizeof(chunk) ? (size_t)left : sizeof(chunk);
        for (size_t i = 0; i < count; i++) {
            chunk[i] = byte_at(from, to, written[from][to] + i);
        }
        status = bks_session_bulk_write(session_of(from), to, chunk, count, &taken);
        written[from][to] += taken;
    }
    return status;
}

static bks_status read_all(uint32_t from, uint32_t to)
{
    uint8_t chunk[500];
    bks_status status = BKS_OK;
    size_t count = 1;
    while (count > 0) {
        status = bks_session_bulk_read(session_of(to), from, chunk, sizeof(chunk), &count);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(chunk[i], byte_at(from, to, read[from][to] + i));
        }
        assert_true(count == 0 || status == BKS_OK);
        read[from][to] += count;
    }
    return status;
}

/// Everyone writes to everyone, up to a place, and reads, for a time.
static void stream_for(uint64_t ms, uint64_t end)
{
    for (uint64_t passed = 0; passed < ms; passed += 10) {
        for (uint32_t i = 0; i < network.peer_count * network.peer_count; i++) {
            const uint32_t from = i / network.peer_count;
            const uint32_t to = i % network.peer_count;
            if (from != to && ((without >> from | without >> to) & 1) == 0) {
                (void)write_up_to(from, to, end);
                (void)read_all(from, to);
            }
        }
        run_for(10);
    }
}

static void assert_agreed(void)
{
    assert_true(toy_run_to_end(&network, 60000 * TOY_MS));
    const uint64_t wanted = toy_straight_run(network.peer_count, 900, network.hold_input_ticks);
    for (uint32_t i = 0; i < network.peer_count; i++) {
        uint64_t hash = 0;
        assert_int_equal(bks_session_hash(session_of(i), 900, &hash), BKS_OK);
        assert_true(hash == wanted);
    }
}

static void streams_arrive_whole_and_in_order_beside_the_match(void **state)
{
    (void)state;
    begin(3, 0);
    network.loss_percent = 10;
    network.duplicate_percent = 10;
    network.corrupt_percent = 5;
    network.jitter_ns = 20 * TOY_MS;
    stream_for(12000, 20000);
    for (uint32_t i = 0; i < 9; i++) {
        assert_int_equal(read[i / 3][i % 3], i / 3 != i % 3 ? 20000 : 0);
        assert_int_equal(bks_session_bulk_pending(session_of(i / 3), i % 3), 0);
    }
    assert_agreed();
    toy_destroy(&network);
}

/// Echoes go with the stream's messages then, not with INPUTs.
static void peers_are_known_to_hear_us_beside_a_stream(void **state)
{
    (void)state;
    begin(2, 0);
    network.delay_ns = 40 * TOY_MS;
    run_for(2000);
    for (uint32_t i = 0; i < 40; i++) {
        stream_for(100, 1000000);
        for (uint32_t k = 0; k < 2; k++) {
            const bks_session *session = session_of(k);
            assert_true(bksi_liveness_is_fine(&session->inputs.liveness, &session->common, 1 - k));
        }
    }
    assert_agreed();
    toy_destroy(&network);
}

static void a_stream_begins_with_the_match_and_ends_with_it(void **state)
{
    (void)state;
    begin(2, 0);
    size_t count = 1;
    assert_int_equal(bks_session_bulk_write(session_of(0), 1, "early", 5, &count), BKS_OK);
    assert_int_equal(count, 0);
    assert_int_equal(bks_session_bulk_read(session_of(0), 1, &count, 1, &count), BKS_OK);
    run_for(3000);
    assert_int_equal(bks_session_bulk_write(session_of(0), 1, "", 0, &count), BKS_OK);
    assert_int_equal(write_up_to(0, 1, 3000), BKS_OK);
    assert_int_equal(bks_session_bulk_pending(session_of(0), 1), 3000);
    assert_true(toy_run_to_end(&network, 60000 * TOY_MS));
    // Bytes that came can still be read.
    assert_int_equal(read_all(0, 1), BKS_OVER);
    assert_int_equal(read[0][1], 3000);
    assert_int_equal(write_up_to(0, 1, 3001), BKS_OVER);
    assert_int_equal(written[0][1], 3000);
    toy_destroy(&network);
}

static void a_buffer_that_is_full_takes_no_more_until_it_is_read(void **state)
{
    (void)state;
    begin(2, 0);
    run_for(2000);
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(write_up_to(0, 1, 100000), BKS_OK);
        run_for(20);
    }
    assert_int_equal(written[0][1], 2 * BUFFER); // theirs is full, and so is ours
    assert_int_equal(bks_session_bulk_pending(session_of(0), 1), BUFFER);
    stream_for(3000, 3 * BUFFER);
    assert_int_equal(read[0][1], 3 * BUFFER);
    toy_destroy(&network);
}

static void a_stream_wakes_its_session(void **state)
{
    (void)state;
    begin(2, 0);
    run_for(2000);
    for (uint32_t i = 1; i <= 20; i++) {
        run_for(203); // anywhere between two ticks
        assert_true(bks_session_wake(session_of(0)) > network.now_ns);
        assert_int_equal(write_up_to(0, 1, 100 * i), BKS_OK);
        assert_true(bks_session_wake(session_of(0)) <= network.now_ns);
        stream_for(300, 100 * i);
        assert_int_equal(read[0][1], 100 * i);
    }
    toy_destroy(&network);
}

static void the_stream_of_a_peer_that_left_ends_once_it_is_read(void **state)
{
    (void)state;
    begin(3, 0);
    stream_for(3000, 1000);
    assert_int_equal(write_up_to(1, 2, 2000), BKS_OK);
    run_for(1000);
    assert_int_equal(bks_session_leave(session_of(1)), BKS_OK);
    assert_int_equal(write_up_to(1, 2, 3000), BKS_OVER);
    run_for(500);
    assert_int_equal(write_up_to(2, 1, 3000), BKS_ERR_PEER_LOST);
    assert_int_equal(read_all(1, 2), BKS_ERR_PEER_LOST);
    assert_int_equal(read[1][2], 2000);
    assert_int_equal(write_up_to(0, 2, 3000), BKS_OK); // the others continue
    stream_for(1000, 3000);
    assert_int_equal(read[0][2], 3000);
    toy_destroy(&network);
}

static void a_peer_that_is_dropped_ends_its_stream(void **state)
{
    (void)state;
    begin(3, 0);
    stream_for(2000, 1000);
    network.peers[1].is_frozen = true;
    run_for(500);
    assert_int_equal(write_up_to(0, 1, 2000), BKS_OK);
    run_for(3500);
    assert_int_equal(write_up_to(0, 1, 2001), BKS_ERR_PEER_LOST);
    assert_int_equal(read_all(1, 0), BKS_ERR_PEER_LOST);
    assert_int_equal(read[1][0], 1000);
    toy_destroy(&network);
}

static void a_cut_and_what_it_lost_are_made_up_for(void **state)
{
    (void)state;
    begin(2, 0);
    stream_for(2000, 20000);
    toy_cut(&network, 0, 1, true);
    stream_for(1500, 20000);
    toy_cut(&network, 0, 1, false);
    stream_for(6000, 20000);
    assert_int_equal(read[0][1], 20000);
    assert_int_equal(read[1][0], 20000);
    assert_agreed();
    toy_destroy(&network);
}

static void a_third_peer_carries_streams(void **state)
{
    (void)state;
    begin(3, 0);
    stream_for(2000, 1000);
    toy_cut(&network, 0, 1, true);
    stream_for(6000, 12000);
    assert_int_equal(read[0][1], 12000);
    assert_int_equal(read[1][0], 12000);
    assert_agreed();
    toy_destroy(&network);
}

static void a_peer_without_streams_refuses_them_and_plays(void **state)
{
    (void)state;
    begin(2, 2);
    run_for(2000);
    size_t count = 1;
    assert_int_equal(bks_session_bulk_write(session_of(1), 0, "x", 1, &count), BKS_ERR_UNSUPPORTED);
    assert_int_equal(count, 0);
    assert_int_equal(bks_session_bulk_read(session_of(1), 0, &count, 1, &count),
                     BKS_ERR_UNSUPPORTED);
    assert_int_equal(bks_session_bulk_pending(session_of(1), 0), 0);
    assert_int_equal(write_up_to(0, 1, 2000), BKS_OK);
    const uint64_t refused = stats_of(1).packets_refused;
    run_for(2000);
    // The receiver is asked for room a few times a second.
    assert_in_range(stats_of(1).packets_refused - refused, 4, 10);
    assert_agreed();
    toy_destroy(&network);
}

/// A member may say what it likes: what is refused changes nothing, and nothing else breaks.
static void wrong_messages_are_refused_or_bounded(void **state)
{
    (void)state;
    begin(3, 0);
    stream_for(2000, 1000);
    for (uint32_t i = 0; i < 3000; i++) {
        uint8_t body[300];
        const size_t count = seed_below(8) == 0 ? seed_below(16) : seed_below(sizeof(body));
        for (size_t k = 0; k < count; k++) {
            body[k] = (uint8_t)(seed_below(3) == 0 ? seed_below(4) : seed_below(256));
        }
        if (count > BKSI_ECHO_BYTES) {
            body[BKSI_ECHO_BYTES] = (uint8_t)seed_below(5);
        }
        inside_say(session_of(0), network.now_ns, session_of(1), BKSI_PACKET_BULK, body, count);
        size_t taken = 0;
        assert_int_equal(bks_session_bulk_read(session_of(0), 1, body, seed_below(2), &taken),
                         BKS_OK);
        if (i % 30 == 0) {
            run_for(10);
        }
    }
    assert_true(stats_of(0).packets_refused > 1000);
    // The streams with another peer did not notice.
    for (uint32_t i = 0; i < 20; i++) {
        assert_int_equal(write_up_to(2, 0, 5000), BKS_OK);
        run_for(100);
        assert_int_equal(read_all(2, 0), BKS_OK);
    }
    assert_int_equal(read[2][0], 5000);
    toy_destroy(&network);
}

/// Report to peer 0, in the name of peer 1, that all before a place of its stream came.
static void claim(uint64_t floor)
{
    uint8_t body[100];
    const bksi_echo echo = {.hold = BKSI_HOLD_NONE};
    const bksi_bulk_message message = {
        .has_report = true, .report = {.floor = (uint32_t)floor, .window = BKSI_BULK_WINDOW_MAX}};
    bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
    bksi_echo_write(&writer, &echo);
    bksi_bulk_message_write(&writer, &message);
    inside_say(session_of(0), network.now_ns, session_of(1), BKSI_PACKET_BULK, body, writer.at);
}

/// The sender then stops for no round trip, but for its pace; and the others play on.
static void a_claim_that_all_came_is_believed_as_far_as_it_went(void **state)
{
    (void)state;
    begin(3, 0);
    run_for(2000);
    const bksi_bulk_out *out = &session_of(0)->bulk.streams[0].out;
    const uint64_t starved = stats_of(2).starved_ticks;
    const uint64_t span_ms = 3000;
    for (uint64_t i = 0; i < span_ms; i++) {
        assert_int_equal(write_up_to(0, 1, UINT64_MAX), BKS_OK);
        run_for(1);
        const uint64_t refused = stats_of(0).packets_refused;
        const uint64_t floor = out->floor;
        claim(out->sent + 1);
        assert_int_equal(stats_of(0).packets_refused, refused + 1);
        assert_true(out->floor == floor);
        claim(out->sent);
        assert_true(out->floor == out->sent);
    }
    assert_true(out->sent > (uint64_t)3 * BUFFER);
    assert_true((double)out->sent < 12.5e3 * (double)span_ms);
    assert_int_equal(stats_of(2).starved_ticks, starved);
    assert_agreed();
    toy_destroy(&network);
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 20261122);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_arrive_whole_and_in_order_beside_the_match),
        cmocka_unit_test(peers_are_known_to_hear_us_beside_a_stream),
        cmocka_unit_test(a_stream_begins_with_the_match_and_ends_with_it),
        cmocka_unit_test(a_buffer_that_is_full_takes_no_more_until_it_is_read),
        cmocka_unit_test(a_stream_wakes_its_session),
        cmocka_unit_test(the_stream_of_a_peer_that_left_ends_once_it_is_read),
        cmocka_unit_test(a_peer_that_is_dropped_ends_its_stream),
        cmocka_unit_test(a_cut_and_what_it_lost_are_made_up_for),
        cmocka_unit_test(a_third_peer_carries_streams),
        cmocka_unit_test(a_peer_without_streams_refuses_them_and_plays),
        cmocka_unit_test(wrong_messages_are_refused_or_bounded),
        cmocka_unit_test(a_claim_that_all_came_is_believed_as_far_as_it_went),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
