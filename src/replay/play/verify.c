// SPDX-License-Identifier: MIT

#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/report.h"
#include "replay/play/playback_parts.h"

/// Number of ticks between two calls of `progress`.
#define PROGRESS_TICKS 64

static const char call[] = "bks_replay_verify";

/// Compare the page hashes of the state at tick 0. Games with their own hash function are skipped,
/// because their states may hold bytes that the match does not depend on.
/// @return false when memory is missing
static bool compare_pages(bks_playback *playback, const bks_playback_config *config,
                          bks_verify_result *result)
{
    bksi_replay_state state;
    const uint32_t recorded = bksi_replay_get_state(config->replay, &state) ? state.page_count : 0;
    if (config->game->hash != NULL || recorded == 0) {
        return true;
    }
    bksi_runner *runner = playback->runner;
    const size_t capacity = bksi_pages(bksi_runner_export_bytes_max(runner));
    uint64_t *hashes =
        bksi_alloc(&config->allocator, capacity * sizeof(uint64_t), _Alignof(uint64_t));
    if (hashes == NULL) {
        return false;
    }
    const size_t count = bksi_runner_page_hashes(runner, hashes, capacity);
    size_t page = 0;
    while (page < count && page < recorded &&
           hashes[page] == bksi_get_u64(state.page_hashes + page * sizeof(uint64_t))) {
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

/// A comparison of a game with its recording, in progress.
typedef struct comparison {
    bks_playback *playback;
    const bks_playback_config *config;
    bks_verify_part part;
    uint32_t next_key; ///< index of the next keyframe to compare with a state
    uint32_t gap_key;  ///< index of the keyframe to try first after the next gap
    /// True if the last compared state in a repaired span equalled the recorded, wrong one.
    bool is_repeating;
    uint8_t *state; ///< room for an exported state, NULL: keyframes are not compared
    size_t state_bytes_max;
    bks_verify_result *result;
} comparison;

static void found_difference(comparison *c, bks_tick tick, uint64_t recorded, uint32_t bits,
                             uint64_t computed)
{
    c->result->is_same = false;
    c->result->first_different = tick;
    c->result->recorded = recorded;
    c->result->recorded_bits = bits;
    c->result->computed = computed;
}

/// For a tick whose recorded hash was wrong, compare the computed hash with the hash that the peers
/// agreed on, if that is known.
/// @param is_own  the computed hash equals the recorded one
/// @return true if the computed hash equals neither the recorded nor the agreed hash
static bool compare_repaired(comparison *c, bks_tick tick, uint64_t computed, bool is_own)
{
    bks_verify_result *result = c->result;
    uint64_t agreed = 0;
    const bool is_known = bks_replay_agreed_hash(c->config->replay, tick, &agreed) == BKS_OK;
    const bool is_right = is_known && computed == agreed;
    c->is_repeating = is_own && !is_right;
    result->compared += is_known || is_own;
    result->repaired += is_known;
    result->repeated += is_known && c->is_repeating;
    return is_known && !is_right && !is_own;
}

/// Compare a computed hash with the hash that is recorded for its tick.
static void compare(comparison *c, bks_tick tick, uint64_t computed)
{
    bks_replay *replay = c->config->replay;
    uint64_t recorded = 0;
    uint32_t bits = 0;
    if (bks_replay_hash(replay, tick, &recorded, &bits) != BKS_OK || bits == 0) {
        return;
    }
    bool differs = ((recorded ^ computed) << (64 - bits)) != 0;
    if (bks_replay_is_repaired(replay, tick)) {
        differs = compare_repaired(c, tick, computed, !differs);
    } else {
        c->result->compared++;
    }
    if (differs) {
        found_difference(c, tick, recorded, bits, computed);
    }
}

/// Compare the current state with the hash recorded for its tick, if there is one.
static void compare_hash(comparison *c)
{
    const bks_tick tick = bks_playback_tick(c->playback);
    uint64_t recorded = 0;
    uint32_t bits = 0;
    if (bks_replay_hash(c->config->replay, tick, &recorded, &bits) == BKS_OK && bits > 0) {
        compare(c, tick, bks_playback_hash(c->playback));
    }
}

/// Compare the current state with the keyframe of its tick. Games with their own hash function are
/// skipped, because their states may hold bytes that the match does not depend on.
static void compare_keyframe(comparison *c)
{
    const bks_replay *replay = c->config->replay;
    const bks_tick tick = bks_playback_tick(c->playback);
    const bksi_replay_key *key = NULL;
    for (; c->next_key < replay->keys.count; c->next_key++) {
        key = bksi_list_at(&replay->keys, c->next_key);
        if (key->keyframe.tick >= tick) {
            break;
        }
    }
    bksi_keyframe keyframe;
    if (c->state == NULL || key == NULL || key->keyframe.tick != tick || !c->result->is_same ||
        bksi_replay_key_wrong_since(replay, &key->keyframe) != BKS_TICK_NONE ||
        !bksi_keyframe_read(&keyframe, bksi_replay_bytes_at(replay, key->payload),
                            key->payload_bytes)) {
        return;
    }
    const size_t count = bksi_runner_export(c->playback->runner, c->state, c->state_bytes_max);
    const uint64_t computed = bksi_hash64(c->state, count, 0);
    c->result->keyframes++;
    if (count != keyframe.state_bytes || computed != keyframe.hash) {
        found_difference(c, tick, keyframe.hash, 0, computed);
    }
}

static bks_status describe_difference(const bks_replay *replay, const bks_verify_result *result,
                                      bks_error *error)
{
    if (result->recorded_bits == 0 && result->first_different == 0) {
        return bksi_fail(error, BKS_ERR_DESYNC, call, NULL,
                         "the state that init makes is not the recorded one: page %u differs",
                         result->page);
    }
    if (result->recorded_bits == 0) {
        return bksi_fail(error, BKS_ERR_DESYNC, call, NULL,
                         "the state differs first at tick %d: it is not the keyframe's",
                         result->first_different);
    }
    const int digits = (int)(result->recorded_bits + 3) / 4;
    const uint64_t mask = UINT64_MAX >> (64 - result->recorded_bits);
    // Write "..." before a recorded hash of which the file has only the last digits.
    const char *rest = result->recorded_bits < 64 ? "..." : "";
    uint64_t agreed = 0;
    if (bks_replay_agreed_hash(replay, result->first_different, &agreed) == BKS_OK) {
        return bksi_fail(error, BKS_ERR_DESYNC, call, NULL,
                         "the state differs first at tick %d: hash %016llx, recorded %s%0*llx, "
                         "where %016llx was right",
                         result->first_different, (unsigned long long)result->computed, rest,
                         digits, (unsigned long long)result->recorded, (unsigned long long)agreed);
    }
    return bksi_fail(error, BKS_ERR_DESYNC, call, NULL,
                     "the state differs first at tick %d: hash %s%0*llx, recorded %s%0*llx%s",
                     result->first_different, rest, digits,
                     (unsigned long long)(result->computed & mask), rest, digits,
                     (unsigned long long)result->recorded,
                     result->repeated > 0 ? "; what had been repaired comes out here again, and no "
                                            "keyframe holds the repaired state"
                                          : "");
}

/// Report the progress of a comparison.
/// @return true if the caller of the comparison wants to continue
static bool shall_continue(const comparison *c, bks_tick tick)
{
    return c->part.progress == NULL || c->part.progress(c->part.context, tick, c->part.until);
}

/// Load the next usable keyframe at tick `from` or later.
/// @return false when there is no such keyframe
static bool take_next_keyframe(comparison *c, bks_tick from)
{
    const bks_replay *replay = c->config->replay;
    uint32_t tries = c->playback->has_pointers ? BKSI_KEYFRAME_TRIES_MAX : 0;
    for (; c->gap_key < replay->keys.count && tries < BKSI_KEYFRAME_TRIES_MAX; c->gap_key++) {
        const bksi_replay_key *key = bksi_list_at(&replay->keys, c->gap_key);
        if (key->keyframe.tick < from || !bksi_replay_can_begin_at(replay, key) ||
            !bksi_replay_is_final(replay, key->keyframe.tick)) {
            continue;
        }
        if (key->keyframe.tick > c->part.until) {
            break;
        }
        tries++;
        if (bksi_playback_take_keyframe(c->playback, c->gap_key, NULL) == BKS_OK) {
            return true;
        }
    }
    return false;
}

/// Compare the current state with all that is recorded for its tick. If the game repeats a fault
/// that was repaired in the match, steps never lead to the repaired state, so that state is loaded
/// from a keyframe.
/// @return false when a keyframe was loaded, so that the playback is now at the keyframe's tick
static bool compare_state(comparison *c)
{
    const bks_verify_result before = *c->result;
    const bks_tick tick = bks_playback_tick(c->playback);
    const bool is_repaired = c->is_repeating && !bks_replay_is_repaired(c->config->replay, tick);
    compare_hash(c);
    compare_keyframe(c);
    const bool is_compared =
        c->result->compared > before.compared || c->result->keyframes > before.keyframes;
    if (!is_repaired || !is_compared) {
        return true;
    }
    c->is_repeating = false;
    if (c->result->is_same || !take_next_keyframe(c, tick)) {
        return true;
    }
    *c->result = before;
    return false;
}

/// Step and compare up to the last tick to verify, or to the next gap.
static bks_status step_and_compare(comparison *c)
{
    const bks_replay *replay = c->config->replay;
    bks_verify_result *result = c->result;
    for (;;) {
        const bks_tick tick = bks_playback_tick(c->playback);
        if (tick >= c->part.from && !compare_state(c)) {
            continue;
        }
        const bool is_over =
            !result->is_same || tick >= c->part.until || !bksi_replay_is_final(replay, tick);
        if ((is_over || tick % PROGRESS_TICKS == 0) && !shall_continue(c, tick)) {
            return BKS_OVER;
        }
        if (is_over) {
            return BKS_OK;
        }
        const bks_status status = bks_playback_step(c->playback);
        if (status != BKS_OK) {
            return status == BKS_ERR_DAMAGED ? BKS_OK : status; // the caller reports the damage
        }
        result->stepped++;
    }
}

/// Step a perspective that guesses, and compare its final hashes, up to the last tick to verify.
static bks_status observe_and_compare(comparison *c)
{
    bks_verify_result *result = c->result;
    bks_status status = BKS_OK;
    for (bks_tick next = bks_playback_tick(c->playback);;) {
        const bks_tick confirmed = bks_playback_confirmed(c->playback);
        const bks_tick last = confirmed < c->part.until ? confirmed : c->part.until;
        for (; next <= last && result->is_same; next++) {
            uint64_t hash = 0;
            if (next >= c->part.from &&
                bks_playback_confirmed_hash(c->playback, next, &hash) == BKS_OK) {
                compare(c, next, hash);
            }
        }
        const bks_tick tick = bks_playback_tick(c->playback);
        if (tick % PROGRESS_TICKS == 0 && !shall_continue(c, tick)) {
            return BKS_OVER;
        }
        if (!result->is_same || status == BKS_OVER || next > c->part.until) {
            return BKS_OK;
        }
        status = bks_playback_step(c->playback);
        result->stepped += status == BKS_OK;
        if (status != BKS_OK && status != BKS_OVER) {
            return status == BKS_ERR_DAMAGED ? BKS_OK : status; // the caller reports the damage
        }
    }
}

static bks_status compare_all(comparison *c, bks_error *error)
{
    bks_status status = BKS_OK;
    if (c->playback->perspective != NULL) {
        return observe_and_compare(c);
    }
    const bks_replay *replay = c->config->replay;
    if (c->part.from <= replay->info.first) {
        if (replay->info.first == 0 && !compare_pages(c->playback, c->config, c->result)) {
            return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, call, NULL,
                             "no memory to compare pages");
        }
    } else {
        // Begin before the first tick to verify, because a keyframe of that tick would only be
        // compared with itself.
        const uint32_t index = bksi_playback_find_keyframe(c->playback, c->part.from - 1);
        status =
            index != UINT32_MAX ? bksi_playback_take_keyframe(c->playback, index, error) : BKS_OK;
    }
    while (status == BKS_OK && c->result->is_same) {
        status = step_and_compare(c);
        if (status != BKS_OK || !c->result->is_same ||
            !take_next_keyframe(c, bks_playback_tick(c->playback) + 1)) { // continue after the gap
            break;
        }
    }
    return status;
}

/// Check the range of ticks to verify, and fill in its end.
static bks_status choose_part(const bks_recording *info, const bks_verify_part *part,
                              bks_verify_part *out, bks_error *error)
{
    *out = part != NULL ? *part : (bks_verify_part){0};
    out->until = out->until != 0 ? out->until : info->end;
    if (out->from < 0 || out->from > info->confirmed) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "from", "from is %d, must be 0..%d",
                         out->from, info->confirmed);
    }
    if (out->until < out->from || out->until > info->end) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "until", "until is %d, must be %d..%d",
                         out->until, out->from, info->end);
    }
    return BKS_OK;
}

