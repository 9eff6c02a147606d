// SPDX-License-Identifier: MIT

// A match into a recording while it happens.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/catch_log.h"
#include "game/some_game.h"
#include "peer/peer_internal.h"
#include "peer/peer_network.h"
#include "replay/play/playback.h"

#define TICKS 300

static peer_network network;

static bks_replay *open_record(uint32_t peer)
{
    const memory_sink *record = &network.peers[peer].record;
    bks_replay *replay = NULL;
    bks_error error = {0};
    if (bks_replay_open(record->bytes, record->count, NULL, &replay, &error) != BKS_OK)
        fail_msg("%s", error.text);
    return replay;
}

static void assert_verifies(bks_replay *replay)
{
    const bks_playback_config config = {.replay = replay, .game = &some_game};
    bks_verify_result result;
    bks_error error = {0};
    if (bks_replay_verify(&config, NULL, &result, &error) != BKS_OK)
        fail_msg("%s", error.text);
    assert_true(result.is_same);
    assert_int_equal(result.stepped, bks_replay_get_info(replay)->confirmed);
    assert_true(result.compared >= bks_replay_get_info(replay)->confirmed);
    assert_int_equal(result.keyframes, bks_replay_get_info(replay)->keyframes);
}

static void assert_same_inputs(bks_replay *a, bks_replay *b, bks_tick ticks, uint32_t players)
{
    for (bks_tick t = 0; t < ticks; t++) {
        int32_t of_a[2 * NET_PEERS_MAX];
        int32_t of_b[2 * NET_PEERS_MAX];
        assert_int_equal(bks_replay_inputs(a, t, of_a), BKS_OK);
        assert_int_equal(bks_replay_inputs(b, t, of_b), BKS_OK);
        assert_memory_equal(of_a, of_b, players * 2 * sizeof(int32_t));
    }
}

/// What player `player`'s monkey plays: asked anew, apart from the match.
static void assert_monkeys_inputs(bks_replay *replay, bks_tick ticks, uint32_t players)
{
    for (uint32_t p = 0; p < players; p++) {
        bks_monkey monkey;
        assert_int_equal(bks_monkey_init(&monkey, some_fields, 2, 9, p, 1, 12, NULL), BKS_OK);
        bks_source source = bks_monkey_source(&monkey);
        for (bks_tick t = 0; t < ticks; t++) {
            bks_sample sample = {.tick = t, .player = p, .field_count = 2};
            int32_t wanted[2] = {0};
            int32_t values[2 * NET_PEERS_MAX];
            source.sample(source.context, &sample, wanted);
            assert_int_equal(bks_replay_inputs(replay, t, values), BKS_OK);
            assert_memory_equal(values + (size_t)p * 2, wanted, sizeof(wanted));
        }
    }
}

static void every_tick_is_recorded_with_its_inputs_and_hash(void **context)
{
    (void)context;
    net_create(&network, 3, NULL);
    network.loss_percent = 10;
    assert_true(net_run_to_end(&network, 20000 * NET_MS));
    bks_replay *replays[3];
    for (uint32_t i = 0; i < 3; i++) {
        replays[i] = open_record(i);
        const bks_replay_info *info = bks_replay_get_info(replays[i]);
        assert_int_equal(info->ticks, TICKS);
        assert_int_equal(info->confirmed, TICKS);
        assert_true(info->is_complete);
        assert_string_equal(info->game, "some");
        assert_string_equal(info->build, "test");
        assert_int_equal(info->players, 3);
        assert_int_equal(info->tick_rate_hz, 60);
        assert_true(info->seed == 42);
        assert_int_equal(info->option_count, 2);
        assert_verifies(replays[i]);
        assert_monkeys_inputs(replays[i], TICKS, 3);
        for (bks_tick t = TICKS - 100; t <= TICKS; t++) {
            uint64_t hash = 0;
            assert_int_equal(bks_session_hash(net_session(&network, i), t, &hash), BKS_OK);
            assert_true(bks_replay_hash_agrees(replays[i], t, hash));
            assert_false(bks_replay_hash_agrees(replays[i], t, ~hash));
        }
    }
    assert_same_inputs(replays[0], replays[1], TICKS, 3);
    assert_same_inputs(replays[0], replays[2], TICKS, 3);
    for (uint32_t i = 0; i < 3; i++)
        bks_replay_close(replays[i]);
    net_destroy(&network);
}

