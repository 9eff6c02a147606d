// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/common/links.h"

static session_links links;
static uint32_t path;

#define MS UINT64_C(1000000)

static void what_came_is_echoed_where_that_is_due(void **state)
{
    (void)state;
    links = (session_links){0};
    const bksi_guard_message message = {.number = 0x70007, .is_first = true};
    bksi_links_received(&links, 2, &message, 0, MS);
    bksi_input_head head = {0};
    bksi_links_fill_echo(&links, 2, MS + 3 * BKSI_HOLD_UNIT_NS, false, &head);
    assert_true(head.has_echo);
    assert_int_equal(head.echo.number, 7);
    assert_int_equal(head.echo.came, 1);
    assert_int_equal(head.echo.hold, 3);
    head = (bksi_input_head){0};
    bksi_links_fill_echo(&links, 2, 45 * MS, false, &head);
    assert_false(head.has_echo);
    bksi_links_fill_echo(&links, 2, 50 * MS, false, &head);
    assert_true(head.has_echo);
}

static void nothing_is_echoed_before_something_came(void **state)
{
    (void)state;
    links = (session_links){0};
    bksi_input_head head = {0};
    bksi_links_fill_echo(&links, 1, MS, false, &head);
    assert_false(head.has_echo);
    const bksi_guard_message message = {.is_first = true};
    bksi_links_received(&links, 1, &message, 0, 2 * MS);
    bksi_links_fill_echo(&links, 1, 3 * MS, false, &head);
    assert_true(head.has_echo);
}

static void an_echo_measures_the_round_trip_without_the_hold(void **state)
{
    (void)state;
    links = (session_links){0};
    bksi_links_sent(&links, 1, 5, 60, 0, MS);
    const bksi_echo echo = {.number = 5, .hold = 4};
    (void)bksi_links_echoed(&links, 1, &echo, true, 31 * MS + 4 * BKSI_HOLD_UNIT_NS, &path);
    assert_true(bksi_links_round_trip_ns(&links, 1) == 30e6);
    assert_true(bksi_links_round_trip_ns(&links, 2) == 0.0);
    // The same again says nothing new.
    (void)bksi_links_echoed(&links, 1, &echo, true, 61 * MS, &path);
    assert_true(bksi_links_round_trip_ns(&links, 1) == 30e6);
}

/// An echo of 8 bits reads 300 ms as 44.
static void a_thousand_packets_a_second_measure_as_well(void **state)
{
    (void)state;
    links = (session_links){0};
    for (uint32_t i = 0; i < 70000; i++) {
        bksi_links_sent(&links, 1, i, 60, 0, i * MS);
        if (i >= 300 && i % 50 == 0) {
            const bksi_echo echo = {.number = (uint16_t)(i - 300),
                                    .stamp = bksi_line_stamp((i - 150) * MS),
                                    .came = (uint8_t)(i - 299)};
            (void)bksi_links_echoed(&links, 1, &echo, true, i * MS, &path);
            assert_true(bksi_links_round_trip_ns(&links, 1) == 300e6);
        }
    }
}

static void new_keys_begin_a_new_line(void **state)
{
    (void)state;
    links = (session_links){0};
    for (uint32_t i = 0; i < 40; i++) {
        bksi_links_sent(&links, 1, i, 60, 0, MS);
    }
    bksi_links_sent(&links, 1, 0, 60, 0, 10 * MS);
    const bksi_echo old = {.number = 39};
    (void)bksi_links_echoed(&links, 1, &old, true, 20 * MS, &path);
    assert_true(bksi_links_round_trip_ns(&links, 1) == 0.0);
    const bksi_echo echo = {.number = 0};
    (void)bksi_links_echoed(&links, 1, &echo, true, 40 * MS, &path);
    assert_true(bksi_links_round_trip_ns(&links, 1) == 30e6);
}

static void a_number_that_is_given_again_has_a_new_link(void **state)
{
    (void)state;
    links = (session_links){0};
    bksi_links_measured(&links, 3, 8e6);
    bksi_links_count_sent(&links, 3);
    bksi_links_count_received(&links, 3);
    assert_true(bksi_links_round_trip_ns(&links, 3) == 8e6);
    assert_int_equal(links.peers[3].packets_sent, 1);
    bksi_links_forget(&links, 3);
    assert_true(bksi_links_round_trip_ns(&links, 3) == 0.0);
    assert_int_equal(links.peers[3].packets_sent, 0);
}

/// Echoes of packets by another path than that in use say that it works, and nothing of the line.
static void only_the_path_in_use_is_measured(void **state)
{
    (void)state;
    links = (session_links){0};
    bksi_links_take_path(&links, 1, 4, true, 0);
    bksi_links_sent(&links, 1, 0, 60, 4, MS);
    bksi_links_sent(&links, 1, 1, 60, 5, MS);
    const bksi_echo other = {.number = 1};
    assert_true(bksi_links_echoed(&links, 1, &other, true, 31 * MS, &path));
    assert_int_equal(path, 5);
    assert_true(bksi_links_round_trip_ns(&links, 1) == 0.0);
    bksi_links_sent(&links, 1, 2, 60, 4, 40 * MS);
    const bksi_echo ours = {.number = 2};
    assert_true(bksi_links_echoed(&links, 1, &ours, false, 50 * MS, &path));
    assert_int_equal(path, 4);
    assert_true(bksi_links_round_trip_ns(&links, 1) == 0.0); // the echo waited for us
    assert_true(bksi_links_echoed(&links, 1, &ours, true, 60 * MS, &path));
    assert_true(bksi_links_round_trip_ns(&links, 1) == 20e6);
    // An echo that a peer held for long, or of a packet that was never sent, says nothing.
    const bksi_echo old = {.number = 2, .hold = BKSI_HOLD_NONE};
    assert_false(bksi_links_echoed(&links, 1, &old, true, 60 * MS, &path));
    const bksi_echo unsent = {.number = 3};
    assert_false(bksi_links_echoed(&links, 1, &unsent, true, 60 * MS, &path));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_came_is_echoed_where_that_is_due),
        cmocka_unit_test(nothing_is_echoed_before_something_came),
        cmocka_unit_test(an_echo_measures_the_round_trip_without_the_hold),
        cmocka_unit_test(a_thousand_packets_a_second_measure_as_well),
        cmocka_unit_test(new_keys_begin_a_new_line),
        cmocka_unit_test(a_number_that_is_given_again_has_a_new_link),
        cmocka_unit_test(only_the_path_in_use_is_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
