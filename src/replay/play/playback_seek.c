// SPDX-License-Identifier: MIT

// Seeks to a tick from the nearest state before it: the current state, a stored state, a
// keyframe of the file, or the first state.

#include "backstitch/toolkit/recording.h"
#include "base/report.h"
#include "replay/play/playback_parts.h"

/// Number of ticks before the target of which a seek stores the states, because a viewer that goes
/// back one tick will mostly go back again.
#define KEPT_BEFORE_TICKS 32

static const char call[] = "bks_playback_seek";

/// Return the first tick of the gapless run of recorded ticks that ends at `tick`.
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

/// Load the nearest available state up to `tick`.
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
            ? ((const bksi_replay_key *)bksi_list_at(&replay->keys, index))->keyframe.tick
            : BKS_TICK_NONE;
    const bool has_start = !replay->is_late && (!playback->from_recorded_state ||
                                                (replay->has_state && !playback->has_pointers));
    const bks_tick start = has_start ? replay->info.first : BKS_TICK_NONE;
    const bks_tick nearest_known = here > kept ? here : kept;
    const bks_tick nearest_stored = key > start ? key : start;
    const bks_tick nearest = nearest_known > nearest_stored ? nearest_known : nearest_stored;
    if (nearest == BKS_TICK_NONE && begin == replay->info.first) {
        return bksi_fail(error, BKS_ERR_DAMAGED, call, "tick",
                         "tick %d cannot be reached: the state at tick %d is lost, and no keyframe "
                         "comes before it",
                         tick, begin);
    }
    if (nearest < begin) {
        return bksi_fail(error, BKS_ERR_DAMAGED, call, "tick",
                         "tick %d cannot be reached: ticks before %d are lost, and no keyframe "
                         "follows them",
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
        return status == BKS_OK ? BKS_OK : bksi_playback_failure(playback, error);
    }
    return key == nearest ? bksi_playback_take_keyframe(playback, index, error)
                          : bksi_playback_restart(playback, error);
}

bks_status bks_playback_seek(bks_playback *playback, bks_tick tick, bks_error *error)
{
    return bks_playback_approach(playback, tick, UINT32_MAX, error);
}

bks_status bks_playback_approach(bks_playback *playback, bks_tick tick, uint32_t ticks_most,
                                 bks_error *error)
{
    BKSI_REFUSE_NULL(error, playback);
    if (ticks_most == 0) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, "bks_playback_approach", "ticks_most",
                         "ticks_most is 0, must be at least 1");
    }
    const bks_recording *info = &playback->replay->info;
    if (playback->perspective != NULL) {
        return bksi_fail(
            error, BKS_ERR_BAD_ARGUMENT, call, "playback",
            "the playback guesses inputs: its perspective must be BKS_PERSPECTIVE_REFERENCE");
    }
    if (tick < info->first || tick > info->end) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "tick", "tick is %d, must be %d..%d",
                         tick, info->first, info->end);
    }
    const bool is_back = tick < playback->tick || playback->has_failed;
    bksi_runner_listen(playback->runner, NULL);
    bksi_runner_collect(playback->runner, NULL);
    playback->is_seeking = true;
    playback->before_tick = BKS_TICK_NONE;
    bks_status status = take_nearest(playback, tick, error);
    if (playback->is_refused) {
        // Continue at the first tick if its state can be loaded.
        (void)bksi_playback_restart(playback, NULL);
    }
    for (uint32_t left = ticks_most; status == BKS_OK && playback->tick < tick && left > 0;
         left--) {
        status = bks_playback_step(playback);
        if (is_back && status == BKS_OK && playback->tick >= tick - KEPT_BEFORE_TICKS) {
            bksi_playback_keep(playback, true);
        }
    }
    playback->is_seeking = false;
    const bks_playback_listener listener = playback->listener;
    (void)bks_playback_listen(playback, &listener);
    if (playback->cues != NULL) {
        bks_cues_reset(playback->cues, playback->tick);
        bksi_runner_collect(playback->runner, playback->cues);
    }
    if (status == BKS_ERR_GAME && error != NULL) {
        (void)bksi_playback_failure(playback, error);
    }
    return status;
}
