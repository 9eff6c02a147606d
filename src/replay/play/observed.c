// SPDX-License-Identifier: MIT

#include "replay/play/observed.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "base/report.h"

#define LATE_TICKS_DEFAULT 6u

struct bksi_observed {
    bks_allocator allocator;
    bks_replay *replay;
    bksi_runner *runner;
    bks_playback_perspective perspective;
    uint32_t player;     ///< AS_PLAYER: whose inputs are known at once
    bks_tick late_ticks; ///< AS_PLAYER: how late the others' are
    uint32_t slots;      ///< states kept, by tick modulo this
    uint64_t *hashes;    ///< by slot: of the state kept there
    bks_tick first;      ///< with which it began
    bks_tick tick;       ///< the state is at its start
    bks_tick confirmed;
    bks_tick spoilt; ///< the states from there on came of a step that failed; BKS_TICK_NONE: none
    uint64_t steps;
    uint64_t rollbacks;

    bksi_prediction prediction;
    bksi_timeline timelines[BKS_PLAYERS_MAX]; ///< AS_PLAYER; by tick since `first`
    uint32_t timeline_count;
    bks_tick known; ///< AS_PLAYER: one past the newest tick whose inputs of all are known

    uint32_t next_rollback; ///< AS_RECORDED: the first rollback that has not happened yet
    bks_tick depth_max;     ///< AS_RECORDED

    int32_t truth[BKS_PLAYERS_MAX * BKS_FIELDS_MAX];
    int32_t inputs[BKS_PLAYERS_MAX * BKS_FIELDS_MAX];
};

static bks_tick deepest(const bks_replay *replay)
{
    bks_tick depth = 0;
    for (size_t i = 0; i < replay->rollbacks.count; i++) {
        const bksi_rollback_place *place = bksi_list_at(&replay->rollbacks, i);
        depth = place->present - place->from > depth ? place->present - place->from : depth;
    }
    return depth;
}

bks_status bksi_observed_slots(const bks_playback_config *config, uint32_t *out_slots,
                               bks_error *error)
{
    static const char call[] = "bks_playback_create";
    const uint32_t late = config->late_ticks > 0 ? config->late_ticks : LATE_TICKS_DEFAULT;
    const uint32_t players = config->replay->info.players;
    *out_slots = 0;
    switch (config->perspective) {
    case BKS_PERSPECTIVE_REFERENCE:
        return BKS_OK;
    case BKS_PERSPECTIVE_PLAYER:
        if (config->player >= players) {
            return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "player",
                             "player is %u, must be 0..%u", config->player, players - 1);
        }
        if (late > BKSI_LATE_TICKS_MAX) {
            return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "late_ticks",
                             "late_ticks is %u, must be 0..%u", late, BKSI_LATE_TICKS_MAX);
        }
        *out_slots = late + 2;
        return BKS_OK;
    case BKS_PERSPECTIVE_RECORDER:
        break;
    default:
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "perspective",
                         "perspective is %d, must be %d..%d", (int)config->perspective,
                         (int)BKS_PERSPECTIVE_REFERENCE, (int)BKS_PERSPECTIVE_RECORDER);
    }
    const bks_tick depth = deepest(config->replay);
    if (depth > (bks_tick)BKSI_LATE_TICKS_MAX) {
        return bksi_fail(error, BKS_ERR_UNSUPPORTED, call, "perspective",
                         "the deepest rollback is one of %d ticks, must be 0..%u", depth,
                         BKSI_LATE_TICKS_MAX);
    }
    *out_slots = (uint32_t)depth + 2;
    return BKS_OK;
}

static uint32_t slot_of(const bksi_observed *observed, bks_tick tick)
{
    return (uint32_t)tick % observed->slots;
}

/// Keep the state as it is, which is that at the start of a tick, and its hash: as live.
static void keep(bksi_observed *observed, bks_tick tick)
{
    (void)bksi_runner_save(observed->runner, slot_of(observed, tick));
    observed->hashes[slot_of(observed, tick)] = bksi_runner_hash(observed->runner);
}

