// SPDX-License-Identifier: MIT

#include "play/play_from.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/tool.h"
#include "record/recording/replay_file.h"

static int check(const replay_file *file, const bks_game *game, bks_tick tick)
{
    const bks_recording *info = file->info;
    if (tick < info->first || tick > info->ticks) {
        tool_complain(file->path,
                      "has no tick %" PRId32 ", expected --from %" PRId32 " to %" PRId32, tick,
                      info->first, info->ticks);
        return TOOL_MISUSE;
    }
    if (info->tick_rate_hz != game->tick_rate_hz) {
        tool_complain(file->path,
                      "was recorded at %" PRIu32 " ticks a second, expected %" PRIu32
                      " as the guests have: without --host it can be played on",
                      info->tick_rate_hz, game->tick_rate_hz);
        return TOOL_NO;
    }
    return TOOL_OK;
}

static int copy_state(const replay_file *file, bks_playback *playback, play_from *out)
{
    if (out->tick == 0) {
        return TOOL_OK; // everybody makes the state of tick 0
    }
    const size_t most = bks_playback_export(playback, NULL, 0);
    out->state = malloc(most > 0 ? most : 1);
    out->state_bytes = out->state != NULL ? bks_playback_export(playback, out->state, most) : 0;
    if (out->state_bytes > 0) {
        return TOOL_OK;
    }
    tool_complain(file->path,
                  "the state at tick %" PRId32
                  " cannot go to guests: the game could not save it, or it holds raw pointers; "
                  "without --host it can be played on",
                  out->tick);
    return TOOL_NO;
}

static int take(const replay_file *file, const char *game_name, loaded_game *game, play_from *out)
{
    bks_playback *playback = NULL;
    int status = replay_playback_open(file, game_name, game, &playback);
    if (status == TOOL_OK) {
        status = check(file, game->game, out->tick);
    }
    if (status == TOOL_OK) {
        status = replay_playback_seek(file, playback, out->tick);
    }
    if (status == TOOL_OK) {
        status = copy_state(file, playback, out);
    }
    bks_playback_destroy(playback);
    const bks_playback_config config = {.replay = file->replay, .game = game->game};
    bks_error error = {0};
    if (status == TOOL_OK && bks_playback_options(&config, &out->options, &error) != BKS_OK) {
        tool_complain_error(file->path, &error);
        return TOOL_NO;
    }
    return status;
}

int play_from_open(const char *path, bks_tick tick, const char *game_name, loaded_game *game,
                   play_from *out)
{
    replay_file file = {0};
    *out = (play_from){.tick = tick};
    int status = replay_file_open(path, &file);
    if (status == TOOL_OK) {
        out->players = file.info->players;
        out->seed = file.info->seed;
        status = take(&file, game_name, game, out);
    }
    replay_file_close(&file);
    return status;
}

void play_from_close(play_from *from)
{
    free(from->state);
    from->state = NULL;
}
