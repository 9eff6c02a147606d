// SPDX-License-Identifier: MIT

// Guests come and go before the first tick: what was known of a number does not hold for the next
// peer that has it, and of those that went nothing is left.

#include <string.h>

#include "backstitch/session.h"
#include "session/session_internal.h"
#include "session/some_views.h"
#include "support/says.h"

#define GUESTS 24u ///< more than there are channels

static uint32_t seats; ///< seats of the match

static void tune_guests(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->players = seats;
    config->tuning.drop_after_ms = 5000;
}

static void create(uint32_t peers, uint32_t players)
{
    seats = players;
    toy_create(&network, peers, 1, tune_guests);
}

/// Another program runs where this peer did; the same guest started again where `run` is 0.
static void come_anew(uint32_t peer, uint32_t run)
{
    static uint32_t count;
    bks_session_config config = toy_config(peer, network.peer_count);
    tune_guests(&config, peer);
    config.nonce += ++count;
    memcpy(config.entropy, &count, sizeof(count));
    memcpy(config.identity + 4, &run, run != 0 ? sizeof(run) : 0);
    bks_session_destroy(session_of(peer));
    network.peers[peer].session = NULL;
    assert_int_equal(bks_session_create(&config, &network.peers[peer].session, NULL), BKS_OK);
    network.peers[peer].is_frozen = false;
}

static void run_until_host_has(bks_event_kind kind, uint32_t times)
{
    for (uint32_t ms = 0; network.peers[0].events[kind] < times; ms++) {
        assert_true(ms < 20000);
        run_for(1);
    }
}

/// All have seats, and guest 2 is gone for a while, so the match cannot start.
static void until_only_guest_2_is_missing(void)
{
    run_until_host_has(BKS_EVENT_JOINED, 2);
    freeze(2);
}

// ---- the next one with a number ----

/// Guest 1 was ready, and is started again.
static void a_guest_says_itself_whether_it_is_ready(void **context)
{
    (void)context;
    create(3, 3);
    until_only_guest_2_is_missing();
    run_for(2500); // guest 1 is ready without it
    come_anew(1, 0);
    network.lost_types[1] = type_bit(BKSI_PACKET_JOIN); // the first comes with its handshake
    run_until_host_has(BKS_EVENT_JOINED, 3);
    network.peers[2].is_frozen = false;
    run_for(2500); // guest 2 is ready
    assert_int_equal(phase_of(0), BKS_PHASE_GATHERING);
    network.lost_types[1] = 0;
    run_for(1000);
    assert_play_on(7);
    toy_destroy(&network);
}

static uint32_t calls_lost; ///< between the guests

static bool is_call_of_a_guest(const toy_network *n, uint32_t from, uint32_t to,
                               const uint8_t *bytes, size_t count)
{
    (void)n;
    const bool is_hello = count == BKSI_HELLO_BYTES && bytes[0] == 0 && bytes[1] == 1;
    return is_hello && from != 0 && to != 0 && calls_lost++ < 6;
}

static void lost_calls_of_guests_lengthen_no_round_trip(void **context)
{
    (void)context;
    create(3, 3);
    network.delay_ns = 20 * TOY_MS;
    network.loses = is_call_of_a_guest;
    calls_lost = 0;
    const bksi_link *link = &session_of(1)->common.links.peers[2].link;
    for (uint32_t ms = 0; !link->has_round_trip; ms++) {
        assert_true(ms < 2000);
        run_for(1);
    }
    assert_true(calls_lost > 6);
    assert_in_range((uint64_t)link->round_trip_ns, 40 * TOY_MS, 45 * TOY_MS);
    toy_destroy(&network);
}

/// From a peer's first tick to that of another, in ms.
static int32_t apart_ms(uint32_t a, uint32_t b)
{
    uint64_t begun_ms[2] = {0};
    for (uint64_t ms = 0; begun_ms[0] == 0 || begun_ms[1] == 0; ms++) {
        assert_true(ms < 10000);
        run_for(1);
        begun_ms[0] += begun_ms[0] == 0 && phase_of(a) == BKS_PHASE_RUNNING ? ms + 1 : 0;
        begun_ms[1] += begun_ms[1] == 0 && phase_of(b) == BKS_PHASE_RUNNING ? ms + 1 : 0;
    }
    return (int32_t)(begun_ms[1] - begun_ms[0]);
}

