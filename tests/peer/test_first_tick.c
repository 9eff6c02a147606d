// SPDX-License-Identifier: MIT

// Matches that begin with a later tick, and their recordings.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backstitch/toolkit/recording.h"
#include "peer/some_records.h"

static uint8_t taken_over[16384];
static size_t taken_over_bytes;
#define TAKEN_OVER_AT 150

static void tune_taking_over(bks_peer_config *config, uint32_t peer)
{
    (void)peer;
    config->start_state = taken_over;
    config->start_state_bytes = taken_over_bytes;
    config->start_tick = TAKEN_OVER_AT;
    config->session.ticks = 100;
}

static void a_match_continues_from_a_tick_of_a_recording(void **context)
{
    (void)context;
    net_create(&network, 2, NULL);
    assert_true(net_run_to_end(&network, 20000 * NET_MS));
    bks_replay *replay = open_record(0);
    const bks_playback_config config = {.replay = replay, .game = &some_game};
    bks_playback *playback = NULL;
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_OK);
    assert_int_equal(bks_playback_seek(playback, TAKEN_OVER_AT, NULL), BKS_OK);
    uint64_t hash = bks_playback_hash(playback);
    taken_over_bytes = bks_playback_export(playback, taken_over, sizeof(taken_over));
    assert_true(taken_over_bytes > 0);
    bks_playback_destroy(playback);
    bks_replay_close(replay);
    net_destroy(&network);

    net_create(&network, 2, tune_taking_over);
    network.loss_percent = 5;
    assert_true(net_run_to_end(&network, 20000 * NET_MS));
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(network.peers[i].events[BKS_EVENT_DESYNC], 0);
        replay = open_record(i);
        const bks_recording *info = bks_replay_info(replay);
        assert_true(info->is_complete);
        assert_int_equal(info->first, TAKEN_OVER_AT);
        assert_int_equal(info->end, TAKEN_OVER_AT + 100);
        assert_true(bks_replay_hash_agrees(replay, TAKEN_OVER_AT, hash));
        assert_false(bks_replay_hash_agrees(replay, TAKEN_OVER_AT, ~hash));
        const bks_playback_config again = {.replay = replay, .game = &some_game};
        bks_verify_result result;
        assert_int_equal(bks_replay_verify(&again, NULL, &result, NULL), BKS_OK);
        assert_int_equal(result.compared, 101);
        bks_replay_close(replay);
    }
    net_destroy(&network);
}

/// The guest could not make the state: both players read why, and the host waits for another.
static void assert_refused_by_guest(const char *why)
{
    char text[sizeof(((bks_event *)0)->text)];
    (void)snprintf(text, sizeof(text), "the match cannot be made, %s", why);
    assert_string_equal(network.peers[1].last[BKS_EVENT_REFUSED].text, text);
    (void)snprintf(text, sizeof(text), "peer 1 cannot make the match: %s", why);
    assert_string_equal(network.peers[0].last[BKS_EVENT_REFUSED].text, text);
    assert_int_equal(network.peers[0].status, BKS_OK);
    assert_int_equal(bks_session_phase(net_session(&network, 0)), BKS_PHASE_GATHERING);
    assert_false(bks_peer_started(network.peers[0].peer));
}

static bks_tick other_start;

static void tune_other_start(bks_peer_config *config, uint32_t peer)
{
    tune_taking_over(config, peer);
    config->start_tick = peer == 0 ? TAKEN_OVER_AT : other_start;
}

/// After the test above, with its state.
static void all_peers_must_continue_from_the_same_tick(void **context)
{
    (void)context;
    other_start = TAKEN_OVER_AT + 1;
    net_create(&network, 2, tune_other_start);
    net_run_until(&network, 1000 * NET_MS);
    assert_int_equal(network.peers[1].status, BKS_ERR_REFUSED);
    assert_refused_by_guest("the host's match begins at tick 150, start_state is that of tick 151");
    net_destroy(&network);
}

