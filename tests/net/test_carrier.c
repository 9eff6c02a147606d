// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "net/carrier.h"
#include "support/seed.h"

#define MEMBERS 0xFFu
#define INPUT   (BKSI_PACKET_INPUT << 4)
#define LINK    (BKSI_PACKET_LINK << 4)

static bksi_carrier carrier;

/// By one carrier, from its origin to it or, `passed` 1, from it to its target.
static bksi_routed by_one(uint32_t origin, uint32_t by, uint32_t target, uint32_t passed)
{
    return (bksi_routed){.route = {.carriers = 1, .peers = {(uint8_t)by}},
                         .passed = passed,
                         .origin = origin,
                         .target = target};
}

/// A packet of this type, which knows itself by a number.
static void put(const bksi_routed *routed, uint32_t type, uint8_t number, size_t count,
                uint64_t now_ns)
{
    uint8_t packet[BKSI_CARRIED_PACKET_BYTES_MAX] = {(uint8_t)type, number};
    bksi_carrier_put(&carrier, routed, packet, count, false, now_ns);
}

#define WENT_MAX 200u

/// One datagram's worth for a peer, with so many bytes of room.
typedef struct went {
    uint32_t count;
    uint32_t origins[WENT_MAX];
    uint8_t numbers[WENT_MAX];
} went;

static went fill(uint32_t hop, size_t room)
{
    static uint8_t body[BKS_PACKET_BYTES_MAX];
    went here = {0};
    assert_true(room <= sizeof(body));
    bksi_byte_writer writer = bksi_byte_writer_over(body, room);
    uint32_t count = bksi_carrier_fill(&carrier, hop, &writer);
    assert_int_equal(count > 0, writer.at > 0);
    if (count == 0) {
        return here;
    }
    assert_true(bksi_carried_is_sound(body, writer.at));
    bksi_byte_reader reader = bksi_byte_reader_over(body, writer.at);
    bksi_carried_piece piece;
    while (bksi_carried_read(&reader, &piece)) {
        bksi_routed routed;
        assert_true(bksi_routed_read(piece.route, MEMBERS, &routed));
        assert_int_equal(bksi_route_next(&routed.route, routed.passed, routed.target), hop);
        here.origins[here.count] = routed.origin;
        here.numbers[here.count++] = piece.bytes[1];
    }
    assert_int_equal(here.count, count);
    return here;
}

static void of_each_route_the_newest_two_inputs_wait(void **context)
{
    (void)context;
    bksi_carrier_init(&carrier);
    assert_false(bksi_carrier_waits(&carrier, 2));
    assert_true(bksi_carrier_since_ns(&carrier, 2) == UINT64_MAX);
    bksi_routed a = by_one(0, 1, 2, 1);
    bksi_routed b = by_one(3, 1, 2, 1);
    put(&a, INPUT, 1, 40, 100);
    put(&b, INPUT, 2, 40, 200);
    put(&a, INPUT, 3, 40, 300);
    assert_true(bksi_carrier_since_ns(&carrier, 2) == 100);
    put(&a, INPUT | 5, 4, 40, 400); // to another channel, the same route
    assert_true(bksi_carrier_since_ns(&carrier, 2) == 200);
    went here = fill(2, BKSI_BODY_BYTES_MAX);
    assert_int_equal(here.count, 3);
    assert_int_equal(here.numbers[0], 2);
    assert_int_equal(here.numbers[1], 3);
    assert_int_equal(here.numbers[2], 4);
    assert_false(bksi_carrier_waits(&carrier, 2));
    assert_int_equal(fill(2, BKSI_BODY_BYTES_MAX).count, 0);
    assert_int_equal(carrier.dropped, 0);
}

/// One that tries another route replaces none by the route in use, and is replaced by none.
static void inputs_of_another_route_give_way_to_none(void **context)
{
    (void)context;
    bksi_carrier_init(&carrier);
    bksi_routed a = by_one(0, 1, 2, 0);
    bksi_routed b = by_one(0, 3, 2, 0);
    put(&a, INPUT, 1, 40, 100);
    put(&b, INPUT, 2, 40, 200);
    put(&b, INPUT, 3, 40, 300);
    put(&b, INPUT, 4, 40, 400);
    assert_true(bksi_carrier_since_ns(&carrier, 1) == 100);
    assert_true(bksi_carrier_since_ns(&carrier, 3) == 300);
    assert_int_equal(fill(1, BKSI_BODY_BYTES_MAX).count, 1);
    assert_int_equal(fill(3, BKSI_BODY_BYTES_MAX).count, 2);
    assert_int_equal(carrier.dropped, 0);
}

