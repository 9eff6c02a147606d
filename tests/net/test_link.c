// SPDX-License-Identifier: MIT

// What a peer knows of the way to another: numbers, loss, round trip.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "net/link.h"
#include "support/seed.h"

#define MS   UINT64_C(1000000)
#define UNIT UINT64_C(500000)

static void assert_near(double is, double wanted, double tolerance)
{
    if (!(fabs(is - wanted) <= tolerance)) {
        fail_msg("%f is not within %f of %f", is, tolerance, wanted);
    }
}

static void nothing_lost_is_no_loss(void **context)
{
    (void)context;
    bksi_link link = {0};
    assert_near(bksi_link_loss(&link), 0.0, 0.0);
    for (uint32_t i = 65000; i < 65000 + 200000; i++) {
        bksi_link_received(&link, i, false, i);
    }
    assert_int_equal(link.received, 200000);
    assert_int_equal(link.expected, 200000);
    assert_near(bksi_link_loss(&link), 0.0, 0.0);
}

static void loss_is_the_share_of_numbers_that_never_came(void **context)
{
    (void)context;
    bksi_link link = {0};
    for (uint32_t i = 0; i < 100000; i++) {
        if (i % 4 != 3) {
            bksi_link_received(&link, i, false, i);
        }
    }
    assert_near(bksi_link_loss(&link), 0.25, 0.0001);
    bksi_link burst = {0};
    bksi_link_received(&burst, 65530, true, 0);
    bksi_link_received(&burst, 65539, false, 0); // 8 numbers on the way were lost
    assert_int_equal(burst.expected, 10);
    assert_near(bksi_link_loss(&burst), 0.8, 0.0001);
}

static void a_reordered_packet_is_no_loss_and_not_the_newest(void **context)
{
    (void)context;
    bksi_link link = {0};
    for (uint32_t i = 0; i < 1000; i += 2) {
        bksi_link_received(&link, i + 1, false, i * MS);
        bksi_link_received(&link, i, false, i * MS + 1);
        assert_int_equal(link.newest_number, i + 1);
        assert_true(link.newest_ns == i * MS);
    }
    assert_near(bksi_link_loss(&link), 0.0, 0.0);
}

static void duplicates_never_make_loss_negative(void **context)
{
    (void)context;
    bksi_link link = {0};
    for (uint32_t i = 0; i < 1000; i++) {
        bksi_link_received(&link, i, false, i);
        bksi_link_received(&link, i, false, i + 5);
    }
    assert_int_equal(link.newest_number, 999);
    assert_true(link.newest_ns == 999);
    assert_near(bksi_link_loss(&link), 0.0, 0.0);
}

static void numbers_that_begin_anew_are_followed(void **context)
{
    (void)context;
    bksi_link link = {0};
    for (uint32_t i = 0; i < 5000; i++) {
        bksi_link_received(&link, i, i == 0, i);
    }
    bksi_link_received(&link, 1, true, 6000); // new keys; their packet 0 was lost
    assert_int_equal(link.newest_number, 1);
    bksi_link_received(&link, 3, false, 6001);
    assert_int_equal(link.newest_number, 3);
    assert_int_equal(link.expected, link.received + 1);
}

static void there_is_no_echo_before_a_packet_came(void **context)
{
    (void)context;
    bksi_link link = {0};
    uint8_t number = 77;
    uint8_t hold = 78;
    assert_false(bksi_link_echo(&link, 5 * MS, UNIT, &number, &hold));
    assert_int_equal(number, 77);
    assert_int_equal(hold, 78);
}

static void echo_names_the_newest_and_how_long_it_was_held(void **context)
{
    (void)context;
    bksi_link link = {0};
    uint8_t number = 0;
    uint8_t hold = 0;
    bksi_link_received(&link, 0x1234, true, 10 * MS);
    assert_true(bksi_link_echo(&link, 10 * MS, UNIT, &number, &hold));
    assert_int_equal(number, 0x34);
    assert_int_equal(hold, 0);
    assert_true(bksi_link_echo(&link, 17 * MS, UNIT, &number, &hold));
    assert_int_equal(hold, 14);
    assert_true(bksi_link_echo(&link, 10 * MS + 254 * UNIT, UNIT, &number, &hold));
    assert_int_equal(hold, 254);
    // "Too long to measure by", and never back to 0.
    assert_true(bksi_link_echo(&link, 10 * MS + 255 * UNIT, UNIT, &number, &hold));
    assert_int_equal(hold, 255);
    assert_true(bksi_link_echo(&link, 10 * MS + 300 * UNIT, UNIT, &number, &hold));
    assert_int_equal(hold, 255);
}

