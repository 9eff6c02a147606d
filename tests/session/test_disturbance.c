// SPDX-License-Identifier: MIT

// Causes of late ticks that are not the lines, and the needs of ticks while they last.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "session/time/disturbance.h"
#include "session/time/line_needs.h"
#include "session/time/pace.h"

#define RATE_HZ 60
#define TICK_NS (NS_PER_SECOND / RATE_HZ)

static session_common common;
static session_pace pace;

/// We are peer 0 of a lockstep match with automatic delay; our next tick is 600.
static void begin(uint32_t peers)
{
    memset(&common, 0, sizeof(common));
    memset(&pace, 0, sizeof(pace));
    common.now_ns = 10 * NS_PER_SECOND;
    common.seats.all = (1u << peers) - 1;
    bksi_membership_begin(&common.membership, 0, 0, common.seats.all);
    common.config.tick_rate_hz = RATE_HZ;
    common.config.tuning.delay_ticks = BKS_AUTO;
    common.engine.settled.held = BKS_TICK_NONE;
    common.engine.progress.front = 600;
    for (uint32_t i = 1; i < peers; i++) {
        common.seats.peers[i].first_player = i;
        common.engine.known.timelines[i].head = 600;
        pace.peers[i].head_ns = pace.peers[i].moved_ns = common.now_ns;
    }
}

/// A message of a peer arrives, with `more` new ticks.
static void hear(uint32_t peer, bks_tick more)
{
    bks_tick *head = &common.engine.known.timelines[peer].head;
    *head += more;
    bksi_pace_head(&pace, &common, peer, *head - more, *head);
}

static void a_peer_is_silent_after_200_ms(void **state)
{
    (void)state;
    begin(2);
    common.now_ns += FREEZE_NS;
    assert_false(bksi_disturbance_is_silent(&pace, &common, 1));
    assert_true(bksi_disturbance_is_absent(&pace, &common));
    common.now_ns++;
    assert_true(bksi_disturbance_is_silent(&pace, &common, 1));
    assert_false(bksi_disturbance_is_absent(&pace, &common));
    hear(1, 1);
    assert_false(bksi_disturbance_is_silent(&pace, &common, 1));
}

/// With two peers there is no third one to wait for.
static void a_peer_that_sends_no_new_ticks_waits_for_a_third_one(void **state)
{
    (void)state;
    for (uint32_t peers = 2; peers <= 3; peers++) {
        begin(peers);
        for (uint32_t i = 0; i < 4; i++) {
            common.now_ns += TICK_NS;
            hear(1, 0);
        }
        assert_true(bksi_disturbance_is_absent(&pace, &common)); // no longer than a gap and a tick
        assert_false(bksi_disturbance_is_of_others(&pace, &common));
        common.now_ns += TICK_NS;
        hear(1, 0);
        assert_false(bksi_disturbance_is_absent(&pace, &common));
        assert_int_equal(bksi_disturbance_is_of_others(&pace, &common), peers == 3);
        hear(1, 1);
        assert_true(bksi_disturbance_is_absent(&pace, &common));
    }
}

/// A line that is slow in one direction makes peers wait for the first inputs.
static void waits_in_the_first_second_are_no_disturbance(void **state)
{
    (void)state;
    static const struct {
        bks_tick front;
        bool is_disturbed;
    } rows[] = {{0, false}, {1, false}, {59, false}, {60, true}};
    for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
        begin(3);
        common.engine.progress.front = rows[row].front;
        for (uint32_t i = 0; i < 6; i++) {
            common.now_ns += TICK_NS;
            hear(1, 0);
            hear(2, 1);
        }
        (void)bksi_pace_starve(&pace, &common, 0);
        assert_int_equal(pace.delay.is_disturbed, rows[row].is_disturbed);
    }
}

