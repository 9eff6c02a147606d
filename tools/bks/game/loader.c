// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "game/loader.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backstitch/base.h"
#include "backstitch/toolkit/runner.h"
#include "base/args.h"
#include "base/crash.h"
#include "base/file.h"
#include "base/tool.h"
#include "game/module.h"

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

// List the folders that are searched for games, in order.
static void find_folders(folder_list *folders)
{
    folders->count = 0;
    for (const char *at = getenv("BKS_GAME_PATH"); at != NULL;) {
        const char *next = strchr(at, MODULE_LIST_DIVIDER);
        add_folder(folders, at, next != NULL ? (size_t)(next - at) : strlen(at));
        at = next != NULL ? next + 1 : NULL;
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

// Text that is kept until the program ends: the path or the build of a loaded game.
typedef struct kept_text {
    struct kept_text *next;
    char text[];
} kept_text;

static const char *keep_text(const char *text)
{
    static kept_text *all;
    for (const kept_text *kept = all; kept != NULL; kept = kept->next) {
        if (strcmp(kept->text, text) == 0) {
            return kept->text;
        }
    }
    const size_t bytes = strlen(text) + 1;
    kept_text *kept = malloc(sizeof(*kept) + bytes);
    if (kept == NULL) {
        return "";
    }
    memcpy(kept->text, text, bytes);
    kept->next = all;
    all = kept;
    return kept->text;
}

// Load one file as a game.
// @return NULL on success; else the reason, a text that is valid until the next call
static const char *load(const char *path, loaded_game *out)
{
    static char why[512];
    void *module = module_open(path, why, sizeof(why));
    if (module == NULL) {
        return why;
    }
    const bks_plugin *plugin = module_symbol(module, "bks_plugin_main");
    bks_status (*join)(bks_library *);
    *(void **)&join = module_symbol(module, "bks_plugin_join");
    bks_error error = {0};
    if (plugin == NULL) {
        snprintf(why, sizeof(why),
                 "is no game: it has no symbol bks_plugin_main, expected a "
                 "shared object built with backstitch/plugin.h");
    } else if (plugin->abi != BKS_PLUGIN_ABI) {
        snprintf(why, sizeof(why), "was built for plug-in ABI %u, expected %u: rebuild it",
                 plugin->abi, BKS_PLUGIN_ABI);
    } else if (join == NULL || join(bks_library_here()) != BKS_OK) {
        tool_log_drop();
        snprintf(why, sizeof(why),
                 "does not export the bks_plugin_join of backstitch/plugin.h: rebuild it");
    } else if (plugin->game == NULL) {
        snprintf(why, sizeof(why), "names no game: bks_plugin_main.game is NULL");
    } else if (plugin->smooth_count > BKS_SMOOTHS_MAX) {
        snprintf(why, sizeof(why), "has a smooth_count of %u, must be 0..%d", plugin->smooth_count,
                 BKS_SMOOTHS_MAX);
    } else if (bks_game_check(plugin->game, &error) != BKS_OK) {
        tool_log_drop();
        snprintf(why, sizeof(why), "describes no valid game: %s", error.text);
    } else {
        char build[BUILD_ID_BYTES];
        build_id_of(plugin, path, build);
        uint32_t (*arithmetic)(void) = NULL;
        *(void **)&arithmetic = module_symbol(module, "bks_plugin_arithmetic");
        *out = (loaded_game){.plugin = plugin,
                             .game = plugin->game,
                             .path = keep_text(path),
                             .build = keep_text(build),
                             .arithmetic = arithmetic != NULL ? arithmetic() : 0};
        return NULL;
    }
    module_close(module);
    return why;
}

// Warn on stderr if the game was compiled so that its arithmetic may differ from that of peers.
// @return TOOL_OK always
static int warn_of_arithmetic(const loaded_game *game)
{
    if (game->arithmetic != 0) {
        tool_complain(game->path, "%s", bks_arithmetic_text(game->arithmetic));
    }
    return TOOL_OK;
}

static int open_path(const char *path, loaded_game *out)
{
    char dotted[PATH_BYTES + 72];
    // Put "./" before a name without a folder, because otherwise the system searches its own
    // folders of libraries.
    snprintf(dotted, sizeof(dotted), "%s%.4160s",
             strpbrk(path, MODULE_FOLDER_MARKS) == NULL ? "./" : "", path);
    if (access(dotted, R_OK) != 0) {
        tool_complain(path, "cannot be read: %s, expected a game's shared object", strerror(errno));
        return TOOL_DAMAGED;
    }
    const char *why = load(dotted, out);
    if (why != NULL) {
        tool_complain(path, "%s", why);
        return TOOL_DAMAGED;
    }
    return warn_of_arithmetic(out);
}

static uint32_t list_games(loaded_game *out, uint32_t capacity, bool says_refused);

// Report on stderr that no game has the name.
// @param recording  path of the recording that names the game, NULL: none
// @return TOOL_MISUSE
static int complain_not_found(const char *recording, const char *name)
{
    loaded_game games[GAMES_MAX];
    const uint32_t count = list_games(games, GAMES_MAX, false);
    char names[512] = "";
    size_t length = 0;
    for (uint32_t i = 0; i < count && length < sizeof(names); i++) {
        length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s",
                                   i > 0 ? ", " : "", games[i].game->name);
    }
    if (recording != NULL) {
        tool_complain(recording,
                      "is of the game %s, which is not installed, %s%s: name its plug-in as %s"
                      "./PLUGIN" MODULE_SUFFIX ", or put its folder on BKS_GAME_PATH",
                      name, count > 0 ? "only " : "as no game is", names,
                      args_game_is_option() ? "--game " : "the argument GAME, ");
    } else {
        tool_complain(
            name, "no such game, expected %s or the path of a plug-in, as './%s" MODULE_SUFFIX "'",
            count > 0 ? names : "a game on BKS_GAME_PATH (none is installed)", name);
    }
    return TOOL_MISUSE;
}

// Find the file of a game in the folders of games. A name with a folder in it finds nothing.
// @return false: there is no such file
static bool find_file(const char *name, char *path, size_t path_bytes)
{
    if (strpbrk(name, MODULE_FOLDER_MARKS) != NULL) {
        return false;
    }
    folder_list *folders = malloc(sizeof(*folders));
    if (folders == NULL) {
        return false;
    }
    find_folders(folders);
    bool is_found = false;
    for (uint32_t i = 0; i < folders->count && !is_found; i++) {
        const int bytes =
            snprintf(path, path_bytes, "%s/%s" MODULE_SUFFIX, folders->paths[i], name);
        is_found = bytes > 0 && (size_t)bytes < path_bytes && access(path, F_OK) == 0;
    }
    free(folders);
    return is_found;
}

int loader_open_named(const char *path, const char *name, loaded_game *out)
{
    char file[PATH_BYTES + 64];
    crash_game(name);
    return find_file(name, file, sizeof(file)) ? open_path(file, out)
                                               : complain_not_found(path, name);
}

int loader_open(const char *name, loaded_game *out)
{
    if (strncmp(name, "libretro:", 9) == 0) {
        tool_complain(name, "libretro cores cannot be played by this build, expected a plug-in");
        return TOOL_MISUSE;
    }
    if (module_is_path(name)) {
        crash_game(name);
        return open_path(name, out);
    }
    return loader_open_named(NULL, name, out);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const loaded_game *)a)->game->name, ((const loaded_game *)b)->game->name);
}