static void tune_host_alone(bks_peer_config *config, uint32_t peer)
{
    if (peer == 0) {
        tune_taking_over(config, peer);
    }
}

/// With the state of the first test, which only a bks_match would get from the host.
static void a_guest_without_the_hosts_state_is_told_what_to_do(void **context)
{
    (void)context;
    net_create(&network, 2, tune_host_alone);
    net_run_until(&network, 1000 * NET_MS);
    assert_int_equal(network.peers[1].status, BKS_ERR_REFUSED);
    assert_refused_by_guest("the host's match begins with a state that is not here: set "
                            "start_state or use bks_match");
    net_destroy(&network);
}

#define LATER 200

static void tune_later(bks_peer_config *config, uint32_t peer)
{
    config->session.first_tick = peer == 0 ? LATER : 0; // the guests learn it from the host
    config->session.ticks = 150;
    tune_everything(config, peer);
}

static void a_match_that_begins_later_is_recorded_from_there_on(void **context)
{
    (void)context;
    net_create(&network, 3, tune_later);
    network.loss_percent = 10;
    assert_true(net_run_to_end(&network, 20000 * NET_MS));
    for (uint32_t i = 0; i < 3; i++) {
        bks_replay *replay = open_record(i);
        const bks_recording *info = bks_replay_info(replay);
        bks_stats stats;
        uint64_t hash = 0;
        assert_int_equal(bks_session_stats(net_session(&network, i), &stats), BKS_OK);
        assert_true(info->is_complete);
        assert_int_equal(info->first, LATER);
        assert_int_equal(info->end, LATER + 150);
        assert_int_equal(info->rollback_count, stats.rollbacks);
        assert_true(info->rollback_count > 10);
        assert_int_equal(bks_session_hash(net_session(&network, i), LATER + 150, &hash), BKS_OK);
        assert_true(bks_replay_hash_agrees(replay, LATER + 150, hash));
        assert_rows_true(replay);
        const bks_playback_config config = {.replay = replay, .game = &some_game};
        bks_verify_result result;
        assert_int_equal(bks_replay_verify(&config, NULL, &result, NULL), BKS_OK);
        assert_int_equal(result.compared, 151);
        assert_played_as_recorded(replay, info->rollback_count, stats.rollback_depth_sum);
        bks_replay_close(replay);
    }
    net_destroy(&network);
}

static void a_state_the_game_cannot_take_is_refused(void **context)
{
    (void)context;
    taken_over_bytes = 3;
    net_create(&network, 2, tune_taking_over);
    net_run_until(&network, 500 * NET_MS);
    assert_int_equal(network.peers[0].status, BKS_ERR_DAMAGED);
    net_destroy(&network);
}

static void tune_damaged_guest(bks_peer_config *config, uint32_t peer)
{
    tune_taking_over(config, peer);
    if (peer == 0) {
        config->start_state = NULL;
        config->start_state_bytes = 0;
        config->start_tick = 0;
        config->session.first_tick = TAKEN_OVER_AT;
    }
}

static void a_state_that_a_guest_cannot_take_is_refused_and_its_seat_is_free(void **context)
{
    (void)context;
    taken_over_bytes = 3;
    net_create(&network, 2, tune_damaged_guest);
    net_run_until(&network, 1000 * NET_MS);
    assert_int_equal(network.peers[1].status, BKS_ERR_DAMAGED);
    assert_refused_by_guest("start_state: 3 bytes are not a state of this game: no root and arena "
                            "have this size at byte 3");
    net_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_match_continues_from_a_tick_of_a_recording),
        cmocka_unit_test(all_peers_must_continue_from_the_same_tick),
        cmocka_unit_test(a_guest_without_the_hosts_state_is_told_what_to_do),
        cmocka_unit_test(a_match_that_begins_later_is_recorded_from_there_on),
        cmocka_unit_test(a_state_the_game_cannot_take_is_refused),
        cmocka_unit_test(a_state_that_a_guest_cannot_take_is_refused_and_its_seat_is_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
