// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "net/route.h"
#include "support/seed.h"
#include "wire/carried.h"

#define ALL 0xFFu

static void a_route_is_these_bits_and_comes_back(void **context)
{
    (void)context;
    const bksi_routed routed = {
        .route = {.carriers = 2, .peers = {6, 3}}, .passed = 1, .origin = 5, .target = 1};
    // 5 | 1 << 3 | 2 << 6 | 1 << 9 | 6 << 12 | 3 << 16
    const uint32_t bits = bksi_routed_bits(&routed);
    assert_int_equal(bits, 0x3628D);
    bksi_routed back;
    assert_true(bksi_routed_read(bits, ALL, &back));
    assert_true(bksi_route_equals(&back.route, &routed.route));
    assert_int_equal(back.passed, 1);
    assert_int_equal(back.origin, 5);
    assert_int_equal(back.target, 1);
    assert_int_equal(bksi_route_next(&back.route, 0, back.target), 6);
    assert_int_equal(bksi_route_next(&back.route, 1, back.target), 3);
    assert_int_equal(bksi_route_next(&back.route, 2, back.target), 1);
}

static void routes_that_lead_nowhere_are_refused(void **context)
{
    (void)context;
    const bksi_routed wrong[] = {
        {.route = {.carriers = 0}, .origin = 0, .target = 1},                  // no carrier
        {.route = {.carriers = 7}, .origin = 0, .target = 1},                  // too many
        {.route = {.carriers = 1, .peers = {2}}, .origin = 1, .target = 1},    // to itself
        {.route = {.carriers = 1, .peers = {1}}, .origin = 0, .target = 1},    // by its target
        {.route = {.carriers = 1, .peers = {0}}, .origin = 0, .target = 1},    // by its origin
        {.route = {.carriers = 2, .peers = {2, 2}}, .origin = 0, .target = 1}, // twice by one
        {.route = {.carriers = 1, .peers = {2}}, .passed = 2, .target = 1},    // passed too many
        {.route = {.carriers = 1, .peers = {5}}, .origin = 0, .target = 1},    // by no member
        {.route = {.carriers = 1, .peers = {2}}, .origin = 0, .target = 6},    // to no member
    };
    for (uint32_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        bksi_routed routed = wrong[i];
        uint32_t carriers = routed.route.carriers;
        routed.route.carriers = carriers > BKSI_CARRIERS_MAX ? 0 : carriers;
        uint32_t bits = bksi_routed_bits(&routed) | carriers << 6;
        if (bksi_routed_read(bits, 0x1F, &routed)) {
            fail_msg("number %u was read", i);
        }
    }
    bksi_routed routed = {.route = {.carriers = 1, .peers = {2}}, .origin = 0, .target = 1};
    uint32_t bits = bksi_routed_bits(&routed);
    assert_true(bksi_routed_read(bits, 0x1F, &routed));
    assert_false(bksi_routed_read(bits | 1u << 16, 0x1F, &routed)); // beyond the carriers
    assert_false(bksi_routed_read(bits | BKSI_CARRIED_IS_OWN, 0x1F, &routed));
    assert_false(bksi_routed_read(bits | BKSI_CARRIED_IS_SIZED, 0x1F, &routed));
}

/// Which peer hands a packet to which is part of its route: none can put one in at another place.
static void a_packet_goes_from_each_of_its_route_to_the_next_alone(void **context)
{
    (void)context;
    bksi_routed routed = {.route = {.carriers = 2, .peers = {6, 3}}, .origin = 5, .target = 1};
    const uint32_t way[] = {5, 6, 3, 1};
    for (routed.passed = 0; routed.passed <= 2; routed.passed++) {
        for (uint32_t from = 0; from < BKS_PEERS_MAX; from++) {
            for (uint32_t to = 0; to < BKS_PEERS_MAX; to++) {
                bool goes = from == way[routed.passed] && to == way[routed.passed + 1];
                assert_int_equal(bksi_routed_goes(&routed, from, to), goes);
            }
        }
    }
}

static void whatever_is_read_ends_after_eight_peers(void **context)
{
    (void)context;
    uint32_t taken = 0;
    for (int i = 0; i < 300000; i++) {
        uint32_t bits = 0; // mostly few of them are set
        for (uint32_t k = 0; k < 4; k++) {
            bits |= (seed_below(3) == 0 ? 0 : (uint32_t)seed_next() & 0xFF) << 8 * k;
        }
        bksi_routed routed;
        if (!bksi_routed_read(bits, ALL, &routed)) {
            continue;
        }
        taken++;
        uint32_t seen = 1u << routed.origin;
        for (uint32_t k = 0; k <= routed.route.carriers; k++) {
            uint32_t next = bksi_route_next(&routed.route, k, routed.target);
            assert_true(next < BKS_PEERS_MAX && (seen >> next & 1) == 0);
            seen |= 1u << next;
        }
        assert_int_equal(bksi_routed_bits(&routed), bits);
    }
    assert_true(taken > 100);
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 15);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_route_is_these_bits_and_comes_back),
        cmocka_unit_test(routes_that_lead_nowhere_are_refused),
        cmocka_unit_test(a_packet_goes_from_each_of_its_route_to_the_next_alone),
        cmocka_unit_test(whatever_is_read_ends_after_eight_peers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
