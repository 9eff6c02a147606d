// SPDX-License-Identifier: MIT

#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "base/memory.h"
#include "base/report.h"
#include "game/cues_check.h"
#include "replay/play/playback_parts.h"

static const char create_call[] = "bks_playback_create";

/// Default memory for stored states if the file has no keyframes, because states hold raw pointers.
#define KEPT_WITHOUT_KEYFRAMES_BYTES (16u << 20)

/// Answer the game's questions as recorded.
static size_t answer_as_recorded(void *context, bks_tick tick, uint32_t question, void *out)
{
    const bks_playback *playback = context;
    const void *bytes = NULL;
    size_t count = 0;
    (void)bks_replay_fact(playback->replay, tick, question, &bytes, &count);
    if (count > 0) {
        memcpy(out, bytes, count);
    }
    return count;
}

/// Begin with a keyframe, because the recording's first state is lost or refused and `init` cannot
/// make it.
static bks_status begin_behind_damage(bks_playback *playback, const bks_error *why,
                                      bks_error *error)
{
    const bks_replay *replay = playback->replay;
    uint32_t tries = 0;
    for (uint32_t i = 0; i < replay->info.keyframes && tries < BKSI_KEYFRAME_TRIES_MAX; i++) {
        const bksi_replay_key *key = bksi_list_at(&replay->keys, i);
        if (!bksi_replay_can_begin_at(replay, key)) {
            continue;
        }
        tries++;
        if (bksi_playback_take_keyframe(playback, i, NULL) == BKS_OK) {
            return BKS_OK;
        }
    }
    if (error != NULL) {
        *error = *why;
    }
    return BKS_ERR_DAMAGED;
}

/// Number of ticks for which cues are kept: more than a perspective ever goes back.
#define CUES_TICKS 512u

static bks_status create_cues(bks_playback *playback, const bks_playback_config *config,
                              bks_error *error)
{
    const bks_status checked =
        bksi_cues_per_tick_check(config->game, config->cues_per_tick, "bks_playback_create", error);
    if (checked != BKS_OK || config->cues_per_tick == 0) {
        return checked;
    }
    const bool guesses = config->perspective != BKS_PERSPECTIVE_REFERENCE;
    const bks_cues_config cues = {
        .game = config->game,
        .per_tick = config->cues_per_tick,
        .ticks = guesses ? CUES_TICKS : 1,
        .allocator = config->allocator,
    };
    const bks_status status = bks_cues_create(&cues, &playback->cues, error);
    if (status == BKS_OK) {
        bks_cues_reset(playback->cues, playback->tick);
        bksi_runner_collect(playback->runner, playback->cues);
    }
    return status;
}

/// Allocate memory for the state before the last step, if the config asks for it.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_BAD_CONFIG
static bks_status playback_create_before(bks_playback *playback, const bks_playback_config *config,
                                         bks_error *error)
{
    const bks_game *game = config->game;
    playback->before_tick = BKS_TICK_NONE;
    if (!config->interpolates) {
        return BKS_OK;
    }
    if (game->create != NULL || game->pointers) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, "bks_playback_create", "interpolates",
                         "interpolates is true, must be false: the state of %s %s", game->name,
                         game->pointers ? "holds raw pointers" : "does not live in a region");
    }
    const bksi_region *model = bksi_runner_region(playback->runner);
    return bksi_region_create(&playback->before, model->capacity_bytes, model->root_bytes,
                              &playback->allocator, error);
}

static bks_status begin(bks_playback *playback, const bks_playback_config *config, bks_error *error)
{
    const bks_recording *info = &config->replay->info;
    playback->replay = config->replay;
    playback->has_pointers = config->game->pointers || info->has_pointers;
    // Begin with the recorded state if the recording begins after tick 0, because `init` cannot
    // make that state.
    playback->from_recorded_state = config->from_recorded_state || info->first > 0;
    bksi_runner_config runner = {
        .game = config->game,
        .seed = info->seed,
        .players = info->players,
        .tick_rate_hz = info->tick_rate_hz,
        .allocator = config->allocator,
    };
    bks_status status = bks_playback_options(config, &playback->options, error);
    if (status == BKS_OK) {
        status = bksi_perspective_slots(config, &runner.slot_count, error);
    }
    if (status == BKS_OK) {
        runner.options = playback->options;
        status = bksi_runner_create(&runner, &playback->runner, error);
    }
    if (status == BKS_OK) {
        bks_replay_limit_states(config->replay, bksi_runner_export_bytes_max(playback->runner));
        const bksi_answers answers = {.answer = answer_as_recorded, .context = playback};
        bksi_runner_answer(playback->runner, &answers);
    }
    const size_t kept_bytes = config->memory_bytes > 0 || !playback->has_pointers
                                  ? config->memory_bytes
                                  : (size_t)KEPT_WITHOUT_KEYFRAMES_BYTES;
    if (status == BKS_OK &&
        bksi_state_store_create(&playback->store, kept_bytes, info->tick_rate_hz,
                                &config->allocator) != BKS_OK) {
        status = bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, create_call, "memory_bytes",
                           "no memory for %zu bytes of states", kept_bytes);
    }
    if (status == BKS_OK && config->replay->is_late) {
        status = config->replay->keys.count > 0
                     ? bksi_playback_take_keyframe(playback, 0, error)
                     : bksi_fail(error, BKS_ERR_INCOMPLETE, create_call, "replay",
                                 "the replay begins at tick %d, and no keyframe is there yet",
                                 info->first);
    } else if (status == BKS_OK && playback->from_recorded_state) {
        bks_error why = {0};
        status = bksi_playback_restart(playback, &why);
        if (status == BKS_ERR_DAMAGED && !config->from_recorded_state) {
            status = begin_behind_damage(playback, &why, error);
        } else if (status != BKS_OK && error != NULL) {
            *error = why;
        }
    }
    if (status == BKS_OK && config->perspective != BKS_PERSPECTIVE_REFERENCE) {
        status = bksi_perspective_create(config, playback->runner, playback->tick,
                                         &playback->perspective, error);
    }
    if (status == BKS_OK) {
        status = playback_create_before(playback, config, error);
    }
    return status == BKS_OK ? create_cues(playback, config, error) : status;
}

