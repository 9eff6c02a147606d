// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "session/inputs/carriage.h"

#define SELF 1u

static session_common common;
static session_carriage carriage;
static session_carriage_bundle bundle;

/// Peers 0 to 3, and we are 1.
static void begin(void)
{
    memset(&common, 0, sizeof(common));
    memset(&carriage, 0, sizeof(carriage));
    common.config.tick_rate_hz = 60;
    common.now_ns = NS_PER_SECOND;
    common.seats.self = SELF;
    common.phase.stage = STAGE_RUNNING;
    common.seats.all = 0xF;
}

static bksi_routed by(uint32_t origin, uint32_t first, uint32_t second, uint32_t target,
                      uint32_t passed)
{
    bksi_routed routed = {.passed = passed, .origin = origin, .target = target};
    routed.route.peers[0] = (uint8_t)first;
    routed.route.peers[1] = (uint8_t)(second < BKS_PEERS_MAX ? second : 0);
    routed.route.carriers = second < BKS_PEERS_MAX ? 2 : 1;
    return routed;
}

/// A CARRIED with one packet, from a peer.
static bool open_one(const bksi_routed *routed, uint8_t type)
{
    uint8_t body[BKSI_BODY_BYTES_MAX];
    uint8_t packet[40] = {(uint8_t)(type << 4), 7};
    bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
    bksi_carried_write_packet(&writer, bksi_routed_bits(routed), true, packet, sizeof(packet));
    return bksi_carriage_open(&bundle, body, writer.at);
}

/// Take the bundle that is sent to a peer now, if any.
static uint32_t next_to(uint32_t hop, bksi_routed *routed)
{
    uint8_t body[BKSI_BODY_BYTES_MAX];
    uint32_t type = 0;
    size_t count = bksi_carriage_bundle(&carriage, hop, &type, body, 0);
    if (count == 0) {
        return 0;
    }
    assert_int_equal(type, BKSI_PACKET_CARRIED);
    bksi_byte_reader reader = bksi_byte_reader_over(body, count);
    bksi_carried_piece piece;
    uint32_t packets = 0;
    while (bksi_carried_read(&reader, &piece)) {
        assert_true(bksi_routed_read(piece.route, 0xF, routed));
        packets++;
    }
    return packets;
}

static void what_is_for_another_goes_to_the_next_of_its_route(void **context)
{
    (void)context;
    begin();
    session_carriage_piece piece;
    bksi_routed routed = by(0, SELF, 2, 3, 0);
    assert_true(open_one(&routed, BKSI_PACKET_INPUT));
    assert_false(bksi_carriage_next(&carriage, &common, 0, &bundle, &piece));
    assert_false(bundle.is_bad);
    assert_int_equal(carriage.relayed, 1);
    assert_int_equal(bksi_carrier_hops(&carriage.carrier), PEER_BIT(2));
    assert_int_equal(next_to(2, &routed), 1);
    assert_int_equal(routed.passed, 1);
    assert_int_equal(routed.origin, 0);
    assert_int_equal(routed.target, 3);
    assert_int_equal(bksi_carrier_hops(&carriage.carrier), 0);
    assert_int_equal(next_to(2, &routed), 0); // once
}

static void what_is_for_us_comes_with_its_origin_and_its_way(void **context)
{
    (void)context;
    begin();
    session_carriage_piece piece;
    bksi_routed routed = by(3, 2, 0, SELF, 2);
    assert_true(open_one(&routed, BKSI_PACKET_INPUT));
    assert_true(bksi_carriage_next(&carriage, &common, 0, &bundle, &piece));
    assert_false(piece.is_own);
    assert_int_equal(piece.origin, 3);
    assert_int_equal(piece.count, 40);
    assert_int_equal(piece.bytes[1], 7);
    uint32_t way = piece.route;
    assert_true(way > 0);
    assert_false(bksi_carriage_next(&carriage, &common, 0, &bundle, &piece));
    assert_false(bundle.is_bad);
    assert_int_equal(carriage.relayed, 0);
    assert_int_equal(bksi_carrier_hops(&carriage.carrier), 0);
    routed = by(3, 2, BKS_PEERS_MAX, SELF, 1);
    assert_true(open_one(&routed, BKSI_PACKET_INPUT));
    assert_true(bksi_carriage_next(&carriage, &common, 2, &bundle, &piece));
    assert_int_not_equal(piece.route, way);
}

