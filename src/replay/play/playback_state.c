// SPDX-License-Identifier: MIT

// Loads states into a playback, from `init` or from the file, and stores copies of states in
// memory.

#include "backstitch/toolkit/recording.h"
#include "base/memory.h"
#include "base/report.h"
#include "replay/play/playback_parts.h"

static const char call[] = "bks_playback_seek";

/// Load a state of the file into the runner. A state too large for the game is refused, whatever
/// size the file claims.
/// @param index  index of a keyframe, UINT32_MAX for the state at the first tick
static bks_status import(bks_playback *playback, uint32_t index, bks_error *error)
{
    const bks_recording *info = &playback->replay->info;
    const size_t capacity = bksi_runner_export_bytes_max(playback->runner);
    if (playback->has_pointers) {
        return bksi_fail(error, BKS_ERR_UNSUPPORTED, call, "replay",
                         "the state of %s holds raw pointers, so none can come from a file: it is "
                         "played from tick 0 on",
                         info->game);
    }
    bks_replay_keyframe key = {
        .tick = info->first,
        .state_bytes = info->state_bytes,
        .offset_bytes = playback->replay->state_payload,
    };
    if (index != UINT32_MAX) {
        (void)bks_replay_keyframe_at(playback->replay, index, &key);
    }
    if (key.state_bytes > capacity) {
        return bksi_fail_at(error, BKS_ERR_DAMAGED, call, key.offset_bytes,
                            "the recorded state has %llu bytes, the game takes up to %zu",
                            (unsigned long long)key.state_bytes, capacity);
    }
    void *state = bksi_alloc(&playback->allocator, capacity, 16);
    if (state == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, call, NULL,
                         "no memory for a state of %zu bytes", capacity);
    }
    bks_status status =
        index != UINT32_MAX
            ? bks_replay_keyframe_state(playback->replay, index, state, capacity, error)
            : bks_replay_state(playback->replay, state, capacity, error);
    if (status == BKS_OK) {
        bks_error why = {0};
        status = bksi_runner_import(playback->runner, state, (size_t)key.state_bytes, &why);
        playback->is_refused = status != BKS_OK;
        if (status != BKS_OK) {
            (void)bksi_fail_at(error, status, call, key.offset_bytes,
                               "the recorded state of tick %d is refused: %s; the record begins",
                               key.tick, why.text);
        }
    }
    bksi_free(&playback->allocator, state, capacity);
    return status == BKS_ERR_TOO_SMALL ? BKS_ERR_DAMAGED : status;
}

bks_status bksi_playback_restart(bks_playback *playback, bks_error *error)
{
    const bks_start *start = bksi_runner_start(playback->runner);
    playback->costs.starts++;
    bks_status status = bksi_runner_restart(playback->runner, start->seed, start->players,
                                            &playback->options, error);
    playback->tick = playback->replay->info.first;
    playback->has_failed = false;
    playback->is_refused = false;
    if (status == BKS_OK && playback->from_recorded_state) {
        status = import(playback, UINT32_MAX, error);
    }
    return status;
}

bks_status bksi_playback_take_keyframe(bks_playback *playback, uint32_t index, bks_error *error)
{
    const bksi_replay_key *key = bksi_list_at(&playback->replay->keys, index);
    playback->costs.keyframes += key->depth;
    const bks_status status = import(playback, index, error);
    if (status == BKS_OK) {
        playback->tick = key->keyframe.tick;
        playback->has_failed = false;
    }
    return status;
}

uint32_t bksi_playback_find_keyframe(const bks_playback *playback, bks_tick tick)
{
    return playback->has_pointers ? UINT32_MAX : bksi_replay_find_keyframe(playback->replay, tick);
}

void bksi_playback_keep(bks_playback *playback, bool always)
{
    bksi_state_store *store = &playback->store;
    if (store->block == NULL || (!always && playback->tick % store->spacing_ticks != 0)) {
        return;
    }
    const size_t bytes = bksi_runner_used_bytes(playback->runner);
    uint8_t *room = bksi_state_store_room(store, playback->tick, bytes);
    if (room == NULL) {
        return;
    }
    const size_t count = bksi_runner_export(playback->runner, room, bytes);
    if (count > 0) {
        bksi_state_store_added(store, playback->tick, count);
        playback->costs.kept++;
    }
}