static bool is_listed(const loaded_game *games, uint32_t count, const loaded_game *game)
{
    for (uint32_t i = 0; i < count; i++) {
        // The first game of a name hides later ones of that name, because loader_open() takes the
        // first.
        if (strcmp(games[i].game->name, game->game->name) == 0) {
            return true;
        }
    }
    return false;
}

// Function that is called for each shared object in a folder.
// @param game  NULL if the object cannot be loaded as a game
// @param why   reason why the object cannot be loaded
// @return false to end the search
typedef bool (*game_visitor)(void *context, const loaded_game *game, const char *path,
                             const char *why);

// Load each shared object in a folder and pass it to a visitor.
// @return false: the visitor ended the search
static bool visit_folder(const char *folder, game_visitor visit, void *context)
{
    static const size_t suffix = sizeof(MODULE_SUFFIX) - 1;
    DIR *directory = opendir(folder);
    bool continues = true;
    for (struct dirent *entry;
         directory != NULL && continues && (entry = readdir(directory)) != NULL;) {
        const size_t length = strlen(entry->d_name);
        if (length <= suffix || strcmp(entry->d_name + length - suffix, MODULE_SUFFIX) != 0 ||
            strncmp(entry->d_name, "lib", 3) == 0) {
            continue;
        }
        char path[PATH_BYTES + 256];
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        loaded_game game;
        const char *why = load(path, &game);
        continues = visit(context, why == NULL ? &game : NULL, path, why);
    }
    if (directory != NULL) {
        closedir(directory);
    }
    return continues;
}

static void visit_all(game_visitor visit, void *context)
{
    folder_list *folders = malloc(sizeof(*folders));
    if (folders == NULL) {
        return;
    }
    find_folders(folders);
    for (uint32_t i = 0; i < folders->count; i++) {
        if (!visit_folder(folders->paths[i], visit, context)) {
            break;
        }
    }
    free(folders);
}

