// SPDX-License-Identifier: MIT

// Going to a tick: from the nearest state before it, which may be where the playback stands, kept
// in memory, a keyframe of the file or its first tick.

#include "base/memory.h"
#include "base/report.h"
#include "replay/play/playback.h"

/// Who steps back one tick will mostly do it again: so many states before the place are kept.
#define KEPT_BEFORE_TICKS 32

static const char call[] = "bks_playback_seek";

/// Put bytes of the file into the runner. What the file claims is not believed beyond what the game
/// can hold.
/// @param index  of a keyframe, UINT32_MAX for the state at the first tick
static bks_status import(bks_playback *playback, uint32_t index, bks_error *error)
{
    const bks_replay_info *info = &playback->replay->info;
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
        (void)bks_replay_get_keyframe(playback->replay, index, &key);
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
        playback->tick = key->told.tick;
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

/// The first tick from which on all are there up to `tick`.
static bks_tick span_begin(const bks_replay *replay, bks_tick tick)
{
    bks_tick begin = tick;
    for (size_t i = replay->parts.count; i > 0; i--) {
        const bksi_replay_part *part = bksi_list_at(&replay->parts, i - 1);
        if (part->begin >= begin || part->is_lost) {
            continue;
        }
        if (part->end < begin) {
            break;
        }
        begin = part->begin;
    }
    return begin;
}

/// Take up the nearest state up to `tick` that is at hand.
static bks_status take_nearest(bks_playback *playback, bks_tick tick, bks_error *error)
{
    const bks_replay *replay = playback->replay;
    const bks_tick begin = span_begin(replay, tick);
    const bool is_sound = playback->tick <= tick && !playback->has_failed && !playback->is_refused;
    const bks_tick here = is_sound ? playback->tick : BKS_TICK_NONE;
    const bksi_stored_state *stored = bksi_state_store_find(&playback->store, tick);
    const bks_tick kept = stored != NULL ? stored->tick : BKS_TICK_NONE;
    const uint32_t index = bksi_playback_find_keyframe(playback, tick);
    const bks_tick key =
        index != UINT32_MAX
            ? ((const bksi_replay_key *)bksi_list_at(&replay->keys, index))->told.tick
            : BKS_TICK_NONE;
    const bool has_start = !replay->is_late && (!playback->from_recorded_state ||
                                                (replay->has_state && !playback->has_pointers));
    const bks_tick start = has_start ? replay->info.first : BKS_TICK_NONE;
    const bks_tick nearest_known = here > kept ? here : kept;
    const bks_tick nearest_told = key > start ? key : start;
    const bks_tick nearest = nearest_known > nearest_told ? nearest_known : nearest_told;
    if (nearest == BKS_TICK_NONE && begin == replay->info.first) {
        return bksi_fail(error, BKS_ERR_DAMAGED, call, "tick",
                         "tick %d cannot be reached: the state at tick %d is not there, and no "
                         "keyframe stands before it",
                         tick, begin);
    }
    if (nearest < begin) {
        return bksi_fail(error, BKS_ERR_DAMAGED, call, "tick",
                         "tick %d cannot be reached: ticks before %d are lost, and no keyframe "
                         "stands behind them",
                         tick, begin);
    }
    if (here == nearest) {
        return BKS_OK;
    }
    if (kept == nearest) {
        playback->tick = kept;
        const bks_status status = bksi_runner_import(
            playback->runner, playback->store.block + stored->offset, stored->bytes, error);
        playback->has_failed = status != BKS_OK;
        playback->is_refused = false;
        return status == BKS_OK ? BKS_OK : bksi_playback_tell_failure(playback, error);
    }
    return key == nearest ? bksi_playback_take_keyframe(playback, index, error)
                          : bksi_playback_restart(playback, error);
}

bks_status bks_playback_seek(bks_playback *playback, bks_tick tick, bks_error *error)
{
    if (playback == NULL) {
        return bksi_fail_null(error, call, "playback");
    }
    const bks_replay_info *info = &playback->replay->info;
    if (playback->observed != NULL) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "playback",
                         "the playback guesses inputs: its view must be BKS_VIEW_STRAIGHT");
    }
    if (tick < info->first || tick > info->end) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "tick", "tick is %d, must be %d..%d",
                         tick, info->first, info->end);
    }
    const bool is_back = tick < playback->tick || playback->has_failed;
    bksi_runner_listen(playback->runner, NULL);
    bks_status status = take_nearest(playback, tick, error);
    if (playback->is_refused) {
        (void)bksi_playback_restart(playback, NULL); // where it can be played from, if anywhere
    }
    while (status == BKS_OK && playback->tick < tick) {
        status = bks_playback_step(playback);
        if (is_back && status == BKS_OK && playback->tick >= tick - KEPT_BEFORE_TICKS) {
            bksi_playback_keep(playback, true);
        }
    }
    const bks_playback_listener listener = playback->listener;
    (void)bks_playback_listen(playback, &listener);
    if (status == BKS_ERR_GAME && error != NULL) {
        (void)bksi_playback_tell_failure(playback, error);
    }
    return status;
}
