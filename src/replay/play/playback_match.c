// SPDX-License-Identifier: MIT

// Checks that a game is the one that was recorded and takes commands of the recorded sizes. Offers
// the inputs of a recorded player as a source for another match.

#include <string.h>

#include "backstitch/toolkit/runner.h"
#include "base/bytes.h"
#include "base/report.h"
#include "input/command_log.h"
#include "replay/play/playback_parts.h"
#include "replay/read/reader.h"

static const char call[] = "playback.game";

/// Compare two layouts of inputs by names, bits and signs. Ignore groups and neutral values,
/// because they affect only the coding of inputs, and the file says with which ones its inputs were
/// coded.
static bks_status match_layout(const bks_recording *info, const bks_field *fields, uint32_t count,
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

static bks_status match_game(const bks_recording *info, const bks_playback_config *config,
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

static const char *find_option(const bks_recording *info, const char *name)
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

static bks_status read_options(const bks_recording *info, const bks_playback_config *config,
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

bks_status bks_playback_options(const bks_playback_config *config, bks_option_values *out,
                                bks_error *error)
{
    static const char options_call[] = "bks_playback_options";
    BKSI_REFUSE_NULL(error, config);
    BKSI_REFUSE_NULL(error, out);
    if (config->replay == NULL || config->game == NULL) {
        return bksi_fail_null(error, options_call, config->replay == NULL ? "replay" : "game");
    }
    bks_status status = bks_game_check(config->game, error);
    if (status == BKS_OK) {
        status = match_game(&config->replay->info, config, error);
    }
    return status == BKS_OK ? read_options(&config->replay->info, config, out, error) : status;
}

bks_status bksi_playback_pass_commands(bks_playback *playback)
{
    bks_commands *commands = playback->commands;
    bool has_any = false;
    BKSI_TRY(bks_replay_commands(playback->replay, playback->tick, commands, &has_any));
    const uint32_t most = bksi_runner_start(playback->runner)->game->command_bytes_max;
    for (uint32_t p = 0; has_any && p < playback->replay->info.players; p++) {
        if (!bksi_commands_are_framed(&commands[p], most)) {
            return bksi_fail(NULL, BKS_ERR_UNSUPPORTED, "bks_playback_step", NULL,
                             "a command of player %u at tick %d is above command_bytes_max %u", p,
                             playback->tick, most);
        }
    }
    bksi_runner_commands(playback->runner, has_any ? commands : NULL);
    return BKS_OK;
}

bks_status bks_replay_player_init(bks_replay_player *player, bks_replay *replay, uint32_t index,
                                  const bks_field *fields, uint32_t count, bks_error *error)
{
    static const char player_call[] = "bks_replay_player_init";
    BKSI_REFUSE_NULL(error, player);
    BKSI_REFUSE_NULL(error, replay);
    BKSI_REFUSE_NULL(error, fields);
    if (index >= replay->info.players) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, player_call, "index",
                         "index is %u, must be 0..%u", index, replay->info.players - 1);
    }
    *player = (bks_replay_player){
        .replay = replay, .player = index, .missing = BKS_TICK_NONE, .command_tick = BKS_TICK_NONE};
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

static size_t command_of_player(void *context, const bks_sample *sample, void *bytes,
                                size_t capacity)
{
    bks_replay_player *player = context;
    bks_commands commands[BKS_PLAYERS_MAX];
    bool has_any = false;
    if (player == NULL || player->missing != BKS_TICK_NONE) {
        return 0;
    }
    if (bks_replay_commands(player->replay, sample->tick, commands, &has_any) != BKS_OK) {
        player->missing = sample->tick;
        return 0;
    }
    if (player->command_tick != sample->tick) {
        player->command_tick = sample->tick;
        player->command_at = 0;
    }
    const bks_commands *all = &commands[player->player];
    if (!has_any || player->command_at >= all->count) {
        return 0;
    }
    const uint8_t *at = all->bytes + player->command_at;
    const size_t count = bksi_get_u16(at);
    if (count > capacity) {
        player->missing = sample->tick;
        return 0;
    }
    memcpy(bytes, at + 2, count);
    player->command_at += 2 + (uint32_t)count;
    return count;
}

bks_source bks_replay_player_source(bks_replay_player *player)
{
    if (player == NULL) {
        (void)bksi_fail_null(NULL, "bks_replay_player_source", "player");
    }
    return (bks_source){.sample = sample_player, .context = player, .command = command_of_player};
}