static void tune_lockstep(bks_peer_config *config, uint32_t peer)
{
    (void)peer;
    config->session.window_ticks = 0;
    config->session.delay_ticks = 4;
}

static void lockstep_is_recorded_too(void **context)
{
    (void)context;
    net_create(&network, 2, tune_lockstep);
    assert_true(net_run_to_end(&network, 20000 * NET_MS));
    for (uint32_t i = 0; i < 2; i++) {
        bks_replay *replay = open_record(i);
        assert_true(bks_replay_get_info(replay)->is_complete);
        assert_monkeys_inputs(replay, TICKS, 2);
        const bks_playback_config config = {.replay = replay, .game = &some_game};
        bks_verify_result result;
        assert_int_equal(bks_replay_verify(&config, NULL, &result, NULL), BKS_OK);
        assert_int_equal(result.compared, 6); // a hash a second, and the last
        bks_replay_close(replay);
    }
    net_destroy(&network);
}

static void tune_wide(bks_peer_config *config, uint32_t peer)
{
    config->session.window_ticks = 64;
    config->session.save = peer == 0 ? BKS_SAVE_ONE : BKS_SAVE_EVERY;
}

static void the_widest_window_and_every_policy_are_recorded(void **context)
{
    (void)context;
    net_create(&network, 2, tune_wide);
    network.delay_ns = 400 * NET_MS;
    network.loss_percent = 20;
    assert_true(net_run_to_end(&network, 60000 * NET_MS));
    for (uint32_t i = 0; i < 2; i++) {
        bks_replay *replay = open_record(i);
        assert_true(bks_replay_get_info(replay)->is_complete);
        assert_verifies(replay);
        bks_replay_close(replay);
    }
    net_destroy(&network);
}

/// At any moment of the match: what is confirmed, and what was stepped with guesses.
static void the_file_holds_every_tick_stepped_at_any_moment(void **context)
{
    (void)context;
    net_create(&network, 2, NULL);
    bks_tick guessed = 0;
    for (uint64_t ms = 500; ms < 4000; ms += 97) {
        net_run_until(&network, ms * NET_MS);
        for (uint32_t i = 0; i < 2; i++) {
            const net_peer *peer = &network.peers[i];
            bks_replay *replay = open_record(i);
            const bks_replay_info *info = bks_replay_get_info(replay);
            assert_int_equal(info->ticks, peer->tick);
            assert_int_equal(info->confirmed, peer->confirmed);
            assert_false(info->is_complete);
            assert_false(info->is_damaged);
            assert_monkeys_inputs(replay, info->confirmed, 2);
            guessed += info->ticks - info->confirmed;
            for (bks_tick t = info->confirmed; t < info->ticks; t++) {
                int32_t recorded[4];
                assert_int_equal(bks_replay_inputs(replay, t, recorded), BKS_OK);
                assert_memory_equal(recorded, peer->newest[t - info->confirmed], sizeof(recorded));
            }
            bks_replay_close(replay);
        }
    }
    assert_true(guessed > 50);
    net_destroy(&network);
}

static void a_peer_destroyed_in_a_match_closes_its_recording(void **context)
{
    (void)context;
    net_create(&network, 2, NULL);
    net_run_until(&network, 2500 * NET_MS);
    bks_tick confirmed = bks_session_confirmed(net_session(&network, 0));
    assert_true(confirmed > 60);
    bks_peer_destroy(network.peers[0].peer);
    network.peers[0].peer = NULL;
    bks_replay *replay = open_record(0);
    assert_true(bks_replay_get_info(replay)->is_complete);
    assert_int_equal(bks_replay_get_info(replay)->ticks, confirmed);
    assert_verifies(replay);
    bks_replay_close(replay);
    net_destroy(&network);
}

