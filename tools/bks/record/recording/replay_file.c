// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "record/recording/replay_file.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "backstitch/toolkit/recording.h"
#include "base/file.h"
#include "base/tool.h"

int replay_file_open(const char *path, replay_file *out)
{
    *out = (replay_file){.path = path};
    out->status = file_read(path, &out->bytes, &out->count);
    if (out->status != TOOL_OK) {
        snprintf(out->why, sizeof(out->why), "cannot be read");
        return out->status;
    }
    bks_error error = {0};
    if (bks_replay_open(out->bytes, out->count, NULL, &out->replay, &error) != BKS_OK) {
        tool_complain_error(path, &error);
        snprintf(out->why, sizeof(out->why), "%s", error.text);
        out->status = TOOL_DAMAGED;
    }
    if (out->replay == NULL) {
        free(out->bytes);
        out->bytes = NULL;
        return TOOL_DAMAGED;
    }
    out->info = bks_replay_info(out->replay);
    bks_replay_limit_states(out->replay, REPLAY_FILE_STATE_BYTES_MAX);
    return TOOL_OK;
}

bool replay_file_is_large(const replay_file *file)
{
    bool is_large = file->info->state_bytes > REPLAY_FILE_STATE_BYTES_MAX;
    for (uint32_t i = 0; i < file->info->keyframes && !is_large; i++) {
        bks_replay_keyframe key;
        is_large = bks_replay_keyframe_at(file->replay, i, &key) == BKS_OK &&
                   key.state_bytes > REPLAY_FILE_STATE_BYTES_MAX;
    }
    return is_large;
}

void replay_file_allow(const replay_file *file, const bks_game *game)
{
    if (file->replay == NULL || !replay_file_is_large(file)) {
        return;
    }
    const bks_playback_config config = {.replay = file->replay, .game = game, .any_version = true};
    bks_playback *playback = NULL;
    (void)!bks_playback_create(&config, &playback,
                               NULL); // who steps the game reports what is wrong
    bks_playback_destroy(playback);
    tool_log_drop();
}

void replay_file_check(replay_file *file)
{
    bks_error error = {0};
    if (file->replay == NULL || bks_replay_check(file->replay, &error) == BKS_OK ||
        file->status != TOOL_OK) {
        return;
    }
    tool_complain_error(file->path, &error);
    snprintf(file->why, sizeof(file->why), "%s", error.text);
    file->status = TOOL_DAMAGED;
}

bool replay_file_ticks(const replay_file *file, bks_tick until, bks_replay_ticks *ticks)
{
    if (bks_replay_ticks_from(file->replay, ticks->end, ticks) != BKS_OK || ticks->first >= until) {
        return false;
    }
    ticks->end = ticks->end < until ? ticks->end : until;
    return true;
}

const char *replay_file_ending(const bks_recording *info)
{
    switch (info->ending) {
    case BKS_REPLAY_CUT_OFF:
        return "cut off";
    case BKS_REPLAY_LEFT_EARLY:
        return "left";
    case BKS_REPLAY_COMPLETE:
        return "complete";
    case BKS_REPLAY_UNKNOWN:
        break;
    }
    return NULL;
}

void replay_file_close(replay_file *file)
{
    if (file != NULL) {
        bks_replay_close(file->replay);
        free(file->bytes);
        *file = (replay_file){0};
    }
}

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static bool is_recording(const char *name)
{
    const size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".bks") == 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// Add the path of a file in a folder to a list.
// @return false: the list is full, or there is no memory
static bool add_path(const char *folder, const char *name, args_list *out)
{
    const char *slash = folder[0] != '\0' && folder[strlen(folder) - 1] == '/' ? "" : "/";
    char *path = NULL;
    if (out->count == ARGS_LIST_MAX || asprintf(&path, "%s%s%s", folder, slash, name) < 0) {
        return false;
    }
    out->items[out->count++] = path;
    return true;
}