/// Before a line that is too narrow an INPUT gives way to the next one: that holds what it held.
static void before_a_narrow_line_the_newest_input_of_each_route_waits(void **context)
{
    (void)context;
    bksi_carrier_init(&carrier);
    const uint8_t input[40] = {INPUT};
    const uint8_t link[20] = {LINK};
    bksi_routed a = by_one(0, 1, 2, 1);
    bksi_routed b = by_one(3, 1, 2, 1);
    for (uint64_t i = 1; i <= 3; i++) {
        bksi_carrier_put(&carrier, &a, input, sizeof(input), true, i);
        bksi_carrier_put(&carrier, &b, input, sizeof(input), true, i);
        bksi_carrier_put(&carrier, &a, link, sizeof(link), true, i);
    }
    assert_true(bksi_carrier_since_ns(&carrier, 2) == 1); // a LINK
    assert_int_equal(fill(2, BKSI_BODY_BYTES_MAX).count, 2 + 2);
}

static void other_packets_of_a_route_keep_their_order_and_are_two_at_most(void **context)
{
    (void)context;
    bksi_carrier_init(&carrier);
    bksi_routed a = by_one(0, 1, 2, 1);
    put(&a, LINK, 1, 20, 0);
    put(&a, LINK, 2, 20, 0);
    put(&a, LINK, 3, 20, 0);
    put(&a, INPUT, 4, 20, 0);
    assert_int_equal(carrier.dropped, 1);
    went here = fill(2, BKSI_BODY_BYTES_MAX);
    assert_int_equal(here.count, 3);
    assert_int_equal(here.numbers[0], 1);
    assert_int_equal(here.numbers[1], 2);
    assert_int_equal(here.numbers[2], 4);
}

/// To 7, by two and more carriers, of which the last are `by` and we, peer 1.
static bksi_routed by_two(uint32_t origin, uint32_t before, uint32_t by)
{
    bksi_routed routed = {.origin = origin, .target = 7};
    const uint32_t carriers[] = {before, by, 1};
    for (uint32_t i = before == origin ? 1 : 0; i < 3; i++) {
        routed.route.peers[routed.route.carriers++] = (uint8_t)carriers[i];
    }
    routed.passed = routed.route.carriers;
    return routed;
}

/// How often a number is among what went.
static uint32_t times(const went *here, uint8_t number)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < here->count; i++) {
        count += here->numbers[i] == number ? 1 : 0;
    }
    return count;
}

static went fill_all(uint32_t hop)
{
    went all = {0};
    while (bksi_carrier_waits(&carrier, hop)) {
        const went here = fill(hop, BKSI_BODY_BYTES_MAX);
        assert_true(all.count + here.count <= WENT_MAX);
        for (uint32_t i = 0; i < here.count; i++) {
            all.numbers[all.count++] = here.numbers[i];
        }
    }
    return all;
}

/// What 3 hands over, in whatever name, takes no room of what 0 hands over itself.
static void each_peer_that_hands_over_has_its_own_room(void **context)
{
    (void)context;
    for (uint32_t type = LINK; type <= INPUT; type += INPUT - LINK) {
        bksi_carrier_init(&carrier);
        const bksi_routed honest = by_one(0, 1, 7, 1);
        put(&honest, type, 1, 100, 0);
        put(&honest, type, 2, 100, 0);
        for (uint32_t i = 0; i < 2000; i++) {
            bksi_routed fake = by_two(0, seed_below(2) == 0 ? 0 : 4 + seed_below(3), 3);
            put(&fake, type, 3, 1 + seed_below(BKSI_CARRIED_PACKET_BYTES_MAX), 0);
        }
        assert_true(carrier.dropped > 0);
        const went here = fill(7, BKSI_BODY_BYTES_MAX);
        assert_int_equal(times(&here, 1), 1);
        assert_int_equal(times(&here, 2), 1);
    }
}