static bks_status create_timelines(bksi_observed *observed, const bks_game *game, bks_error *error)
{
    const bksi_layout *layout = bksi_runner_layout(observed->runner);
    bks_status status = bksi_prediction_create(&observed->prediction, layout, game->votes,
                                               game->votes_bytes, &observed->allocator, error);
    uint32_t capacity = 4;
    while (capacity < 2 * observed->slots) {
        capacity *= 2;
    }
    for (uint32_t p = 0; status == BKS_OK && p < observed->replay->info.players; p++) {
        bksi_timeline *timeline = &observed->timelines[p];
        status = bksi_timeline_create(timeline, layout, capacity, &observed->allocator);
        observed->timeline_count += status == BKS_OK;
        if (status == BKS_OK && layout->has_history) {
            status =
                bksi_timeline_predict_by(timeline, &observed->prediction, &observed->allocator);
        }
    }
    return status;
}

bks_status bksi_observed_create(const bks_playback_config *config, bksi_runner *runner,
                                bks_tick first, bksi_observed **out, bks_error *error)
{
    *out = NULL;
    bksi_observed *observed =
        bksi_alloc(&config->allocator, sizeof(*observed), _Alignof(bksi_observed));
    if (observed == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, "bks_playback_create", NULL,
                         "no memory for a playback's perspective");
    }
    observed->allocator = config->allocator;
    observed->replay = config->replay;
    observed->runner = runner;
    observed->perspective = config->perspective;
    observed->player = config->player;
    observed->late_ticks =
        (bks_tick)(config->late_ticks > 0 ? config->late_ticks : LATE_TICKS_DEFAULT);
    observed->depth_max = deepest(config->replay);
    observed->first = first;
    observed->tick = first;
    observed->confirmed = first;
    observed->spoilt = BKS_TICK_NONE;
    observed->known = first;
    bks_status status = bksi_observed_slots(config, &observed->slots, error);
    observed->hashes =
        bksi_alloc(&config->allocator, observed->slots * sizeof(uint64_t), _Alignof(uint64_t));
    if (status == BKS_OK && observed->hashes == NULL) {
        status = bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, "bks_playback_create", NULL,
                           "no memory for %u hashes", observed->slots);
    }
    if (status == BKS_OK && observed->perspective == BKS_PERSPECTIVE_PLAYER) {
        status = create_timelines(observed, config->game, error);
    }
    if (status != BKS_OK) {
        bksi_observed_destroy(observed);
        return status;
    }
    keep(observed, observed->tick);
    *out = observed;
    return BKS_OK;
}

void bksi_observed_destroy(bksi_observed *observed)
{
    if (observed == NULL) {
        return;
    }
    const bks_allocator allocator = observed->allocator;
    for (uint32_t p = 0; p < observed->timeline_count; p++) {
        bksi_timeline_destroy(&observed->timelines[p], &allocator);
    }
    bksi_prediction_destroy(&observed->prediction, &allocator);
    bksi_free(&allocator, observed->hashes, observed->slots * sizeof(uint64_t));
    bksi_free(&allocator, observed, sizeof(*observed));
}

// ---- what a tick is stepped with ----

/// A player's input of a tick, known or guessed as a session would.
static void take_input(bksi_observed *observed, uint32_t player, bks_tick tick, uint8_t *packed)
{
    const bksi_layout *layout = bksi_runner_layout(observed->runner);
    const bks_game *game = bksi_runner_start(observed->runner)->game;
    const bksi_timeline *timeline = &observed->timelines[player];
    bksi_timeline_at(timeline, tick - observed->first, packed);
    if (game->predict == NULL || tick - observed->first < timeline->head) {
        return;
    }
    int32_t last[BKS_FIELDS_MAX];
    int32_t guess[BKS_FIELDS_MAX];
    bksi_layout_unpack(layout, bksi_timeline_confirmed(timeline, timeline->head - 1), last);
    bksi_layout_unpack(layout, packed, guess);
    game->predict(bksi_runner_state(observed->runner), player, tick,
                  timeline->head > 0 ? observed->first + timeline->head - 1 : BKS_TICK_NONE, last,
                  guess);
    bksi_layout_pack_clamped(layout, guess, packed);
}