/// Guest 1 was near, and the next one is far.
static void the_way_to_a_guest_is_measured_anew(void **context)
{
    (void)context;
    create(3, 3);
    network.delay_ns = TOY_MS;
    until_only_guest_2_is_missing();
    run_for(1000);
    come_anew(1, 0);
    network.far_ns[1] = 300 * TOY_MS;
    run_until_host_has(BKS_EVENT_JOINED, 3);
    network.peers[2].is_frozen = false;
    const int32_t apart = apart_ms(0, 1);
    assert_in_range(apart + 20, 0, 40);
    run_for(2000); // a way that became longer could be a queue, and the rate would be lower
    assert_true(stats_of(0).links[1].packets_per_s == 60.0);
    toy_destroy(&network);
}

/// The others have linked, and guest 2 is not known to be ready, when guest 1 is started again.
static void a_guest_is_met_anew(void **context)
{
    (void)context;
    create(3, 3);
    network.delay_ns = 40 * TOY_MS;
    network.lost_types[2] = type_bit(BKSI_PACKET_JOIN);
    run_for(1500);
    assert_int_equal(phase_of(0), BKS_PHASE_GATHERING);
    come_anew(1, 0);
    run_until_host_has(BKS_EVENT_JOINED, 3);
    network.lost_types[2] = 0;
    uint32_t ms = 0;
    for (; phase_of(0) != BKS_PHASE_RUNNING; ms++) {
        assert_true(ms < 10000);
        run_for(1);
    }
    print_message("started %u ms after it has its seat\n", ms);
    assert_in_range(ms, 300, 400);
    toy_destroy(&network);
}

// ---- those that went ----

/// @return whether the guest can have a seat
static bool can_have_a_seat(uint32_t run)
{
    const uint32_t joined = network.peers[0].events[BKS_EVENT_JOINED];
    come_anew(1, run);
    run_for(400);
    return network.peers[0].events[BKS_EVENT_JOINED] == joined + 1;
}

static void guests_that_leave_keep_no_channel(void **context)
{
    (void)context;
    create(2, 3); // one never comes
    for (uint32_t run = 1; run <= GUESTS; run++) {
        assert_true(can_have_a_seat(run));
        assert_int_equal(bks_session_leave(session_of(1)), BKS_OK);
        run_until_host_has(BKS_EVENT_LEFT, run);
    }
    toy_destroy(&network);
}

static void guests_that_cannot_make_the_match_keep_no_channel(void **context)
{
    (void)context;
    create(2, 2);
    network.peers[1].problem = "no memory";
    for (uint32_t run = 1; run <= GUESTS; run++) {
        assert_true(can_have_a_seat(run));
        run_until_host_has(BKS_EVENT_REFUSED, run);
    }
    toy_destroy(&network);
}

static void guests_that_fall_silent_keep_no_channel(void **context)
{
    (void)context;
    create(2, 3);
    for (uint32_t run = 1; run <= GUESTS; run++) {
        assert_true(can_have_a_seat(run));
        freeze(1);
        run_until_host_has(BKS_EVENT_LEFT, run);
    }
    toy_destroy(&network);
}

/// More of them come and go than there are channels, while a guest is not heard.
static void a_guest_keeps_its_channel(void **context)
{
    (void)context;
    create(3, 4);
    network.delay_ns = 5 * TOY_MS;
    freeze(1);
    run_until_host_has(BKS_EVENT_JOINED, 1);
    run_for(100);
    freeze(2);
    for (uint32_t run = 1; run <= GUESTS; run++) {
        come_anew(1, run);
        run_until_host_has(BKS_EVENT_JOINED, 1 + run);
        assert_int_equal(bks_session_leave(session_of(1)), BKS_OK);
        run_until_host_has(BKS_EVENT_LEFT, run);
    }
    network.peers[2].is_frozen = false;
    run_for(3000);
    assert_int_equal(phase_of(2), BKS_PHASE_GATHERING);
    assert_int_equal(network.peers[0].events[BKS_EVENT_LEFT], GUESTS);
    assert_int_equal(network.peers[0].events[BKS_EVENT_REFUSED], 0);
    toy_destroy(&network);
}