/// Honest packets of 0, and of the peers that carry them to us, beside what 4 puts in at the first
/// of them, in its own name and as if it had it from 0.
static void a_peer_that_puts_in_more_on_the_way_gives_way(void **context)
{
    (void)context;
    for (uint32_t carriers = 2; carriers <= 3; carriers++) {
        bksi_carrier_init(&carrier);
        bksi_routed own = by_one(2, 1, 7, 1);
        bksi_routed honest = {
            .route = {.carriers = carriers, .peers = {2, 1}}, .passed = carriers, .target = 7};
        bksi_routed liars = {.route = {.carriers = carriers, .peers = {2, 1}},
                             .passed = carriers,
                             .origin = 4,
                             .target = 7};
        bksi_routed fake = {.route = {.carriers = carriers + 1, .peers = {4, 2, 1}},
                            .passed = carriers + 1,
                            .target = 7};
        if (carriers == 3) {
            honest.route = liars.route = (bksi_route){3, {3, 2, 1}};
            fake.route = (bksi_route){4, {4, 3, 2, 1}};
        }
        put(&honest, INPUT, 1, 1000, 0);
        put(&own, INPUT, 2, 1000, 0);
        for (uint32_t i = 0; i < 20; i++) {
            liars.target = 5 + i % 3;
            put(&liars, INPUT, 3, 1100, 0);
            fake.target = 5 + i % 2;
            put(&fake, INPUT, 3, 1100, 0);
        }
        assert_true(carrier.dropped > 0);
        put(&honest, INPUT, 4, 1000, 0);
        const went here = fill_all(7);
        assert_int_equal(times(&here, 1), 1);
        assert_int_equal(times(&here, 2), 1);
        assert_int_equal(times(&here, 4), 1);
    }
}

static void many_short_ones_are_too_many(void **context)
{
    (void)context;
    bksi_carrier_init(&carrier);
    for (uint32_t origin = 2; origin < 7; origin++) {
        for (uint32_t before = 2; before < 7; before++) {
            const bksi_routed routed = by_two(origin, before, 0);
            put(&routed, INPUT, 1, 2, 0);
            put(&routed, INPUT, 1, 2, 0);
        }
    }
    assert_int_equal(carrier.dropped, 50 - 32);
    assert_int_equal(fill(7, BKSI_BODY_BYTES_MAX).count, 32);
}

/// Peer 0 keeps the queue full of large packets, 3 and 4 send small ones: each gets the bytes that
/// it asks for, and 0 what is left.
static void bytes_are_shared_by_the_peer_that_hands_over(void **context)
{
    (void)context;
    bksi_carrier_init(&carrier);
    uint64_t bytes[BKS_PEERS_MAX] = {0};
    uint32_t input_gap[BKS_PEERS_MAX] = {0};
    uint32_t longest_gap = 0;
    for (int i = 0; i < 2000; i++) {
        bksi_routed large = by_one(0, 1, 2, 1);
        put(&large, BKSI_PACKET_BULK << 4, 0, 1100, 0);
        put(&large, BKSI_PACKET_BULK << 4, 0, 1100, 0);
        for (uint32_t origin = 3; origin <= 4; origin++) {
            bksi_routed small = by_one(origin, 1, 2, 1);
            put(&small, INPUT, 1, 60, 0);
            input_gap[origin]++;
        }
        went here = fill(2, BKSI_BODY_BYTES_MAX - 50);
        for (uint32_t k = 0; k < here.count; k++) {
            bytes[here.origins[k]] += here.origins[k] == 0 ? 1100 : 60;
            uint32_t *gap = &input_gap[here.origins[k]];
            longest_gap = here.origins[k] != 0 && *gap > longest_gap ? *gap : longest_gap;
            *gap = 0;
        }
    }
    assert_true(longest_gap <= 2);
    assert_true(bytes[3] > 2000 * 60 * 9 / 10 && bytes[4] > 2000 * 60 * 9 / 10);
    assert_true(bytes[0] > bytes[3] * 8 / 10 && bytes[0] < bytes[3] * 15 / 10);
}

/// One that was silent has saved nothing up, and one that spoke alone owes nothing.
static void turns_begin_where_the_others_are(void **context)
{
    (void)context;
    bksi_carrier_init(&carrier);
    bksi_routed early = by_one(0, 1, 2, 1);
    bksi_routed late = by_one(3, 1, 2, 1);
    for (int i = 0; i < 1000; i++) {
        put(&early, INPUT, 1, 600, 0);
        assert_int_equal(fill(2, BKSI_BODY_BYTES_MAX).count, 1);
    }
    uint32_t turns[2] = {0};
    for (int i = 0; i < 100; i++) {
        put(&early, INPUT, 1, 600, 0);
        put(&late, INPUT, 1, 600, 0);
        went here = fill(2, 700); // room for one
        assert_int_equal(here.count, 1);
        turns[here.origins[0] == 0 ? 0 : 1]++;
    }
    assert_true(turns[0] >= 49 && turns[1] >= 49);
}

