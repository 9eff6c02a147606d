// SPDX-License-Identifier: MIT

#include "replay/playback.h"

#include <string.h>

#include "base/memory.h"
#include "base/report.h"
#include "replay/replay_reader.h"

struct bks_playback {
    bks_allocator allocator;
    bks_replay *replay;
    bksi_runner *runner;
    bks_tick tick;
    bks_playback_listener listener;
    int32_t inputs[BKS_PLAYERS_MAX * BKS_FIELDS_MAX];
};

static const char call[] = "bks_playback_create";

/// Inputs mean the same when names, bits and signs do. Groups and neutrals only say how they are
/// coded, and the file has its own.
static bks_status match_layout(const bks_replay_info *info, const bks_field *fields, uint32_t count,
                               const char *where, bks_error *error)
{
    if (info->field_count != count) {
        return bksi_fail(error, BKS_ERR_UNSUPPORTED, where, "fields",
                         "the layout differs: the replay has %u fields, the game %u",
                         info->field_count, count);
    }
    for (uint32_t i = 0; i < count; i++) {
        const bks_field *theirs = &info->fields[i];
        const bks_field *ours = &fields[i];
        if (strcmp(theirs->name, ours->name) != 0) {
            return bksi_fail(error, BKS_ERR_UNSUPPORTED, where, "fields",
                             "the layout differs: field %u is %s in the replay, %s in the game", i,
                             theirs->name, ours->name);
        }
        if (theirs->bits != ours->bits || theirs->is_signed != ours->is_signed) {
            return bksi_fail(error, BKS_ERR_UNSUPPORTED, where, "fields",
                             "the layout differs: field %s has %u bits%s in the replay, %u bits%s "
                             "in the game",
                             ours->name, theirs->bits, theirs->is_signed ? " signed" : "",
                             ours->bits, ours->is_signed ? " signed" : "");
        }
    }
    return BKS_OK;
}

static bks_status match_game(const bks_replay_info *info, const bks_playback_config *config,
                             bks_error *error)
{
    const bks_game *game = config->game;
    if (strcmp(info->game, game->name) != 0) {
        return bksi_fail(error, BKS_ERR_UNSUPPORTED, call, "game",
                         "the game differs: the replay is of %s, the game is %s", info->game,
                         game->name);
    }
    if (info->version != game->version && !config->any_version) {
        return bksi_fail(error, BKS_ERR_UNSUPPORTED, call, "version",
                         "the game's version differs: %u in the replay, %u in the game",
                         info->version, game->version);
    }
    const uint32_t least = game->players_min > 0 ? game->players_min : 1;
    if (info->players < least || info->players > game->players_max) {
        return bksi_fail(error, BKS_ERR_UNSUPPORTED, call, "players",
                         "the replay has %u players, the game takes %u..%u", info->players, least,
                         game->players_max);
    }
    return match_layout(info, game->fields, game->field_count, call, error);
}

static const char *find_option(const bks_replay_info *info, const char *name)
{
    for (uint32_t i = 0; i < info->option_count; i++) {
        if (strcmp(info->options[i].name, name) == 0) {
            return info->options[i].value;
        }
    }
    return NULL;
}

