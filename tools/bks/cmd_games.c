// SPDX-License-Identifier: MIT

#include <inttypes.h>
#include <stdio.h>

#include "backstitch/toolkit/runner.h"
#include "base/args.h"
#include "base/command.h"
#include "base/json.h"
#include "base/tool.h"
#include "game/loader.h"
#include "map/game_map.h"

enum { GAMES_MAX = 64 };

// Return the bytes of a game's state with its default options, 0 if the size is only known after
// the game starts.
static size_t state_bytes(const bks_game *game)
{
    size_t bytes = game->state_bytes;
    bks_option_values values;
    if (game->configure != NULL && bks_option_values_default(game, &values) == BKS_OK) {
        const bks_start start = {.game = game,
                                 .seed = 1,
                                 .players = game->players_max,
                                 .tick_rate_hz = game->tick_rate_hz,
                                 .options = &values};
        bks_error error;
        if (game->configure(&start, &bytes, &error) != BKS_OK) {
            bytes = 0;
        }
    }
    return bytes > 0 ? bytes : game->save_bytes_max;
}

static uint32_t input_bits(const bks_game *game)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < game->field_count; i++) {
        bits += game->fields[i].bits;
    }
    return bits;
}

static uint32_t players_min(const bks_game *game)
{
    return game->players_min > 0 ? game->players_min : 1;
}

static void print_game(const loaded_game *loaded)
{
    const bks_game *game = loaded->game;
    printf("%s", game->name);
    if (loaded->plugin->about != NULL) {
        printf(" - %s", loaded->plugin->about);
    }
    printf("\n  players %" PRIu32 "..%" PRIu32 ", %" PRIu32 " tick%s a second, state %zu bytes, "
           "version %" PRIu32 "%s\n",
           players_min(game), game->players_max, game->tick_rate_hz,
           TOOL_PLURAL(game->tick_rate_hz), state_bytes(game), game->version,
           game->bot != NULL ? ", has bots" : "");
    if (loaded->arithmetic != 0) {
        printf("  %s\n", bks_arithmetic_text(loaded->arithmetic));
    }
    printf("  input %" PRIu32 " bits:", input_bits(game));
    for (uint32_t i = 0; i < game->field_count; i++) {
        printf(" %s:%" PRIu32 "%s", game->fields[i].name, game->fields[i].bits,
               game->fields[i].is_signed ? "s" : "");
    }
    printf("\n");
    if (game->command_bytes_max > 0) {
        printf("  commands of up to %" PRIu32 " byte%s\n", game->command_bytes_max,
               TOOL_PLURAL(game->command_bytes_max));
    }
    for (uint32_t i = 0; i < game->option_count; i++) {
        const bks_option *option = &game->options[i];
        printf("  --option %s=%s  %s\n", option->name, option->default_value,
               option->help != NULL ? option->help : "");
    }
    if (loaded->plugin->keys != NULL) {
        printf("  keys: %s\n", loaded->plugin->keys);
    }
}

static void json_game(json *j, const loaded_game *loaded, const game_map *map)
{
    const bks_game *game = loaded->game;
    json_object(j, NULL);
    json_text(j, "name", game->name);
    json_text(j, "about", loaded->plugin->about);
    json_text(j, "path", loaded->path);
    json_uint(j, "version", game->version);
    json_uint(j, "players_min", players_min(game));
    json_uint(j, "players_max", game->players_max);
    json_uint(j, "tick_rate_hz", game->tick_rate_hz);
    json_uint(j, "state_bytes", state_bytes(game));
    json_bool(j, "bots", game->bot != NULL);
    json_text(j, "keys", loaded->plugin->keys);
    json_text(j, "arithmetic",
              loaded->arithmetic != 0 ? bks_arithmetic_text(loaded->arithmetic) : NULL);
    json_uint(j, "input_bits", input_bits(game));
    json_uint(j, "command_bytes_max", game->command_bytes_max);
    json_array(j, "fields");
    for (uint32_t i = 0; i < game->field_count; i++) {
        int32_t least = 0;
        int32_t greatest = 0;
        (void)bks_field_range(&game->fields[i], &least, &greatest);
        json_object(j, NULL);
        json_text(j, "name", game->fields[i].name);
        json_uint(j, "bits", game->fields[i].bits);
        json_int(j, "least", least);
        json_int(j, "greatest", greatest);
        json_int(j, "neutral", game->fields[i].neutral);
        json_close(j);
    }
    json_close(j);
    json_array(j, "options");
    for (uint32_t i = 0; i < game->option_count; i++) {
        json_object(j, NULL);
        json_text(j, "name", game->options[i].name);
        json_text(j, "default", game->options[i].default_value);
        json_text(j, "help", game->options[i].help);
        json_close(j);
    }
    json_close(j);
    if (map != NULL) {
        map_print_json(j, map);
    }
    json_close(j);
}