typedef struct game_list {
    loaded_game *games;
    uint32_t count;
    uint32_t capacity;
    bool says_refused; ///< true: name each file that is no game on stderr
} game_list;

static bool add_to_list(void *context, const loaded_game *game, const char *path, const char *why)
{
    game_list *list = context;
    if (game == NULL) {
        if (list->says_refused) {
            tool_complain(path, "%s", why);
        }
        return true;
    }
    if (!is_listed(list->games, list->count, game)) {
        list->games[list->count++] = *game;
    }
    return list->count < list->capacity;
}

static uint32_t list_games(loaded_game *out, uint32_t capacity, bool says_refused)
{
    game_list list = {.games = out, .capacity = capacity, .says_refused = says_refused};
    visit_all(add_to_list, &list);
    qsort(out, list.count, sizeof(*out), by_name);
    return list.count;
}

uint32_t loader_list(loaded_game *out, uint32_t capacity)
{
    return list_games(out, capacity, true);
}

// ---- loading the game of a recording ----

typedef struct build_search {
    const bks_recording *info;
    bool is_found;
    bool has_other;
    loaded_game game;
    loaded_game other; ///< first game found of this name, but of another build
} build_search;

static bool compare_build(void *context, const loaded_game *game, const char *path, const char *why)
{
    (void)path;
    (void)why;
    build_search *search = context;
    if (game == NULL || strcmp(game->game->name, search->info->game) != 0) {
        return true;
    }
    if (strcmp(game->build, search->info->build) == 0) {
        search->is_found = true;
        search->game = *game;
    } else if (!search->has_other) {
        search->has_other = true;
        search->other = *game;
    }
    return !search->is_found;
}

int loader_open_recorded(const char *path, const char *name, const bks_recording *info,
                         loaded_game *out)
{
    const char *wanted = name != NULL ? name : info->game;
    crash_game(wanted);
    crash_recording(path);
    // Take the name of the game in a recording as a name, never as a path, because loading a file
    // runs its code.
    if (name != NULL && (module_is_path(name) || strcmp(name, info->game) != 0)) {
        return loader_open(name, out);
    }
    char file[PATH_BYTES + 64];
    const bool has_file = find_file(wanted, file, sizeof(file));
    if (has_file && load(file, out) == NULL &&
        (info->build[0] == '\0' || strcmp(out->build, info->build) == 0)) {
        // The usual case: the file with the game's name has the right build.
        return warn_of_arithmetic(out);
    }
    build_search search = {.info = info};
    visit_all(compare_build, &search);
    if (search.is_found) {
        *out = search.game;
        return warn_of_arithmetic(out);
    }
    if (!has_file && search.has_other) {
        *out = search.other;
        return warn_of_arithmetic(out);
    }
    return has_file ? open_path(file, out) : complain_not_found(path, wanted);
}

void loader_compare_builds(const char *path, const bks_recording *info, const loaded_game *game)
{
    if (info->build[0] != '\0' && game->build[0] != '\0' &&
        strcmp(info->game, game->game->name) == 0 && strcmp(info->build, game->build) != 0) {
        tool_complain(
            path,
            "was recorded with build %s of %s and stepped with build %s, %s: expected "
            "the recorded one on BKS_GAME_PATH; 'bks run --no-verify' plays it on another",
            info->build, info->game, game->build, game->path);
    }
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

void build_id_of(const void *symbol, const char *path, char out[BUILD_ID_BYTES])
{
    char linked[BKS_BUILD_ID_CHARS];
    if (bks_build_id(symbol, linked) && strlen(linked) >= BUILD_ID_BYTES - 1) {
        memcpy(out, linked, BUILD_ID_BYTES - 1);
        out[BUILD_ID_BYTES - 1] = '\0';
        return;
    }
    uint8_t *file = NULL;
    size_t count = 0;
    out[0] = '\0';
    if (file_read(path, &file, &count) == TOOL_OK) {
        snprintf(out, BUILD_ID_BYTES, "%016" PRIx64, bks_hash64(file, count, 0));
        free(file);
    }
}

int loader_players(const bks_game *game, int64_t players, uint32_t usual, uint32_t *out)
{
    const int64_t least = game->players_min > 0 ? game->players_min : 1;
    *out = players == 0 ? usual : (uint32_t)players;
    if (*out < least || *out > game->players_max) {
        tool_complain("--players", "is %" PRIu32 ", expected %" PRId64 " to %" PRIu32 " for %s",
                      *out, least, game->players_max, game->name);
        return TOOL_MISUSE;
    }
    return TOOL_OK;
}
