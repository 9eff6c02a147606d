// SPDX-License-Identifier: MIT

#include "game/source_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "base/file.h"
#include "base/tool.h"
#include "game/input_log.h"

struct source_file {
    char *path;
    bool is_replay;
    uint32_t field_count;
    input_log *table; ///< an input log
    uint32_t players; ///< a recording's
    bks_tick ticks;   ///< a recording's
    int32_t *values;  ///< a recording's inputs, unpacked, by player, tick and field
};

static int open_input_log(source_file *file, const bks_game *game)
{
    bks_error error = {0};
    if (input_log_load(file->path, &file->table, &error) != BKS_OK ||
        input_log_bind(file->table, game->fields, game->field_count, &error) != BKS_OK) {
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

// Unpack all inputs, so that peers at different ticks can share them.
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
    return BKS_OK;
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
    const int status = is_replay ? open_replay(file, game) : open_input_log(file, game);
    if (status != TOOL_OK) {
        source_file_close(file);
        return status;
    }
    *out = file;
    return TOOL_OK;
}

void source_file_close(source_file *file)
{
    if (file != NULL) {
        input_log_free(file->table);
        free(file->values);
        free(file->path);
        free(file);
    }
}

bool source_file_is(const source_file *file, bool is_replay, const char *path)
{
    return file->is_replay == is_replay && strcmp(file->path, path) == 0;
}

int source_file_check(const source_file *file, uint32_t player, bks_tick ticks)
{
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
        return input_log_sample(file->table, player, tick, values);
    }
    if (player >= file->players || tick < 0 || tick >= file->ticks) {
        return false;
    }
    memcpy(values, input_at(file, player, tick), file->field_count * sizeof(*values));
    return true;
}
