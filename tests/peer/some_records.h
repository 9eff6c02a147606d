// SPDX-License-Identifier: MIT

/// @file some_records.h
/// A network of peers, their recordings, and what must be true of these.

#ifndef TESTS_SOME_RECORDS_H
#define TESTS_SOME_RECORDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backstitch/replay.h"
#include "backstitch/toolkit/recording.h"
#include "game/some_game.h"
#include "peer/peer_network.h"
#include "replay/play/playback_parts.h"

static peer_network network;

static inline bks_replay *open_record(uint32_t peer)
{
    const memory_sink *record = &network.peers[peer].record;
    bks_replay *replay = NULL;
    bks_error error = {0};
    if (bks_replay_open(record->bytes, record->count, NULL, &replay, &error) != BKS_OK) {
        fail_msg("%s", error.text);
    }
    return replay;
}

static const bks_state_range some_ranges[] = {
    {.name = "first", .offset_bytes = 0, .count = 1, .type = BKS_STATE_U64, .is_recorded = true},
    {.name = "rest", .offset_bytes = 8, .count = 8, .type = BKS_STATE_U8, .is_recorded = true},
};

static inline void tune_everything(bks_peer_config *config, uint32_t peer)
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
static inline void assert_rows_true(bks_replay *replay)
{
    const bks_playback_config config = {.replay = replay, .game = &some_game};
    bks_playback *playback = NULL;
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_OK);
    const bks_recording *info = bks_replay_info(replay);
    for (bks_tick t = info->first; t < info->end; t++) {
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
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(hashes[i], (uint32_t)wanted[i]);
        }
        assert_int_equal(bks_playback_step(playback), BKS_OK);
    }
    bks_playback_destroy(playback);
}

/// The same rollbacks again, and the same in the end.
static inline void assert_played_as_recorded(bks_replay *replay, uint32_t rollbacks,
                                             uint64_t depth_sum)
{
    const bks_playback_config config = {
        .replay = replay, .game = &some_game, .perspective = BKS_PERSPECTIVE_RECORDER};
    bks_playback *playback = NULL;
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_OK);
    while (bks_playback_step(playback) == BKS_OK) {
    }
    bks_playback_counts costs;
    assert_int_equal(bks_playback_costs(playback, &costs), BKS_OK);
    assert_int_equal(costs.rollbacks, rollbacks);
    const bks_recording *info = bks_replay_info(replay);
    assert_int_equal(costs.steps, (uint64_t)(info->end - info->first) + depth_sum);
    bks_playback_destroy(playback);
    bks_verify_result result;
    assert_int_equal(bks_replay_verify(&config, NULL, &result, NULL), BKS_OK);
    assert_int_equal(result.compared, info->end - info->first + 1);
}

#endif