static bool has_option(const bks_game *game, const char *name)
{
    for (uint32_t i = 0; i < game->option_count; i++) {
        if (strcmp(game->options[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/// The recorded options in the order of the game's table.
static bks_status take_options(const bks_replay_info *info, const bks_playback_config *config,
                               bks_option_values *values, bks_error *error)
{
    const bks_game *game = config->game;
    bks_status status = bks_option_values_default(game, values);
    for (uint32_t i = 0; i < game->option_count && status == BKS_OK; i++) {
        const char *name = game->options[i].name;
        const char *value = find_option(info, name);
        if (value != NULL) {
            status = bks_option_values_set(game, values, name, value, error);
        } else if (!config->any_version) {
            status = bksi_fail(error, BKS_ERR_UNSUPPORTED, call, "options",
                               "the options differ: the replay has no option %s", name);
        }
    }
    for (uint32_t i = 0; i < info->option_count && status == BKS_OK; i++) {
        if (!has_option(game, info->options[i].name) && !config->any_version) {
            status =
                bksi_fail(error, BKS_ERR_UNSUPPORTED, call, "options",
                          "the options differ: the game has no option %s", info->options[i].name);
        }
    }
    return status;
}

/// Put the recorded state into the runner. What the file claims is not believed beyond what the
/// game can hold.
static bks_status import_state(bks_playback *playback, bks_error *error)
{
    const bks_replay_info *info = &playback->replay->info;
    const size_t bytes_max = bksi_runner_export_bytes_max(playback->runner);
    if (info->state_bytes > bytes_max) {
        return bksi_fail(error, BKS_ERR_DAMAGED, call, "replay",
                         "the recorded state has %llu bytes, the game takes up to %zu",
                         (unsigned long long)info->state_bytes, bytes_max);
    }
    const size_t count = (size_t)info->state_bytes;
    void *state = bksi_alloc(&playback->allocator, count, 16);
    if (state == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, call, NULL,
                         "no memory for a state of %zu bytes", count);
    }
    bks_status status = bks_replay_state(playback->replay, state, count, error);
    if (status == BKS_OK) {
        status = bksi_runner_import(playback->runner, state, count);
        if (status != BKS_OK) {
            (void)bksi_fail(error, status, call, "replay",
                            "%s cannot take the recorded state of %zu bytes", info->game, count);
        }
    }
    bksi_free(&playback->allocator, state, count);
    return status;
}

static bks_status begin(bks_playback *playback, const bks_playback_config *config, bks_error *error)
{
    const bks_replay_info *info = &config->replay->info;
    playback->replay = config->replay;
    bksi_runner_config runner = {
        .game = config->game,
        .seed = info->seed,
        .players = info->players,
        .tick_rate_hz = info->tick_rate_hz,
        .allocator = config->allocator,
    };
    bks_status status = take_options(info, config, &runner.options, error);
    if (status == BKS_OK) {
        status = bksi_runner_create(&runner, &playback->runner, error);
    }
    if (status == BKS_OK && config->from_recorded_state) {
        status = import_state(playback, error);
    }
    return status;
}

bks_status bks_playback_create(const bks_playback_config *config, bks_playback **out,
                               bks_error *error)
{
    if (out == NULL) {
        return bksi_fail_null(error, call, "out");
    }
    *out = NULL;
    if (config == NULL) {
        return bksi_fail_null(error, call, "config");
    }
    if (config->replay == NULL || config->game == NULL) {
        return bksi_fail_null(error, call, config->replay == NULL ? "replay" : "game");
    }
    if (!bksi_allocator_ok(&config->allocator)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "allocator",
                         "allocator has one of alloc and release, must have both or neither");
    }
    bks_status status = bks_game_check(config->game, error);
    if (status == BKS_OK) {
        status = match_game(&config->replay->info, config, error);
    }
    if (status != BKS_OK) {
        return status;
    }
    bks_playback *playback =
        bksi_alloc(&config->allocator, sizeof(*playback), _Alignof(bks_playback));
    if (playback == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, call, NULL, "no memory for a playback");
    }
    playback->allocator = config->allocator;
    status = begin(playback, config, error);
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
    bksi_runner_destroy(playback->runner);
    bksi_free(&allocator, playback, sizeof(*playback));
}

bks_status bks_playback_step(bks_playback *playback)
{
    if (playback == NULL) {
        return bksi_fail_null(NULL, "bks_playback_step", "playback");
    }
    if (playback->tick >= playback->replay->info.ticks) {
        return BKS_ERR_OVER;
    }
    const bks_status status = bks_replay_inputs(playback->replay, playback->tick, playback->inputs);
    if (status == BKS_OK) {
        bksi_runner_step(playback->runner, playback->tick, playback->inputs);
        playback->tick++;
    }
    return status;
}

bks_tick bks_playback_tick(const bks_playback *playback)
{
    if (playback == NULL) {
        (void)bksi_fail_null(NULL, "bks_playback_tick", "playback");
        return 0;
    }
    return playback->tick;
}

const void *bks_playback_state(const bks_playback *playback)
{
    if (playback == NULL) {
        (void)bksi_fail_null(NULL, "bks_playback_state", "playback");
        return NULL;
    }
    return bksi_runner_state(playback->runner);
}

uint64_t bks_playback_hash(bks_playback *playback)
{
    if (playback == NULL) {
        (void)bksi_fail_null(NULL, "bks_playback_hash", "playback");
        return 0;
    }
    return bksi_runner_hash(playback->runner);
}

static void hear_reached(void *context, bks_tick tick, const char *name)
{
    const bks_playback_listener *listener = context;
    listener->reached(listener->context, tick, name);
}

static void hear_mark(void *context, bks_tick tick, const char *name, uint64_t hash)
{
    const bks_playback_listener *listener = context;
    listener->mark(listener->context, tick, name, hash);
}

static void hear_note(void *context, bks_tick tick, const char *text)
{
    const bks_playback_listener *listener = context;
    listener->note(listener->context, tick, text);
}

bks_status bks_playback_listen(bks_playback *playback, const bks_playback_listener *listener)
{
    if (playback == NULL) {
        return bksi_fail_null(NULL, "bks_playback_listen", "playback");
    }
    playback->listener = listener != NULL ? *listener : (bks_playback_listener){0};
    const bksi_trace_sink sink = {
        .reached = playback->listener.reached != NULL ? hear_reached : NULL,
        .mark = playback->listener.mark != NULL ? hear_mark : NULL,
        .note = playback->listener.note != NULL ? hear_note : NULL,
        .context = &playback->listener,
    };
    bksi_runner_listen(playback->runner, &sink);
    return BKS_OK;
}

bksi_runner *bksi_playback_runner(bks_playback *playback)
{
    return playback->runner;
}

bks_status bks_replay_player_init(bks_replay_player *player, bks_replay *replay, uint32_t index,
                                  const bks_field *fields, uint32_t count, bks_error *error)
{
    static const char player_call[] = "bks_replay_player_init";
    if (player == NULL || replay == NULL || fields == NULL) {
        return bksi_fail_null(error, player_call,
                              player == NULL   ? "player"
                              : replay == NULL ? "replay"
                                               : "fields");
    }
    if (index >= replay->info.players) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, player_call, "index",
                         "index is %u, must be 0..%u", index, replay->info.players - 1);
    }
    *player = (bks_replay_player){.replay = replay, .player = index, .missing = BKS_TICK_NONE};
    return match_layout(&replay->info, fields, count, player_call, error);
}

static void sample_player(void *context, const bks_sample *sample, int32_t *values)
{
    bks_replay_player *player = context;
    if (player == NULL || player->missing != BKS_TICK_NONE) {
        return;
    }
    const uint32_t count = player->replay->info.field_count;
    int32_t inputs[BKS_PLAYERS_MAX * BKS_FIELDS_MAX];
    if (bks_replay_inputs(player->replay, sample->tick, inputs) != BKS_OK ||
        sample->field_count != count) {
        player->missing = sample->tick;
        return;
    }
    memcpy(values, inputs + (size_t)player->player * count, count * sizeof(*values));
}

bks_source bks_replay_player_source(bks_replay_player *player)
{
    if (player == NULL) {
        (void)bksi_fail_null(NULL, "bks_replay_player_source", "player");
    }
    return (bks_source){.sample = sample_player, .context = player};
}
