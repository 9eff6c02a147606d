// SPDX-License-Identifier: MIT

#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "base/report.h"
#include "replay/playback.h"
#include "replay/replay_reader.h"

/// Ticks between two calls of progress.
#define PROGRESS_TICKS 64

static const char call[] = "bks_replay_verify";

/// Compare the pages of the state at tick 0. Only where the hash is made of them: a game that says
/// what its hash is made of may keep other things in its state.
/// @return false when memory is missing
static bool compare_pages(bks_playback *playback, const bks_playback_config *config,
                          bks_verify_result *result)
{
    const bks_replay *replay = config->replay;
    const uint32_t recorded = replay->has_state ? replay->state.page_count : 0;
    if (config->game->hash != NULL || recorded == 0) {
        return true;
    }
    bksi_runner *runner = bksi_playback_runner(playback);
    const size_t capacity = bksi_pages(bksi_runner_export_bytes_max(runner));
    uint64_t *hashes =
        bksi_alloc(&config->allocator, capacity * sizeof(uint64_t), _Alignof(uint64_t));
    if (hashes == NULL) {
        return false;
    }
    const size_t count = bksi_runner_page_hashes(runner, hashes, capacity);
    size_t page = 0;
    while (page < count && page < recorded &&
           hashes[page] == bksi_get_u64(replay->state.page_hashes + page * sizeof(uint64_t))) {
        page++;
    }
    if (page < count || page < recorded) {
        result->is_same = false;
        result->first_different = 0;
        result->page = (uint32_t)page;
        result->recorded_bits = 0;
        result->computed = bks_playback_hash(playback);
    }
    bksi_free(&config->allocator, hashes, capacity * sizeof(uint64_t));
    return true;
}

/// Compare the state as it is with the hash recorded for this tick.
static void compare_hash(bks_playback *playback, bks_replay *replay, bks_verify_result *result)
{
    const bks_tick tick = bks_playback_tick(playback);
    uint64_t recorded = 0;
    uint32_t bits = 0;
    if (bks_replay_hash(replay, tick, &recorded, &bits) != BKS_OK || bits == 0) {
        return;
    }
    const uint64_t computed = bks_playback_hash(playback);
    result->compared++;
    if (!bks_replay_hash_agrees(replay, tick, computed)) {
        result->is_same = false;
        result->first_different = tick;
        result->recorded = recorded;
        result->recorded_bits = bits;
        result->computed = computed;
    }
}

static bks_status tell_difference(const bks_verify_result *result, bks_error *error)
{
    if (result->recorded_bits == 0) {
        return bksi_fail(error, BKS_ERR_DESYNC, call, NULL,
                         "the state that init makes is not the recorded one: page %u differs",
                         result->page);
    }
    const bool is_short = result->recorded_bits < 64;
    return bksi_fail(error, BKS_ERR_DESYNC, call, NULL,
                     "the state differs first at tick %d: hash %0*llx, recorded %0*llx",
                     result->first_different, is_short ? 4 : 16,
                     (unsigned long long)(is_short ? result->computed & 0xffff : result->computed),
                     is_short ? 4 : 16, (unsigned long long)result->recorded);
}

static bks_status step_and_compare(bks_playback *playback, const bks_playback_config *config,
                                   bks_tick from, bool (*progress)(void *, bks_tick, bks_tick),
                                   void *context, bks_verify_result *result)
{
    const bks_tick total = config->replay->info.confirmed;
    for (;;) {
        const bks_tick tick = bks_playback_tick(playback);
        if (tick >= from) {
            compare_hash(playback, config->replay, result);
        }
        const bool is_over = !result->is_same || tick >= total;
        if (progress != NULL && (is_over || tick % PROGRESS_TICKS == 0) &&
            !progress(context, tick, total)) {
            return BKS_ERR_OVER;
        }
        if (is_over) {
            return BKS_OK;
        }
        const bks_status status = bks_playback_step(playback);
        if (status != BKS_OK) {
            return status;
        }
        result->stepped++;
    }
}

/// Again, but not into the log.
static bks_status tell_damage(const bks_replay *replay, bks_error *error)
{
    if (error != NULL) {
        *error = replay->error;
    }
    return replay->damage_status;
}

bks_status bks_replay_verify(const bks_playback_config *config, bks_tick from,
                             bool (*progress)(void *context, bks_tick done, bks_tick total),
                             void *context, bks_verify_result *result, bks_error *error)
{
    if (config == NULL || result == NULL || config->replay == NULL) {
        return bksi_fail_null(error, call,
                              config == NULL   ? "config"
                              : result == NULL ? "result"
                                               : "config->replay");
    }
    *result = (bks_verify_result){.is_same = true, .first_different = BKS_TICK_NONE};
    const bks_tick confirmed = config->replay->info.confirmed;
    if (from < 0 || from > confirmed) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "from", "from is %d, must be 0..%d",
                         from, confirmed);
    }
    if (config->from_recorded_state) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "from_recorded_state",
                         "from_recorded_state is true, must be false: init is verified too");
    }
    bks_playback *playback = NULL;
    bks_status status = bks_playback_create(config, &playback, error);
    if (status != BKS_OK) {
        return status;
    }
    if (from == 0 && !compare_pages(playback, config, result)) {
        status = bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, call, NULL, "no memory to compare pages");
    }
    if (status == BKS_OK && result->is_same) {
        status = step_and_compare(playback, config, from, progress, context, result);
    }
    bks_playback_destroy(playback);
    // Damage comes first, whatever else holds: `result` tells the rest.
    if (status == BKS_OK && config->replay->info.is_damaged) {
        status = tell_damage(config->replay, error);
    } else if (status == BKS_OK && !result->is_same) {
        status = tell_difference(result, error);
    }
    return status;
}
