// SPDX-License-Identifier: MIT

// A source that serves on what another one sends.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "feed/feed_match.h"
#include "replay/format/replay_format.h"

#define STATE_BYTES ((size_t)1 << 20)

/// A recording that a watcher of a match has.
typedef struct recording {
    uint8_t bytes[1 << 20];
    size_t begun; ///< bytes of its beginning
    size_t count;
} recording;

static recording made;

static void make_recording(void)
{
    const bksi_feed_source_config config = feed_config(1);
    feed_network *network = feed_open(2, 600, &config);
    feed_come(network, 0);
    feed_run_until(network, 3 * SECOND_NS);
    const bksi_feed_receiver *receiver = &network->watchers[0].receiver;
    made.begun = receiver->begun;
    made.count = bksi_feed_receiver_bytes(receiver);
    assert_in_range(made.begun, 1, made.count - 1);
    assert_in_range(made.count, 1, sizeof(made.bytes));
    memcpy(made.bytes, receiver->bytes, made.count);
    feed_close(network);
}

static bksi_feed_source *make_source(void)
{
    static bksi_feed_source source;
    const bksi_feed_source_config config = feed_config(2);
    const uint8_t identity[BKS_KEY_BYTES] = {33};
    assert_int_equal(bksi_feed_source_create(&source, &config, identity), BKS_OK);
    return &source;
}

static bksi_feed_receiver *make_receiver(void)
{
    static bksi_feed_receiver receiver;
    bksi_feed_receiver_config config = {.source = {.length = 2, .bytes = {9, 1}},
                                        .identity = {44},
                                        .entropy = {45},
                                        .timeout_ns = BKSI_FEED_TIMEOUT_NS,
                                        .bytes_max = BKSI_FEED_BYTES_MAX};
    bksi_feed_key(feed_match_key, config.key);
    assert_int_equal(bksi_feed_receiver_create(&receiver, &config), BKS_OK);
    return &receiver;
}

/// Carry packets between a source and a receiver for a while.
static void carry(bksi_feed_source *source, bksi_feed_receiver *receiver, uint64_t from_ns,
                  uint64_t until_ns)
{
    const bks_address there = {.length = 2, .bytes = {9, 1}};
    const bks_address here = {.length = 2, .bytes = {9, 2}};
    uint8_t packet[BKS_PACKET_BYTES_MAX];
    bks_address to;
    size_t count;
    for (uint64_t now_ns = from_ns; now_ns < until_ns; now_ns += 10000000) {
        (void)bksi_feed_receiver_update(receiver, now_ns);
        while ((count = bksi_feed_receiver_send(receiver, &to, packet, now_ns)) > 0) {
            bksi_feed_source_receive(source, now_ns, &here, packet, count);
        }
        bksi_feed_source_relay(source, now_ns);
        while ((count = bksi_feed_source_send(source, &to, packet, now_ns)) > 0) {
            bksi_feed_receiver_receive(receiver, now_ns, &there, packet, count);
        }
    }
}

/// Watch through a source that says how many watchers lie between it and the match.
/// @return why it was refused, BKSI_FEED_REASONS: it was not
static uint32_t watch_through(uint32_t hops, bool is_told_later)
{
    bksi_feed_source *source = make_source();
    bksi_feed_receiver *receiver = make_receiver();
    const bksi_feed_members far = {.hops = hops};
    const bksi_feed_members near = {.hops = 1};
    assert_int_equal(bksi_feed_source_start_passing(source, made.bytes, made.begun, STATE_BYTES, 0),
                     BKS_OK);
    bksi_feed_source_name(source, is_told_later ? &near : &far);
    carry(source, receiver, SECOND_NS, 2 * SECOND_NS);
    bksi_feed_source_name(source, &far);
    carry(source, receiver, 2 * SECOND_NS, 3 * SECOND_NS);
    const uint32_t reason = receiver->reason;
    bksi_feed_receiver_destroy(receiver);
    bksi_feed_source_destroy(source);
    return reason;
}

static void watchers_more_than_four_hops_from_the_match_are_refused(void **state)
{
    (void)state;
    assert_int_equal(watch_through(4, false), BKSI_FEED_REASONS);
    assert_int_equal(watch_through(5, false), BKSI_FEED_TOO_FAR);
    assert_int_equal(watch_through(5, true), BKSI_FEED_TOO_FAR);
    assert_int_equal(watch_through(255, false), BKSI_FEED_TOO_FAR);
}

/// Write HEAD anew with other bytes at an offset in its payload, or more bytes behind it.
/// @return status of serving on that beginning
static bks_status start_with(size_t at, const void *other, size_t count, size_t more)
{
    static uint8_t bytes[sizeof(made.bytes)];
    uint8_t *head = bytes + BKSI_PREAMBLE_BYTES;
    memcpy(bytes, made.bytes, made.begun);
    const size_t payload_bytes = bksi_get_u32(head + 4);
    memcpy(head + BKSI_RECORD_HEAD_BYTES + at, other, count);
    memset(head + BKSI_RECORD_HEAD_BYTES + payload_bytes, 0, more);
    (void)bksi_record_finish(head, BKSI_RECORD_HEAD, payload_bytes + more, BKSI_PREAMBLE_BYTES);
    bksi_feed_source *source = make_source();
    const bks_status status =
        bksi_feed_source_start_passing(source, bytes, made.begun + more, STATE_BYTES, 0);
    bksi_feed_source_destroy(source);
    return status;
}

static void a_beginning_that_cannot_be_written_anew_is_refused(void **state)
{
    (void)state;
    const uint8_t *payload = made.bytes + BKSI_PREAMBLE_BYTES + BKSI_RECORD_HEAD_BYTES;
    // The name, the version, the build, the rate, the players and the seed lie before the slots.
    const size_t build = 1u + payload[0] + 4;
    const size_t slots = build + 1 + payload[build] + 4 + 4 + 8;
    const uint32_t blocks = 65535;
    uint8_t none = 0;
    assert_int_equal(start_with(0, &none, 0, 0), BKS_OK);
    assert_int_equal(start_with(slots, &blocks, sizeof(blocks), 0), BKS_ERR_DAMAGED);
    assert_int_equal(start_with(0, &none, 0, 1), BKS_ERR_DAMAGED);
    assert_int_equal(start_with(0, &none, 0, 70000), BKS_ERR_DAMAGED);
    bksi_feed_source *source = make_source();
    for (size_t count = 0; count < 200; count++) {
        assert_int_equal(bksi_feed_source_start_passing(source, made.bytes, count, STATE_BYTES, 0),
                         BKS_ERR_DAMAGED);
    }
    assert_int_equal(bksi_feed_source_start_passing(source, made.bytes, made.begun,
                                                    BKSI_FEED_STATE_BYTES_MAX + 1, 0),
                     BKS_ERR_UNSUPPORTED);
    bksi_feed_source_destroy(source);
}

int main(void)
{
    make_recording();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(watchers_more_than_four_hops_from_the_match_are_refused),
        cmocka_unit_test(a_beginning_that_cannot_be_written_anew_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
