// SPDX-License-Identifier: MIT

// How often each predictor is right on inputs that people played.

#define _GNU_SOURCE

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "bench.h"
#include "bench_predict_run.h"
#include "json.h"
#include "loader.h"
#include "progress.h"
#include "tool.h"
#include "trace.h"

#define MATCHES_MAX 512u

enum { DELAY_MS = 50 };

/// What is tried. A predictor that means nothing to a field leaves it at hold.
typedef enum way { HOLD, RELEASE, LINEAR, SPLINE, VOTE, VOTE_LEARNT, WAYS } way;

static const char *const way_names[WAYS] = {"hold",   "release", "linear",
                                            "spline", "vote",    "vote + table"};
static const char *const way_keys[WAYS] = {"hold",   "release", "linear",
                                           "spline", "vote",    "vote_learnt"};

/// Everything of one call.
typedef struct bench {
    const bks_game *game;
    uint32_t match_count;
    played_match matches[MATCHES_MAX];
    uint32_t skipped; ///< files that are no tables of inputs
    progress bar;
    uint64_t done;
} bench;

// ---- files ----

/// Matches of one game begin alike: "slippi_02.csv.gz" is of "slippi".
static void name_group(const char *path, char *out, size_t capacity)
{
    const char *base = strrchr(path, '/');
    base = base != NULL ? base + 1 : path;
    (void)snprintf(out, capacity, "%.*s", (int)strcspn(base, "_."), base);
}

/// The game's name without what stands in brackets behind it.
static void name_game(const trace *table, const char *group, char *out, size_t capacity)
{
    const char *name = trace_game(table)[0] != '\0' ? trace_game(table) : group;
    const char *bracket = strstr(name, " (");
    const size_t length = bracket != NULL ? (size_t)(bracket - name) : strlen(name);
    (void)snprintf(out, capacity, "%.*s", (int)length, name);
}

/// Unpack a table: players are 0 up to the first that is not in it, ticks those that all have.
static bks_status take_table(bench *b, trace *table, const char *path, bks_error *error)
{
    played_match *match = &b->matches[b->match_count];
    *match = (played_match){.tick_rate_hz = trace_tick_rate_hz(table)};
    name_group(path, match->group, sizeof(match->group));
    name_game(table, match->group, match->game, sizeof(match->game));
    if (match->tick_rate_hz == 0) {
        match->tick_rate_hz = b->game->tick_rate_hz;
    }
    match->ticks = trace_ticks(table, 0);
    for (; match->players < trace_players(table); match->players++) {
        const bks_tick ticks = trace_ticks(table, match->players);
        if (ticks == 0) {
            break;
        }
        match->ticks = ticks < match->ticks ? ticks : match->ticks;
    }
    const bks_status status = trace_check(table, 0, 1, error);
    if (status != BKS_OK) {
        return status;
    }
    const uint32_t fields = b->game->field_count;
    const size_t inputs = (size_t)match->ticks * match->players;
    match->values = malloc(inputs * fields * sizeof(int32_t));
    if (match->values == NULL) {
        *error = (bks_error){.code = BKS_ERR_OUT_OF_MEMORY};
        return BKS_ERR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < inputs; i++) {
        int32_t *values = match->values + i * fields;
        for (uint32_t k = 0; k < fields; k++) {
            values[k] = b->game->fields[k].neutral;
        }
        (void)trace_sample(table, (uint32_t)(i % match->players), (bks_tick)(i / match->players),
                           values);
    }
    b->match_count++;
    return BKS_OK;
}

/// @param is_asked_for  by name, so that it must be a table of inputs
static int add_file(bench *b, const char *path, bool is_asked_for)
{
    if (b->match_count == MATCHES_MAX) {
        tool_complain(path, "more than %u files", MATCHES_MAX);
        return TOOL_MISUSE;
    }
    trace *table = NULL;
    bks_error error = {0};
    bks_status status = trace_load(path, &table, &error);
    if (status == BKS_OK) {
        status = trace_bind(table, b->game->fields, b->game->field_count, &error);
    }
    if (status == BKS_OK) {
        status = take_table(b, table, path, &error);
    }
    trace_free(table);
    if (status == BKS_ERR_UNSUPPORTED && !is_asked_for) {
        tool_log_drop();
        b->skipped++;
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

/// Every table of a folder, in the order of their names.
static int add_folder(bench *b, const char *folder)
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
            status = add_file(b, path, false);
        }
        free(entries[i]);
    }
    free(entries);
    return status;
}

