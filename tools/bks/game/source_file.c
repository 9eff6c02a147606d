// SPDX-License-Identifier: MIT

#include "game/source_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "base/file.h"
#include "base/text.h"
#include "base/tool.h"
#include "game/command_trace.h"
#include "game/input_log.h"

struct source_file {
    char *path;
    bool is_replay;
    uint32_t field_count;
    input_log *table; ///< table of an input log; NULL: the file is of another kind
    uint32_t players; ///< number of players in a recording
    bks_tick ticks;   ///< number of ticks in a recording
    int32_t *values;  ///< unpacked inputs of a recording, by player, tick and field
    /// Commands of a command trace or a recording. A command trace has neither `table` nor
    /// `values`.
    command_list commands;
};

static bks_status parse_commands(source_file *file, const char *text, size_t count,
                                 const bks_game *game, bks_error *error)
{
    if (game->command_bytes_max == 0) {
        return fail_with(error, BKS_ERR_UNSUPPORTED,
                         "the file is a stream of commands, and %s takes none", game->name);
    }
    return command_trace_parse(text, count, game->command_bytes_max, &file->commands, error);
}

/// Open an input log or a command trace.
static int open_trace(source_file *file, const bks_game *game)
{
    bks_error error = {0};
    char *text = NULL;
    size_t count = 0;
    bks_status status = input_log_read(file->path, &text, &count, &error);
    if (status == BKS_OK && command_trace_is(text, count)) {
        status = parse_commands(file, text, count, game, &error);
    } else if (status == BKS_OK) {
        status = input_log_parse(text, count, &file->table, &error);
        status = status == BKS_OK
                     ? input_log_bind(file->table, game->fields, game->field_count, &error)
                     : status;
    }
    free(text);
    if (status != BKS_OK) {
        tool_complain_error(file->path, &error);
        return TOOL_DAMAGED;
    }
    return TOOL_OK;
}

static int32_t *input_at(const source_file *file, uint32_t player, bks_tick tick)
{
    const size_t input = (size_t)player * (size_t)file->ticks + (size_t)tick;
    return file->values + input * file->field_count;
}

/// Copy the commands of a tick.
static bks_status add_commands(source_file *file, const bks_commands *commands, bks_tick tick,
                               const bks_game *game, bks_error *error)
{
    const bks_step step = {.players = file->players, .commands = commands};
    bks_command command = {0};
    while (bks_step_command(&step, &command)) {
        if (command.count > game->command_bytes_max) {
            return fail_with(error, BKS_ERR_UNSUPPORTED,
                             "a command at tick %" PRId32 " has %" PRIu32
                             " bytes, must have at most %" PRIu32 ", the command_bytes_max of %s",
                             tick, command.count, game->command_bytes_max, game->name);
        }
        uint8_t *room = command_list_add(&file->commands, command.player, tick, command.count);
        if (room == NULL) {
            return fail_with(error, BKS_ERR_OUT_OF_MEMORY, "no memory for its commands");
        }
        memcpy(room, command.bytes, command.count);
    }
    return BKS_OK;
}

/// Copy all commands of a recording.
static bks_status unpack_commands(source_file *file, bks_replay *replay, const bks_game *game,
                                  bks_error *error)
{
    bks_commands commands[BKS_PLAYERS_MAX];
    const bool has_none = bks_replay_info(replay)->command_ticks == 0;
    for (bks_tick tick = 0; !has_none && tick < file->ticks; tick++) {
        bool has_any = false;
        bks_status status = bks_replay_commands(replay, tick, commands, &has_any);
        if (status != BKS_OK) {
            return fail_with(error, status, "the commands of tick %" PRId32 " cannot be unpacked",
                             tick);
        }
        status = has_any ? add_commands(file, commands, tick, game, error) : BKS_OK;
        if (status != BKS_OK) {
            return status;
        }
    }
    command_list_sort(&file->commands);
    return BKS_OK;
}

// Unpack all inputs of a recording, so that peers at different ticks can share them.
static bks_status unpack(source_file *file, const bks_game *game, bks_replay *replay,
                         bks_error *error)
{
    const size_t count = (size_t)file->players * (size_t)file->ticks * file->field_count;
    file->values = malloc((count > 0 ? count : 1) * sizeof(*file->values));
    if (file->values == NULL) {
        error->code = BKS_ERR_OUT_OF_MEMORY;
        return BKS_ERR_OUT_OF_MEMORY;
    }
    for (uint32_t player = 0; player < file->players; player++) {
        bks_replay_player reader;
        const bks_status status =
            bks_replay_player_init(&reader, replay, player, game->fields, game->field_count, error);
        if (status != BKS_OK) {
            return status;
        }
        const bks_source source = bks_replay_player_source(&reader);
        for (bks_tick tick = 0; tick < file->ticks; tick++) {
            int32_t *values = input_at(file, player, tick);
            for (uint32_t i = 0; i < file->field_count; i++) {
                values[i] = game->fields[i].neutral;
            }
            const bks_sample sample = {
                .tick = tick, .player = player, .field_count = file->field_count};
            source.sample(source.context, &sample, values);
        }
    }
    return unpack_commands(file, replay, game, error);
}

