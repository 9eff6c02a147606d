// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "loader.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "tool.h"

enum {
    FOLDERS_MAX = 16,
    PATH_BYTES = 4096,
    GAMES_MAX = 64,
};

typedef struct folder_list {
    uint32_t count;
    char paths[FOLDERS_MAX][PATH_BYTES];
} folder_list;

static void add_folder(folder_list *folders, const char *path, size_t length)
{
    if (length > 0 && length < PATH_BYTES && folders->count < FOLDERS_MAX) {
        memcpy(folders->paths[folders->count], path, length);
        folders->paths[folders->count][length] = '\0';
        folders->count++;
    }
}

// Where to look for games, in order.
static void find_folders(folder_list *folders)
{
    folders->count = 0;
    for (const char *at = getenv("BKS_GAME_PATH"); at != NULL;) {
        const char *colon = strchr(at, ':');
        add_folder(folders, at, colon != NULL ? (size_t)(colon - at) : strlen(at));
        at = colon != NULL ? colon + 1 : NULL;
    }
    const char *program = tool_program_path();
    const char *slash = strrchr(program, '/');
    if (slash == NULL) {
        return;
    }
    const int length = (int)(slash - program);
    add_folder(folders, program, (size_t)length);
    static const char *const installed[] = {
        "../lib/backstitch",
        "../lib64/backstitch",
#if defined(__x86_64__)
        "../lib/x86_64-linux-gnu/backstitch",
#elif defined(__aarch64__)
        "../lib/aarch64-linux-gnu/backstitch",
#endif
    };
    for (uint32_t i = 0; i < ARGS_COUNT(installed); i++) {
        char path[PATH_BYTES];
        const int bytes = snprintf(path, sizeof(path), "%.*s/%s", length, program, installed[i]);
        if (bytes > 0 && bytes < PATH_BYTES) {
            add_folder(folders, path, (size_t)bytes);
        }
    }
}

// Paths of what is loaded, kept as long as the program lives.
typedef struct kept_path {
    struct kept_path *next;
    char text[];
} kept_path;

static const char *keep_path(const char *path)
{
    static kept_path *all;
    const size_t bytes = strlen(path) + 1;
    kept_path *kept = malloc(sizeof(*kept) + bytes);
    if (kept == NULL) {
        return "";
    }
    memcpy(kept->text, path, bytes);
    kept->next = all;
    all = kept;
    return kept->text;
}

// Load one file.
// @return NULL, or what is wrong with it, valid until the next call
static const char *load(const char *path, loaded_game *out)
{
    static char why[512];
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        const char *said = dlerror();
        snprintf(why, sizeof(why), "cannot be loaded: %s", said != NULL ? said : "unknown reason");
        return why;
    }
    const bks_plugin *plugin = dlsym(handle, "bks_plugin_main");
    bks_error error = {0};
    if (plugin == NULL) {
        snprintf(why, sizeof(why),
                 "is no game: it has no symbol bks_plugin_main, expected a "
                 "shared object built with backstitch/plugin.h");
    } else if (plugin->abi != BKS_PLUGIN_ABI) {
        snprintf(why, sizeof(why), "was built for plug-in ABI %u, expected %u: build it anew",
                 plugin->abi, BKS_PLUGIN_ABI);
    } else if (plugin->game == NULL) {
        snprintf(why, sizeof(why), "names no game: bks_plugin_main.game is NULL");
    } else if (bks_game_check(plugin->game, &error) != BKS_OK) {
        tool_log_drop();
        snprintf(why, sizeof(why), "describes no valid game: %s", error.text);
    } else {
        *out = (loaded_game){.plugin = plugin, .game = plugin->game, .path = keep_path(path)};
        return NULL;
    }
    dlclose(handle);
    return why;
}

static bool is_path(const char *name)
{
    const size_t length = strlen(name);
    return strchr(name, '/') != NULL || (length > 3 && strcmp(name + length - 3, ".so") == 0);
}

static int open_path(const char *path, loaded_game *out)
{
    char dotted[PATH_BYTES + 72];
    // dlopen would look up a name without a slash among the system's libraries.
    snprintf(dotted, sizeof(dotted), "%s%.4160s", strchr(path, '/') == NULL ? "./" : "", path);
    if (access(dotted, R_OK) != 0) {
        tool_complain(path, "cannot be read, expected a game's shared object");
        return TOOL_DAMAGED;
    }
    const char *why = load(dotted, out);
    if (why != NULL) {
        tool_complain(path, "%s", why);
        return TOOL_DAMAGED;
    }
    return TOOL_OK;
}

