// SPDX-License-Identifier: MIT

// `bks replay cut`: writes a part of a recording as a recording of its own. The game is needed in
// two cases: if the file holds no state at the start of the part, and if the file does not hold all
// bits of the hash after the part's last tick.

#define _GNU_SOURCE // makes <stdlib.h> declare realpath()

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backstitch/record.h"
#include "backstitch/toolkit/recording.h"
#include "backstitch/toolkit/writer.h"
#include "base/args.h"
#include "base/command.h"
#include "base/system.h"
#include "base/tool.h"
#include "game/loader.h"
#include "record/recording/replay_file.h"

// A recording from which a part is cut.
typedef struct cut {
    replay_file file;
    const char *out_path;
    const char *game_name; ///< name of the game as typed; NULL: the name in the recording
    bks_replay_copy_config part;
    uint8_t *state;
    uint64_t final_hash;
    bool is_open; ///< true: `game` and `playback` are open
    loaded_game game;
    bks_playback *playback;
} cut;

static int open_game(cut *c)
{
    if (c->is_open) {
        return TOOL_OK;
    }
    const int status = loader_open_recorded(c->file.path, c->game_name, c->file.info, &c->game);
    if (status != TOOL_OK) {
        return status;
    }
    const bks_playback_config config = {.replay = c->file.replay, .game = c->game.game};
    bks_error error = {0};
    c->is_open = bks_playback_create(&config, &c->playback, &error) == BKS_OK;
    if (!c->is_open) {
        tool_complain_error(c->file.path, &error);
        loader_compare_builds(c->file.path, c->file.info, &c->game);
    }
    return c->is_open ? TOOL_OK : tool_status_of(&error);
}

// Step the game to a tick.
// @return TOOL_OK; TOOL_NO: the state there differs from the recorded one; TOOL_DAMAGED
static int go_to(cut *c, bks_tick tick)
{
    const int status = open_game(c);
    bks_error error = {0};
    if (status != TOOL_OK) {
        return status;
    }
    if (bks_playback_seek(c->playback, tick, &error) != BKS_OK) {
        tool_complain_error(c->file.path, &error);
        return TOOL_DAMAGED;
    }
    return bks_replay_hash_agrees(c->file.replay, tick, bks_playback_hash(c->playback)) ? TOOL_OK
                                                                                        : TOOL_NO;
}

// ---- state at the start of the part ----

static int take_stepped_state(cut *c)
{
    const int status = go_to(c, c->part.from);
    if (status == TOOL_NO && c->is_open) {
        tool_complain(c->file.path,
                      "cannot be cut at tick %" PRId32
                      ": the state there is not the recorded one, expected --from at a keyframe or "
                      "before the first difference",
                      c->part.from);
        loader_compare_builds(c->file.path, c->file.info, &c->game);
    }
    if (status != TOOL_OK) {
        return status;
    }
    const size_t most = bks_playback_export(c->playback, NULL, 0);
    c->part.state = c->state = malloc(most + 1);
    if (c->state == NULL) {
        tool_complain(c->file.path, "out of memory");
        return TOOL_NO;
    }
    c->part.state_bytes = bks_playback_export(c->playback, c->state, most);
    if (c->part.state_bytes == 0) {
        tool_complain(c->file.path,
                      "cannot be cut at tick %" PRId32
                      ": the state there cannot leave its process, "
                      "expected --from 0",
                      c->part.from);
    }
    return c->part.state_bytes > 0 ? TOOL_OK : TOOL_NO;
}

// Return true if the recording holds the state at the start of the part, so that no game is needed.
static bool has_state(const cut *c)
{
    bool has = c->part.from == c->file.info->first;
    for (uint32_t i = 0; i < c->file.info->keyframes && !has; i++) {
        bks_replay_keyframe key;
        has = bks_replay_keyframe_at(c->file.replay, i, &key) == BKS_OK &&
              key.tick == c->part.from && key.is_usable && !key.is_wrong;
    }
    return has;
}

// ---- hash after the last tick of the part ----

