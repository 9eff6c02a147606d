// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/lobby/connectivity.h"

static session_common common;
static session_connectivity connectivity;
static session_liveness liveness;

static void begin(uint32_t self)
{
    common = (session_common){.now_ns = 10 * NS_PER_SECOND};
    common.guard.channel_count = BKSI_CHANNELS;
    common.seats = (session_seats){.all = 0xf, .self = self};
    bksi_membership_begin(&common.membership, 0, 0, common.seats.all);
    connectivity = (session_connectivity){0};
    liveness = (session_liveness){0};
    bksi_connectivity_begin(&connectivity, &common);
}

static void pass(uint64_t ns)
{
    common.now_ns += ns;
    common.awake_ns += ns;
}

static bool hear(uint32_t peer, bool has_echo)
{
    const bksi_link_message message = {.stamp_us = 77, .has_echo = has_echo};
    return bksi_connectivity_hear(&connectivity, peer, &message, false, common.now_ns);
}

static void a_link_is_answered_until_both_have_heard(void **state)
{
    (void)state;
    begin(2);
    assert_true(hear(1, false));
    assert_true(hear(1, true));
    assert_false(hear(1, false));
    assert_true(hear(3, true));
}

static void a_caller_is_heard_and_a_called_one_hears_us(void **state)
{
    (void)state;
    begin(2);
    (void)hear(1, false); // calls us
    assert_false(bksi_connectivity_is_done(&connectivity, &common));
    (void)hear(3, false); // we call it
    assert_false(bksi_connectivity_is_done(&connectivity, &common));
    (void)hear(3, true);
    assert_true(bksi_connectivity_is_done(&connectivity, &common));
}

/// The host goes back to gathering when another guest leaves, but a guest may load since before.
static void a_guest_that_may_load_is_waited_for_when_a_seat_is_free_again(void **state)
{
    (void)state;
    begin(0);
    bksi_phase_enter(&common.phase, STAGE_LINKING);
    bksi_phase_enter(&common.phase, STAGE_GATHERING);
    pass(8 * NS_PER_SECOND);
    assert_false(bksi_connectivity_has_lost(&connectivity, &common, &liveness, 1));
    bksi_connectivity_begin(&connectivity, &common); // the seat is taken again
    pass(3 * NS_PER_SECOND);
    assert_false(bksi_connectivity_has_lost(&connectivity, &common, &liveness, 1));
    bksi_connectivity_forget(&connectivity, 1);
    assert_true(bksi_connectivity_has_lost(&connectivity, &common, &liveness, 1));
}

static void a_pair_that_cannot_talk_is_waited_for_two_seconds(void **state)
{
    (void)state;
    begin(1);
    pass(2 * NS_PER_SECOND - 1);
    assert_false(bksi_connectivity_is_done(&connectivity, &common));
    pass(1);
    assert_true(bksi_connectivity_is_done(&connectivity, &common));
}

static void a_link_says_what_came_and_how_long_ago(void **state)
{
    (void)state;
    begin(1);
    (void)hear(2, false);
    pass(5000);
    for (uint32_t peer = 2; peer < 4; peer++) {
        uint8_t bytes[32];
        bksi_byte_writer writer = bksi_byte_writer_over(bytes, sizeof(bytes));
        bksi_connectivity_write(&connectivity, &common, 7, false, peer, &writer);
        bksi_byte_reader reader = bksi_byte_reader_over(bytes, writer.at);
        bksi_link_message message = {0};
        assert_true(bksi_link_message_read(&reader, &message));
        assert_int_equal(message.stamp_us, 10000005);
        assert_int_equal(message.has_echo, peer == 2);
        assert_int_equal(message.echo_us, peer == 2 ? 77 : 0);
        assert_int_equal(message.hold_us, peer == 2 ? 5 : 0);
    }
}