static void a_sink_that_fails_ends_the_recording_and_not_the_match(void **context)
{
    (void)context;
    catch_log caught;
    static const uint32_t moments[] = {0, 1, 2, 30, 200};
    for (uint32_t m = 0; m < sizeof(moments) / sizeof(moments[0]); m++) {
        catch_log_begin(&caught);
        net_create(&network, 2, NULL);
        network.peers[0].record.fail_from = moments[m];
        assert_true(net_run_to_end(&network, 20000 * NET_MS));
        bks_log_clear_sink();
        for (uint32_t i = 0; i < 2; i++) {
            assert_int_equal(network.peers[i].status, BKS_ERR_OVER);
            assert_int_equal(network.peers[i].events[BKS_EVENT_ENDED], 1);
            assert_int_equal(network.peers[i].events[BKS_EVENT_DESYNC], 0);
        }
        // Nothing more is tried after the write that failed.
        assert_int_equal(network.peers[0].record.writes, moments[m] + 1);
        assert_in_range(caught.count, 1, 3); // once, not with every tick
        assert_string_equal(caught.id, moments[m] == 0 ? "replay.create" : "replay.write");
        assert_int_equal(caught.level, BKS_LOG_ERROR);
        bks_replay *replay = open_record(1);
        assert_true(bks_replay_get_info(replay)->is_complete);
        bks_replay_close(replay);
        net_destroy(&network);
    }
}

static void tune_keyframes(bks_peer_config *config, uint32_t peer)
{
    static const bks_save_policy policies[] = {BKS_SAVE_EVERY, BKS_SAVE_TWO, BKS_SAVE_ONE};
    config->session.save = policies[peer];
    config->record_detail =
        (bks_replay_detail){.keyframe_ticks = 1, .keyframe_bytes = UINT64_C(1) << 30};
}

/// Each keyframe must be the state of its tick, whatever was guessed and rolled back around it.
static void keyframes_are_true_under_every_policy(void **context)
{
    (void)context;
    net_create(&network, 3, tune_keyframes);
    network.delay_ns = 80 * NET_MS;
    network.loss_percent = 10;
    assert_true(net_run_to_end(&network, 20000 * NET_MS));
    for (uint32_t i = 0; i < 3; i++) {
        bks_session_stats stats;
        assert_int_equal(bks_session_get_stats(net_session(&network, i), &stats), BKS_OK);
        assert_true(stats.rollbacks > 50);
        bks_replay *replay = open_record(i);
        assert_in_range(bks_replay_get_info(replay)->keyframes, 60, TICKS);
        assert_verifies(replay);
        bks_replay_close(replay);
    }
    net_destroy(&network);
}

static void tune_lockstep_keyframes(bks_peer_config *config, uint32_t peer)
{
    tune_lockstep(config, peer);
    config->record_detail =
        (bks_replay_detail){.keyframe_ticks = 50, .keyframe_bytes = UINT64_C(1) << 30};
}

static void lockstep_has_every_keyframe_when_it_is_due(void **context)
{
    (void)context;
    net_create(&network, 2, tune_lockstep_keyframes);
    assert_true(net_run_to_end(&network, 20000 * NET_MS));
    bks_replay *replay = open_record(0);
    assert_int_equal(bks_replay_get_info(replay)->keyframes, TICKS / 50);
    for (uint32_t i = 0; i < TICKS / 50; i++) {
        bks_replay_keyframe key;
        assert_int_equal(bks_replay_get_keyframe(replay, i, &key), BKS_OK);
        assert_int_equal(key.tick, 50 * (i + 1));
    }
    bks_replay_close(replay);
    net_destroy(&network);
}

/// The first event of a kind.
static bool find_event(bks_replay *replay, bks_replay_event_kind kind, bks_replay_event *event)
{
    for (uint32_t i = 0; i < bks_replay_get_info(replay)->event_count; i++) {
        assert_int_equal(bks_replay_get_event(replay, i, event), BKS_OK);
        if (event->kind == kind)
            return true;
    }
    return false;
}

