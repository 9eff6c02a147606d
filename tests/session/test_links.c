// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/links.h"

static session_links links;

static void every_sixth_packet_has_an_echo(void **state)
{
    (void)state;
    links = (session_links){0};
    const bksi_guard_message message = {.number = 7, .is_first = true};
    bksi_links_received(&links, 2, &message, 1000000);
    for (uint32_t i = 0; i < 19; i++) {
        bksi_input_head head = {0};
        bksi_links_fill_echo(&links, 2, 1000000 + 3 * BKSI_HOLD_UNIT_NS, &head);
        assert_int_equal(head.has_echo, i % 6 == 0);
        assert_int_equal(head.echo, head.has_echo ? 7 : 0);
        assert_int_equal(head.hold, head.has_echo ? 3 : 0);
    }
}

static void nothing_is_echoed_before_something_came(void **state)
{
    (void)state;
    links = (session_links){0};
    bksi_input_head head = {0};
    bksi_links_fill_echo(&links, 1, 1000000, &head);
    assert_false(head.has_echo);
}

static void an_echo_measures_the_round_trip_without_the_hold(void **state)
{
    (void)state;
    links = (session_links){0};
    bksi_links_sent(&links, 1, 5, 1000000);
    const bksi_input_head head = {.echo = 5, .hold = 4};
    bksi_links_echoed(&links, 1, &head, 1000000 + 30000000 + 4 * BKSI_HOLD_UNIT_NS);
    assert_true(bksi_links_round_trip_ns(&links, 1) == 30e6);
    assert_true(bksi_links_round_trip_ns(&links, 2) == 0.0);
}

static void a_peer_takes_its_link_to_another_place(void **state)
{
    (void)state;
    links = (session_links){0};
    bksi_links_measured(&links, 3, 8e6);
    bksi_links_count_sent(&links, 3);
    bksi_links_count_received(&links, 3);
    bksi_links_move(&links, 1, 3);
    assert_true(bksi_links_round_trip_ns(&links, 1) == 8e6);
    assert_int_equal(links.peers[1].packets_sent, 1);
    assert_int_equal(links.peers[1].packets_received, 1);
    bksi_links_move(&links, 3, BKS_PEERS_MAX);
    assert_true(bksi_links_round_trip_ns(&links, 3) == 0.0);
    assert_int_equal(links.peers[3].packets_sent, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sixth_packet_has_an_echo),
        cmocka_unit_test(nothing_is_echoed_before_something_came),
        cmocka_unit_test(an_echo_measures_the_round_trip_without_the_hold),
        cmocka_unit_test(a_peer_takes_its_link_to_another_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
