// SPDX-License-Identifier: MIT

// What a peer knows of the packets of another: numbers, loss, echo; and the round trip.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "net/line.h"
#include "net/link.h"
#include "support/seed.h"

#define MS   UINT64_C(1000000)
#define UNIT UINT64_C(500000) // BKSI_HOLD_UNIT_NS

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
        bksi_link_received(&link, i, false, 0, i);
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
            bksi_link_received(&link, i, false, 0, i);
        }
    }
    assert_near(bksi_link_loss(&link), 0.25, 0.0001);
    bksi_link burst = {0};
    bksi_link_received(&burst, 65530, true, 0, 0);
    bksi_link_received(&burst, 65539, false, 0, 0); // 8 numbers on the way were lost
    assert_int_equal(burst.expected, 10);
    assert_near(bksi_link_loss(&burst), 0.8, 0.0001);
}

static void a_reordered_packet_is_no_loss_and_not_the_newest(void **context)
{
    (void)context;
    bksi_link link = {0};
    for (uint32_t i = 0; i < 1000; i += 2) {
        bksi_link_received(&link, i + 1, false, 0, i * MS);
        bksi_link_received(&link, i, false, 0, i * MS + 1);
        assert_int_equal(link.newest_number, i + 1);
        assert_true(link.newest.came_ns == i * MS);
    }
    assert_near(bksi_link_loss(&link), 0.0, 0.0);
}

static void duplicates_never_make_loss_negative(void **context)
{
    (void)context;
    bksi_link link = {0};
    for (uint32_t i = 0; i < 1000; i++) {
        bksi_link_received(&link, i, false, 0, i);
        bksi_link_received(&link, i, false, 0, i + 5);
    }
    assert_int_equal(link.newest_number, 999);
    assert_true(link.newest.came_ns == 999);
    assert_near(bksi_link_loss(&link), 0.0, 0.0);
}

static void recent_loss_follows_the_line_and_leaves_out_what_came_late(void **context)
{
    (void)context;
    bksi_link link = {0};
    for (uint64_t i = 0; i < 400; i++) {
        if (i % 4 != 0 || i >= 200) {
            bksi_link_received(&link, i, false, 0, i);
        }
        if (i == 199) {
            assert_near(link.recent_loss, 0.25, 0.02);
        }
    }
    assert_true(link.recent_loss < 0.02);
    for (uint64_t i = 400; i < 600; i += 2) {
        bksi_link_received(&link, i + 1, false, 0, i);
        bksi_link_received(&link, i, false, 0, i);
    }
    assert_true(link.recent_loss < 0.02);
}

static void a_time_without_any_packet_is_no_recent_loss(void **context)
{
    (void)context;
    bksi_link link = {0};
    for (uint64_t i = 0; i < 400; i++) {
        if (i < 100 || i >= 300) {
            bksi_link_received(&link, i, false, 0, i);
        }
        assert_true(link.recent_loss == 0.0);
    }
}

static void numbers_that_begin_anew_are_followed(void **context)
{
    (void)context;
    bksi_link link = {0};
    for (uint32_t i = 0; i < 5000; i++) {
        bksi_link_received(&link, i, i == 0, 0, i);
    }
    bksi_link_received(&link, 1, true, 0, 6000); // new keys; their packet 0 was lost
    assert_int_equal(link.newest_number, 1);
    bksi_link_received(&link, 3, false, 0, 6001);
    assert_int_equal(link.newest_number, 3);
    assert_int_equal(link.expected, link.received + 1);
}

static void there_is_no_echo_before_a_packet_came(void **context)
{
    (void)context;
    bksi_link link = {0};
    assert_false(bksi_link_owes_echo(&link, 500 * MS));
    bksi_link_received(&link, 0, true, 0, 500 * MS);
    assert_true(bksi_link_owes_echo(&link, 500 * MS));
}

static void echo_names_the_newest_when_it_came_and_how_long_it_was_held(void **context)
{
    (void)context;
    bksi_link link = {0};
    bksi_link_received(&link, 0x123455, true, 0, 9 * MS);
    bksi_link_received(&link, 0x123456, false, 0, 10 * MS);
    bksi_echo echo = bksi_link_echo(&link, 10 * MS);
    assert_int_equal(echo.number, 0x3456);
    assert_int_equal(echo.stamp, bksi_line_stamp(10 * MS));
    assert_int_equal(echo.came, 2);
    assert_int_equal(echo.hold, 0);
    echo = bksi_link_echo(&link, 17 * MS);
    assert_int_equal(echo.stamp, bksi_line_stamp(10 * MS));
    assert_int_equal(echo.hold, 14);
    echo = bksi_link_echo(&link, 10 * MS + 254 * UNIT);
    assert_int_equal(echo.hold, 254);
    // "Too long to measure by", and never back to 0.
    echo = bksi_link_echo(&link, 10 * MS + 255 * UNIT);
    assert_int_equal(echo.hold, BKSI_HOLD_NONE);
    echo = bksi_link_echo(&link, 10 * MS + 300 * UNIT);
    assert_int_equal(echo.hold, BKSI_HOLD_NONE);
}