static void a_packet_that_could_not_come_by_its_route_is_dropped(void **context)
{
    (void)context;
    const struct {
        bksi_routed routed;
        uint32_t from;
    } wrong[] = {
        {by(0, SELF, 2, 3, 0), 2},             // from another peer than the one before
        {by(0, SELF, 2, 3, 1), 0},             // at another place of it
        {by(0, SELF, 2, 3, 2), 2},             // at its end, which is not here
        {by(0, 2, BKS_PEERS_MAX, 3, 0), 0},    // by no route of ours
        {by(SELF, 0, BKS_PEERS_MAX, 3, 1), 0}, // our own
        {by(0, 2, BKS_PEERS_MAX, SELF, 0), 0}, // for us, but not yet
        {by(0, SELF, BKS_PEERS_MAX, 5, 0), 0}, // for a peer that there is not
        {by(0, SELF, 6, 3, 0), 0},             // by one
        {by(5, SELF, BKS_PEERS_MAX, 3, 0), 0}, // of one
        {by(0, SELF, SELF, 3, 0), 0},          // twice by us
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        begin();
        session_carriage_piece piece;
        assert_true(open_one(&wrong[i].routed, BKSI_PACKET_INPUT));
        if (bksi_carriage_next(&carriage, &common, wrong[i].from, &bundle, &piece) ||
            !bundle.is_bad || bksi_carrier_hops(&carriage.carrier) != 0 || carriage.relayed != 0) {
            fail_msg("number %u was taken", (unsigned)i);
        }
    }
    static const uint8_t unsound[] = {1, 2, 3};
    assert_false(bksi_carriage_open(&bundle, unsound, sizeof(unsound)));
    assert_false(bksi_carriage_open(&bundle, unsound, 0));
}

/// One bad packet does not take the others with it.
static void the_rest_of_a_bundle_counts(void **context)
{
    (void)context;
    begin();
    static const uint8_t packet[20] = {0};
    uint8_t body[BKSI_BODY_BYTES_MAX];
    const bksi_routed bad = by(2, SELF, BKS_PEERS_MAX, 3, 0);
    const bksi_routed good = by(0, SELF, BKS_PEERS_MAX, 3, 0);
    const bksi_routed ours = by(2, 0, BKS_PEERS_MAX, SELF, 1);
    bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
    bksi_carried_write_own(&writer, BKSI_PACKET_SLOW, (const uint8_t *)"\x20", 1);
    bksi_carried_write_packet(&writer, bksi_routed_bits(&bad), false, packet, sizeof(packet));
    bksi_carried_write_packet(&writer, bksi_routed_bits(&good), false, packet, sizeof(packet));
    bksi_carried_write_packet(&writer, bksi_routed_bits(&ours), true, packet, sizeof(packet));
    assert_true(bksi_carriage_open(&bundle, body, writer.at));
    session_carriage_piece piece;
    assert_true(bksi_carriage_next(&carriage, &common, 0, &bundle, &piece));
    assert_true(piece.is_own);
    assert_int_equal(piece.type, BKSI_PACKET_SLOW);
    assert_int_equal(piece.count, 1);
    assert_true(bksi_carriage_next(&carriage, &common, 0, &bundle, &piece));
    assert_int_equal(piece.origin, 2);
    assert_false(bksi_carriage_next(&carriage, &common, 0, &bundle, &piece));
    assert_true(bundle.is_bad);
    assert_int_equal(carriage.relayed, 1);
    assert_int_equal(bksi_carrier_hops(&carriage.carrier), PEER_BIT(3));
}