static int open_replay(source_file *file, const bks_game *game)
{
    uint8_t *bytes = NULL;
    size_t count = 0;
    if (file_read(file->path, &bytes, &count) != TOOL_OK) {
        return TOOL_DAMAGED;
    }
    bks_error error = {0};
    bks_replay *replay = NULL;
    bks_status status = bks_replay_open(bytes, count, NULL, &replay, &error);
    const bks_tick first = status == BKS_OK ? bks_replay_info(replay)->first : 0;
    if (first > 0) {
        tool_complain(file->path, "begins at tick %" PRId32 ", expected one from tick 0 on", first);
        bks_replay_close(replay);
        free(bytes);
        return TOOL_DAMAGED;
    }
    if (status == BKS_OK) {
        file->players = bks_replay_info(replay)->players;
        file->ticks = bks_replay_info(replay)->ticks;
        status = unpack(file, game, replay, &error);
    }
    if (status != BKS_OK) {
        tool_complain_error(file->path, &error);
    }
    bks_replay_close(replay);
    free(bytes);
    return status == BKS_OK ? TOOL_OK : TOOL_DAMAGED;
}

void source_file_close(source_file *file)
{
    if (file != NULL) {
        input_log_free(file->table);
        free(file->values);
        command_list_free(&file->commands);
        free(file->path);
        free(file);
    }
}

int source_file_open(const char *path, bool is_replay, const bks_game *game, source_file **out)
{
    *out = NULL;
    source_file *file = calloc(1, sizeof(*file));
    char *copy = malloc(strlen(path) + 1);
    if (file == NULL || copy == NULL) {
        free(file);
        free(copy);
        tool_complain(path, "out of memory");
        return TOOL_DAMAGED;
    }
    memcpy(copy, path, strlen(path) + 1);
    file->path = copy;
    file->is_replay = is_replay;
    file->field_count = game->field_count;
    const int status = is_replay ? open_replay(file, game) : open_trace(file, game);
    if (status != TOOL_OK) {
        source_file_close(file);
        return status;
    }
    *out = file;
    return TOOL_OK;
}

bool source_file_is(const source_file *file, bool is_replay, const char *path)
{
    return file->is_replay == is_replay && strcmp(file->path, path) == 0;
}

/// Check that a command trace has a player.
static int check_commands(const source_file *file, uint32_t player)
{
    const command_list *list = &file->commands;
    const uint32_t at = command_list_find(list, player, 0);
    if (at < list->count && list->entries[at].player == player) {
        return TOOL_OK;
    }
    char players[BKS_PLAYERS_MAX * 4] = "";
    for (uint32_t i = 0; i < list->count; i++) {
        if (i == 0 || list->entries[i].player != list->entries[i - 1].player) {
            TEXT_ADD(players, "%s%" PRIu32, i > 0 ? ", " : "", list->entries[i].player);
        }
    }
    tool_complain(file->path,
                  "player %" PRIu32 " is not in the file, which has commands of players %s", player,
                  players);
    return TOOL_DAMAGED;
}

int source_file_check(const source_file *file, uint32_t player, bks_tick ticks)
{
    if (!file->is_replay && file->table == NULL) {
        return check_commands(file, player);
    }
    if (!file->is_replay) {
        bks_error error = {0};
        if (input_log_check(file->table, player, ticks, &error) != BKS_OK) {
            tool_complain_error(file->path, &error);
            return TOOL_DAMAGED;
        }
        return TOOL_OK;
    }
    if (player >= file->players) {
        tool_complain(file->path, "player %" PRIu32 " is not in it, expected 0 to %" PRIu32, player,
                      file->players - 1);
        return TOOL_DAMAGED;
    }
    if (ticks > file->ticks) {
        tool_complain(file->path,
                      "tick %" PRId32 " is not in it, expected at least %" PRId32 " ticks",
                      file->ticks, ticks);
        return TOOL_DAMAGED;
    }
    return TOOL_OK;
}

bool source_file_input(const source_file *file, uint32_t player, bks_tick tick, int32_t *values)
{
    if (!file->is_replay) {
        return file->table == NULL || input_log_sample(file->table, player, tick, values);
    }
    if (player >= file->players || tick < 0 || tick >= file->ticks) {
        return false;
    }
    memcpy(values, input_at(file, player, tick), file->field_count * sizeof(*values));
    return true;
}

const command_list *source_file_commands(const source_file *file)
{
    return &file->commands;
}