static void an_echo_counts_what_came_not_what_was_sent(void **context)
{
    (void)context;
    bksi_link link = {0};
    for (uint32_t i = 0; i < 900; i += 3) {
        bksi_link_received(&link, i, i == 0, 0, i * MS);
    }
    bksi_echo echo = bksi_link_echo(&link, 900 * MS);
    assert_int_equal(echo.number, 897);
    assert_int_equal(echo.came, 300 % 256);
}

/// Echoes of packets that come and are answered so often.
static uint32_t echoes_in_6_s(uint32_t packets_a_second)
{
    bksi_link link = {0};
    uint32_t echoes = 0;
    for (uint32_t i = 0; i < 6 * packets_a_second; i++) {
        uint64_t now_ns = i * 1000 * MS / packets_a_second;
        bksi_link_received(&link, i, i == 0, 0, now_ns);
        if (bksi_link_owes_echo(&link, now_ns)) {
            (void)bksi_link_echo(&link, now_ns);
            echoes++;
        }
    }
    return echoes;
}

static void echoes_go_more_often_where_packets_come_slowly(void **context)
{
    (void)context;
    assert_int_equal(echoes_in_6_s(10), 60);
    assert_int_equal(echoes_in_6_s(20), 120);
    assert_int_equal(echoes_in_6_s(40), 120);
    assert_int_equal(echoes_in_6_s(60), 60);
    assert_in_range(echoes_in_6_s(1000), 60, 67);
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

static void any_numbers_and_round_trips_keep_the_figures_sane(void **context)
{
    (void)context;
    bksi_link link = {0};
    uint64_t now = 0;
    for (int round = 0; round < 100000; round++) {
        now += seed_below(20) * MS;
        bksi_link_received(&link, seed_below(100000), seed_below(1000) == 0, 0, now);
        bksi_link_measured(&link, (double)seed_below((uint32_t)(now / MS) + 1) * (double)MS);
        double loss = bksi_link_loss(&link);
        assert_true(loss >= 0.0 && loss <= 1.0);
        assert_true(link.round_trip_ns >= 0.0 && link.deviation_ns >= 0.0);
        assert_true(link.round_trip_ns <= (double)now);
    }
}

static void a_packet_by_another_way_is_echoed_at_once_and_not_hidden_by_the_next(void **context)
{
    (void)context;
    bksi_link link = {0};
    bksi_link_received(&link, 0, true, 0, MS);
    (void)bksi_link_echo(&link, MS);
    assert_false(bksi_link_owes_echo(&link, 2 * MS));
    bksi_link_received(&link, 1, false, 7, 3 * MS);
    bksi_link_received(&link, 2, false, 0, 5 * MS);
    bksi_link_received(&link, 3, false, 0, 6 * MS);
    assert_true(bksi_link_owes_echo(&link, 6 * MS));
    bksi_echo echo = bksi_link_echo(&link, 6 * MS);
    assert_int_equal(echo.number, 1);
    assert_int_equal(echo.hold, 3 * MS / UNIT);
    assert_int_equal(echo.stamp, bksi_line_stamp(3 * MS));
    assert_false(bksi_link_owes_echo(&link, 7 * MS));
    bksi_link_received(&link, 4, false, 7, 8 * MS);
    assert_true(bksi_link_owes_echo(&link, 8 * MS));
    // New keys begin anew.
    bksi_link_received(&link, 0, true, 0, 9 * MS);
    assert_int_equal(bksi_link_echo(&link, 9 * MS).number, 0);
}

static void a_packet_is_stale_when_a_newer_one_came_half_a_second_before(void **context)
{
    (void)context;
    bksi_link link = {0};
    bksi_link_received(&link, 100, true, 0, 0);
    for (uint64_t i = 1; i <= 1000; i++) {
        // As beside bulk: a thousand a second.
        bksi_link_received(&link, 100 + i, false, 0, i * MS);
        assert_false(bksi_link_is_stale(&link, 100 + i));
        assert_false(i >= 499 && bksi_link_is_stale(&link, 100 + i - 499));
        assert_true(i <= 1000 || bksi_link_is_stale(&link, 100 + i - 1001));
    }
    assert_true(bksi_link_is_stale(&link, 100));
    // After a pause what waited comes in its order, and all of it counts.
    for (uint64_t i = 1; i <= 300; i++) {
        bksi_link_received(&link, 1100 + i, false, 0, 9000 * MS + i);
        assert_false(bksi_link_is_stale(&link, 1100 + i));
    }
    bksi_link_received(&link, 5, true, 0, 9100 * MS);
    assert_false(bksi_link_is_stale(&link, 5));
}

/// They go straight whatever way the sender's own packets take.
static void a_packet_that_is_asked_for_is_echoed_though_others_come_before_that(void **context)
{
    (void)context;
    bksi_link link = {0};
    for (uint32_t i = 0; i < 10; i++) {
        bksi_link_received(&link, i, i == 0, 0, i * MS);
    }
    (void)bksi_link_echo(&link, 10 * MS);
    bksi_link_received(&link, 10, false, 0, 11 * MS);
    bksi_link_owe_echo(&link);
    assert_true(bksi_link_owes_echo(&link, 11 * MS));
    bksi_link_received(&link, 11, false, 0, 14 * MS);
    bksi_echo echo = bksi_link_echo(&link, 15 * MS);
    assert_int_equal(echo.number, 10);
    assert_int_equal(echo.stamp, bksi_line_stamp(11 * MS));
    assert_int_equal(echo.came, 11);
    assert_int_equal(echo.hold, 4 * MS / UNIT);
    echo = bksi_link_echo(&link, 15 * MS);
    assert_int_equal(echo.number, 11);
    assert_int_equal(echo.came, 12);
}

static void datagrams_that_carry_for_others_are_not_echoed(void **context)
{
    (void)context;
    bksi_link link = {0};
    bksi_link_received(&link, 0, true, 5, 0);
    assert_int_equal(bksi_link_echo(&link, 0).number, 0);
    bksi_link_received(&link, 1, false, BKSI_ROUTE_OF_OTHERS, 10 * MS);
    assert_false(bksi_link_owes_echo(&link, 10 * MS));
    assert_int_equal(bksi_link_echo(&link, 100 * MS).number, 0);
    bksi_link_received(&link, 3, false, BKSI_ROUTE_OF_OTHERS, 101 * MS);
    bksi_link_received(&link, 2, false, 0, 102 * MS); // a probe
    bksi_link_received(&link, 4, false, BKSI_ROUTE_OF_OTHERS, 103 * MS);
    bksi_link_received(&link, 5, false, 5, 104 * MS);
    assert_int_equal(bksi_link_echo(&link, 105 * MS).number, 2);
    assert_int_equal(link.expected, link.received);
}

/// What comes of 60 packets a second, and of a probe every 125 ms by another way, in a minute.
static double loss_of_a_minute(uint32_t way, uint32_t lost_every)
{
    bksi_link link = {0};
    uint64_t number = 0;
    uint64_t probes = 0;
    for (uint64_t k = 1; k <= 3600; k++) {
        const uint64_t now_ns = k * 1000 * MS / 60;
        number++;
        if (lost_every == 0 || k % lost_every != 0) {
            bksi_link_received(&link, number, false, way, now_ns);
        }
        const bool is_probed = now_ns / (125 * MS) > probes;
        probes += is_probed ? 1 : 0;
        number += is_probed ? 1 : 0;
    }
    return bksi_link_loss(&link);
}

static void probes_of_a_way_that_is_cut_are_no_loss(void **context)
{
    (void)context;
    assert_near(loss_of_a_minute(5, 0), 0.0, 0.001);
    assert_near(loss_of_a_minute(5, 20), 0.05, 0.005);
    assert_near(loss_of_a_minute(0, 0), 8.0 / 68.0, 0.005);
    // A gap holds two of them at most.
    bksi_link link = {0};
    bksi_link_received(&link, 0, true, 5, 0);
    bksi_link_received(&link, 50, false, 5, 800 * MS);
    assert_int_equal(link.expected, 49);
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_lost_is_no_loss),
        cmocka_unit_test(probes_of_a_way_that_is_cut_are_no_loss),
        cmocka_unit_test(loss_is_the_share_of_numbers_that_never_came),
        cmocka_unit_test(a_reordered_packet_is_no_loss_and_not_the_newest),
        cmocka_unit_test(duplicates_never_make_loss_negative),
        cmocka_unit_test(recent_loss_follows_the_line_and_leaves_out_what_came_late),
        cmocka_unit_test(a_time_without_any_packet_is_no_recent_loss),
        cmocka_unit_test(numbers_that_begin_anew_are_followed),
        cmocka_unit_test(there_is_no_echo_before_a_packet_came),
        cmocka_unit_test(echo_names_the_newest_when_it_came_and_how_long_it_was_held),
        cmocka_unit_test(an_echo_counts_what_came_not_what_was_sent),
        cmocka_unit_test(echoes_go_more_often_where_packets_come_slowly),
        cmocka_unit_test(round_trip_is_smoothed_by_an_eighth_and_jitter_by_a_quarter),
        cmocka_unit_test(any_numbers_and_round_trips_keep_the_figures_sane),
        cmocka_unit_test(a_packet_by_another_way_is_echoed_at_once_and_not_hidden_by_the_next),
        cmocka_unit_test(a_packet_that_is_asked_for_is_echoed_though_others_come_before_that),
        cmocka_unit_test(datagrams_that_carry_for_others_are_not_echoed),
        cmocka_unit_test(a_packet_is_stale_when_a_newer_one_came_half_a_second_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
