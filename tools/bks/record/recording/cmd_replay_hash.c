// SPDX-License-Identifier: MIT

#include <inttypes.h>
#include <stdio.h>

#include "backstitch/toolkit/recording.h"
#include "base/args.h"
#include "base/command.h"
#include "base/json.h"
#include "base/text.h"
#include "base/tool.h"
#include "record/recording/replay_file.h"

// Command line of `bks replay hash`.
typedef struct request {
    const char *game_name; // name of the game as typed; NULL: the name in the recording
    args_list ticks;       // ticks as typed; empty: the last confirmed tick
    args_list files;
    bool is_json;
} request;

// Hash of one tick, and the cost of reaching it.
typedef struct answer {
    bks_tick tick;
    bool is_known; // true: the hash and the cost below are valid
    uint64_t hash;
    bool is_confirmed;
    uint64_t steps;
    uint64_t keyframes;
} answer;

// Read the ticks of the command line, which the recording must have.
static bool read_ticks(const request *r, const replay_file *file, bks_tick *out)
{
    for (uint32_t i = 0; i < r->ticks.count; i++) {
        if (replay_playback_tick(file, r->ticks.items[i], &out[i]) != TOOL_OK) {
            return false;
        }
    }
    return true;
}

// Seek to a tick and hash its state.
static int hash_at(replay_file *file, bks_playback *playback, bks_tick tick, answer *out)
{
    bks_playback_counts before;
    bks_playback_counts after;
    *out = (answer){.tick = tick};
    (void)bks_playback_costs(playback, &before);
    const int status = replay_playback_seek(file, playback, tick);
    if (status != TOOL_OK) {
        return status;
    }
    (void)bks_playback_costs(playback, &after);
    *out = (answer){.tick = tick,
                    .hash = bks_playback_hash(playback),
                    .is_confirmed = tick <= file->info->confirmed,
                    .steps = after.steps - before.steps,
                    .keyframes = after.keyframes - before.keyframes};
    const int agrees = replay_playback_compare(file, tick, out->hash);
    out->is_known = agrees == TOOL_OK;
    return agrees;
}

static void print_json(json *j, const answer *a)
{
    json_int(j, "tick", a->tick);
    if (!a->is_known) {
        json_null(j, "hash");
        return;
    }
    json_hash(j, "hash", a->hash);
    json_bool(j, "confirmed", a->is_confirmed);
    json_uint(j, "steps", a->steps);
    json_uint(j, "keyframes", a->keyframes);
}

static void print(const request *r, const char *path, const answer *a)
{
    printf("%016" PRIx64, a->hash);
    if (r->ticks.count > 1) {
        printf("  tick %" PRId32, a->tick);
    }
    printf("%s%s\n", r->files.count > 1 ? "  " : "", r->files.count > 1 ? plain_name(path) : "");
}

// Hash all ticks, in the order of the command line.
static int hash_all(const request *r, replay_file *file, bks_playback *playback,
                    const bks_tick *ticks, json *j)
{
    const bool are_several = r->ticks.count > 1;
    int status = TOOL_OK;
    for (uint32_t i = 0; i < (are_several ? r->ticks.count : 1); i++) {
        answer one;
        const int found = hash_at(file, playback, ticks[i], &one);
        status = found > status ? found : status;
        if (!r->is_json) {
            if (one.is_known) {
                print(r, file->path, &one);
            }
            continue;
        }
        if (are_several) {
            json_object(j, NULL);
        }
        print_json(j, &one);
        if (are_several) {
            json_close(j);
        }
    }
    return status;
}

static int hash_file(const request *r, replay_file *file, const bks_tick *ticks, json *j)
{
    loaded_game game;
    bks_playback *playback = NULL;
    const int status = replay_playback_open(file, r->game_name, &game, &playback);
    if (status != TOOL_OK) {
        return status;
    }
    const int found = hash_all(r, file, playback, ticks, j);
    bks_playback_destroy(playback);
    if (found == TOOL_NO) {
        loader_compare_builds(file->path, file->info, &game);
    }
    return found;
}

// Print the hashes of one recording.
static int answer_file(const request *r, const char *path)
{
    replay_file file;
    if (replay_file_open(path, &file) != TOOL_OK) {
        return TOOL_DAMAGED;
    }
    static bks_tick ticks[ARGS_LIST_MAX];
    ticks[0] = file.info->confirmed;
    if (!read_ticks(r, &file, ticks)) {
        replay_file_close(&file);
        return TOOL_MISUSE;
    }
    json j;
    if (r->is_json) {
        json_begin(&j, stdout);
        json_text(&j, "file", path);
    }
    if (r->is_json && r->ticks.count > 1) {
        json_array(&j, "hashes");
    }
    int status = hash_file(r, &file, ticks, &j);
    if (r->is_json && !json_end(&j)) {
        status = TOOL_DAMAGED;
    }
    status = file.status > status ? file.status : status;
    replay_file_close(&file);
    return status;
}

int cmd_replay_hash(int argc, char **argv)
{
    static request r;
    r = (request){0};
    const args_option options[] = {
        ARGS_LIST("--tick", "N", &r.ticks,
                  "hash of the state at the start of tick N (default: the last confirmed one, so "
                  "the final one of a complete recording); may be repeated"),
        ARGS_RECORDED_GAME(&r.game_name),
        ARGS_FLAG("--json", &r.is_json,
                  "print one JSON object, with the cost of the seek too: steps, and keyframes "
                  "unpacked; of several ticks, an array in it"),
    };
    const args_spec spec = {
        .command = "replay hash",
        .usage = "[options] FILE...",
        .about = "Seek to a tick of a recording and print the hash of the state. Exit status 1 if\n"
                 "it differs from the recorded one.",
        ARGS_OPTIONS(options),
        ARGS_POSITIONALS(&r.files, 1, ARGS_LIST_MAX),
    };
    int status = args_parse(&spec, argc, argv);
    if (status != ARGS_GO) {
        return status;
    }
    if (r.is_json && r.files.count > 1) {
        tool_complain("--json", "given for %" PRIu32 " files, expected one", r.files.count);
        return TOOL_MISUSE;
    }
    status = TOOL_OK;
    for (uint32_t i = 0; i < r.files.count; i++) {
        const int one = answer_file(&r, r.files.items[i]);
        status = one > status ? one : status;
    }
    return status;
}
