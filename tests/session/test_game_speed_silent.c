// SPDX-License-Identifier: MIT

// Pauses whose peer falls silent: the others need not wait for it, and nobody drops a peer in its
// debugger who was not asked to.

#include "session/paused_match.h"
#include "wire/packet.h"

/// Run until only the pause keeps a silent peer from being dropped.
#define UNTIL_UNHEARD_MS 2600

/// Let a peer pause the match and crash.
/// @return tick of the pause
static bks_tick crash_in_own_pause(uint32_t all, uint32_t by)
{
    run_for(3000 + seed * 31);
    pause_by(by, true);
    run_for(5000);
    const bks_tick tick = assert_paused(all, by);
    network.peers[by].is_frozen = true;
    return tick;
}

static void assert_goes_on(uint32_t peers, bks_tick tick, uint32_t gone)
{
    EACH_PEER (i, peers) {
        assert_false(roster_of(i).is_paused);
        assert_int_equal(network.peers[i].events[BKS_EVENT_LEFT], 1);
        assert_int_equal(roster_of(i).end[gone], roster_of(bksi_peers_lowest(peers)).end[gone]);
        if (tick_of(i) < tick + HZ) {
            fail_msg("seed %u: peer %u is at %d, the pause was at %d", seed, i, (int)tick_of(i),
                     (int)tick);
        }
    }
}

static void any_guest_goes_on_without_a_host_that_crashed_in_its_pause(void **state)
{
    (void)state;
    for (seed = 1; seed <= 12; seed++) {
        const uint32_t peers = 2 + seed % 4;
        const uint32_t asker = 1 + seed % (peers - 1);
        const uint32_t all = (1u << peers) - 1;
        is_mixed = seed % 3 == 0;
        is_lockstep = seed % 5 == 0;
        tuned_pauses = seed % 2 * 3; // also where guests may pause nothing
        begin(peers);
        network.loss_percent = seed % 4 * 5;
        const bks_tick tick = crash_in_own_pause(all, 0);
        run_for(1000);
        assert_int_equal(bks_session_pause(session_of(asker), false), BKS_ERR_UNSUPPORTED);
        run_for(20000);
        assert_int_equal(assert_paused(all & ~1u, 0), tick); // nobody wants to go on yet
        pause_by(asker, false);
        run_for(5000);
        assert_goes_on(all & ~1u, tick, 0);
        toy_destroy(&network);
    }
}

static void a_guest_goes_on_without_another_that_crashed_in_its_pause(void **state)
{
    (void)state;
    begin(4);
    const bks_tick tick = crash_in_own_pause(15, 2);
    run_for(1000);
    assert_int_equal(bks_session_pause(session_of(3), false), BKS_ERR_UNSUPPORTED);
    run_for(UNTIL_UNHEARD_MS);
    pause_by(3, false);
    run_for(6000);
    assert_goes_on(11, tick, 2);
    toy_destroy(&network);
}

/// The host asked for the pause too, so it is excused.
static void a_guest_ends_its_pause_without_a_host_that_crashed_in_it(void **state)
{
    (void)state;
    begin(3);
    run_for(3000);
    pause_by(2, true);
    run_for(1000);
    const bks_tick tick = assert_paused(7, 2);
    pause_by(0, true);
    run_for(500);
    network.peers[0].is_frozen = true;
    run_for(500);
    pause_by(2, false); // before the silence is long enough
    run_for(8000);
    assert_goes_on(6, tick, 0);
    assert_int_equal(bks_session_pause(session_of(1), false), BKS_OK);
    toy_destroy(&network);
}

static void members_that_sleep_in_the_pause_of_a_lost_host_hold_nobody_up(void **state)
{
    (void)state;
    begin(4);
    const bks_tick tick = crash_in_own_pause(15, 0);
    run_for(1500);
    network.peers[1].is_frozen = true; // the next host
    run_for(1500);
    pause_by(3, false);
    run_for(6000);
    EACH_PEER (i, 12) {
        assert_int_equal(network.peers[i].events[BKS_EVENT_LEFT], 2);
        assert_true(tick_of(i) > tick + HZ);
        assert_int_equal(roster_of(i).host, 2);
    }
    toy_destroy(&network);
}

