// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "workshop/bench/bench_matches.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tool.h"
#include "game/input_log.h"
#include "game/loader.h"

/// Find the group of a file by its name: the group of "slippi_02.csv.gz" is "slippi".
static void name_group(const char *path, char *out, size_t capacity)
{
    const char *base = strrchr(path, '/');
    base = base != NULL ? base + 1 : path;
    (void)snprintf(out, capacity, "%.*s", (int)strcspn(base, "_."), base);
}

/// Write the name of the game of a table, without the text in brackets after it.
static void name_game(const input_log *table, const char *group, char *out, size_t capacity)
{
    const char *name = input_log_game(table)[0] != '\0' ? input_log_game(table) : group;
    const char *bracket = strstr(name, " (");
    const size_t length = bracket != NULL ? (size_t)(bracket - name) : strlen(name);
    (void)snprintf(out, capacity, "%.*s", (int)length, name);
}

/// Unpack a table of inputs into a match. Its players are those from 0 up to the first that the
/// table lacks; its ticks are those for which all of these players have inputs.
static bks_status take_table(bench_matches *played, input_log *table, const char *path,
                             bks_error *error)
{
    played_match *match = &played->matches[played->match_count];
    *match = (played_match){.tick_rate_hz = input_log_tick_rate_hz(table)};
    name_group(path, match->group, sizeof(match->group));
    name_game(table, match->group, match->game, sizeof(match->game));
    if (match->tick_rate_hz == 0) {
        match->tick_rate_hz = played->game->tick_rate_hz;
    }
    match->ticks = input_log_ticks(table, 0);
    for (; match->players < input_log_players(table); match->players++) {
        const bks_tick ticks = input_log_ticks(table, match->players);
        if (ticks == 0) {
            break;
        }
        match->ticks = ticks < match->ticks ? ticks : match->ticks;
    }
    const bks_status status = input_log_check(table, 0, 1, error);
    if (status != BKS_OK) {
        return status;
    }
    const uint32_t fields = played->game->field_count;
    const size_t inputs = (size_t)match->ticks * match->players;
    match->values = malloc(inputs * fields * sizeof(int32_t));
    if (match->values == NULL) {
        *error = (bks_error){.code = BKS_ERR_OUT_OF_MEMORY};
        return BKS_ERR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < inputs; i++) {
        int32_t *values = match->values + i * fields;
        for (uint32_t k = 0; k < fields; k++) {
            values[k] = played->game->fields[k].neutral;
        }
        (void)input_log_sample(table, (uint32_t)(i % match->players),
                               (bks_tick)(i / match->players), values);
    }
    played->match_count++;
    return BKS_OK;
}

/// Read one file, and add its match.
/// @param is_asked_for  the user named the file, so it must be a table of inputs
static int add_file(bench_matches *played, const char *path, bool is_asked_for)
{
    if (played->match_count == BENCH_MATCHES_MAX) {
        tool_complain(path, "more than %u files", BENCH_MATCHES_MAX);
        return TOOL_MISUSE;
    }
    input_log *table = NULL;
    bks_error error = {0};
    bks_status status = input_log_load(path, &table, &error);
    if (status == BKS_OK) {
        status = input_log_bind(table, played->game->fields, played->game->field_count, &error);
    }
    if (status == BKS_OK) {
        status = take_table(played, table, path, &error);
    }
    input_log_free(table);
    if (status == BKS_ERR_UNSUPPORTED && !is_asked_for) {
        tool_log_drop();
        played->skipped++;
        return TOOL_OK;
    }
    if (status != BKS_OK) {
        tool_complain_error(path, &error);
        return TOOL_DAMAGED;
    }
    return TOOL_OK;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text);
    return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

static int is_table_name(const struct dirent *entry)
{
    return ends_with(entry->d_name, ".csv") || ends_with(entry->d_name, ".csv.gz");
}

/// Add every table of a folder, sorted by name.
static int add_folder(bench_matches *played, const char *folder)
{
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, is_table_name, alphasort);
    if (count < 0) {
        tool_complain(folder, "cannot be read, expected the folder that BKS_TRACES names");
        return TOOL_DAMAGED;
    }
    int status = TOOL_OK;
    for (int i = 0; i < count; i++) {
        char path[4096];
        (void)snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
        if (status == TOOL_OK && strcmp(entries[i]->d_name, "scripted_4p.csv") != 0) {
            status = add_file(played, path, false);
        }
        free(entries[i]);
    }
    free(entries);
    return status;
}

