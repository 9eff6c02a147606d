// SPDX-License-Identifier: MIT

// Measures how often each predictor is right on inputs that people played.

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

enum { DELAY_MS = 50 };

#define LEGEND                                                                                   \
    "misses/s: wrong guesses a second for each remote player. rollbacks/s: as one player sees "  \
    "them,\nall others 50 ms away. vote + table: with a table learnt from the other matches of " \
    "the game.\n"

/// Predictors to try. If a predictor does not apply to a field, the field is guessed by HOLD, which
/// repeats the last value.
typedef enum predictor_kind {
    HOLD,
    RELEASE,
    LINEAR,
    SPLINE,
    VOTE,
    VOTE_LEARNT,
    PREDICTORS
} predictor_kind;

static const char *const predictor_names[PREDICTORS] = {"hold",   "release", "linear",
                                                        "spline", "vote",    "vote + table"};
static const char *const predictor_keys[PREDICTORS] = {"hold",   "release", "linear",
                                                       "spline", "vote",    "vote_learnt"};

typedef struct bench {
    bench_matches *played;
    guess_count counts[PREDICTORS]; ///< counts of guesses in one game, by predictor
} bench;

// ---- counting wrong guesses ----

static bks_predictor predictor_for(predictor_kind kind, const bks_field *field)
{
    switch (kind) {
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

/// Learn a table of votes from the other matches of the same game. If there are no others, make no
/// table.
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

static bks_status measure_predictor(bench *b, uint32_t index, predictor_kind kind, bks_error *error)
{
    const played_match *match = &b->played->matches[index];
    bks_field fields[BKS_FIELDS_MAX];
    for (uint32_t i = 0; i < b->played->game->field_count; i++) {
        fields[i] = b->played->game->fields[i];
        fields[i].predictor = predictor_for(kind, &fields[i]);
    }
    uint8_t *votes = NULL;
    size_t votes_bytes = 0;
    bks_status status = BKS_OK;
    if (kind == VOTE_LEARNT) {
        status = learn_from_others(b, index, &votes, &votes_bytes, error);
    }
    const uint32_t delay_ticks = (DELAY_MS * match->tick_rate_hz + 999) / 1000;
    if (status == BKS_OK && (kind != VOTE_LEARNT || votes != NULL)) {
        status = guess_match(match, fields, b->played->game->field_count, delay_ticks, votes,
                             votes_bytes, &b->counts[kind], error);
    }
    free(votes);
    return status;
}

static bks_status measure(void *context, uint32_t index, bool is_first, bks_error *error)
{
    bench *b = context;
    bks_status status = BKS_OK;
    for (predictor_kind kind = HOLD; kind < PREDICTORS && status == BKS_OK; kind++) {
        b->counts[kind] = is_first ? (guess_count){0} : b->counts[kind];
        status = measure_predictor(b, index, kind, error);
    }
    return status;
}

// ---- printing results ----

static double per_second(uint64_t events, double seconds)
{
    return seconds > 0 ? (double)events / seconds : 0;
}

/// Return the misses of a predictor relative to the misses of HOLD, in percent.
static double versus_hold(const guess_count counts[PREDICTORS], predictor_kind kind)
{
    const double hold = (double)counts[HOLD].misses;
    return hold > 0 ? ((double)counts[kind].misses / hold - 1) * 100 : 0;
}

static void print_game(const void *context, const bench_game *game)
{
    const guess_count *counts = ((const bench *)context)->counts;
    (void)game;
    printf("  predictor     right   misses/s   against hold   rollbacks/s\n");
    for (predictor_kind kind = HOLD; kind < PREDICTORS; kind++) {
        const guess_count *count = &counts[kind];
        if (count->inputs == 0) {
            continue;
        }
        printf("  %-12s %5.1f %%   %8.2f   ", predictor_names[kind],
               100.0 * (1.0 - (double)count->misses / (double)count->inputs),
               per_second(count->misses, count->player_seconds));
        if (kind == HOLD) {
            printf("%12s", "");
        } else {
            printf("%+10.1f %%", versus_hold(counts, kind));
        }
        printf("   %11.2f\n", per_second(count->rollbacks, count->watcher_seconds));
    }
}

static void json_game(const void *context, const bench_game *game, json *out)
{
    const guess_count *counts = ((const bench *)context)->counts;
    (void)game;
    json_array(out, "predictors");
    for (predictor_kind kind = HOLD; kind < PREDICTORS; kind++) {
        const guess_count *count = &counts[kind];
        if (count->inputs == 0) {
            continue;
        }
        json_object(out, NULL);
        json_text(out, "name", predictor_keys[kind]);
        json_number(out, "hit_rate", 1.0 - (double)count->misses / (double)count->inputs, 5);
        json_number(out, "misses_per_s", per_second(count->misses, count->player_seconds), 3);
        json_number(out, "versus_hold", versus_hold(counts, kind) / 100, 5);
        json_number(out, "rollbacks_per_s", per_second(count->rollbacks, count->watcher_seconds),
                    3);
        json_close(out);
    }
    json_close(out);
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
    const bench_games games = {.name = "predict",
                               .context = &b,
                               .measure = measure,
                               .print = print_game,
                               .json = json_game,
                               .delay_ms = DELAY_MS,
                               .legend = LEGEND};
    status = bench_matches_open("predict", game_name, &files, &b.played);
    if (status == TOOL_OK) {
        status = learn_path != NULL ? write_votes(&b, learn_path)
                                    : bench_games_measure(b.played, &games, is_json);
    }
    bench_matches_close(b.played);
    return status;
}
