// SPDX-License-Identifier: MIT

// What presenting a match costs beside playing it.

#include <inttypes.h>
#include <stdio.h>

#include "base/args.h"
#include "base/json.h"
#include "base/tool.h"
#include "game/loader.h"
#include "screen/player/view_pictures.h"
#include "workshop/bench/bench.h"
#include "workshop/bench/bench_passes.h"
#include "workshop/bench/bench_present_run.h"

/// Of a core, in percent: the goal for pictures at 144 a second, beside drawing.
#define GOAL_PERCENT 10.0

static const struct {
    const char *key;
    const char *name;
} ways[PRESENT_WAYS] = {
    {"played", "the match, without pictures"},
    {"taken", "taken"},
    {"drawn", "drawn, without pixels"},
};

// What the command line says.
typedef struct present_options {
    args_list given_options;
    args_list inputs;
    const char *game;
    int64_t seconds;
    int64_t players; ///< 0: as few as the game allows, but two
    int64_t pictures_hz;
    int64_t seed;
    int64_t passes;
    bool is_json;
} present_options;

// ---- figures ----

/// What a way takes more than the one before it, pass by pass, since other load of the machine
/// affects both; the median of that.
static double more_ns(const present_bench *bench, const present_result *result, present_way way)
{
    double more[BENCH_PASSES_MAX];
    for (uint32_t i = 0; i < bench->passes; i++) {
        more[i] = result->ns[way][i] - (way > 0 ? result->ns[way - 1][i] : 0.0);
    }
    return bench_median(more, bench->passes);
}

/// A core's share, in percent, of the match in real time.
static double percent(const present_bench *bench, double ns)
{
    return 100.0 * ns / ((double)bench->seconds * 1e9);
}

// ---- printing ----

static void print_row(const present_bench *bench, const present_result *result, present_way way)
{
    const double ns = more_ns(bench, result, way);
    printf("  %-28s %8.2f us %8.2f %% of a core\n", ways[way].name,
           ns * 1e-3 / (double)result->pictures, percent(bench, ns));
}

static void print_text(const present_bench *bench, const present_result *result)
{
    const double played_ns = more_ns(bench, result, PRESENT_PLAYED);
    printf("%s, %" PRIu32 " players, %" PRIu32 " s, %" PRIu32
           " pictures a second; the median of %" PRIu32 " passes, processor time\n",
           bench->game->name, bench->players, bench->seconds, bench->pictures_hz, bench->passes);
    printf("  %-28s             %8.2f %% of a core\n", ways[PRESENT_PLAYED].name,
           percent(bench, played_ns));
    printf("  what each picture adds\n");
    print_row(bench, result, PRESENT_TAKEN);
    print_row(bench, result, PRESENT_DRAWN);
    printf("  goal for taken: under %.0f %% of a core at 144 pictures a second\n", GOAL_PERCENT);
}

static void json_way(json *out, const present_bench *bench, const present_result *result,
                     present_way way)
{
    const double ns = more_ns(bench, result, way);
    json_object(out, ways[way].key);
    json_number(out, "picture_us", ns * 1e-3 / (double)result->pictures, 3);
    json_number(out, "core_percent", percent(bench, ns), 3);
    json_close(out);
}

static bool print_json(const present_bench *bench, const present_result *result)
{
    json out;
    json_begin(&out, stdout);
    json_text(&out, "bench", "present");
    json_text(&out, "game", bench->game->name);
    json_uint(&out, "players", bench->players);
    json_uint(&out, "seconds", bench->seconds);
    json_uint(&out, "pictures_hz", bench->pictures_hz);
    json_uint(&out, "pictures", result->pictures);
    json_uint(&out, "passes", bench->passes);
    json_number(&out, "played_core_percent", percent(bench, more_ns(bench, result, PRESENT_PLAYED)),
                3);
    json_way(&out, bench, result, PRESENT_TAKEN);
    json_way(&out, bench, result, PRESENT_DRAWN);
    json_number(&out, "goal_core_percent", GOAL_PERCENT, 0);
    json_bool(&out, "same", result->is_same);
    return json_end(&out);
}

// ---- the command ----

static int parse(present_options *o, int argc, char **argv)
{
    const args_option options[] = {
        ARGS_INT("--seconds", "N", &o->seconds, 1, 3600, "length of the match (default 60)"),
        ARGS_INT("--pictures", "N", &o->pictures_hz, 1, 1000, "pictures a second (default 144)"),
        BENCH_PASSES_OPTIONS(o, 1, "how often each variant runs (default 5)"),
    };
    const args_spec spec = {
        .command = "bench present",
        .usage = "[options]",
        .about =
            "Print what presenting a match costs: play it on a virtual clock without pictures,\n"
            "with a picture between ticks taken so often a second, and with each of them drawn by\n"
            "the game on a canvas that throws the shapes away. Times are processor times; a share\n"
            "of a core is that of the same match in real time. If not all end in the same state,\n"
            "the exit status is 1.",
        ARGS_OPTIONS(options),
    };
    return args_parse(&spec, argc, argv);
}

static int make_bench(const present_options *o, const loaded_game *game, present_bench *bench)
{
    const bks_game *g = game->game;
    uint32_t players = 0;
    if (bench_players(g, o->players, &players) != TOOL_OK) {
        return TOOL_MISUSE;
    }
    if (game->plugin->draw == NULL || view_pictures_kind(game->plugin) == BKS_PICTURES_NONE) {
        tool_complain(g->name, "has no pictures between ticks, expected a plug-in with draw, and "
                               "extrapolate or is_blended");
        return TOOL_MISUSE;
    }
    *bench = (present_bench){
        .plugin = game->plugin,
        .game = g,
        .seed = (uint64_t)o->seed,
        .players = players,
        .seconds = (uint32_t)o->seconds,
        .pictures_hz = (uint32_t)o->pictures_hz,
        .passes = (uint32_t)o->passes,
        .inputs = &o->inputs,
    };
    return loader_options(g, o->given_options.items, o->given_options.count, &bench->options);
}

int bench_present(int argc, char **argv)
{
    static present_options options;
    options = (present_options){
        .game = "duel", .seconds = 60, .pictures_hz = 144, .seed = 1, .passes = 5};
    int status = parse(&options, argc, argv);
    if (status != ARGS_GO) {
        return status;
    }
    loaded_game game;
    present_bench bench;
    static present_result result;
    result = (present_result){0};
    status = loader_open(options.game, &game);
    if (status == TOOL_OK) {
        status = make_bench(&options, &game, &bench);
    }
    if (status == TOOL_OK) {
        status = present_bench_run(&bench, &result);
    }
    if (status != TOOL_OK) {
        return status;
    }
    if (!options.is_json) {
        print_text(&bench, &result);
    } else if (!print_json(&bench, &result)) {
        return TOOL_DAMAGED;
    }
    if (!result.is_same) {
        tool_complain("present", "not every variant ended in the same state");
        return TOOL_NO;
    }
    return TOOL_OK;
}
