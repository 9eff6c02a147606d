// SPDX-License-Identifier: MIT

#include "replay/play/perspective.h"

#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "base/memory.h"
#include "base/report.h"
#include "rollback/engine.h"

#define LATE_TICKS_DEFAULT 6u

struct bksi_perspective {
    bks_allocator allocator;
    bks_replay *replay;
    bksi_runner *runner;
    const bks_game *game;
    bks_playback_perspective kind;
    uint32_t player; ///< for PLAYER: player whose inputs are known at once
    /// Number of ticks after which inputs become known; for RECORDER: depth of the deepest
    /// rollback.
    bks_tick late_ticks;
    bks_tick first;         ///< tick at which the perspective began
    bks_tick known;         ///< first tick whose inputs the engine lacks
    uint32_t next_rollback; ///< for RECORDER: index of the next recorded rollback to repeat
    int32_t *guesses; ///< for RECORDER: inputs of a rollback, players * field_count for each tick
    size_t guesses_bytes;
    uint32_t guesses_of; ///< index of that rollback, UINT32_MAX: none
    bksi_rollback engine;
    bks_status status; ///< first error that an operation got when it read the recording
    uint64_t steps;
    void (*begun)(void *context, bks_tick tick);      ///< called before each step, may be NULL
    void *context;                                    ///< passed to `begun`
    int32_t values[BKS_PLAYERS_MAX * BKS_FIELDS_MAX]; ///< recorded inputs of all players at a tick
    int32_t guess[BKS_FIELDS_MAX]; ///< guess of one player's input, made by the game
};

// ---- config of a perspective ----

static bks_tick deepest(const bks_replay *replay)
{
    bks_tick depth = 0;
    for (size_t i = 0; i < replay->rollbacks.count; i++) {
        const bksi_rollback_place *place = bksi_list_at(&replay->rollbacks, i);
        depth = place->present - place->from > depth ? place->present - place->from : depth;
    }
    return depth;
}

/// Return the number of ticks by which the game runs ahead of the known inputs.
static bks_tick lateness(const bks_playback_config *config)
{
    if (config->perspective == BKS_PERSPECTIVE_RECORDER) {
        return deepest(config->replay);
    }
    return (bks_tick)(config->late_ticks > 0 ? config->late_ticks : LATE_TICKS_DEFAULT);
}

/// Return the engine's window. It is at least 1, because with a window of 0 the engine has no
/// snapshot to continue from.
static uint32_t window_for(bks_tick late_ticks)
{
    return late_ticks > 0 ? (uint32_t)late_ticks : 1;
}

bks_status bksi_perspective_slots(const bks_playback_config *config, uint32_t *out_slots,
                                  bks_error *error)
{
    static const char call[] = "bks_playback_create";
    const uint32_t players = config->replay->info.players;
    *out_slots = 0;
    if (config->perspective == BKS_PERSPECTIVE_REFERENCE) {
        return BKS_OK;
    }
    if (config->perspective != BKS_PERSPECTIVE_PLAYER &&
        config->perspective != BKS_PERSPECTIVE_RECORDER) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "perspective",
                         "perspective is %d, must be %d..%d", (int)config->perspective,
                         (int)BKS_PERSPECTIVE_REFERENCE, (int)BKS_PERSPECTIVE_RECORDER);
    }
    const bool is_player = config->perspective == BKS_PERSPECTIVE_PLAYER;
    if (is_player && config->player >= players) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "player", "player is %u, must be 0..%u",
                         config->player, players - 1);
    }
    if (is_player && config->late_ticks > BKSI_LATE_TICKS_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "late_ticks",
                         "late_ticks is %u, must be 0..%u", config->late_ticks,
                         BKSI_LATE_TICKS_MAX);
    }
    const bks_tick late = lateness(config);
    if (late > (bks_tick)BKSI_LATE_TICKS_MAX) {
        return bksi_fail(error, BKS_ERR_UNSUPPORTED, call, "perspective",
                         "the deepest rollback is one of %d ticks, must be 0..%u", late,
                         BKSI_LATE_TICKS_MAX);
    }
    *out_slots = window_for(late) + 2;
    return BKS_OK;
}

// ---- operations of the rollback engine ----