static void what_waits_rides_with_the_next_message_to_its_peer(void **context)
{
    (void)context;
    begin();
    uint8_t packet[60] = {BKSI_PACKET_INPUT << 4};
    uint8_t body[BKSI_BODY_BYTES_MAX] = {0x20};
    uint32_t type = BKSI_PACKET_SLOW;
    assert_int_equal(bksi_carriage_bundle(&carriage, 2, &type, body, 1), 1);
    assert_int_equal(type, BKSI_PACKET_SLOW); // nothing waits
    const bksi_route route = {.carriers = 1, .peers = {2}};
    bksi_carriage_put(&carriage, &common, 3, &route, packet, sizeof(packet));
    assert_int_equal(bksi_carriage_bundle(&carriage, 3, &type, body, 1), 1);
    assert_int_equal(type, BKSI_PACKET_SLOW); // the packet goes to 2 first
    size_t count = bksi_carriage_bundle(&carriage, 2, &type, body, 1);
    assert_int_equal(type, BKSI_PACKET_CARRIED);
    assert_int_equal(count, 2 + 1 + 4 + sizeof(packet));
    bksi_byte_reader reader = bksi_byte_reader_over(body, count);
    bksi_carried_piece piece;
    assert_true(bksi_carried_read(&reader, &piece));
    assert_true(piece.is_own && piece.type == BKSI_PACKET_SLOW && piece.bytes[0] == 0x20);
    assert_true(bksi_carried_read(&reader, &piece));
    bksi_routed routed;
    assert_true(bksi_routed_read(piece.route, 0xF, &routed));
    assert_true(routed.origin == SELF && routed.target == 3 && routed.passed == 0);
    assert_int_equal(bksi_carrier_hops(&carriage.carrier), 0);
    assert_int_equal(carriage.relayed, 0); // the packet is ours
}

static void a_message_without_room_goes_alone_and_what_waits_goes_later(void **context)
{
    (void)context;
    begin();
    uint8_t packet[200] = {BKSI_PACKET_INPUT << 4};
    uint8_t body[BKSI_BODY_BYTES_MAX] = {0};
    const bksi_route route = {.carriers = 1, .peers = {2}};
    for (size_t own = 330; own <= BKSI_MESSAGE_BYTES_MAX; own += 176) {
        uint32_t type = BKSI_PACKET_HASHES;
        bksi_carriage_put(&carriage, &common, 3, &route, packet, sizeof(packet));
        assert_int_equal(bksi_carriage_bundle(&carriage, 2, &type, body, own), own);
        assert_int_equal(type, BKSI_PACKET_HASHES);
        assert_int_equal(bksi_carrier_hops(&carriage.carrier), PEER_BIT(2));
    }
    bksi_routed routed;
    assert_int_equal(next_to(2, &routed), 2);
    uint8_t longest[BKSI_CARRIED_PACKET_BYTES_MAX + 1] = {BKSI_PACKET_INPUT << 4};
    bksi_carriage_put(&carriage, &common, 3, &route, longest, sizeof(longest));
    assert_int_equal(bksi_carrier_hops(&carriage.carrier), 0); // cannot be carried
    bksi_carriage_put(&carriage, &common, 3, &route, longest, sizeof(longest) - 1);
    assert_int_equal(next_to(2, &routed), 1);
}

static void nothing_waits_longer_than_a_tick_and_20_ms(void **context)
{
    (void)context;
    const struct {
        uint32_t tick_rate_hz;
        uint64_t wait_ns;
    } rates[] = {{60, NS_PER_SECOND / 60}, {1000, NS_PER_MS}, {10, 20 * NS_PER_MS}};
    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
        begin();
        common.config.tick_rate_hz = rates[i].tick_rate_hz;
        assert_true(bksi_carriage_wake(&carriage, &common) == UINT64_MAX);
        uint8_t packet[60] = {BKSI_PACKET_INPUT << 4};
        const bksi_route route = {.carriers = 1, .peers = {2}};
        bksi_carriage_put(&carriage, &common, 3, &route, packet, sizeof(packet));
        uint64_t due_ns = common.now_ns + rates[i].wait_ns;
        assert_true(bksi_carriage_wake(&carriage, &common) == due_ns);
        common.now_ns = due_ns - 1;
        bksi_carriage_put(&carriage, &common, 3, &route, packet,
                          sizeof(packet)); // newer, it goes too
        assert_int_equal(bksi_carriage_due(&carriage, &common), 0);
        common.now_ns = due_ns;
        assert_int_equal(bksi_carriage_due(&carriage, &common), PEER_BIT(2));
        bksi_routed routed;
        assert_int_equal(next_to(2, &routed), 2);
        assert_int_equal(bksi_carriage_due(&carriage, &common), 0);
    }
}

