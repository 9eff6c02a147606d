// SPDX-License-Identifier: MIT

#include "play/menu_files.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/system.h"

enum { PATH_BYTES = 4096 };

typedef struct dated {
    struct timespec time;
    uint32_t room;
} dated;

static bool is_recording(const char *name)
{
    const size_t length = strlen(name);
    return length > 4 && length < 256 && name[0] != '.' && strcmp(name + length - 4, ".bks") == 0;
}

static bool is_newer(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

// Insert a file into the list of the newest files, in order. The oldest one is dropped if the list
// is full.
static void insert(menu_files *out, dated *order, const char *name, const struct timespec *time)
{
    uint32_t room = out->count;
    if (out->count == MENU_FILES_MAX) {
        if (!is_newer(time, &order[MENU_FILES_MAX - 1].time)) {
            return;
        }
        room = order[MENU_FILES_MAX - 1].room;
        out->count--;
    }
    uint32_t at = out->count;
    for (; at > 0 && is_newer(time, &order[at - 1].time); at--) {
        order[at] = order[at - 1];
    }
    order[at] = (dated){*time, room};
    memcpy(out->rooms[room], name, strlen(name) + 1);
    out->count++;
}

// Return true if a file is a recording of a game. Only its first bytes are read, because a folder
// may hold thousands (docs/spec/replay.md).
static bool is_of_game(const char *path, const char *game)
{
    // Offset in the file of the game's name, after the headers of file and record.
    enum { NAME_AT = 28 };
    static const char magic[8] = {(char)0x89, 'B', 'K', 'S', '\r', '\n', 0x1A, '\n'};
    char begin[NAME_AT + 1 + 255];
    const size_t length = strlen(game);
    FILE *file = fopen(path, "rb");
    const size_t bytes = file != NULL ? fread(begin, 1, sizeof(begin), file) : 0;
    if (file != NULL) {
        (void)fclose(file);
    }
    return bytes > NAME_AT + length && length < 256 && memcmp(begin, magic, sizeof(magic)) == 0 &&
           (unsigned char)begin[NAME_AT] == length &&
           memcmp(begin + NAME_AT + 1, game, length) == 0;
}

static bool look(const char *folder, const char *name, const char *game, system_face *out)
{
    char path[PATH_BYTES];
    const int bytes = snprintf(path, sizeof(path), "%s/%s", folder, name);
    return bytes > 0 && bytes < PATH_BYTES && system_file_face(path, out) && out->is_file &&
           is_of_game(path, game);
}

void menu_files_find(const char *folder, const char *game, menu_files *out)
{
    dated order[MENU_FILES_MAX];
    out->count = out->older = 0;
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
        system_face found;
        if (is_recording(entry->d_name) && look(folder, entry->d_name, game, &found)) {
            out->older += out->count == MENU_FILES_MAX ? 1 : 0;
            insert(out, order, entry->d_name, &found.written);
        }
    }
    if (directory != NULL) {
        (void)closedir(directory);
    }
    for (uint32_t i = 0; i < out->count; i++) {
        out->names[i] = out->rooms[order[i].room];
    }
}