/// A stamp from before the answer may have gone in any copy of the call, or in another's call.
static void no_round_trip_comes_of_a_call(void **state)
{
    (void)state;
    begin(1);
    const bks_address address = {.length = 1, .bytes = {2}};
    common.seats.peers[2].channel = bksi_guard_bind(&common.guard, &address, NULL, true);
    const uint32_t now_us = bksi_common_now_us(&common);
    bksi_link_message message = {.has_echo = true, .echo_us = now_us - 170000};
    assert_int_equal(bksi_connectivity_trip_us(&common, 2, &message), 170000); // nothing was called
    bksi_guard_channel *channel =
        bksi_guard_channel_of(&common.guard, common.seats.peers[2].channel);
    channel->answered_ns = common.now_ns - 40000000;
    assert_true(bksi_connectivity_trip_us(&common, 2, &message) < 0);
    message.echo_us = now_us - 40001;
    assert_true(bksi_connectivity_trip_us(&common, 2, &message) < 0);
    message.echo_us = now_us - 40000;
    assert_int_equal(bksi_connectivity_trip_us(&common, 2, &message), 40000);
    // The clock of LINKs begins again every 71 minutes.
    pass(4296 * NS_PER_SECOND);
    message.echo_us = bksi_common_now_us(&common) - 30000;
    assert_int_equal(bksi_connectivity_trip_us(&common, 2, &message), 30000);
}

static void a_silent_peer_is_greeted_anew_after_two_round_trips_and_a_second(void **state)
{
    (void)state;
    begin(1);
    const bks_address address = {.length = 1, .bytes = {2}};
    common.seats.peers[2].channel = bksi_guard_bind(&common.guard, &address, NULL, true);
    bksi_guard_channel *channel =
        bksi_guard_channel_of(&common.guard, common.seats.peers[2].channel);
    channel->is_open = true;
    channel->handshakes[BKSI_GUARD_STRAIGHT].stage = BKSI_GUARD_IDLE;
    bksi_links_measured(&common.links, 2, 1.0 * NS_PER_SECOND);
    for (uint32_t i = 0; i < 4; i++) {
        bksi_liveness_greeted(&liveness, &common, i);
    }
    pass(2 * NS_PER_SECOND);
    bksi_liveness_greeted(&liveness, &common, 3);
    bksi_connectivity_renew(&connectivity, &common.guard, &common, &liveness, UINT32_MAX);
    assert_true(connectivity.peers[2].renewed_ns == 0);
    assert_int_equal(channel->handshakes[BKSI_GUARD_STRAIGHT].stage, BKSI_GUARD_IDLE);
    pass(NS_PER_SECOND);
    bksi_connectivity_renew(&connectivity, &common.guard, &common, &liveness, UINT32_MAX);
    assert_int_equal(channel->handshakes[BKSI_GUARD_STRAIGHT].stage, BKSI_GUARD_CALLING);
    const uint64_t first_ns = common.now_ns;
    assert_true(connectivity.peers[2].renewed_ns == first_ns);
    assert_true(connectivity.peers[1].renewed_ns == 0); // ourselves
    assert_true(connectivity.peers[3].renewed_ns == 0);
    pass(3 * NS_PER_SECOND - 1);
    bksi_connectivity_renew(&connectivity, &common.guard, &common, &liveness, UINT32_MAX);
    assert_true(connectivity.peers[2].renewed_ns == first_ns);
    pass(1);
    bksi_connectivity_renew(&connectivity, &common.guard, &common, &liveness, UINT32_MAX);
    assert_true(connectivity.peers[2].renewed_ns == common.now_ns);
    // A round trip that is not known yet may be 5 s.
    assert_true(connectivity.peers[3].renewed_ns == 0);
    pass(7 * NS_PER_SECOND);
    bksi_connectivity_renew(&connectivity, &common.guard, &common, &liveness, UINT32_MAX);
    assert_true(connectivity.peers[3].renewed_ns == common.now_ns);
}

static void a_number_that_is_given_again_is_not_reached(void **state)
{
    (void)state;
    begin(1);
    (void)hear(3, true);
    assert_true(connectivity.peers[3].heard_us);
    bksi_connectivity_forget(&connectivity, 3);
    assert_false(connectivity.peers[3].heard_us);
    assert_false(connectivity.peers[3].heard);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_link_is_answered_until_both_have_heard),
        cmocka_unit_test(a_caller_is_heard_and_a_called_one_hears_us),
        cmocka_unit_test(a_guest_that_may_load_is_waited_for_when_a_seat_is_free_again),
        cmocka_unit_test(a_pair_that_cannot_talk_is_waited_for_two_seconds),
        cmocka_unit_test(a_link_says_what_came_and_how_long_ago),
        cmocka_unit_test(no_round_trip_comes_of_a_call),
        cmocka_unit_test(a_silent_peer_is_greeted_anew_after_two_round_trips_and_a_second),
        cmocka_unit_test(a_number_that_is_given_again_is_not_reached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