/// Where the line to the next peer is cut, packets wait for one of our own, and newer INPUTs take
/// the places of older ones.
static void before_a_line_that_is_cut_one_input_of_a_route_waits_a_gap_longer(void **context)
{
    (void)context;
    const bksi_route route = {.carriers = 1, .peers = {2}};
    const uint8_t packet[40] = {BKSI_PACKET_INPUT << 4};
    const uint64_t tick_ns = NS_PER_SECOND / 60;
    for (uint32_t is_cut = 0; is_cut < 2; is_cut++) {
        begin();
        bksi_line_rate *rate = &common.links.peers[2].rate;
        *rate = (bksi_line_rate){.config.most = 60.0, .rate = 20.0, .ceiling = 25.0};
        rate->ceiling = is_cut != 0 ? rate->ceiling : 0.0;
        const uint64_t gap_ns = is_cut != 0 ? NS_PER_SECOND / 20 : 0;
        assert_true(bksi_links_gap_ns(&common.links, 2) == gap_ns);
        for (uint32_t i = 0; i < 3; i++) {
            bksi_carriage_put(&carriage, &common, 3, &route, packet, sizeof(packet));
        }
        assert_true(bksi_carriage_wake(&carriage, &common) == common.now_ns + tick_ns + gap_ns);
        bksi_routed routed;
        assert_int_equal(next_to(2, &routed), is_cut != 0 ? 1 : 2);
    }
}

static void it_is_known_whether_a_carrier_says_something_itself(void **context)
{
    (void)context;
    begin();
    uint8_t packet[60] = {BKSI_PACKET_INPUT << 4};
    uint8_t body[BKSI_BODY_BYTES_MAX] = {0x20};
    const bksi_route route = {.carriers = 1, .peers = {2}};
    for (size_t own = 0; own < 2; own++) {
        uint32_t type = BKSI_PACKET_SLOW;
        bksi_carriage_put(&carriage, &common, 3, &route, packet, sizeof(packet));
        size_t count = bksi_carriage_bundle(&carriage, 2, &type, body, own);
        assert_int_equal(type, BKSI_PACKET_CARRIED);
        assert_int_equal(bksi_carriage_has_own(body, count), own > 0);
    }
    assert_false(bksi_carriage_has_own(body, 1));
}

/// What gives way to others, here by its bytes, is not waited for.
static void nothing_is_due_where_what_waited_gave_way(void **context)
{
    (void)context;
    begin();
    const uint8_t packet[BKSI_CARRIED_PACKET_BYTES_MAX] = {BKSI_PACKET_INPUT << 4};
    const bksi_route first = {.carriers = 1, .peers = {2}};
    bksi_carriage_put(&carriage, &common, 0, &first, packet, 40);
    for (uint32_t i = 0; i < 6; i++) {
        const bksi_route other = {.carriers = 2, .peers = {3, (uint8_t)(4 + i / 2)}};
        bksi_carriage_put(&carriage, &common, i % 2 * 2, &other, packet, sizeof(packet));
    }
    assert_int_equal(bksi_carriage_due(&carriage, &common), 0);
    assert_true(bksi_carriage_wake(&carriage, &common) > common.now_ns);
    common.now_ns += 17 * NS_PER_MS;
    assert_int_equal(bksi_carriage_due(&carriage, &common), PEER_BIT(3));
}

/// Before the match no message comes along soon, and handshakes and LINKs are waited for.
static void nothing_waits_in_the_lobby(void **context)
{
    (void)context;
    begin();
    common.phase.stage = STAGE_LINKING;
    uint8_t packet[60] = {BKSI_PACKET_LINK << 4};
    const bksi_route route = {.carriers = 1, .peers = {2}};
    bksi_carriage_put(&carriage, &common, 3, &route, packet, sizeof(packet));
    assert_true(bksi_carriage_wake(&carriage, &common) == common.now_ns);
    assert_int_equal(bksi_carriage_due(&carriage, &common), PEER_BIT(2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_for_another_goes_to_the_next_of_its_route),
        cmocka_unit_test(what_is_for_us_comes_with_its_origin_and_its_way),
        cmocka_unit_test(a_packet_that_could_not_come_by_its_route_is_dropped),
        cmocka_unit_test(the_rest_of_a_bundle_counts),
        cmocka_unit_test(what_waits_rides_with_the_next_message_to_its_peer),
        cmocka_unit_test(a_message_without_room_goes_alone_and_what_waits_goes_later),
        cmocka_unit_test(nothing_waits_longer_than_a_tick_and_20_ms),
        cmocka_unit_test(nothing_is_due_where_what_waited_gave_way),
        cmocka_unit_test(nothing_waits_in_the_lobby),
        cmocka_unit_test(before_a_line_that_is_cut_one_input_of_a_route_waits_a_gap_longer),
        cmocka_unit_test(it_is_known_whether_a_carrier_says_something_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
