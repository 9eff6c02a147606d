// SPDX-License-Identifier: MIT

// What playing a recording costs beside stepping the game.

#include <inttypes.h>
#include <stdio.h>

#include "base/args.h"
#include "base/json.h"
#include "base/tool.h"
#include "game/loader.h"
#include "workshop/bench/bench.h"
#include "workshop/bench/bench_passes.h"
#include "workshop/bench/bench_replay_run.h"

/// What playing without comparing may take of the time of the bare loop: the goal.
#define GOAL_RATIO 1.05

static const struct {
    const char *key;
    const char *name;
} ways[REPLAY_WAYS] = {
    {"bare", "a bare loop over step"},           {"played", "played"},
    {"verified", "played, every hash compared"}, {"read", "inputs read, nothing stepped"},
    {"ahead", "played, inputs read ahead"},
};

// What the command line says.
typedef struct replay_options {
    args_list given_options;
    args_list inputs;
    const char *game;
    int64_t minutes;
    int64_t players; ///< 0: as few as the game allows, but two
    int64_t seed;
    int64_t passes;
    bool is_json;
} replay_options;

// ---- printing ----

/// A tick in the median pass, in processor time: others are at work on the machine too.
static double tick_ns(const replay_bench *bench, const replay_result *result, replay_way way)
{
    return bench_median(result->ns[way], bench->passes) / (double)bench->ticks;
}

/// Pass by pass against the bare loop beside it: other load of the machine affects both.
static double ratio(const replay_bench *bench, const double (*ns)[BENCH_PASSES_MAX], replay_way way)
{
    double ratios[BENCH_PASSES_MAX];
    for (uint32_t i = 0; i < bench->passes; i++) {
        ratios[i] = ns[way][i] / ns[REPLAY_BARE][i];
    }
    return bench_median(ratios, bench->passes);
}

/// What comparing the hash of a tick takes.
static double hash_ns(const replay_bench *bench, const replay_result *result)
{
    return tick_ns(bench, result, REPLAY_VERIFIED) - tick_ns(bench, result, REPLAY_PLAYED);
}

static double input_ns(const replay_bench *bench, const replay_result *result)
{
    return tick_ns(bench, result, REPLAY_READ) / bench->players;
}

static void print_text(const replay_bench *bench, const replay_result *result)
{
    printf("%s, %" PRIu32 " players, %" PRId32 " ticks: %zu bytes; the median of %" PRIu32
           " passes\n",
           bench->game->name, bench->players, bench->ticks, result->file_bytes, bench->passes);
    for (replay_way way = 0; way < REPLAY_WAYS; way++) {
        printf("  %-30s %8.0f ns a tick", ways[way].name, tick_ns(bench, result, way));
        if (way == REPLAY_BARE || way == REPLAY_READ) {
            printf("\n");
        } else {
            printf("   %.3f of the bare loop, %.3f by the clock\n", ratio(bench, result->ns, way),
                   ratio(bench, result->wall_ns, way));
        }
    }
    printf("  goal for played: up to %.2f\n", GOAL_RATIO);
    printf("  an input takes %.0f ns to read, a hash %.0f to compare\n", input_ns(bench, result),
           hash_ns(bench, result));
}

static bool print_json(const replay_bench *bench, const replay_result *result)
{
    json out;
    json_begin(&out, stdout);
    json_text(&out, "bench", "replay");
    json_text(&out, "game", bench->game->name);
    json_uint(&out, "players", bench->players);
    json_int(&out, "ticks", bench->ticks);
    json_uint(&out, "bytes", result->file_bytes);
    json_uint(&out, "passes", bench->passes);
    json_object(&out, "tick_ns");
    for (replay_way way = 0; way < REPLAY_WAYS; way++) {
        json_number(&out, ways[way].key, tick_ns(bench, result, way), 1);
    }
    json_close(&out);
    json_object(&out, "ratio");
    for (replay_way way = 0; way < REPLAY_WAYS; way++) {
        json_number(&out, ways[way].key, ratio(bench, result->ns, way), 4);
    }
    json_close(&out);
    json_object(&out, "clock_ratio");
    for (replay_way way = 0; way < REPLAY_WAYS; way++) {
        json_number(&out, ways[way].key, ratio(bench, result->wall_ns, way), 4);
    }
    json_close(&out);
    json_number(&out, "goal_ratio", GOAL_RATIO, 2);
    json_number(&out, "input_ns", input_ns(bench, result), 1);
    json_number(&out, "hash_ns", hash_ns(bench, result), 1);
    json_bool(&out, "same", result->is_same);
    return json_end(&out);
}

// ---- the command ----

static int parse(replay_options *o, int argc, char **argv)
{
    const args_option options[] = {
        ARGS_INT("--minutes", "N", &o->minutes, 1, 60, "length of the match (default 10)"),
        BENCH_PASSES_OPTIONS(o, 0, "how often each variant runs (default 21)"),
    };
    const args_spec spec = {
        .command = "bench replay",
        .usage = "[options]",
        .about =
            "Print the cost of playing a recording beside stepping the game. Record a match in\n"
            "memory; then play it, with and without comparing hashes, and with inputs read ahead\n"
            "on a second core as 'bks run' does, in turn with a bare loop over step that has the\n"
            "same inputs in memory. Opening the recording counts. Times are processor times of "
            "the\n"
            "stepping thread; the clock time includes other programs. If not all end in the\n"
            "recorded state, the exit status is 1.",
        ARGS_OPTIONS(options),
    };
    return args_parse(&spec, argc, argv);
}

static int make_bench(const replay_options *o, const bks_game *game, replay_bench *bench)
{
    uint32_t players = 0;
    if (bench_players(game, o->players, &players) != TOOL_OK) {
        return TOOL_MISUSE;
    }
    *bench = (replay_bench){
        .game = game,
        .seed = (uint64_t)o->seed,
        .players = players,
        .ticks = (bks_tick)(o->minutes * 60 * game->tick_rate_hz),
        .passes = (uint32_t)o->passes,
    };
    int status =
        loader_options(game, o->given_options.items, o->given_options.count, &bench->options);
    const source_env env = {.game = game, .players = bench->players, .seed = bench->seed};
    if (status == TOOL_OK) {
        status = source_set_open(&o->inputs, game->bot != NULL ? "bot" : "monkey", &env,
                                 &bench->sources);
    }
    if (status == TOOL_OK) {
        status = source_set_check(bench->sources, 0, bench->players, bench->ticks);
    }
    return status;
}

static int report(const replay_options *o, const replay_bench *bench, const replay_result *result)
{
    if (!o->is_json) {
        print_text(bench, result);
    } else if (!print_json(bench, result)) {
        return TOOL_DAMAGED;
    }
    if (!result->is_same) {
        tool_complain("replay", "not every variant ended in the recorded state");
        return TOOL_NO;
    }
    return TOOL_OK;
}

int bench_replay(int argc, char **argv)
{
    static replay_options options;
    options = (replay_options){.game = "duel", .minutes = 10, .seed = 1, .passes = 21};
    int status = parse(&options, argc, argv);
    if (status != ARGS_GO) {
        return status;
    }
    loaded_game game;
    replay_bench bench = {0};
    static replay_result result;
    status = loader_open(options.game, &game);
    if (status == TOOL_OK) {
        status = make_bench(&options, game.game, &bench);
    }
    if (status == TOOL_OK) {
        status = replay_bench_run(&bench, &result);
    }
    if (status == TOOL_OK) {
        status = report(&options, &bench, &result);
    }
    source_set_close(bench.sources);
    return status;
}