static void a_detour_lasts_200_ms_after_the_last_packet(void **state)
{
    (void)state;
    begin(3);
    assert_int_equal(bksi_disturbance_detours(&pace, &common), 0);
    common.links.peers[2].link.way = 1;
    hear(1, 1);
    hear(2, 1);
    assert_int_equal(bksi_disturbance_detours(&pace, &common), PEER_BIT(2));
    common.now_ns += FREEZE_NS;
    assert_int_equal(bksi_disturbance_detours(&pace, &common), PEER_BIT(2));
    common.now_ns++;
    assert_int_equal(bksi_disturbance_detours(&pace, &common), 0);
}

/// The peers whose packets it carries wait for each other, and it waits for them.
static void a_carrier_is_disturbed_when_it_begins_and_when_it_ends(void **state)
{
    (void)state;
    begin(3);
    (void)bksi_pace_tick(&pace, &common, 1);
    assert_false(pace.delay.is_disturbed);
    bksi_pace_carried(&pace, &common);
    assert_int_equal(bksi_disturbance_detours(&pace, &common), PEER_BIT(0));
    for (uint32_t i = 0; i < 2; i++) {
        (void)bksi_pace_tick(&pace, &common, 1);
        assert_true(pace.delay.is_disturbed);
        pace.delay.is_disturbed = false;
        (void)bksi_pace_tick(&pace, &common, 1);
        assert_false(pace.delay.is_disturbed); // nothing has changed since
        common.now_ns += FREEZE_NS + 1;
        hear(1, 1);
        hear(2, 1);
    }
}

/// The others hold our inputs up to 599. One of them began 3 ticks after us, so its inputs will
/// come in time once we are level again.
static void in_a_disturbance_our_lead_over_each_peer_is_no_need(void **state)
{
    (void)state;
    begin(3);
    pace.delay.now = 5;
    pace.peers[1].ahead = 3.0;
    common.engine.known.timelines[1].head = 598;
    common.engine.known.timelines[2].head = 601;
    assert_int_equal(bksi_line_needs_of_tick(&pace, &common, 1), 8);
    pace.delay.is_disturbed = true;
    assert_int_equal(bksi_line_needs_of_tick(&pace, &common, 1), 5);
    pace.peers[2].ahead = -3.0; // what a peer is ahead of us is no need of its line either
    assert_int_equal(bksi_line_needs_of_tick(&pace, &common, 1), 5);
    // With the pace `none` we keep the lead, and with it the need.
    common.config.tuning.pace = BKS_PACE_NONE;
    assert_int_equal(bksi_line_needs_of_tick(&pace, &common, 1), 8);
}

/// Receive packets of a peer for a second, of which the line loses none.
static void receive(uint32_t peer)
{
    bksi_link *link = &common.links.peers[peer].link;
    for (uint32_t i = 0; i < RATE_HZ; i++) {
        common.now_ns += TICK_NS;
        link->expected++;
        link->received++;
        hear(peer, 1);
    }
}

static void losses_of_a_silence_are_not_losses_of_the_line(void **state)
{
    (void)state;
    begin(2);
    receive(1);
    const double before = bksi_line_needs_model(&pace, &common).growth;
    common.now_ns += 4 * NS_PER_SECOND;
    common.links.peers[1].link.expected += 4 * RATE_HZ;
    receive(1);
    assert_true(bksi_line_needs_model(&pace, &common).growth <= before);
    common.links.peers[1].link.expected += 6; // the line lost these
    assert_true(bksi_line_needs_model(&pace, &common).growth > 2.0 * before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_peer_is_silent_after_200_ms),
        cmocka_unit_test(a_peer_that_sends_no_new_ticks_waits_for_a_third_one),
        cmocka_unit_test(waits_in_the_first_second_are_no_disturbance),
        cmocka_unit_test(a_detour_lasts_200_ms_after_the_last_packet),
        cmocka_unit_test(a_carrier_is_disturbed_when_it_begins_and_when_it_ends),
        cmocka_unit_test(in_a_disturbance_our_lead_over_each_peer_is_no_need),
        cmocka_unit_test(losses_of_a_silence_are_not_losses_of_the_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
