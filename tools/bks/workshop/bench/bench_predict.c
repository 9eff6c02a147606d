// SPDX-License-Identifier: MIT

// How often each predictor is right on inputs that people played.

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/args.h"
#include "base/json.h"
#include "base/tool.h"
#include "workshop/bench/bench.h"
#include "workshop/bench/bench_matches.h"
#include "workshop/bench/bench_predict_run.h"

enum { DELAY_MS = 50 };

/// What is tried. A predictor that means nothing to a field leaves it at hold.
typedef enum way { HOLD, RELEASE, LINEAR, SPLINE, VOTE, VOTE_LEARNT, WAYS } way;

static const char *const way_names[WAYS] = {"hold",   "release", "linear",
                                            "spline", "vote",    "vote + table"};
static const char *const way_keys[WAYS] = {"hold",   "release", "linear",
                                           "spline", "vote",    "vote_learnt"};

/// Everything of one call.
typedef struct bench {
    bench_matches *played;
    progress bar;
    uint64_t done;
} bench;

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
    const played_match *others[BENCH_MATCHES_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->played->match_count; i++) {
        if (i != self && strcmp(b->played->matches[i].group, b->played->matches[self].group) == 0) {
            others[count++] = &b->played->matches[i];
        }
    }
    *out = NULL;
    *out_bytes = 0;
    return count == 0 ? BKS_OK
                      : votes_learn(others, count, b->played->game->fields,
                                    b->played->game->field_count, out, out_bytes, error);
}

static bks_status measure_match(bench *b, uint32_t index, way tried, guess_count *count,
                                bks_error *error)
{
    const played_match *match = &b->played->matches[index];
    bks_field fields[BKS_FIELDS_MAX];
    for (uint32_t i = 0; i < b->played->game->field_count; i++) {
        fields[i] = b->played->game->fields[i];
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
        status = guess_match(match, fields, b->played->game->field_count, delay_ticks, votes,
                             votes_bytes, count, error);
    }
    free(votes);
    progress_show(&b->bar, ++b->done);
    return status;
}

/// All matches of a game, in all ways.
static int measure_group(bench *b, const char *group, guess_count counts[WAYS])
{
    memset(counts, 0, WAYS * sizeof(counts[0]));
    for (uint32_t i = 0; i < b->played->match_count; i++) {
        for (way tried = HOLD; tried < WAYS && strcmp(b->played->matches[i].group, group) == 0;
             tried++) {
            bks_error error = {0};
            if (measure_match(b, i, tried, &counts[tried], &error) != BKS_OK) {
                tool_complain_error("predict", &error);
                return TOOL_DAMAGED;
            }
        }
    }
    return TOOL_OK;
}

// ---- printing ----

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

static void print_group(const bench *b, const played_match *first, const guess_count counts[WAYS])
{
    const uint32_t files = bench_files_of(b->played, first->group);
    printf("%s, %" PRIu32 " Hz, %" PRIu32 " match%s, %.0f minutes of players\n", first->game,
           first->tick_rate_hz, files, TOOL_PLURAL_ES(files), counts[HOLD].player_seconds / 60);
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
    json_uint(out, "files", bench_files_of(b->played, first->group));
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

static int measure_all(bench *b, bool is_json)
{
    json out;
    if (is_json) {
        json_begin(&out, stdout);
        json_text(&out, "bench", "predict");
        json_uint(&out, "delay_ms", DELAY_MS);
        json_uint(&out, "skipped", b->played->skipped);
        json_array(&out, "games");
    }
    int status = TOOL_OK;
    progress_begin(&b->bar, "predict", (uint64_t)b->played->match_count * WAYS);
    for (uint32_t i = 0; i < b->played->match_count && status == TOOL_OK; i++) {
        guess_count counts[WAYS];
        if (!bench_is_first_of_group(b->played, i)) {
            continue;
        }
        status = measure_group(b, b->played->matches[i].group, counts);
        progress_end(&b->bar); // wipes it away; the next progress_show() draws it again
        if (status == TOOL_OK && is_json) {
            json_group(&out, b, &b->played->matches[i], counts);
        } else if (status == TOOL_OK) {
            print_group(b, &b->played->matches[i], counts);
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
    if (b->played->skipped > 0) {
        printf("%" PRIu32 " files were skipped: they are not input logs.\n", b->played->skipped);
    }
    return status;
}

static int write_votes(const bench *b, const char *path)
{
    const played_match *all[BENCH_MATCHES_MAX];
    for (uint32_t i = 0; i < b->played->match_count; i++) {
        all[i] = &b->played->matches[i];
    }
    uint8_t *bytes = NULL;
    size_t count = 0;
    bks_error error = {0};
    if (votes_learn(all, b->played->match_count, b->played->game->fields,
                    b->played->game->field_count, &bytes, &count, &error) != BKS_OK) {
        tool_complain_error("predict", &error);
        return TOOL_DAMAGED;
    }
    FILE *file = fopen(path, "wb");
    bool is_written = file != NULL && fwrite(bytes, 1, count, file) == count;
    is_written = file != NULL && fclose(file) == 0 && is_written;
    free(bytes);
    if (!is_written) {
        tool_complain(path, "cannot be written: %s", strerror(errno));
        return TOOL_DAMAGED;
    }
    return TOOL_OK;
}

static int parse(int argc, char **argv, args_list *files, const char **game, const char **learn,
                 bool *is_json)
{
    const args_option options[] = {
        BENCH_GAME_OPTION(game),
        ARGS_TEXT("--learn", "FILE", learn,
                  "write a table of votes learnt from all the files, for a game to ship, and "
                  "measure nothing"),
        ARGS_JSON(is_json),
    };
    const args_spec spec = {
        .command = "bench predict",
        .usage = "[options] [FILE...]",
        .about =
            "Print how often each predictor is right on recorded inputs: those of the files, or\n"
            "of every input log in the folder that BKS_TRACES names, and a scripted one. Files\n"
            "whose names are the same up to the first _ count as one game.",
        ARGS_OPTIONS(options),
        ARGS_POSITIONALS(files, 0, ARGS_LIST_MAX),
    };
    return args_parse(&spec, argc, argv);
}

int bench_predict(int argc, char **argv)
{
    args_list files = {0};
    const char *game_name = NULL;
    const char *learn_path = NULL;
    bool is_json = false;
    int status = parse(argc, argv, &files, &game_name, &learn_path, &is_json);
    if (status != ARGS_GO) {
        return status;
    }
    bench b = {0};
    status = bench_matches_open("predict", game_name, &files, &b.played);
    if (status == TOOL_OK) {
        status = learn_path != NULL ? write_votes(&b, learn_path) : measure_all(&b, is_json);
    }
    bench_matches_close(b.played);
    return status;
}