bks_status bks_playback_create(const bks_playback_config *config, bks_playback **out,
                               bks_error *error)
{
    BKSI_REFUSE_NULL(error, out);
    *out = NULL;
    BKSI_REFUSE_NULL(error, config);
    if (config->replay == NULL || config->game == NULL) {
        return bksi_fail_null(error, create_call, config->replay == NULL ? "replay" : "game");
    }
    if (!bksi_allocator_ok(&config->allocator)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, create_call, "allocator",
                         "allocator has one of alloc and release, must have both or neither");
    }
    bks_playback *playback =
        bksi_alloc(&config->allocator, sizeof(*playback), _Alignof(bks_playback));
    if (playback == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, create_call, NULL,
                         "no memory for a playback");
    }
    playback->allocator = config->allocator;
    const bks_status status = begin(playback, config, error);
    if (status != BKS_OK) {
        bks_playback_destroy(playback);
        return status;
    }
    *out = playback;
    return BKS_OK;
}

void bks_playback_destroy(bks_playback *playback)
{
    if (playback == NULL) {
        return;
    }
    const bks_allocator allocator = playback->allocator;
    bksi_perspective_destroy(playback->perspective);
    bks_cues_destroy(playback->cues);
    bksi_region_destroy(&playback->before);
    bksi_state_store_destroy(&playback->store, &allocator);
    bksi_runner_destroy(playback->runner);
    bksi_free(&allocator, playback, sizeof(*playback));
}

bks_tick bks_playback_tick(const bks_playback *playback)
{
    BKSI_REFUSE_NULL_OR(0, playback);
    return playback->tick;
}

const void *bks_playback_state(const bks_playback *playback)
{
    BKSI_REFUSE_NULL_OR(NULL, playback);
    return bksi_runner_state(playback->runner);
}

uint64_t bks_playback_hash(bks_playback *playback)
{
    BKSI_REFUSE_NULL_OR(0, playback);
    return bksi_runner_hash(playback->runner);
}

bks_status bks_playback_confirmed_hash(bks_playback *playback, bks_tick tick, uint64_t *out_hash)
{
    static const char hash_call[] = "bks_playback_confirmed_hash";
    BKSI_REFUSE_NULL(NULL, playback);
    BKSI_REFUSE_NULL(NULL, out_hash);
    const bks_tick confirmed = bks_playback_confirmed(playback);
    if (tick < 0) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, hash_call, "tick", "tick is %d, must be 0..%d",
                         (int)tick, (int)confirmed);
    }
    if (tick > confirmed) {
        return BKS_ERR_NOT_CONFIRMED;
    }
    if (playback->perspective != NULL) {
        return bksi_perspective_hash(playback->perspective, tick, out_hash) ? BKS_OK
                                                                            : BKS_ERR_TICK_TOO_OLD;
    }
    if (tick < playback->tick || playback->has_failed || playback->is_refused) {
        return BKS_ERR_TICK_TOO_OLD;
    }
    *out_hash = bksi_runner_hash(playback->runner);
    return BKS_OK;
}

bks_status bks_playback_costs(const bks_playback *playback, bks_playback_counts *out)
{
    BKSI_REFUSE_NULL(NULL, playback);
    BKSI_REFUSE_NULL(NULL, out);
    *out = playback->costs;
    return BKS_OK;
}

size_t bks_playback_export(bks_playback *playback, void *out, size_t capacity)
{
    BKSI_REFUSE_NULL_OR(0, playback);
    if (out == NULL) {
        return bksi_runner_export_bytes_max(playback->runner);
    }
    const size_t count = bksi_runner_export(playback->runner, out, capacity);
    if (!bksi_runner_has_pointers(playback->runner, out, count)) {
        return count;
    }
    (void)bksi_fail(NULL, BKS_ERR_UNSUPPORTED, "bks_playback_export", "playback",
                    "the state at tick %d holds raw pointers, so it is of no use outside of this "
                    "playback: only the inputs from tick 0 on can continue the match",
                    playback->tick);
    return 0;
}

bks_status bks_playback_frame(const bks_playback *playback, float share, bks_frame *frame)
{
    static const char call[] = "bks_playback_frame";
    BKSI_REFUSE_NULL(NULL, playback);
    BKSI_REFUSE_NULL(NULL, frame);
    if (!(share >= 0.0f && share <= 1.0f)) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "share", "share is %g, must be 0..1",
                         (double)share);
    }
    const void *state = bksi_runner_state(playback->runner);
    *frame = (bks_frame){.state = state, .before = state, .tick = playback->tick};
    if (playback->before_tick != BKS_TICK_NONE && playback->before_tick + 1 == playback->tick) {
        frame->before = playback->before.bytes;
        frame->share = share;
    }
    return BKS_OK;
}