/// Read the guesses of a tick that a rollback replaced. A rollback's ticks are asked for one after
/// the other, so all its inputs are unpacked at once.
static bks_status read_guesses(bksi_perspective *perspective, uint32_t index,
                               const bksi_rollback_place *place, bks_tick tick)
{
    const bks_replay *replay = perspective->replay;
    // A recording that grows may have got a deeper rollback.
    if (perspective->guesses == NULL || place->present - place->from > perspective->late_ticks) {
        return bks_replay_rollback_inputs(replay, index, tick, perspective->values);
    }
    if (perspective->guesses_of != index) {
        bksi_replay_rollback_all(replay, index, perspective->guesses);
        perspective->guesses_of = index;
    }
    const size_t count = (size_t)replay->info.players * replay->info.field_count;
    memcpy(perspective->values, perspective->guesses + (size_t)(tick - place->from) * count,
           count * sizeof(int32_t));
    return BKS_OK;
}

/// Read the inputs with which a tick was stepped first: if a later rollback stepped the tick again,
/// the inputs that the rollback replaced, otherwise the final inputs.
static bks_status read_recorded(bksi_perspective *perspective, bks_tick tick)
{
    const bks_replay *replay = perspective->replay;
    for (size_t i = perspective->next_rollback; i < replay->rollbacks.count; i++) {
        const bksi_rollback_place *place = bksi_list_at(&replay->rollbacks, i);
        if (place->present > tick + perspective->late_ticks) {
            break;
        }
        if (place->from <= tick && tick < place->present) {
            return read_guesses(perspective, (uint32_t)i, place, tick);
        }
    }
    return bks_replay_inputs(perspective->replay, tick, perspective->values);
}

static const int32_t *values_of(const bksi_perspective *perspective, uint32_t player)
{
    return perspective->values +
           (size_t)player * bksi_runner_layout(perspective->runner)->field_count;
}

/// Return the recorded guess of a player's input. The engine asks for players in order, so the
/// inputs of all players are read when it asks for player 0.
static const int32_t *guess_as_recorded(bksi_perspective *perspective, const bks_op *op)
{
    if (op->player == 0 && perspective->status == BKS_OK) {
        perspective->status = read_recorded(perspective, op->tick);
    }
    return values_of(perspective, op->player);
}

static const int32_t *guess_as_game(bksi_perspective *perspective, const bks_op *op)
{
    memcpy(perspective->guess, op->guess,
           bksi_runner_layout(perspective->runner)->field_count * sizeof(int32_t));
    perspective->game->predict(bksi_runner_state(perspective->runner), op->player, op->tick,
                               op->last_tick, op->inputs, perspective->guess);
    return perspective->guess;
}

static bks_status carry_out(bksi_perspective *perspective, const bks_op *op, bks_op_result *result)
{
    bksi_runner *runner = perspective->runner;
    switch (op->kind) {
    case BKS_OP_SAMPLE:
        result->input = values_of(perspective, op->player);
        return BKS_OK;
    case BKS_OP_PREDICT:
        result->input = perspective->kind == BKS_PERSPECTIVE_RECORDER
                            ? guess_as_recorded(perspective, op)
                            : guess_as_game(perspective, op);
        return BKS_OK;
    case BKS_OP_SAVE:
        return bksi_runner_save(runner, op->slot) > 0 ? BKS_OK : BKS_ERR_GAME;
    case BKS_OP_LOAD:
        return bksi_runner_load(runner, op->slot);
    case BKS_OP_STEP:
        perspective->steps++;
        if (perspective->begun != NULL) {
            perspective->begun(perspective->context, op->tick);
        }
        return bksi_runner_step(runner, op->tick, op->inputs);
    case BKS_OP_HASH:
        result->hash = bksi_runner_hash(runner);
        return BKS_OK;
    case BKS_OP_START:
    case BKS_OP_RANGES:
    case BKS_OP_PARTS:
    case BKS_OP_READ:
    case BKS_OP_NAME:
    case BKS_OP_WRITE:
    case BKS_OP_RESTORE:
    case BKS_OP_CHECK:
        break;
    }
    return BKS_OK;
}