static bks_status take_guesses(bksi_observed *observed, bks_tick tick)
{
    const bksi_layout *layout = bksi_runner_layout(observed->runner);
    uint8_t packed[BKSI_INPUT_BYTES_MAX];
    for (uint32_t p = 0; p < observed->timeline_count; p++) {
        take_input(observed, p, tick, packed);
        bksi_timeline_use(&observed->timelines[p], tick - observed->first, packed);
        bksi_layout_unpack(layout, packed, observed->inputs + (size_t)p * layout->field_count);
    }
    return BKS_OK;
}

/// A tick is stepped with what the next rollback that goes back over it found it stepped with; with
/// the truth when there is none.
static bks_status take_recorded(bksi_observed *observed, bks_tick tick)
{
    const bks_replay *replay = observed->replay;
    for (size_t i = observed->next_rollback; i < replay->rollbacks.count; i++) {
        const bksi_rollback_place *place = bksi_list_at(&replay->rollbacks, i);
        if (place->present > tick + observed->depth_max) {
            break;
        }
        if (place->from <= tick && tick < place->present) {
            return bks_replay_rollback_inputs(replay, (uint32_t)i, tick, observed->inputs);
        }
    }
    return bks_replay_inputs(observed->replay, tick, observed->inputs);
}

static bool is_spoilt(const bksi_observed *observed, bks_tick tick)
{
    return observed->spoilt != BKS_TICK_NONE && tick >= observed->spoilt;
}

static bks_status step_once(bksi_observed *observed, bks_tick tick)
{
    const bks_status status = observed->perspective == BKS_PERSPECTIVE_PLAYER
                                  ? take_guesses(observed, tick)
                                  : take_recorded(observed, tick);
    if (status != BKS_OK || is_spoilt(observed, tick)) {
        return status; // as live: ticks pass without the game until the guess is taken back
    }
    observed->steps++;
    if (bksi_runner_step(observed->runner, tick, observed->inputs) == BKS_OK) {
        keep(observed, tick + 1);
    } else {
        observed->spoilt = tick + 1;
    }
    return BKS_OK;
}

/// Back to the start of a tick, and to the present again.
static bks_status roll_back(bksi_observed *observed, bks_tick from)
{
    BKS_ASSERT(observed->tick - from < (bks_tick)observed->slots);
    observed->rollbacks++;
    bks_status status = BKS_OK;
    if (!is_spoilt(observed, from)) {
        observed->spoilt = BKS_TICK_NONE;
        status = bksi_runner_load(observed->runner, slot_of(observed, from));
    }
    for (bks_tick tick = from; status == BKS_OK && tick < observed->tick; tick++) {
        status = step_once(observed, tick);
    }
    return status;
}

// ---- what becomes known ----

/// Append the truth of a tick to the timelines of some players.
/// @param wrong  becomes the first tick that was stepped with something else
static bks_status learn(bksi_observed *observed, bks_tick tick, bool own, bks_tick *wrong)
{
    const bksi_layout *layout = bksi_runner_layout(observed->runner);
    const bks_status status = bks_replay_inputs(observed->replay, tick, observed->truth);
    for (uint32_t p = 0; status == BKS_OK && p < observed->timeline_count; p++) {
        if ((p == observed->player) != own) {
            continue;
        }
        uint8_t packed[BKSI_INPUT_BYTES_MAX];
        bksi_layout_pack_clamped(layout, observed->truth + (size_t)p * layout->field_count, packed);
        const bks_tick differs = bksi_timeline_append(&observed->timelines[p], packed);
        if (differs != BKS_TICK_NONE && *wrong == BKS_TICK_NONE) {
            *wrong = tick;
        }
    }
    return status;
}