// Find the hash after the last tick: the recorded one if all its bits are recorded, or else the
// hash of the state that the game reaches, if it agrees with the recorded bits.
static void take_final_hash(cut *c)
{
    uint32_t bits = 0;
    uint64_t recorded = 0;
    bks_replay_copy_config *part = &c->part;
    if (bks_replay_hash(c->file.replay, part->until, &recorded, &bits) == BKS_OK && bits == 64) {
        return; // bks_replay_copy() copies the hash, of which all bits are recorded
    }
    if (bits > 0 && go_to(c, part->until) == TOOL_OK) {
        c->final_hash = bks_playback_hash(c->playback);
        part->final_hash = &c->final_hash;
        return;
    }
    tool_complain(c->file.path,
                  "the state at tick %" PRId32
                  " has no whole hash: the part is written without a final one",
                  part->until);
}

// ---- the command `bks replay cut` ----

// Choose the ticks of the part: all must be final.
static int choose_ticks(cut *c, int64_t from, int64_t until)
{
    const bks_recording *info = c->file.info;
    const int64_t first = from >= 0 ? from : info->first;
    if (info->confirmed == info->first && info->end == info->ticks) {
        tool_complain(c->file.path, "cannot be cut: it has no tick that is confirmed");
        return TOOL_NO;
    }
    bks_replay_ticks ticks = {.end = first < info->end ? (bks_tick)first : info->end};
    if (first < info->first || !replay_file_ticks(&c->file, info->end, &ticks) ||
        ticks.first > first || ticks.confirmed <= ticks.first) {
        tool_complain(
            c->file.path,
            "cannot be cut from tick %" PRId64 ", expected --from %" PRId32 " to %" PRId32 "%s",
            first, info->first, (info->end > info->ticks ? info->end : info->confirmed) - 1,
            info->lost_count > 0 ? " where no tick is lost" : "");
        return TOOL_MISUSE;
    }
    if (first > 0 && info->has_pointers) {
        tool_complain(c->file.path,
                      "cannot be cut from tick %" PRId64 ": the state of %s holds raw pointers, so "
                      "no file can hold it, expected --from 0",
                      first, info->game);
        return TOOL_MISUSE;
    }
    if (until != INT32_MAX && (until <= first || until > ticks.confirmed)) {
        tool_complain(c->file.path,
                      "cannot be cut at tick %" PRId64 ", expected --until %" PRId64 " to %" PRId32,
                      until, first + 1, ticks.confirmed);
        return TOOL_MISUSE;
    }
    c->part.from = (bks_tick)first;
    c->part.until = until < ticks.confirmed ? (bks_tick)until : ticks.confirmed;
    return TOOL_OK;
}

// Copy the part to the output. Errors and lost values are reported on stderr.
// @return TOOL_OK; TOOL_NO: the part cannot be written; TOOL_DAMAGED
static int copy_part(cut *c)
{
    bks_tick lost = BKS_TICK_NONE;
    bks_error error = {0};
    const bks_status status = bks_replay_copy(&c->part, &lost, &error);
    if (status == BKS_ERR_DAMAGED || status == BKS_ERR_INCOMPLETE) {
        tool_complain_error(c->file.path, &error);
        return TOOL_DAMAGED;
    }
    if (status != BKS_OK) {
        tool_complain_error(c->out_path, &error);
        return status == BKS_ERR_IO ? TOOL_DAMAGED : TOOL_NO;
    }
    if (lost != BKS_TICK_NONE) {
        tool_complain(
            c->file.path,
            "values or page hashes of tick %" PRId32 " are lost: the part has zeros there", lost);
    }
    return TOOL_OK;
}

// Write the part to a new file, or into an existing one that is no regular file.
static int write_to(cut *c, const char *path)
{
    bks_record_file out = {.descriptor = -1};
    bks_error error = {0};
    if (bks_record_file_open(&out, path, c->file.info->game, &error) != BKS_OK) {
        tool_complain_error("-o", &error);
        return TOOL_MISUSE;
    }
    c->part.replay = c->file.replay;
    c->part.sink = bks_record_file_sink(&out);
    const int status = copy_part(c);
    bks_record_file_close(&out);
    return status;
}