/// Run one update of the engine: repair wrong ticks, then step the due ones.
/// @return BKS_OK; BKS_ERR_DAMAGED; BKS_ERR_GAME when a step with final inputs failed
static bks_status update(bksi_perspective *perspective, uint32_t due_ticks)
{
    bksi_rollback *engine = &perspective->engine;
    bks_op op;
    bksi_rollback_schedule(engine, &(bksi_schedule){.due_ticks = due_ticks});
    while (bksi_rollback_next(engine, &op)) {
        bks_op_result result = {0};
        const bks_status status = carry_out(perspective, &op, &result);
        if (status != BKS_OK && op.kind == BKS_OP_LOAD) {
            return status; // after a failed load there is no state to continue from
        }
        result.problem = status != BKS_OK ? "the game failed" : NULL;
        bksi_rollback_done(engine, &op, &result);
    }
    bksi_rollback_settle(engine);
    if (perspective->status != BKS_OK) {
        return perspective->status;
    }
    return bksi_rollback_is_spoilt(engine, bksi_rollback_settled(engine)) ? BKS_ERR_GAME : BKS_OK;
}

// ---- creating and destroying a perspective ----

/// Allocate room for the inputs of the deepest rollback.
static bks_status take_guesses(bksi_perspective *perspective, bks_error *error)
{
    const bks_recording *info = &perspective->replay->info;
    if (perspective->kind != BKS_PERSPECTIVE_RECORDER || perspective->late_ticks == 0 ||
        info->field_count == 0) {
        return BKS_OK;
    }
    const size_t bytes = (size_t)perspective->late_ticks * info->players * info->field_count *
                         sizeof(*perspective->guesses);
    perspective->guesses = bksi_alloc(&perspective->allocator, bytes, _Alignof(int32_t));
    perspective->guesses_bytes = perspective->guesses != NULL ? bytes : 0;
    return perspective->guesses != NULL
               ? BKS_OK
               : bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, "bks_playback_create", NULL,
                           "no memory for a perspective");
}

static bks_status create_engine(bksi_perspective *perspective, const bks_playback_config *config,
                                bks_error *error)
{
    const bool is_player = config->perspective == BKS_PERSPECTIVE_PLAYER;
    const uint32_t window = window_for(perspective->late_ticks);
    const uint32_t players = config->replay->info.players;
    uint32_t capacity = 4;
    while (capacity < 2 * (window + 2)) {
        capacity *= 2;
    }
    const bksi_rollback_config engine = {
        .layout = bksi_runner_layout(perspective->runner),
        .players_max = players,
        .capacity_ticks = capacity,
        .window_ticks = window,
        .save = BKS_SAVE_EVERY,
        .custom_prediction = !is_player || config->game->predict != NULL,
        .votes = config->game->votes,
        .votes_bytes = config->game->votes_bytes,
        .allocator = config->allocator,
    };
    const bks_status status = bksi_rollback_create(&perspective->engine, &engine, error);
    if (status != BKS_OK) {
        return status;
    }
    const bksi_rollback_match match = {
        .players = players,
        .first_local = is_player ? config->player : 0,
        .local_count = is_player ? 1 : 0,
        .hash_every = 1,
    };
    bksi_rollback_begin(&perspective->engine, perspective->first);
    bksi_rollback_start(&perspective->engine, &match);
    return BKS_OK;
}

bks_status bksi_perspective_create(const bks_playback_config *config, bksi_runner *runner,
                                   bks_tick first, bksi_perspective **out, bks_error *error)
{
    *out = NULL;
    if (config->replay->commands.count > 0) {
        return bksi_fail(error, BKS_ERR_UNSUPPORTED, "bks_playback_create", "perspective",
                         "perspective is %d, must be BKS_PERSPECTIVE_REFERENCE for a recording "
                         "with commands",
                         (int)config->perspective);
    }
    bksi_perspective *perspective =
        bksi_alloc(&config->allocator, sizeof(*perspective), _Alignof(bksi_perspective));
    if (perspective == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, "bks_playback_create", NULL,
                         "no memory for a perspective");
    }
    perspective->allocator = config->allocator;
    perspective->replay = config->replay;
    perspective->runner = runner;
    perspective->game = config->game;
    perspective->kind = config->perspective;
    perspective->player = config->player;
    perspective->late_ticks = lateness(config);
    perspective->first = first;
    perspective->known = first;
    perspective->guesses_of = UINT32_MAX;
    bks_status status = take_guesses(perspective, error);
    if (status == BKS_OK) {
        status = create_engine(perspective, config, error);
    }
    if (status == BKS_OK) {
        status = update(perspective, 0);
    }
    if (status != BKS_OK) {
        bksi_perspective_destroy(perspective);
        return status;
    }
    *out = perspective;
    return BKS_OK;
}

