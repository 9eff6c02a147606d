// SPDX-License-Identifier: MIT

// Public calls of the runner, for tools. Each call checks its arguments.

#include "backstitch/toolkit/runner.h"
#include "base/memory.h"
#include "base/report.h"
#include "game/runner.h"
#include "input/command_log.h"

struct bks_runner {
    bksi_runner *inner;
    const bks_game *game;
    bks_allocator allocator;
    uint32_t snapshots;
    bksi_region copy; ///< copy of the state for pictures; `bytes` is NULL before the first picture
    bool is_saved[BKS_RUNNER_SNAPSHOTS_MAX];
};

static bks_status check_config(const bks_runner_config *config, bks_error *error)
{
    static const char call[] = "bks_runner_create";
    if (config->game == NULL) {
        return bksi_fail_null(error, call, "game");
    }
    if (config->snapshots > BKS_RUNNER_SNAPSHOTS_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "snapshots",
                         "snapshots is %u, must be 0..%d", config->snapshots,
                         BKS_RUNNER_SNAPSHOTS_MAX);
    }
    return bks_game_check(config->game, error);
}

bks_status bks_runner_create(const bks_runner_config *config, bks_runner **out, bks_error *error)
{
    static const char call[] = "bks_runner_create";
    if (out != NULL) {
        *out = NULL;
    }
    BKSI_REFUSE_NULL(error, config);
    BKSI_REFUSE_NULL(error, out);
    BKSI_TRY(check_config(config, error));
    bksi_runner_config inner = {
        .game = config->game,
        .seed = config->seed,
        .players = config->players,
        .tick_rate_hz =
            config->tick_rate_hz > 0 ? config->tick_rate_hz : config->game->tick_rate_hz,
        .options = config->options,
        .slot_count = config->snapshots,
        .workers = config->workers != NULL ? *config->workers : (bks_workers){0},
        .allocator = config->allocator,
    };
    if (!config->has_options) {
        (void)bks_option_values_default(config->game, &inner.options);
    }
    bksi_runner *made = NULL;
    BKSI_TRY(bksi_runner_create(&inner, &made, error));
    bks_runner *runner = bksi_alloc(&config->allocator, sizeof(*runner), sizeof(uint64_t));
    if (runner == NULL) {
        bksi_runner_destroy(made);
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, call, NULL,
                         "no memory for a runner of %zu bytes", sizeof(*runner));
    }
    *runner = (bks_runner){.inner = made,
                           .game = config->game,
                           .allocator = config->allocator,
                           .snapshots = config->snapshots};
    const bksi_trace_sink sink = {.reached = config->marked, .context = config->context};
    bksi_runner_listen(made, &sink);
    const bksi_answers answers = {.answer = config->answer, .context = config->answer_context};
    bksi_runner_answer(made, &answers);
    bksi_runner_collect(made, config->cues);
    *out = runner;
    return BKS_OK;
}

void bks_runner_destroy(bks_runner *runner)
{
    if (runner == NULL) {
        return;
    }
    const bks_allocator allocator = runner->allocator;
    bksi_region_destroy(&runner->copy);
    bksi_runner_destroy(runner->inner);
    bksi_free(&allocator, runner, sizeof(*runner));
}

/// Report a failure of the game's own code.
static bks_status fail_game(const bks_runner *runner, const char *call, bks_error *error)
{
    const char *problem = bksi_runner_problem(runner->inner);
    return bksi_fail(error, BKS_ERR_GAME, call, NULL, "%s",
                     problem != NULL ? problem : "the game could not continue");
}

/// Check the arguments of a step or a picture.
static bks_status check_step(const bks_runner *runner, bks_tick tick, const int32_t *inputs,
                             const char *call, bks_error *error)
{
    if (runner == NULL || inputs == NULL) {
        return bksi_fail_null(error, call, runner == NULL ? "runner" : "inputs");
    }
    if (tick < 0) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "tick",
                         "tick is %d, must be at least 0", tick);
    }
    const bksi_layout *layout = bksi_runner_layout(runner->inner);
    for (uint32_t player = 0; player < bksi_runner_start(runner->inner)->players; player++) {
        BKSI_TRY(bksi_layout_check(layout, inputs + (size_t)player * layout->field_count, error));
    }
    return BKS_OK;
}

bks_status bks_runner_step(bks_runner *runner, bks_tick tick, const int32_t *inputs,
                           bks_error *error)
{
    static const char call[] = "bks_runner_step";
    BKSI_TRY(check_step(runner, tick, inputs, call, error));
    return bksi_runner_step(runner->inner, tick, inputs) == BKS_OK ? BKS_OK
                                                                   : fail_game(runner, call, error);
}

bks_status bks_runner_commands(bks_runner *runner, const bks_commands *commands)
{
    BKSI_REFUSE_NULL(NULL, runner);
    bksi_runner_commands(runner->inner, NULL);
    const uint32_t players = bksi_runner_start(runner->inner)->players;
    for (uint32_t p = 0; commands != NULL && p < players; p++) {
        if (!bksi_commands_are_framed(&commands[p], runner->game->command_bytes_max)) {
            return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, "bks_runner_commands", "commands",
                             "commands of player %u have a length that is 0, above "
                             "command_bytes_max %u, or beyond the bytes",
                             p, runner->game->command_bytes_max);
        }
    }
    bksi_runner_commands(runner->inner, commands);
    return BKS_OK;
}