static void round_trip_leaves_out_the_time_the_other_side_held_it(void **context)
{
    (void)context;
    bksi_link ours = {0};
    bksi_link theirs = {0};
    uint64_t now = 0;
    for (uint32_t i = 0; i < 70000; i++) {
        now += 16 * MS;
        uint64_t held = (i % 12) * MS;
        bksi_link_sent(&ours, i, now);
        bksi_link_received(&theirs, i, false, now + 30 * MS);
        uint8_t echo = 0;
        uint8_t hold = 0;
        assert_true(bksi_link_echo(&theirs, now + 30 * MS + held, UNIT, &echo, &hold));
        bksi_link_echoed(&ours, echo, hold * UNIT, now + 80 * MS + held);
        assert_true(ours.has_round_trip || i == 0);
        assert_near(ours.round_trip_ns, 80.0 * (double)MS, 1.0);
    }
    assert_near(ours.deviation_ns, 0.0, 1.0);
}

static void an_echo_of_a_number_never_sent_measures_nothing(void **context)
{
    (void)context;
    bksi_link link = {0};
    for (uint32_t number = 0; number < 256; number++) {
        bksi_link_echoed(&link, (uint8_t)number, 0, 50 * MS);
    }
    assert_false(link.has_round_trip);
    for (uint32_t i = 0; i < 5; i++) {
        bksi_link_sent(&link, i, 10 * MS);
    }
    bksi_link_echoed(&link, 5, 0, 50 * MS);
    bksi_link_echoed(&link, 255, 0, 50 * MS);
    assert_false(link.has_round_trip);
    bksi_link_echoed(&link, 4, 0, 50 * MS);
    assert_true(link.has_round_trip);
    assert_near(link.round_trip_ns, 40.0 * (double)MS, 0.0);
}

static void a_hold_longer_than_the_round_trip_measures_nothing(void **context)
{
    (void)context;
    bksi_link link = {0};
    bksi_link_sent(&link, 0, 10 * MS);
    bksi_link_echoed(&link, 0, 41 * MS, 50 * MS);
    assert_false(link.has_round_trip);
    bksi_link_echoed(&link, 0, UINT64_C(254) * UNIT, 137 * MS);
    assert_true(link.has_round_trip);
    assert_near(link.round_trip_ns, 0.0, 0.0);
}

static void round_trip_is_smoothed_by_an_eighth_and_jitter_by_a_quarter(void **context)
{
    (void)context;
    bksi_link link = {0};
    bksi_link_measured(&link, 100.0);
    assert_near(link.round_trip_ns, 100.0, 0.0);
    assert_near(link.deviation_ns, 0.0, 0.0);
    bksi_link_measured(&link, 180.0);
    assert_near(link.round_trip_ns, 110.0, 1e-9);
    assert_near(link.deviation_ns, 20.0, 1e-9);
    bksi_link_measured(&link, 30.0);
    assert_near(link.round_trip_ns, 100.0, 1e-9);
    assert_near(link.deviation_ns, 35.0, 1e-9);
}

static void any_numbers_and_echoes_keep_the_figures_sane(void **context)
{
    (void)context;
    bksi_link link = {0};
    uint64_t now = 0;
    uint64_t sent = 0;
    for (int round = 0; round < 100000; round++) {
        now += seed_below(20) * MS;
        if (seed_below(2) == 0) {
            bksi_link_sent(&link, sent++, now);
        }
        bksi_link_received(&link, seed_below(100000), seed_below(1000) == 0, now);
        bksi_link_echoed(&link, (uint8_t)seed_next(), seed_below(256) * UNIT, now);
        double loss = bksi_link_loss(&link);
        assert_true(loss >= 0.0 && loss <= 1.0);
        assert_true(link.round_trip_ns >= 0.0 && link.deviation_ns >= 0.0);
        assert_true(link.round_trip_ns <= (double)now);
    }
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_lost_is_no_loss),
        cmocka_unit_test(loss_is_the_share_of_numbers_that_never_came),
        cmocka_unit_test(a_reordered_packet_is_no_loss_and_not_the_newest),
        cmocka_unit_test(duplicates_never_make_loss_negative),
        cmocka_unit_test(numbers_that_begin_anew_are_followed),
        cmocka_unit_test(there_is_no_echo_before_a_packet_came),
        cmocka_unit_test(echo_names_the_newest_and_how_long_it_was_held),
        cmocka_unit_test(round_trip_leaves_out_the_time_the_other_side_held_it),
        cmocka_unit_test(an_echo_of_a_number_never_sent_measures_nothing),
        cmocka_unit_test(a_hold_longer_than_the_round_trip_measures_nothing),
        cmocka_unit_test(round_trip_is_smoothed_by_an_eighth_and_jitter_by_a_quarter),
        cmocka_unit_test(any_numbers_and_echoes_keep_the_figures_sane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