/// The others' inputs come in up to `until`; then everything is as it should be.
static bks_status catch_up(bksi_observed *observed, bks_tick until)
{
    bks_tick wrong = BKS_TICK_NONE;
    bks_status status = BKS_OK;
    for (; status == BKS_OK && observed->known < until; observed->known++) {
        status = learn(observed, observed->known, false, &wrong);
    }
    if (status == BKS_OK && wrong != BKS_TICK_NONE) {
        status = roll_back(observed, wrong);
    }
    return status;
}

/// All rollbacks that happened while the game stood here.
static bks_status repeat_rollbacks(bksi_observed *observed)
{
    const bks_replay *replay = observed->replay;
    bks_status status = BKS_OK;
    while (status == BKS_OK && observed->next_rollback < replay->rollbacks.count) {
        const bksi_rollback_place *place =
            bksi_list_at(&replay->rollbacks, observed->next_rollback);
        if (place->present > observed->tick) {
            break;
        }
        observed->next_rollback++;
        if (place->present == observed->tick && place->present > observed->first) {
            // Of one that went back behind the beginning what is there is stepped again.
            status =
                roll_back(observed, place->from > observed->first ? place->from : observed->first);
        }
    }
    return status;
}

/// The states up to the start of a tick are certain.
/// @return BKS_OK; BKS_ERR_GAME when one of them came of a step that failed
static bks_status confirm(bksi_observed *observed, bks_tick sure)
{
    const bool has_failed = is_spoilt(observed, sure);
    sure = has_failed ? observed->spoilt - 1 : sure;
    observed->confirmed = sure > observed->confirmed ? sure : observed->confirmed;
    return has_failed ? BKS_ERR_GAME : BKS_OK;
}

static bks_status settle(bksi_observed *observed)
{
    bks_status status = observed->perspective == BKS_PERSPECTIVE_PLAYER
                            ? catch_up(observed, observed->tick)
                            : repeat_rollbacks(observed);
    if (status == BKS_OK) {
        status = confirm(observed, observed->tick);
    }
    return status == BKS_OK ? BKS_OVER : status;
}

bks_status bksi_observed_step(bksi_observed *observed)
{
    const bks_tick tick = observed->tick;
    if (tick >= observed->replay->info.end) {
        return settle(observed);
    }
    const bool is_player = observed->perspective == BKS_PERSPECTIVE_PLAYER;
    bks_tick wrong = BKS_TICK_NONE;
    bks_status status = is_player ? learn(observed, tick, true, &wrong) : BKS_OK;
    if (status == BKS_OK) {
        status = is_player ? catch_up(observed, tick - observed->late_ticks + 1)
                           : repeat_rollbacks(observed);
    }
    if (status == BKS_OK) {
        status = step_once(observed, tick);
    }
    if (status == BKS_OK) {
        observed->tick++;
        status =
            confirm(observed, is_player ? observed->known : observed->tick - observed->depth_max);
    }
    return status;
}

bks_tick bksi_observed_tick(const bksi_observed *observed)
{
    return observed->tick;
}

bks_tick bksi_observed_confirmed(const bksi_observed *observed)
{
    return observed->confirmed;
}

uint64_t bksi_observed_hash(const bksi_observed *observed, bks_tick tick)
{
    BKS_ASSERT(tick <= observed->confirmed);
    BKS_ASSERT(observed->tick - tick < (bks_tick)observed->slots);
    return observed->hashes[slot_of(observed, tick)];
}

void bksi_observed_count(const bksi_observed *observed, uint64_t *steps, uint64_t *rollbacks)
{
    *steps = observed->steps;
    *rollbacks = observed->rollbacks;
}