static int add_files(bench *b, const args_list *files)
{
    int status = TOOL_OK;
    for (uint32_t i = 0; i < files->count && status == TOOL_OK; i++) {
        status = add_file(b, files->items[i], true);
    }
    const char *folder = getenv("BKS_TRACES");
    if (files->count == 0 && folder != NULL && folder[0] != '\0') {
        status = add_folder(b, folder);
    }
    // The script's own is there wherever the sources are.
    FILE *scripted = fopen(BKS_SCRIPTED_TRACE, "rb");
    if (scripted != NULL) {
        (void)fclose(scripted);
        status = status == TOOL_OK ? add_file(b, BKS_SCRIPTED_TRACE, true) : status;
    }
    return status;
}

// ---- measuring ----

static bks_predictor predictor_for(way tried, const bks_field *field)
{
    switch (tried) {
    case RELEASE:
        return field->bits == 1 ? BKS_PREDICT_RELEASE : BKS_PREDICT_HOLD;
    case LINEAR:
        return field->kind != BKS_FIELD_PLAIN ? BKS_PREDICT_LINEAR : BKS_PREDICT_HOLD;
    case SPLINE:
        return field->kind != BKS_FIELD_PLAIN ? BKS_PREDICT_SPLINE : BKS_PREDICT_HOLD;
    case VOTE:
    case VOTE_LEARNT:
        return BKS_PREDICT_VOTE;
    default:
        return BKS_PREDICT_HOLD;
    }
}

/// A table learnt from the other matches of the same game. None when there is no other.
static bks_status learn_from_others(const bench *b, uint32_t self, uint8_t **out, size_t *out_bytes,
                                    bks_error *error)
{
    const played_match *others[MATCHES_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->match_count; i++) {
        if (i != self && strcmp(b->matches[i].group, b->matches[self].group) == 0) {
            others[count++] = &b->matches[i];
        }
    }
    *out = NULL;
    *out_bytes = 0;
    return count == 0 ? BKS_OK
                      : votes_learn(others, count, b->game->fields, b->game->field_count, out,
                                    out_bytes, error);
}

static bks_status measure_match(bench *b, uint32_t index, way tried, guess_count *count,
                                bks_error *error)
{
    const played_match *match = &b->matches[index];
    bks_field fields[BKS_FIELDS_MAX];
    for (uint32_t i = 0; i < b->game->field_count; i++) {
        fields[i] = b->game->fields[i];
        fields[i].predictor = predictor_for(tried, &fields[i]);
    }
    uint8_t *votes = NULL;
    size_t votes_bytes = 0;
    bks_status status = BKS_OK;
    if (tried == VOTE_LEARNT) {
        status = learn_from_others(b, index, &votes, &votes_bytes, error);
    }
    const uint32_t delay_ticks = (DELAY_MS * match->tick_rate_hz + 999) / 1000;
    if (status == BKS_OK && (tried != VOTE_LEARNT || votes != NULL)) {
        status = guess_match(match, fields, b->game->field_count, delay_ticks, votes, votes_bytes,
                             count, error);
    }
    free(votes);
    progress_show(&b->bar, ++b->done);
    return status;
}

/// All matches of a game, in all ways.
static int measure_group(bench *b, const char *group, guess_count counts[WAYS])
{
    memset(counts, 0, WAYS * sizeof(counts[0]));
    for (uint32_t i = 0; i < b->match_count; i++) {
        for (way tried = HOLD; tried < WAYS && strcmp(b->matches[i].group, group) == 0; tried++) {
            bks_error error = {0};
            if (measure_match(b, i, tried, &counts[tried], &error) != BKS_OK) {
                tool_complain_error("predict", &error);
                return TOOL_DAMAGED;
            }
        }
    }
    return TOOL_OK;
}