static int add_files(bench_matches *played, const args_list *files)
{
    int status = TOOL_OK;
    for (uint32_t i = 0; i < files->count && status == TOOL_OK; i++) {
        status = add_file(played, files->items[i], true);
    }
    const char *folder = getenv("BKS_TRACES");
    if (files->count == 0 && folder != NULL && folder[0] != '\0') {
        status = add_folder(played, folder);
    }
    // Add the table of scripted inputs, whose path is relative to this program.
    char path[4096];
    const char *program = tool_program_path();
    const char *slash = strrchr(program, '/');
    const int length = slash != NULL ? (int)(slash - program) : 0;
    snprintf(path, sizeof(path), "%.*s/%s", length, program, BKS_SCRIPTED_INPUT_LOG);
    FILE *scripted = fopen(path, "rb");
    if (scripted != NULL) {
        (void)fclose(scripted);
        status = status == TOOL_OK ? add_file(played, path, true) : status;
    }
    return status;
}

void bench_matches_close(bench_matches *played)
{
    for (uint32_t i = 0; played != NULL && i < played->match_count; i++) {
        free(played->matches[i].values);
    }
    free(played);
}

int bench_matches_open(const char *command, const char *game_name, const args_list *files,
                       bench_matches **out)
{
    *out = NULL;
    loaded_game game;
    int status = loader_open(game_name != NULL ? game_name : "pad", &game);
    if (status != TOOL_OK) {
        return status;
    }
    bench_matches *played = calloc(1, sizeof(*played));
    if (played == NULL) {
        tool_complain(command, "out of memory");
        return TOOL_DAMAGED;
    }
    played->game = game.game;
    status = add_files(played, files);
    if (status == TOOL_OK && played->match_count == 0) {
        tool_complain(command, "no files, expected some in BKS_TRACES or named");
        status = TOOL_DAMAGED;
    }
    if (status != TOOL_OK) {
        bench_matches_close(played);
        return status;
    }
    *out = played;
    return TOOL_OK;
}

// ---- tables by game ----

static bool is_of_game(const bench_matches *played, uint32_t index, uint32_t first)
{
    return strcmp(played->matches[index].group, played->matches[first].group) == 0;
}

static bool is_first_of_game(const bench_matches *played, uint32_t index)
{
    uint32_t first = 0;
    while (!is_of_game(played, index, first)) {
        first++;
    }
    return first == index;
}

static int measure_game(const bench_matches *played, const bench_games *games, uint32_t first,
                        progress *bar, bench_game *out)
{
    *out = (bench_game){.first = &played->matches[first]};
    for (uint32_t i = first; i < played->match_count; i++) {
        const played_match *match = &played->matches[i];
        bks_error error = {0};
        if (!is_of_game(played, i, first)) {
            continue;
        }
        if (games->measure(games->context, i, i == first, &error) != BKS_OK) {
            tool_complain_error(games->name, &error);
            return TOOL_DAMAGED;
        }
        out->files++;
        out->inputs += (uint64_t)match->ticks * match->players;
        out->player_seconds += (double)match->ticks / match->tick_rate_hz * match->players;
        progress_show(bar, i + 1);
    }
    return TOOL_OK;
}

static void print_game(const bench_games *games, const bench_game *game)
{
    printf("%s, %" PRIu32 " Hz, %" PRIu32 " match%s, %.0f minutes of players\n", game->first->game,
           game->first->tick_rate_hz, game->files, TOOL_PLURAL_ES(game->files),
           game->player_seconds / 60);
    games->print(games->context, game);
    printf("\n");
}

static void json_game(json *out, const bench_games *games, const bench_game *game)
{
    json_object(out, NULL);
    json_text(out, "game", game->first->game);
    json_text(out, "group", game->first->group);
    json_uint(out, "tick_rate_hz", game->first->tick_rate_hz);
    json_uint(out, "files", game->files);
    json_uint(out, "inputs", game->inputs);
    games->json(games->context, game, out);
    json_close(out);
}

int bench_games_measure(const bench_matches *played, const bench_games *games, bool is_json)
{
    json out;
    if (is_json) {
        json_begin(&out, stdout);
        json_text(&out, "bench", games->name);
        if (games->delay_ms > 0) {
            json_uint(&out, "delay_ms", games->delay_ms);
        }
        json_uint(&out, "skipped", played->skipped);
        json_array(&out, "games");
    }
    int status = TOOL_OK;
    progress bar;
    progress_begin(&bar, games->name, played->match_count);
    for (uint32_t i = 0; i < played->match_count && status == TOOL_OK; i++) {
        bench_game game;
        if (!is_first_of_game(played, i)) {
            continue;
        }
        status = measure_game(played, games, i, &bar, &game);
        progress_end(&bar); // remove the progress bar until the next progress_show()
        if (status == TOOL_OK && is_json) {
            json_game(&out, games, &game);
        } else if (status == TOOL_OK) {
            print_game(games, &game);
        }
    }
    progress_end(&bar);
    if (is_json) {
        json_close(&out);
        return json_end(&out) ? status : TOOL_DAMAGED;
    }
    printf("%s", games->legend != NULL ? games->legend : "");
    if (played->skipped > 0) {
        printf("%" PRIu32 " files were skipped: they are not input logs.\n", played->skipped);
    }
    return status;
}