static void what_happens_is_written_down(void **context)
{
    (void)context;
    net_create(&network, 3, NULL);
    network.delay_ns = 60 * NET_MS;
    net_run_until(&network, 1500 * NET_MS);
    assert_int_equal(bks_peer_note(network.peers[0].peer, "the boss is gone"), BKS_OK);
    char too_long[129];
    memset(too_long, 'x', sizeof(too_long));
    too_long[128] = '\0';
    assert_int_equal(bks_peer_note(network.peers[0].peer, too_long), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_peer_note(network.peers[0].peer, "a\nb"), BKS_ERR_BAD_ARGUMENT);
    bks_tick noted = bks_session_tick(net_session(&network, 0));
    assert_int_equal(bks_peer_leave(network.peers[2].peer), BKS_OK);
    bksi_peer_flip(network.peers[1].peer, 200, 8);
    assert_true(net_run_to_end(&network, 20000 * NET_MS));
    bks_replay *replay = open_record(0);
    bks_replay_event event;
    for (uint32_t peer = 0; peer < 3; peer++) {
        assert_int_equal(bks_replay_get_event(replay, peer, &event), BKS_OK);
        assert_int_equal(event.kind, BKS_REPLAY_JOINED);
        assert_int_equal(event.tick, 0);
        assert_int_equal(event.peer, peer);
    }
    assert_true(find_event(replay, BKS_REPLAY_NOTE, &event));
    assert_string_equal(event.text, "the boss is gone");
    assert_int_equal(event.tick, noted);
    assert_true(find_event(replay, BKS_REPLAY_LEFT, &event));
    assert_int_equal(event.peer, 2);
    assert_int_equal(event.tick, network.peers[0].last[BKS_EVENT_LEFT].tick);
    assert_true(find_event(replay, BKS_REPLAY_DELAY, &event));
    assert_int_equal(event.tick, 0);
    assert_true(find_event(replay, BKS_REPLAY_DESYNC, &event));
    assert_int_equal(event.peer, 1);
    assert_int_equal(event.tick, 200);
    assert_true(event.a == network.peers[0].last[BKS_EVENT_DESYNC].own_hash);
    assert_true(event.b == network.peers[0].last[BKS_EVENT_DESYNC].peer_hash);
    bks_replay_close(replay);
    net_destroy(&network);
}

static const bks_state_range some_ranges[] = {
    {.name = "first", .offset_bytes = 0, .count = 1, .type = BKS_STATE_U64, .is_recorded = true},
    {.name = "rest", .offset_bytes = 8, .count = 8, .type = BKS_STATE_U8, .is_recorded = true},
};

static void tune_everything(bks_peer_config *config, uint32_t peer)
{
    (void)peer;
    static bks_game named;
    named = *config->game;
    named.ranges = some_ranges;
    named.range_count = 2;
    config->game = &named;
    config->record_detail =
        (bks_replay_detail){.page_hashes = true, .rollbacks = true, .values = true};
}

/// Values and page hashes are those of a straight run, though most ticks were stepped with guesses
/// at first.
static void assert_rows_true(bks_replay *replay)
{
    const bks_playback_config config = {.replay = replay, .game = &some_game};
    bks_playback *playback = NULL;
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_OK);
    for (bks_tick t = 0; t < TICKS; t++) {
        uint8_t values[8];
        uint32_t hashes[4];
        uint64_t wanted[4];
        size_t count = 0;
        const uint8_t *state = bks_playback_state(playback);
        assert_int_equal(bks_replay_values(replay, t, 0, values, sizeof(values)), BKS_OK);
        assert_memory_equal(values, state, 8);
        assert_int_equal(bks_replay_values(replay, t, 1, values, sizeof(values)), BKS_OK);
        assert_memory_equal(values, state + 8, 8);
        assert_int_equal(bks_replay_page_hashes(replay, t, hashes, 4, &count), BKS_OK);
        assert_int_equal(bksi_runner_page_hashes(playback->runner, wanted, 4), count);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(hashes[i], (uint32_t)wanted[i]);
        assert_int_equal(bks_playback_step(playback), BKS_OK);
    }
    bks_playback_destroy(playback);
}