// ---- telling ----

static double per_second(uint64_t events, double seconds)
{
    return seconds > 0 ? (double)events / seconds : 0;
}

/// Misses against hold's, in percent.
static double versus_hold(const guess_count counts[WAYS], way tried)
{
    const double hold = (double)counts[HOLD].misses;
    return hold > 0 ? ((double)counts[tried].misses / hold - 1) * 100 : 0;
}

static uint32_t files_of(const bench *b, const char *group)
{
    uint32_t files = 0;
    for (uint32_t i = 0; i < b->match_count; i++) {
        files += strcmp(b->matches[i].group, group) == 0 ? 1 : 0;
    }
    return files;
}

static void print_group(const bench *b, const played_match *first, const guess_count counts[WAYS])
{
    const uint32_t files = files_of(b, first->group);
    printf("%s, %" PRIu32 " Hz, %" PRIu32 " match%s, %.0f minutes of players\n", first->game,
           first->tick_rate_hz, files, files == 1 ? "" : "es", counts[HOLD].player_seconds / 60);
    printf("  predictor     right   misses/s   against hold   rollbacks/s\n");
    for (way tried = HOLD; tried < WAYS; tried++) {
        const guess_count *count = &counts[tried];
        if (count->inputs == 0) {
            continue;
        }
        printf("  %-12s %5.1f %%   %8.2f   ", way_names[tried],
               100.0 * (1.0 - (double)count->misses / (double)count->inputs),
               per_second(count->misses, count->player_seconds));
        if (tried == HOLD) {
            printf("%12s", "");
        } else {
            printf("%+10.1f %%", versus_hold(counts, tried));
        }
        printf("   %11.2f\n", per_second(count->rollbacks, count->watcher_seconds));
    }
    printf("\n");
}

static void json_group(json *out, const bench *b, const played_match *first,
                       const guess_count counts[WAYS])
{
    json_object(out, NULL);
    json_text(out, "game", first->game);
    json_text(out, "group", first->group);
    json_uint(out, "tick_rate_hz", first->tick_rate_hz);
    json_uint(out, "files", files_of(b, first->group));
    json_uint(out, "inputs", counts[HOLD].inputs);
    json_array(out, "predictors");
    for (way tried = HOLD; tried < WAYS; tried++) {
        const guess_count *count = &counts[tried];
        if (count->inputs == 0) {
            continue;
        }
        json_object(out, NULL);
        json_text(out, "name", way_keys[tried]);
        json_number(out, "hit_rate", 1.0 - (double)count->misses / (double)count->inputs, 5);
        json_number(out, "misses_per_s", per_second(count->misses, count->player_seconds), 3);
        json_number(out, "versus_hold", versus_hold(counts, tried) / 100, 5);
        json_number(out, "rollbacks_per_s", per_second(count->rollbacks, count->watcher_seconds),
                    3);
        json_close(out);
    }
    json_close(out);
    json_close(out);
}

static bool is_first_of_group(const bench *b, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++) {
        if (strcmp(b->matches[i].group, b->matches[index].group) == 0) {
            return false;
        }
    }
    return true;
}