static void members_go_on_when_the_host_leaves_and_the_next_one_crashed_in_its_pause(void **state)
{
    (void)state;
    begin(4);
    const bks_tick tick = crash_in_own_pause(15, 1);
    assert_int_equal(bks_session_leave(session_of(0)), BKS_OK);
    run_for(UNTIL_UNHEARD_MS);
    pause_by(3, false);
    run_for(8000);
    EACH_PEER (i, 12) {
        assert_int_equal(network.peers[i].events[BKS_EVENT_LEFT], 2);
        assert_true(tick_of(i) > tick + HZ);
    }
    toy_destroy(&network);
}

/// No ballot is decided before the host is back.
static void a_host_that_comes_back_in_time_stays_and_is_excused_again(void **state)
{
    (void)state;
    begin(3);
    network.lost_types[1] = network.lost_types[2] =
        1u << BKSI_PACKET_VIEW | 1u << BKSI_PACKET_CARRIED;
    const bks_tick tick = crash_in_own_pause(7, 0);
    run_for(UNTIL_UNHEARD_MS);
    pause_by(2, false);
    run_for(1000);
    network.peers[0].is_frozen = false;
    run_for(1000);
    network.lost_types[1] = network.lost_types[2] = 0;
    assert_string_equal(network.peers[2].last[BKS_EVENT_SPEED].text,
                        "the host refused: only the host and the peer that paused the match end "
                        "the pause while that peer is heard");
    network.peers[0].is_frozen = true;
    run_for(60000);
    for (uint32_t i = 1; i < 3; i++) {
        assert_int_equal(network.peers[i].events[BKS_EVENT_LEFT], 0);
        assert_true(roster_of(i).is_paused);
    }
    network.peers[0].is_frozen = false;
    run_for(500);
    pause_by(0, false);
    run_for(3000);
    assert_true(tick_of(1) > tick + HZ);
    assert_states(7);
    toy_destroy(&network);
}

/// Guest 2 says that it wants to go on though the host was silent for a moment only.
static void a_guest_that_wants_to_go_on_too_soon_drops_nobody(void **state)
{
    (void)state;
    begin(3);
    const bks_tick tick = crash_in_own_pause(7, 0);
    run_for(1500);
    session_game_speed *speed = &session_of(2)->common.game_speed;
    speed->wish = (bksi_speed_wish){.number = ++speed->wishes, .kind = BKSI_WISH_RESUME};
    for (uint32_t i = 0; i < 60; i++) {
        session_of(2)->inputs.liveness.peers[0].heard_ns = 0; // so all hear of it
        run_for(5);
    }
    network.peers[0].is_frozen = false;
    run_for(5000);
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(roster_of(i).is_paused);
        assert_int_equal(tick_of(i), tick);
        assert_int_equal(network.peers[i].events[BKS_EVENT_LEFT], 0);
    }
    toy_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(any_guest_goes_on_without_a_host_that_crashed_in_its_pause, reset),
        cmocka_unit_test_setup(a_guest_goes_on_without_another_that_crashed_in_its_pause, reset),
        cmocka_unit_test_setup(a_guest_ends_its_pause_without_a_host_that_crashed_in_it, reset),
        cmocka_unit_test_setup(members_that_sleep_in_the_pause_of_a_lost_host_hold_nobody_up,
                               reset),
        cmocka_unit_test_setup(
            members_go_on_when_the_host_leaves_and_the_next_one_crashed_in_its_pause, reset),
        cmocka_unit_test_setup(a_host_that_comes_back_in_time_stays_and_is_excused_again, reset),
        cmocka_unit_test_setup(a_guest_that_wants_to_go_on_too_soon_drops_nobody, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
