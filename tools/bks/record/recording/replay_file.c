// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "record/recording/replay_file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
    return TOOL_OK;
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

// @return whether there was room for it
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