void bksi_perspective_destroy(bksi_perspective *perspective)
{
    if (perspective == NULL) {
        return;
    }
    const bks_allocator allocator = perspective->allocator;
    bksi_rollback_destroy(&perspective->engine);
    bksi_free(&allocator, perspective->guesses, perspective->guesses_bytes);
    bksi_free(&allocator, perspective, sizeof(*perspective));
}

void bksi_perspective_listen(bksi_perspective *perspective,
                             void (*begun)(void *context, bks_tick tick), void *context)
{
    perspective->begun = begun;
    perspective->context = context;
}

// ---- passing known inputs to the engine ----

/// Pass the inputs before tick `until` to the engine, for all players whose inputs the engine does
/// not ask for itself.
static bks_status learn(bksi_perspective *perspective, bks_tick until)
{
    bksi_rollback *engine = &perspective->engine;
    const bksi_layout *layout = bksi_runner_layout(perspective->runner);
    const bool is_player = perspective->kind == BKS_PERSPECTIVE_PLAYER;
    for (; perspective->known < until; perspective->known++) {
        const bks_status status =
            bks_replay_inputs(perspective->replay, perspective->known, perspective->values);
        if (status != BKS_OK) {
            return status;
        }
        for (uint32_t p = 0; p < perspective->replay->info.players; p++) {
            uint8_t packed[BKSI_INPUT_BYTES_MAX];
            if (!is_player || p != perspective->player) {
                bksi_layout_pack_clamped(layout, values_of(perspective, p), packed);
                bksi_rollback_append(engine, p, packed, NULL);
            }
        }
    }
    return BKS_OK;
}

/// Repeat all rollbacks that happened while the game was at the present tick.
static bks_status repeat_rollbacks(bksi_perspective *perspective)
{
    const bks_replay *replay = perspective->replay;
    const bks_tick tick = bksi_perspective_tick(perspective);
    const bks_tick first = perspective->first;
    bks_status status = BKS_OK;
    while (status == BKS_OK && perspective->next_rollback < replay->rollbacks.count) {
        const bksi_rollback_place *place =
            bksi_list_at(&replay->rollbacks, perspective->next_rollback);
        if (place->present > tick) {
            break;
        }
        perspective->next_rollback++;
        if (place->present == tick && place->present > first) {
            // A rollback to before the first tick can only repeat the ticks from the first tick on.
            const bks_tick from = place->from > first ? place->from : first;
            bksi_rollback_doubt(&perspective->engine, from);
            status = update(perspective, 0);
        }
    }
    return status;
}

bks_status bksi_perspective_step(bksi_perspective *perspective)
{
    const bks_tick tick = bksi_perspective_tick(perspective);
    const bool is_end = tick >= perspective->replay->info.end;
    bks_status status = BKS_OK;
    if (perspective->kind == BKS_PERSPECTIVE_RECORDER) {
        status = repeat_rollbacks(perspective);
    }
    if (status == BKS_OK) {
        status = learn(perspective, is_end ? tick : tick - perspective->late_ticks + 1);
    }
    if (status == BKS_OK && !is_end) { // read the tick's inputs, which BKS_OP_SAMPLE returns
        status = bks_replay_inputs(perspective->replay, tick, perspective->values);
    }
    if (status == BKS_OK) {
        status = update(perspective, is_end ? 0 : 1);
    }
    return status == BKS_OK && is_end ? BKS_OVER : status;
}

bks_tick bksi_perspective_tick(const bksi_perspective *perspective)
{
    return bksi_rollback_front(&perspective->engine);
}

bks_tick bksi_perspective_confirmed(const bksi_perspective *perspective)
{
    const bks_tick published = bksi_rollback_published(&perspective->engine);
    return published != BKS_TICK_NONE ? published : perspective->first;
}

bool bksi_perspective_hash(const bksi_perspective *perspective, bks_tick tick, uint64_t *out_hash)
{
    const bksi_tick_hash *hash = bksi_rollback_hash(&perspective->engine, tick);
    if (hash == NULL) {
        return false;
    }
    *out_hash = hash->state;
    return true;
}

void bksi_perspective_count(const bksi_perspective *perspective, uint64_t *steps,
                            uint64_t *rollbacks)
{
    *steps = perspective->steps;
    *rollbacks = bksi_rollback_statistics(&perspective->engine)->rollbacks;
}
