// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <string.h>

#include "session/inputs/exchange.h"

#define DROP_MS 5000u

static session_common common;
static session_liveness liveness;
static session_routes routes;
static session_exchange exchange;

static void begin(uint32_t tick_rate_hz)
{
    memset(&common, 0, sizeof(common));
    common.now_ns = 100 * NS_PER_SECOND;
    common.seats = (session_seats){.all = 7, .self = 0};
    bksi_membership_begin(&common.membership, 0, 0, common.seats.all);
    common.config.tick_rate_hz = tick_rate_hz;
    common.config.tuning.drop_after_ms = DROP_MS;
    liveness = (session_liveness){0};
    bksi_liveness_start(&liveness, &common);
    memset(&routes, 0, sizeof(routes));
    exchange = (session_exchange){0};
    bksi_exchange_start_rates(&common.links, &common);
}

/// Packets to peer 1 in a time, with updates every millisecond, of which each `tick_ms`th has a
/// tick; peer 2 is heard all the time.
static uint32_t packets(uint32_t ms, uint32_t tick_ms)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < ms; i++) {
        common.now_ns += NS_PER_MS;
        common.awake_ns += NS_PER_MS;
        bksi_liveness_greeted(&liveness, &common, 2);
        if (bksi_exchange_is_due(&exchange, &common, i % tick_ms == 0)) {
            count += bksi_exchange_find_due(&exchange, &common.links, &common.events, &common,
                                            &liveness, &routes, 0) >>
                         1 &
                     1;
        }
    }
    return count;
}

static void packets_go_with_the_ticks_20_to_120_times_a_second(void **state)
{
    (void)state;
    const struct {
        uint32_t hz;
        uint32_t tick_ms;
        uint32_t packets;
    } cases[] = {{1000, 1, 120}, {100, 10, 100}, {50, 20, 50}, {20, 50, 20}, {1, 1000, 20}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        begin(cases[i].hz);
        assert_in_range(packets(1000, cases[i].tick_ms), cases[i].packets - 1,
                        cases[i].packets + 1);
    }
}

/// Each packet may be the one that comes through before the peer is dropped.
static void to_a_silent_peer_go_4_a_second_but_20_in_the_last_one(void **state)
{
    (void)state;
    begin(50);
    assert_in_range(packets(1000, 20), 49, 51);
    for (uint32_t second = 1; second < DROP_MS / 1000 - 1; second++) {
        assert_in_range(packets(1000, 20), 3, 5);
    }
    assert_in_range(packets(1000, 20), 15, 21);
    assert_in_range(packets(1000, 20), 3, 5);
}

/// A line to peer 1 that carries a packet in 200 ms, and keeps 5.
typedef struct narrow_line {
    uint64_t arrivals_ns[1024]; ///< by number; 0: lost
    uint64_t free_ns;           ///< the last one has left it
    uint64_t sent;
    uint64_t echoed;
    uint8_t came;
} narrow_line;

static void send_over(narrow_line *narrow)
{
    const uint64_t number = narrow->sent++ % 1024;
    bksi_links_sent(&common.links, 1, narrow->sent - 1, 50, 0, common.now_ns);
    bksi_links_charge(&common.links, 1, 50, common.now_ns);
    narrow->free_ns = narrow->free_ns > common.now_ns ? narrow->free_ns : common.now_ns;
    narrow->arrivals_ns[number] = 0;
    if (narrow->free_ns - common.now_ns < NS_PER_SECOND) {
        narrow->free_ns += 200 * NS_PER_MS;
        narrow->arrivals_ns[number] = narrow->free_ns;
    }
}

static void echo_what_arrived(narrow_line *narrow)
{
    for (; narrow->echoed < narrow->sent; narrow->echoed++) {
        const uint64_t came_ns = narrow->arrivals_ns[narrow->echoed % 1024];
        if (came_ns > common.now_ns) {
            return;
        }
        if (came_ns > 0) {
            const bksi_line_echo echo = {.number = narrow->echoed,
                                         .stamp = bksi_line_stamp(came_ns),
                                         .came = ++narrow->came};
            bksi_line_echoed(&common.links.peers[1].line, &echo, common.now_ns);
        }
    }
}

static void
a_line_that_carries_too_little_gets_10_small_packets_a_second_and_players_learn_it(void **state)
{
    (void)state;
    static narrow_line narrow;
    begin(50);
    uint32_t went = 0;
    for (uint32_t i = 0; i < 30 * 50; i++) {
        bksi_liveness_greeted(&liveness, &common, 1);
        if (packets(20, 20) > 0) {
            send_over(&narrow);
            went += i >= 29 * 50 ? 1 : 0;
        }
        echo_what_arrived(&narrow);
    }
    assert_in_range(went, 9, 11); // in the last second
    assert_true(bksi_links_is_sparing(&common.links, 1));
    bks_event event;
    assert_true(bksi_events_take(&common.events, &event));
    assert_int_equal(event.kind, BKS_EVENT_NARROW);
    assert_int_equal(event.peer, 1);
    assert_string_equal(event.text, "the line to peer 1 is too narrow: it carries 3.1 kbit a "
                                    "second, the match needs 6.2 at least");
    assert_false(bksi_events_take(&common.events, &event)); // not so soon again
}

/// By a detour half of the packets go until its first echo; then all that the line to its carrier
/// takes.
static void by_a_detour_go_half_until_it_is_proven_and_what_its_first_line_takes(void **state)
{
    (void)state;
    begin(50);
    bksi_paths_init(&routes.paths, 0, common.seats.all, common.now_ns);
    routes.detours = PEER_BIT(1);
    routes.paths.peers[1].route = (bksi_route){.carriers = 1, .peers = {2}};
    routes.paths.peers[1].id = common.links.peers[1].path = 5;
    uint32_t went = 0;
    for (uint32_t i = 0; i < 50; i++) {
        bksi_liveness_greeted(&liveness, &common, 1);
        went += packets(20, 20);
    }
    assert_in_range(went, 24, 26);
    common.links.peers[1].line.any_echo = true;
    went = 0;
    for (uint32_t i = 0; i < 50; i++) {
        bksi_liveness_greeted(&liveness, &common, 1);
        went += packets(20, 20);
    }
    assert_in_range(went, 49, 51);
    common.links.peers[2].rate.rate = 20.0;
    went = 0;
    for (uint32_t i = 0; i < 50; i++) {
        bksi_liveness_greeted(&liveness, &common, 1);
        const uint32_t now = packets(20, 20);
        went += now;
        if (now > 0) {
            bksi_links_charge(&common.links, 2, 50, common.now_ns);
        }
    }
    assert_in_range(went, 17, 23);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_go_with_the_ticks_20_to_120_times_a_second),
        cmocka_unit_test(to_a_silent_peer_go_4_a_second_but_20_in_the_last_one),
        cmocka_unit_test(
            a_line_that_carries_too_little_gets_10_small_packets_a_second_and_players_learn_it),
        cmocka_unit_test(by_a_detour_go_half_until_it_is_proven_and_what_its_first_line_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