static int add_folder(const char *folder, args_list *out)
{
    DIR *directory = opendir(folder);
    if (directory == NULL) {
        tool_complain(folder, "cannot be read: %s", strerror(errno));
        return TOOL_DAMAGED;
    }
    const uint32_t before = out->count;
    bool has_room = true;
    for (struct dirent *entry; has_room && (entry = readdir(directory)) != NULL;) {
        has_room = !is_recording(entry->d_name) || add_path(folder, entry->d_name, out);
    }
    (void)closedir(directory);
    qsort(&out->items[before], out->count - before, sizeof(out->items[0]), by_name);
    if (!has_room) {
        tool_complain(folder, "has too many recordings, expected at most %d", ARGS_LIST_MAX);
        return TOOL_MISUSE;
    }
    if (out->count == before) {
        tool_complain(folder, "has no *.bks, expected a recording");
        return TOOL_DAMAGED;
    }
    return TOOL_OK;
}

int replay_file_list(args_list *paths)
{
    static args_list all;
    all.count = 0;
    int status = TOOL_OK;
    for (uint32_t i = 0; i < paths->count && status == TOOL_OK; i++) {
        if (is_folder(paths->items[i])) {
            status = add_folder(paths->items[i], &all);
        } else if (all.count < ARGS_LIST_MAX) {
            all.items[all.count++] = paths->items[i];
        }
    }
    *paths = all;
    return status;
}

int replay_file_parse(args_spec *spec, int argc, char **argv, args_list *files)
{
    spec->usage = "[options] FILE-or-FOLDER...";
    spec->positionals = files;
    spec->positionals_min = 1;
    spec->positionals_max = ARGS_LIST_MAX;
    const int status = args_parse(spec, argc, argv);
    if (status != ARGS_GO) {
        return status;
    }
    const int listed = replay_file_list(files);
    return listed == TOOL_OK ? ARGS_GO : listed;
}

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

// Find the repair of a tick's recorded state.
// @return false: the state was not repaired
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

// If a peer's state at the tick was wrong until a repair, report whether the state stepped here is
// that peer's or that of the others.
static void report_repaired(const replay_file *file, bks_tick tick, uint64_t hash)
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
    report_repaired(file, tick, hash);
    if (tick > file->info->confirmed || bks_replay_hash_agrees(file->replay, tick, hash)) {
        return TOOL_OK;
    }
    tool_complain(file->path,
                  "the state at tick %" PRId32 " is not the recorded one: hash %016" PRIx64, tick,
                  hash);
    return TOOL_NO;
}

// ---- recorded states ----

uint8_t *replay_file_state(const replay_file *file, bks_tick tick, size_t *out_count)
{
    size_t room = 0;
    uint8_t *state = NULL;
    if (bks_replay_state_at(file->replay, tick, NULL, 0, &room, NULL) == BKS_OK) {
        state = malloc(room);
    }
    if (state != NULL &&
        bks_replay_state_at(file->replay, tick, state, room, out_count, NULL) != BKS_OK) {
        free(state);
        state = NULL;
    }
    tool_log_drop();
    *out_count = state != NULL ? *out_count : 0;
    return state;
}

// ---- hashes of states at marks ----

void mark_list_end(mark_list *list)
{
    free(list->bytes);
    list->bytes = NULL;
    list->bytes_count = 0;
}

void mark_list_begin(mark_list *list, uint32_t wanted)
{
    mark_list_end(list);
    list->count = 0;
    list->wanted = wanted;
}

bool mark_list_add(void *context, const char *mark, const void *state, size_t count)
{
    mark_list *list = context;
    if (list->count == MARK_LIST_MAX) {
        return false;
    }
    list->hashes[list->count] = bks_hash64(state, count, 0);
    (void)snprintf(list->names[list->count], sizeof(list->names[0]), "%s",
                   mark[0] != '\0' ? mark : "(start)");
    if (list->count == list->wanted && count > 0) {
        list->bytes = malloc(count);
        list->bytes_count = list->bytes != NULL ? count : 0;
        if (list->bytes != NULL) {
            memcpy(list->bytes, state, count);
        }
    }
    list->count++;
    return list->count < MARK_LIST_MAX;
}

uint32_t mark_list_compare(const mark_list *a, const mark_list *b)
{
    for (uint32_t i = 0; i < a->count || i < b->count; i++) {
        if (i >= a->count || i >= b->count || a->hashes[i] != b->hashes[i] ||
            strcmp(a->names[i], b->names[i]) != 0) {
            return i;
        }
    }
    return MARK_LIST_NONE;
}