static void what_does_not_fit_goes_with_the_next_datagram(void **context)
{
    (void)context;
    bksi_carrier_init(&carrier);
    for (uint32_t origin = 2; origin < 8; origin++) {
        bksi_routed routed = by_one(origin, 0, 1, 1);
        put(&routed, INPUT, (uint8_t)origin, 390, 0);
    }
    // 4 + 390, 2 more for all but the last: 3 of them are 1186.
    assert_int_equal(fill(1, BKSI_BODY_BYTES_MAX).count, 2);
    assert_int_equal(fill(1, 1186).count, 3);
    assert_int_equal(fill(1, 393).count, 0);
    assert_int_equal(fill(1, 394).count, 1);
    assert_false(bksi_carrier_waits(&carrier, 1));
}

/// What is counted apart is what lies in the queues.
static void expect_counts_to_agree(void)
{
    uint32_t waiting[BKS_PEERS_MAX] = {0};
    for (uint32_t from = 0; from < BKS_PEERS_MAX; from++) {
        const bksi_carrier_queue *queue = &carrier.queues[from];
        uint32_t used = 0;
        uint32_t cost = 0;
        for (uint32_t i = 0; i < queue->count; i++) {
            const uint32_t count = queue->packets[i].count;
            used += count;
            cost += count > BKSI_CARRIER_SHORT_BYTES ? count : BKSI_CARRIER_SHORT_BYTES;
            waiting[queue->packets[i].hop]++;
            assert_false(queue->packets[i].is_taken);
        }
        assert_int_equal(queue->used, used);
        assert_int_equal(queue->cost, cost);
        assert_true(cost <= BKSI_CARRIER_BYTES);
    }
    for (uint32_t hop = 0; hop < BKS_PEERS_MAX; hop++) {
        assert_int_equal(carrier.turns[hop].waiting, waiting[hop]);
        assert_int_equal(bksi_carrier_waits(&carrier, hop), waiting[hop] > 0);
    }
}

/// Whatever comes, the queue holds together, and all of it leaves.
static void any_packets_in_any_order_fit(void **context)
{
    (void)context;
    bksi_carrier_init(&carrier);
    uint64_t came = 0;
    for (int round = 0; round < 3000; round++) {
        uint32_t self = 5;
        for (uint32_t i = seed_below(40); i > 0; i--) {
            uint32_t by = seed_below(BKS_PEERS_MAX);
            bksi_routed routed =
                by_one(seed_below(BKS_PEERS_MAX), by, seed_below(BKS_PEERS_MAX), by == self);
            bksi_routed read;
            if (!bksi_routed_read(bksi_routed_bits(&routed), MEMBERS, &read) ||
                routed.target == self || (by != self && routed.origin != self)) {
                continue;
            }
            uint32_t type = seed_below(2) == 0 ? INPUT : seed_below(256);
            put(&routed, type, 0, 2 + seed_below(BKSI_CARRIED_PACKET_BYTES_MAX - 1), 0);
            came++;
        }
        expect_counts_to_agree();
        (void)fill(seed_below(BKS_PEERS_MAX), seed_below(BKSI_BODY_BYTES_MAX + 1));
        expect_counts_to_agree();
    }
    assert_true(came > 1000);
    for (uint32_t hop = 0; hop < BKS_PEERS_MAX; hop++) {
        while (bksi_carrier_waits(&carrier, hop)) {
            assert_true(fill(hop, BKSI_BODY_BYTES_MAX).count > 0);
        }
    }
    for (uint32_t from = 0; from < BKS_PEERS_MAX; from++) {
        assert_int_equal(carrier.queues[from].count, 0);
    }
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 16);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_each_route_the_newest_two_inputs_wait),
        cmocka_unit_test(inputs_of_another_route_give_way_to_none),
        cmocka_unit_test(before_a_narrow_line_the_newest_input_of_each_route_waits),
        cmocka_unit_test(other_packets_of_a_route_keep_their_order_and_are_two_at_most),
        cmocka_unit_test(each_peer_that_hands_over_has_its_own_room),
        cmocka_unit_test(a_peer_that_puts_in_more_on_the_way_gives_way),
        cmocka_unit_test(many_short_ones_are_too_many),
        cmocka_unit_test(bytes_are_shared_by_the_peer_that_hands_over),
        cmocka_unit_test(turns_begin_where_the_others_are),
        cmocka_unit_test(what_does_not_fit_goes_with_the_next_datagram),
        cmocka_unit_test(any_packets_in_any_order_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