static int measure_all(bench *b, bool is_json)
{
    json out;
    if (is_json) {
        json_begin(&out, stdout);
        json_text(&out, "bench", "predict");
        json_uint(&out, "delay_ms", DELAY_MS);
        json_uint(&out, "skipped", b->skipped);
        json_array(&out, "games");
    }
    int status = TOOL_OK;
    progress_begin(&b->bar, "predict", (uint64_t)b->match_count * WAYS);
    for (uint32_t i = 0; i < b->match_count && status == TOOL_OK; i++) {
        guess_count counts[WAYS];
        if (!is_first_of_group(b, i)) {
            continue;
        }
        status = measure_group(b, b->matches[i].group, counts);
        progress_end(&b->bar); // wipes it away; the next progress_show() draws it again
        if (status == TOOL_OK && is_json) {
            json_group(&out, b, &b->matches[i], counts);
        } else if (status == TOOL_OK) {
            print_group(b, &b->matches[i], counts);
        }
    }
    progress_end(&b->bar);
    if (is_json) {
        json_close(&out);
        return json_end(&out) ? status : TOOL_DAMAGED;
    }
    printf(
        "misses/s: wrong guesses a second for each remote player. rollbacks/s: as one player sees "
        "them,\nall others %d ms away. vote + table: with a table learnt from the other matches "
        "of the game.\n",
        DELAY_MS);
    if (b->skipped > 0) {
        printf("%" PRIu32 " files were skipped: they are no tables of inputs.\n", b->skipped);
    }
    return status;
}

static int write_votes(const bench *b, const char *path)
{
    const played_match *all[MATCHES_MAX];
    for (uint32_t i = 0; i < b->match_count; i++) {
        all[i] = &b->matches[i];
    }
    uint8_t *bytes = NULL;
    size_t count = 0;
    bks_error error = {0};
    if (votes_learn(all, b->match_count, b->game->fields, b->game->field_count, &bytes, &count,
                    &error) != BKS_OK) {
        tool_complain_error("predict", &error);
        return TOOL_DAMAGED;
    }
    FILE *file = fopen(path, "wb");
    bool is_written = file != NULL && fwrite(bytes, 1, count, file) == count;
    is_written = file != NULL && fclose(file) == 0 && is_written;
    free(bytes);
    if (!is_written) {
        tool_complain(path, "cannot be written");
        return TOOL_DAMAGED;
    }
    return TOOL_OK;
}

static int parse(int argc, char **argv, args_list *files, const char **game, const char **learn,
                 bool *is_json)
{
    const args_option options[] = {
        ARGS_TEXT("--game", "GAME", game,
                  "the game whose input fields the files are read for (default pad)"),
        ARGS_TEXT("--learn", "FILE", learn,
                  "write a table of votes learnt from all the files, to be shipped with the\n"
                  "game, and measure nothing"),
        ARGS_FLAG("--json", is_json, "print one JSON object"),
    };
    const args_spec spec = {
        .command = "bench predict",
        .usage = "[options] [FILE...]",
        .about =
            "Tells how often each predictor is right on recorded inputs: those of the files, or\n"
            "of every table in the folder that BKS_TRACES names, and a scripted one. Files\n"
            "whose names are the same up to the first _ count as one game.",
        .options = options,
        .option_count = ARGS_COUNT(options),
        .positionals = files,
        .positionals_max = ARGS_LIST_MAX,
    };
    return args_parse(&spec, argc, argv);
}

static int run(bench *b, const args_list *files, const char *learn_path, bool is_json)
{
    const int status = add_files(b, files);
    if (status != TOOL_OK) {
        return status;
    }
    if (b->match_count == 0) {
        tool_complain("predict", "no files, expected some in BKS_TRACES or named");
        return TOOL_DAMAGED;
    }
    return learn_path != NULL ? write_votes(b, learn_path) : measure_all(b, is_json);
}

int bench_predict(int argc, char **argv)
{
    args_list files = {0};
    const char *game_name = "pad";
    const char *learn_path = NULL;
    bool is_json = false;
    int status = parse(argc, argv, &files, &game_name, &learn_path, &is_json);
    if (status != ARGS_GO) {
        return status;
    }
    loaded_game game;
    status = loader_open(game_name, &game);
    if (status != TOOL_OK) {
        return status;
    }
    bench *b = calloc(1, sizeof(*b));
    if (b == NULL) {
        tool_complain("predict", "out of memory");
        return TOOL_DAMAGED;
    }
    b->game = game.game;
    status = run(b, &files, learn_path, is_json);
    for (uint32_t i = 0; i < b->match_count; i++) {
        free(b->matches[i].values);
    }
    free(b);
    return status;
}