static int complain_not_found(const char *name)
{
    loaded_game games[GAMES_MAX];
    const uint32_t count = loader_list(games, GAMES_MAX);
    char names[512] = "";
    size_t length = 0;
    for (uint32_t i = 0; i < count && length < sizeof(names); i++) {
        length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s",
                                   i > 0 ? ", " : "", games[i].game->name);
    }
    tool_complain(name, "no such game, expected %s or the path of a plug-in",
                  count > 0 ? names : "a game on BKS_GAME_PATH (none is installed)");
    return TOOL_MISUSE;
}

int loader_open(const char *name, loaded_game *out)
{
    if (strncmp(name, "libretro:", 9) == 0) {
        tool_complain(name, "libretro cores cannot be played by this build, expected a plug-in");
        return TOOL_MISUSE;
    }
    if (is_path(name)) {
        return open_path(name, out);
    }
    folder_list *folders = malloc(sizeof(*folders));
    if (folders == NULL) {
        return TOOL_DAMAGED;
    }
    find_folders(folders);
    for (uint32_t i = 0; i < folders->count; i++) {
        char path[PATH_BYTES + 64];
        const int bytes = snprintf(path, sizeof(path), "%s/%s.so", folders->paths[i], name);
        if (bytes > 0 && (size_t)bytes < sizeof(path) && access(path, F_OK) == 0) {
            free(folders);
            return open_path(path, out);
        }
    }
    free(folders);
    return complain_not_found(name);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const loaded_game *)a)->game->name, ((const loaded_game *)b)->game->name);
}

static bool is_listed(const loaded_game *games, uint32_t count, const loaded_game *game)
{
    for (uint32_t i = 0; i < count; i++) {
        // A name found earlier hides later ones, as for loader_open().
        if (strcmp(games[i].game->name, game->game->name) == 0) {
            return true;
        }
    }
    return false;
}

static uint32_t list_folder(const char *folder, loaded_game *out, uint32_t count, uint32_t capacity)
{
    DIR *directory = opendir(folder);
    if (directory == NULL) {
        return count;
    }
    for (struct dirent *entry; count < capacity && (entry = readdir(directory)) != NULL;) {
        const size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 3, ".so") != 0 ||
            strncmp(entry->d_name, "lib", 3) == 0) {
            continue;
        }
        char path[PATH_BYTES + 256];
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        loaded_game game;
        if (load(path, &game) == NULL && !is_listed(out, count, &game)) {
            out[count++] = game;
        }
    }
    closedir(directory);
    return count;
}

uint32_t loader_list(loaded_game *out, uint32_t capacity)
{
    folder_list *folders = malloc(sizeof(*folders));
    if (folders == NULL) {
        return 0;
    }
    find_folders(folders);
    uint32_t count = 0;
    for (uint32_t i = 0; i < folders->count; i++) {
        count = list_folder(folders->paths[i], out, count, capacity);
    }
    free(folders);
    qsort(out, count, sizeof(*out), by_name);
    return count;
}

int loader_options(const bks_game *game, const char *const *given, uint32_t count,
                   bks_option_values *out)
{
    bks_error error = {0};
    if (bks_option_values_default(game, out) != BKS_OK) {
        tool_complain(game->name, "its options cannot be read");
        return TOOL_MISUSE;
    }
    for (uint32_t i = 0; i < count; i++) {
        char what[256];
        snprintf(what, sizeof(what), "--option '%s'", given[i]);
        char name[64];
        const char *equals = strchr(given[i], '=');
        if (equals == NULL || equals == given[i] || equals - given[i] >= (long)sizeof(name)) {
            tool_complain(what, "is no option, expected NAME=VALUE");
            return TOOL_MISUSE;
        }
        snprintf(name, sizeof(name), "%.*s", (int)(equals - given[i]), given[i]);
        if (bks_option_values_set(game, out, name, equals + 1, &error) != BKS_OK) {
            tool_complain_error(what, &error);
            return TOOL_MISUSE;
        }
    }
    return TOOL_OK;
}