/// The guest joins and leaves as fast as it can.
static void a_guest_that_comes_and_goes_is_not_heard_of_all_the_time(void **context)
{
    (void)context;
    create(2, 3);
    network.delay_ns = TOY_MS;
    const uint64_t until_ns = network.now_ns + 3 * SECONDS;
    for (uint32_t times = 1; network.now_ns < until_ns; times++) {
        come_anew(1, times);
        run_until_host_has(BKS_EVENT_JOINED, times);
        run_for(5); // the guest has keys, else its goodbye goes later
        assert_int_equal(bks_session_leave(session_of(1)), BKS_OK);
        run_until_host_has(BKS_EVENT_LEFT, times);
    }
    assert_in_range(network.peers[0].events[BKS_EVENT_LEFT], 10, 31); // every 100 ms
    toy_destroy(&network);
}

static void tune_impatient_guest(bks_session_config *config, uint32_t peer)
{
    config->tuning.drop_after_ms = peer == 1 ? 1000 : 20000;
    config->tuning.notify_after_ms = 500;
}

/// While its program did not run nobody could be heard.
static void a_guest_that_slept_does_not_give_up_the_host(void **context)
{
    (void)context;
    toy_create(&network, 3, 1, tune_impatient_guest);
    network.peers[2].is_frozen = true;
    toy_run_until(&network, 500 * TOY_MS);
    network.peers[1].is_frozen = true;
    toy_run_until(&network, 7 * 1000 * TOY_MS);
    network.peers[1].is_frozen = network.peers[2].is_frozen = false;
    toy_run_until(&network, 9 * 1000 * TOY_MS);
    assert_int_equal(network.peers[1].events[BKS_EVENT_LOST], 0);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(bks_session_phase(session_of(i)), BKS_PHASE_RUNNING);
    }
    toy_destroy(&network);
}

static void tune_short(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->tuning.notify_after_ms = config->tuning.drop_after_ms = 100;
}

static void a_goodbye_is_repeated_for_as_long_as_the_line_needs(void **context)
{
    (void)context;
    toy_create(&network, 3, 1, tune_short);
    network.peers[2].is_frozen = true;
    run_for(400);
    assert_int_equal(phase_of(1), BKS_PHASE_GATHERING);
    network.lost_types[1] = 1U << BKSI_PACKET_BYE;
    assert_int_equal(bks_session_leave(session_of(1)), BKS_OK);
    run_for(800);
    assert_true(bks_session_wake(session_of(1)) < UINT64_MAX);
    run_for(1000);
    assert_true(bks_session_wake(session_of(1)) == UINT64_MAX);
    toy_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_guest_that_slept_does_not_give_up_the_host),
        cmocka_unit_test(a_guest_says_itself_whether_it_is_ready),
        cmocka_unit_test(lost_calls_of_guests_lengthen_no_round_trip),
        cmocka_unit_test(a_guest_is_met_anew),
        cmocka_unit_test(the_way_to_a_guest_is_measured_anew),
        cmocka_unit_test(guests_that_leave_keep_no_channel),
        cmocka_unit_test(guests_that_cannot_make_the_match_keep_no_channel),
        cmocka_unit_test(guests_that_fall_silent_keep_no_channel),
        cmocka_unit_test(a_guest_keeps_its_channel),
        cmocka_unit_test(a_guest_that_comes_and_goes_is_not_heard_of_all_the_time),
        cmocka_unit_test(a_goodbye_is_repeated_for_as_long_as_the_line_needs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