/// Allocate memory for a copy of the state, if that was not done before. Fail if the game cannot
/// extrapolate a copy.
static bks_status make_copy(bks_runner *runner, const char *call, bks_error *error)
{
    const bks_game *game = runner->game;
    const bksi_region *region = bksi_runner_region(runner->inner);
    if (game->extrapolate == NULL || region == NULL || game->pointers) {
        return bksi_fail(error, BKS_ERR_UNSUPPORTED, call, NULL, "the game %s",
                         game->extrapolate == NULL ? "has no extrapolate"
                         : region == NULL          ? "keeps its state outside of a region"
                                                   : "has raw pointers in its state");
    }
    if (runner->copy.bytes == NULL) {
        const bks_status status = bksi_region_create(&runner->copy, region->capacity_bytes,
                                                     region->root_bytes, &runner->allocator, error);
        if (status != BKS_OK) {
            runner->copy = (bksi_region){0};
            return status;
        }
    }
    bksi_region_put_back(&runner->copy, region->bytes, bksi_region_used(region));
    return BKS_OK;
}

bks_status bks_runner_extrapolate(bks_runner *runner, bks_tick tick, const int32_t *inputs,
                                  float share, const void **out, bks_error *error)
{
    static const char call[] = "bks_runner_extrapolate";
    BKSI_REFUSE_NULL(error, out);
    *out = NULL;
    BKSI_TRY(check_step(runner, tick, inputs, call, error));
    if (!(share > 0.0f && share <= 1.0f)) {
        BKSI_TRY(bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "share",
                           "share is %g, must be above 0 and at most 1", (double)share));
    }
    BKSI_TRY(make_copy(runner, call, error));
    bksi_runner_extrapolate(runner->inner, runner->copy.bytes, tick, inputs, share);
    *out = runner->copy.bytes;
    return BKS_OK;
}

uint64_t bks_runner_hash(bks_runner *runner)
{
    BKSI_REFUSE_NULL_OR(0, runner);
    return bksi_runner_hash(runner->inner);
}

const void *bks_runner_state(const bks_runner *runner)
{
    BKSI_REFUSE_NULL_OR(NULL, runner);
    return bksi_runner_state(runner->inner);
}

size_t bks_runner_export(bks_runner *runner, void *out, size_t capacity)
{
    BKSI_REFUSE_NULL_OR(0, runner);
    return out == NULL ? bksi_runner_export_bytes_max(runner->inner)
                       : bksi_runner_export(runner->inner, out, capacity);
}

bks_status bks_runner_import(bks_runner *runner, const void *bytes, size_t count, bks_error *error)
{
    BKSI_REFUSE_NULL(error, runner);
    BKSI_REFUSE_NULL(error, bytes);
    return bksi_runner_import(runner->inner, bytes, count, error);
}

/// Check the number of a snapshot.
static bks_status check_snapshot(const bks_runner *runner, uint32_t snapshot, const char *call,
                                 bks_error *error)
{
    if (runner == NULL) {
        return bksi_fail_null(error, call, "runner");
    }
    if (snapshot >= runner->snapshots) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "snapshot",
                         "snapshot is %u, must be below %u", snapshot, runner->snapshots);
    }
    return BKS_OK;
}

bks_status bks_runner_save(bks_runner *runner, uint32_t snapshot, bks_error *error)
{
    static const char call[] = "bks_runner_save";
    BKSI_TRY(check_snapshot(runner, snapshot, call, error));
    runner->is_saved[snapshot] = bksi_runner_save(runner->inner, snapshot) > 0;
    return runner->is_saved[snapshot] ? BKS_OK : fail_game(runner, call, error);
}

bks_status bks_runner_load(bks_runner *runner, uint32_t snapshot, bks_error *error)
{
    static const char call[] = "bks_runner_load";
    BKSI_TRY(check_snapshot(runner, snapshot, call, error));
    if (!runner->is_saved[snapshot]) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "snapshot",
                         "snapshot is %u, which was not saved, must be one that was saved",
                         snapshot);
    }
    return bksi_runner_load(runner->inner, snapshot) == BKS_OK ? BKS_OK
                                                               : fail_game(runner, call, error);
}

bks_status bks_runner_set_floats(bks_runner *runner, bks_runner_floats floats, bks_error *error)
{
    static const char call[] = "bks_runner_set_floats";
    BKSI_REFUSE_NULL(error, runner);
    if ((uint32_t)floats > BKS_RUNNER_FLOATS_AS_THEY_ARE) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "floats", "floats is %d, must be 0..%d",
                         (int)floats, BKS_RUNNER_FLOATS_AS_THEY_ARE);
    }
    bksi_runner_set_floats(runner->inner, floats);
    return BKS_OK;
}

uint32_t bks_runner_float_faults(const bks_runner *runner)
{
    BKSI_REFUSE_NULL_OR(0, runner);
    return bksi_runner_float_faults(runner->inner);
}