// Print the games as JSON.
// @param map  map to print if the game is the only one; NULL: print no map
// @return the exit status
static int print_json(const loaded_game *games, uint32_t count, const game_map *map)
{
    json out;
    json_begin(&out, stdout);
    json_array(&out, "games");
    for (uint32_t i = 0; i < count; i++) {
        json_game(&out, &games[i], map);
    }
    json_close(&out);
    return json_end(&out) ? TOOL_OK : TOOL_DAMAGED;
}

// Print the map of a game. If the game has no map, print the reason on stderr.
// @return the exit status
static int print_map(const loaded_game *game, bool is_json, bool is_c)
{
    game_map map;
    char why[320];
    if (!game_map_find(game, &map, why)) {
        tool_complain(game->path, "%s", why);
        return TOOL_NO;
    }
    if (is_c) {
        if (!map_print_c(stdout, game, &map, why, sizeof(why))) {
            tool_complain(game->path, "%s", why);
            return TOOL_NO;
        }
    } else if (is_json) {
        return print_json(game, 1, &map);
    } else {
        map_print_text(stdout, game, &map);
    }
    return TOOL_OK;
}

// Find the game that was asked for, or all games.
// @return TOOL_OK, or the exit status to end with, after an error on stderr
static int find_games(const args_list *wanted, loaded_game games[GAMES_MAX], uint32_t *out_count)
{
    if (wanted->count > 0) {
        *out_count = 1;
        return loader_open(wanted->items[0], &games[0]);
    }
    *out_count = loader_list(games, GAMES_MAX);
    return TOOL_OK;
}

int cmd_games(int argc, char **argv)
{
    bool is_json = false;
    bool is_map = false;
    bool is_c = false;
    args_list wanted = {0};
    const args_option options[] = {
        ARGS_JSON(&is_json),
        ARGS_FLAG("--map", &is_map, "print the names of the bytes of GAME's state"),
        ARGS_FLAG("--as-c", &is_c,
                  "with --map: as a C table, for bks_game.map of a game\n"
                  "that is shipped without debug information"),
    };
    const args_spec spec = {
        .command = "games",
        .usage = "[GAME] [options]",
        .about =
            "Describe a game: its players, tick rate, state, inputs, commands, options, keys.\n"
            "Without GAME, list all games beside the program, in ../lib/backstitch, and in the\n"
            "folders of BKS_GAME_PATH. GAME is a name or a plug-in's path, such as './my.so'.",
        ARGS_OPTIONS(options),
        ARGS_POSITIONALS(&wanted, 0, 1),
    };
    int status = args_parse(&spec, argc, argv);
    if (status != ARGS_GO) {
        return status;
    }
    if ((is_map && wanted.count == 0) || (is_c && (!is_map || is_json))) {
        tool_complain(is_map ? "--map" : "--as-c", "expected --map GAME [--as-c | --json]");
        return TOOL_MISUSE;
    }
    loaded_game games[GAMES_MAX];
    uint32_t count = 0;
    status = find_games(&wanted, games, &count);
    if (status != TOOL_OK) {
        return status;
    }
    if (is_map) {
        return print_map(&games[0], is_json, is_c);
    }
    if (is_json) {
        return print_json(games, count, NULL);
    }
    for (uint32_t i = 0; i < count; i++) {
        printf("%s", i > 0 ? "\n" : "");
        print_game(&games[i]);
    }
    if (count == 0) {
        tool_complain(NULL, "no game found, expected NAME.so beside the program or in a folder of "
                            "BKS_GAME_PATH");
        return TOOL_NO;
    }
    return TOOL_OK;
}