/// The same rollbacks again, and the same in the end.
static void assert_played_as_recorded(bks_replay *replay, uint32_t rollbacks, uint64_t depth_sum)
{
    const bks_playback_config config = {
        .replay = replay, .game = &some_game, .view = BKS_VIEW_AS_RECORDED};
    bks_playback *playback = NULL;
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_OK);
    while (bks_playback_step(playback) == BKS_OK) {
    }
    bks_playback_costs costs;
    assert_int_equal(bks_playback_get_costs(playback, &costs), BKS_OK);
    assert_int_equal(costs.rollbacks, rollbacks);
    assert_int_equal(costs.steps, TICKS + depth_sum);
    bks_playback_destroy(playback);
    bks_verify_result result;
    assert_int_equal(bks_replay_verify(&config, NULL, &result, NULL), BKS_OK);
    assert_int_equal(result.compared, TICKS + 1);
}

static void what_every_tick_held_and_every_rollback_are_recorded(void **context)
{
    (void)context;
    net_create(&network, 3, tune_everything);
    network.delay_ns = 60 * NET_MS;
    network.loss_percent = 5;
    assert_true(net_run_to_end(&network, 20000 * NET_MS));
    for (uint32_t i = 0; i < 3; i++) {
        bks_replay *replay = open_record(i);
        assert_rows_true(replay);
        bks_session_stats stats;
        assert_int_equal(bks_session_get_stats(net_session(&network, i), &stats), BKS_OK);
        uint32_t count = bks_replay_get_info(replay)->rollback_count;
        assert_int_equal(count, stats.rollbacks);
        assert_true(count > 50);
        uint64_t depth_sum = 0;
        for (uint32_t r = 0; r < count; r++) {
            bks_replay_rollback rollback;
            int32_t guess[6];
            int32_t truth[6];
            assert_int_equal(bks_replay_get_rollback(replay, r, &rollback), BKS_OK);
            depth_sum += (uint64_t)(rollback.present - rollback.from);
            assert_int_equal(bks_replay_rollback_inputs(replay, r, rollback.from, guess), BKS_OK);
            assert_int_equal(bks_replay_inputs(replay, rollback.from, truth), BKS_OK);
            assert_memory_equal(guess + 2 * i, truth + 2 * i, 2 * sizeof(int32_t)); // our own
            assert_memory_not_equal(guess, truth, sizeof(guess));
        }
        assert_int_equal(depth_sum, stats.rollback_depth_sum);
        assert_played_as_recorded(replay, count, depth_sum);
        bks_replay_close(replay);
    }
    net_destroy(&network);
}

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

static void a_match_goes_on_from_a_tick_of_a_recording(void **context)
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
        const bks_replay_info *info = bks_replay_get_info(replay);
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

static void a_state_the_game_cannot_take_is_refused(void **context)
{
    (void)context;
    taken_over_bytes = 3;
    net_create(&network, 2, tune_taking_over);
    net_run_until(&network, 500 * NET_MS);
    assert_int_equal(network.peers[0].status, BKS_ERR_DAMAGED);
    net_destroy(&network);
}

static void tune_no_record(bks_peer_config *config, uint32_t peer)
{
    (void)peer;
    config->record.write = NULL;
}

static void without_a_sink_nothing_is_recorded(void **context)
{
    (void)context;
    net_create(&network, 2, tune_no_record);
    assert_true(net_run_to_end(&network, 20000 * NET_MS));
    assert_int_equal(network.peers[0].record.writes, 0);
    assert_int_equal(network.peers[0].status, BKS_ERR_OVER);
    net_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tick_is_recorded_with_its_inputs_and_hash),
        cmocka_unit_test(lockstep_is_recorded_too),
        cmocka_unit_test(the_widest_window_and_every_policy_are_recorded),
        cmocka_unit_test(the_file_holds_every_tick_stepped_at_any_moment),
        cmocka_unit_test(a_peer_destroyed_in_a_match_closes_its_recording),
        cmocka_unit_test(a_sink_that_fails_ends_the_recording_and_not_the_match),
        cmocka_unit_test(keyframes_are_true_under_every_policy),
        cmocka_unit_test(lockstep_has_every_keyframe_when_it_is_due),
        cmocka_unit_test(what_happens_is_written_down),
        cmocka_unit_test(what_every_tick_held_and_every_rollback_are_recorded),
        cmocka_unit_test(a_match_goes_on_from_a_tick_of_a_recording),
        cmocka_unit_test(a_state_the_game_cannot_take_is_refused),
        cmocka_unit_test(without_a_sink_nothing_is_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