/// Return true if the recording was closed because the game failed at a tick.
static bool has_failed_here(const bks_replay *replay, bks_tick tick)
{
    for (uint32_t i = 0; i < replay->info.event_count; i++) {
        bks_replay_event event;
        if (bks_replay_event_at(replay, i, &event) == BKS_OK && event.kind == BKS_REPLAY_CLOSED &&
            event.a == BKS_CLOSED_FAILED && event.tick == tick + 1) {
            return true;
        }
    }
    return false;
}

bks_status bks_replay_verify(const bks_playback_config *config, const bks_verify_part *part,
                             bks_verify_result *result, bks_error *error)
{
    BKSI_REFUSE_NULL(error, config);
    BKSI_REFUSE_NULL(error, result);
    BKSI_REFUSE_NULL(error, config->replay);
    *result = (bks_verify_result){.is_same = true, .first_different = BKS_TICK_NONE};
    comparison c = {.config = config, .result = result};
    bks_status status = choose_part(&config->replay->info, part, &c.part, error);
    if (status != BKS_OK) {
        return status;
    }
    if (config->from_recorded_state) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "from_recorded_state",
                         "from_recorded_state is true, must be false: init is verified too");
    }
    status = bks_playback_create(config, &c.playback, error);
    if (status != BKS_OK) {
        return status;
    }
    if (config->game->hash == NULL && config->replay->keys.count > 0) {
        c.state_bytes_max = bksi_runner_export_bytes_max(c.playback->runner);
        c.state = bksi_alloc(&config->allocator, c.state_bytes_max, 16);
    }
    status = compare_all(&c, error);
    const bks_tick failed_tick = bks_playback_confirmed(c.playback);
    if (status == BKS_ERR_GAME) {
        (void)bksi_playback_failure(c.playback, error);
    }
    bksi_free(&config->allocator, c.state, c.state_bytes_max);
    bks_playback_destroy(c.playback);
    // A recording that ends where its game failed is reproduced if the game fails at the same tick
    // again.
    if (status == BKS_ERR_GAME && has_failed_here(config->replay, failed_tick)) {
        status = BKS_OK;
    }
    // Report damage as the status, not a difference of the states: the caller finds the difference
    // in `result`.
    if (status == BKS_OK && config->replay->info.is_damaged) {
        status = bksi_replay_damage(config->replay, error);
    } else if (status == BKS_OK && !result->is_same) {
        status = describe_difference(config->replay, result, error);
    }
    return status;
}