// Write the part to a temporary file and rename it when it is complete, because the output may be
// the file that is cut.
static int replace(cut *c, const char *there)
{
    char beside[BKS_RECORD_PATH_BYTES_MAX];
    const int length = snprintf(beside, sizeof(beside), "%s.tmp", there);
    if (length >= (int)sizeof(beside)) {
        tool_complain("-o", "the path has %zu bytes, must be up to %zu", strlen(there),
                      sizeof(beside) - sizeof(".tmp"));
        return TOOL_MISUSE;
    }
    int status = write_to(c, beside);
    if (status == TOOL_OK && !system_replace(beside, there)) {
        tool_complain(there, "cannot be replaced: %s", strerror(errno));
        status = TOOL_DAMAGED;
    }
    if (status != TOOL_OK) {
        (void)unlink(beside);
    }
    return status;
}

static int write_part(cut *c)
{
    take_final_hash(c);
    struct stat found;
    char *there = system_real_path(c->out_path);
    const bool replaces = there != NULL && stat(there, &found) == 0 && S_ISREG(found.st_mode);
    const int status = replaces ? replace(c, there) : write_to(c, c->out_path);
    free(there);
    return status;
}

static int cut_file(const char *path, int64_t from, int64_t until, bool no_evidence,
                    const char *out_path, const char *game_name)
{
    cut c = {.out_path = out_path, .game_name = game_name, .part = {.no_evidence = no_evidence}};
    if (replay_file_open(path, &c.file) != TOOL_OK) {
        return TOOL_DAMAGED;
    }
    replay_file_check(&c.file);
    int status = choose_ticks(&c, from, until);
    if (status == TOOL_OK && replay_file_is_large(&c.file)) {
        status = open_game(&c); // it tells whether it can have such states
    }
    if (status == TOOL_OK && !has_state(&c)) {
        status = take_stepped_state(&c);
    }
    if (status == TOOL_OK) {
        status = write_part(&c);
    }
    bks_playback_destroy(c.playback);
    free(c.state);
    const int file_status = c.file.status;
    replay_file_close(&c.file);
    return file_status > status ? file_status : status;
}

int cmd_replay_cut(int argc, char **argv)
{
    int64_t from = -1;
    int64_t until = INT32_MAX;
    bool no_evidence = false;
    const char *out_path = NULL;
    const char *game_name = NULL;
    args_list files = {0};
    const args_option options[] = {
        ARGS_INT("--from", "TICK", &from, 0, INT32_MAX,
                 "the first tick (default: the recording's); if it has no keyframe, the game is "
                 "stepped to it"),
        ARGS_INT("--until", "TICK", &until, 1, INT32_MAX,
                 "one past the last tick (default: all that is confirmed without a gap)"),
        ARGS_TEXT("-o", "FILE", &out_path,
                  "the new recording, required; a file of this name is replaced when the part is "
                  "whole"),
        ARGS_FLAG("--strip", &no_evidence,
                  "leave out the evidence of a desync: states, log and environment"),
        ARGS_RECORDED_GAME(&game_name),
    };
    const args_spec spec = {
        .command = "replay cut",
        .usage = "-o FILE [options] FILE",
        .about = "Write a part of a recording to a new recording, complete and with everything "
                 "that\n"
                 "was recorded: hashes, keyframes, events, facts, evidence. Ticks keep their "
                 "numbers. From "
                 "a\n"
                 "damaged or incomplete one, write the intact part; behind damage from a keyframe "
                 "on.",
        ARGS_OPTIONS(options),
        ARGS_POSITIONALS(&files, 1, 1),
        .more = "examples:\n"
                "  bks replay cut --until 3600 -o first-minute.bks match.bks\n"
                "  bks replay cut --from 3600 --until 7200 -o second-minute.bks match.bks",
    };
    const int status = args_parse(&spec, argc, argv);
    if (status != ARGS_GO) {
        return status;
    }
    if (out_path == NULL) {
        tool_complain("-o", "is missing, expected the file that the part goes to");
        return TOOL_MISUSE;
    }
    return cut_file(files.items[0], from, until, no_evidence, out_path, game_name);
}
