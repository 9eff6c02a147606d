// SPDX-License-Identifier: MIT

#include "record/recording/replay_playback.h"

#include <inttypes.h>

#include "base/tool.h"

int replay_playback_open(const replay_file *file, const char *game_name, loaded_game *game,
                         bks_playback **out)
{
    *out = NULL;
    const int status = loader_open_recorded(file->path, game_name, file->info, game);
    if (status != TOOL_OK) {
        return status;
    }
    const bks_playback_config config = {.replay = file->replay, .game = game->game};
    bks_error error = {0};
    if (bks_playback_create(&config, out, &error) != BKS_OK) {
        tool_complain_error(file->path, &error);
        loader_compare_builds(file->path, file->info, game);
        return tool_status_of(&error);
    }
    return TOOL_OK;
}

int replay_playback_seek(const replay_file *file, bks_playback *playback, bks_tick tick)
{
    bks_error error = {0};
    const bks_status status = bks_playback_seek(playback, tick, &error);
    if (status == BKS_OK) {
        return TOOL_OK;
    }
    tool_complain_error(file->path, &error);
    const bool is_game = status == BKS_ERR_GAME || status == BKS_ERR_OUT_OF_MEMORY;
    return is_game ? TOOL_NO : TOOL_DAMAGED;
}

int replay_playback_tick(const replay_file *file, const char *text, bks_tick *out)
{
    const bks_recording *info = file->info;
    int64_t tick = 0;
    if (!args_number(text, &tick) || tick < 0 || tick > INT32_MAX) {
        tool_complain("--tick", "is '%s', expected a number, 0 to %d", text, INT32_MAX);
        return TOOL_MISUSE;
    }
    if (tick < info->first || tick > info->end) {
        tool_complain(file->path,
                      "has no tick %" PRId64 ", expected --tick %" PRId32 " to %" PRId32, tick,
                      info->first, info->end);
        return TOOL_MISUSE;
    }
    *out = (bks_tick)tick;
    return TOOL_OK;
}

// The repair of what was recorded of a tick.
// @return false: there is none
static bool find_repair(const replay_file *file, bks_tick tick, bks_replay_repair *out)
{
    for (uint32_t i = 0; i < file->info->repair_count; i++) {
        if (bks_replay_repair_at(file->replay, i, out) == BKS_OK && out->since <= tick &&
            tick < out->until) {
            return true;
        }
    }
    return false;
}

// A state of a span that was repaired later: whose it is that this machine comes to.
static void say_repaired(const replay_file *file, bks_tick tick, uint64_t hash)
{
    bks_replay_repair repair;
    uint64_t known = 0;
    uint64_t recorded = 0;
    uint32_t bits = 0;
    if (!find_repair(file, tick, &repair)) {
        return;
    }
    const char *whose = "stepped here it may be either";
    const bool is_read = bks_replay_hash(file->replay, tick, &recorded, &bits) == BKS_OK;
    if (bks_replay_agreed_hash(file->replay, tick, &known) == BKS_OK && known == hash) {
        whose = "stepped here it is theirs";
    } else if (is_read && bits > 0) {
        whose = ((recorded ^ hash) << (64 - bits)) == 0 ? "this is the one that differed"
                                                        : "stepped here it is not that one";
    }
    tool_complain(
        file->path,
        "the state of peer %" PRIu32 " differed from that of the others from tick %" PRId32
        " until it was repaired, in this recording up to tick %" PRId32 "; at tick %" PRId32 " %s",
        repair.peer, repair.since, repair.until - 1, tick, whose);
}

int replay_playback_compare(const replay_file *file, bks_tick tick, uint64_t hash)
{
    say_repaired(file, tick, hash);
    if (tick > file->info->confirmed || bks_replay_hash_agrees(file->replay, tick, hash)) {
        return TOOL_OK;
    }
    tool_complain(file->path,
                  "the state at tick %" PRId32 " is not the recorded one: hash %016" PRIx64, tick,
                  hash);
    return TOOL_NO;
}