/// Return true if the verification may be split into parts that begin at keyframes: every keyframe
/// would be compared, and no tick is lost.
static bool can_split(const bks_playback_config *config)
{
    const bks_replay *replay = config->replay;
    return config->game->hash == NULL && config->perspective == BKS_PERSPECTIVE_REFERENCE &&
           replay->info.lost_count == 0 && !replay->info.is_damaged;
}

uint32_t bks_replay_split(const bks_playback_config *config, uint32_t parts, bks_tick *untils)
{
    BKSI_REFUSE_NULL_OR(0, config);
    BKSI_REFUSE_NULL_OR(0, config->replay);
    BKSI_REFUSE_NULL_OR(0, config->game);
    BKSI_REFUSE_NULL_OR(0, untils);
    const bks_recording *info = &config->replay->info;
    const int64_t ticks = (int64_t)info->confirmed - info->first;
    uint32_t count = 0;
    bks_tick last = info->first;
    for (uint32_t part = 1; part < parts && can_split(config); part++) {
        const bks_tick wanted = info->first + (bks_tick)(ticks * part / parts);
        const uint32_t index = bksi_replay_find_keyframe(config->replay, wanted);
        const bks_tick tick =
            index != UINT32_MAX
                ? ((const bksi_replay_key *)bksi_list_at(&config->replay->keys, index))
                      ->keyframe.tick
                : last;
        if (tick > last) {
            untils[count++] = tick;
            last = tick;
        }
    }
    untils[count++] = info->confirmed;
    return count;
}
