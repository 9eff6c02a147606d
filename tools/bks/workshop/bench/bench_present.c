// SPDX-License-Identifier: MIT

// Measures how much presenting a match costs, compared with only playing it.

#include <inttypes.h>
#include <stdio.h>

#include "base/args.h"
#include "base/json.h"
#include "base/tool.h"
#include "screen/player/play_view.h"
#include "screen/window/canvas.h"
#include "workshop/bench/bench.h"

typedef enum present_mode {
    PRESENT_PLAYED, ///< the match without pictures: the base for the other variants
    PRESENT_TAKEN,  ///< the match with a call of bks_peer_frame() for each picture
    PRESENT_DRAWN,  ///< as PRESENT_TAKEN, and the game's draw on a canvas that draws nothing
    PRESENT_MODES,
} present_mode;

/// Match to play, and the rate of its pictures.
typedef struct present_bench {
    bench_match match;
    uint32_t seconds;
    uint32_t pictures_hz;
} present_bench;

/// Result of the benchmark of presenting.
typedef struct present_result {
    uint64_t pictures;                          ///< number of pictures in a pass
    bool is_same;                               ///< true: all variants ended in the same state
    double ns[PRESENT_MODES][BENCH_PASSES_MAX]; ///< processor time of each pass
} present_result;

#define SECOND_NS UINT64_C(1000000000)

static const float WIDTH = 1280.0F;
static const float HEIGHT = 720.0F;

/// One match of one variant of the benchmark.
typedef struct presented {
    const present_bench *bench;
    present_mode mode;
    source_set *sources;
    bks_peer *peer;
    view_pictures pictures;
    canvas_dry dry;
    uint64_t now_ns;
    uint64_t hash;
    uint64_t taken;
} presented;

static int open_match(presented *p)
{
    const bench_match *match = &p->bench->match;
    const int status = bench_match_sources(match, &p->sources);
    if (status != TOOL_OK) {
        return status;
    }
    bks_peer_config config = bench_match_config(match, p->sources);
    if (p->mode != PRESENT_PLAYED) {
        config.pictures = view_pictures_kind(match->plugin);
    }
    bks_error error = {0};
    if (bks_peer_create(&config, &p->peer, &error) != BKS_OK) {
        tool_complain_error(match->game->name, &error);
        return TOOL_MISUSE;
    }
    if (!view_pictures_open(&p->pictures, match->plugin)) {
        tool_complain("present", "out of memory");
        return TOOL_DAMAGED;
    }
    return TOOL_OK;
}

static void close_match(presented *p)
{
    view_pictures_close(&p->pictures);
    bks_peer_destroy(p->peer);
    source_set_close(p->sources);
}

/// Run all updates that are due up to a time.
static bool update_until(presented *p, uint64_t until_ns)
{
    for (;;) {
        const uint64_t wake_ns = bks_peer_wake(p->peer);
        if (wake_ns > until_ns) {
            p->now_ns = until_ns;
            return true;
        }
        p->now_ns = wake_ns > p->now_ns ? wake_ns : p->now_ns + 1;
        if (bks_peer_update(p->peer, p->now_ns) != BKS_OK) {
            return false;
        }
    }
}

static void take_picture(presented *p, const bks_canvas *canvas)
{
    bks_frame frame;
    if (p->mode == PRESENT_PLAYED || bks_peer_frame(p->peer, p->now_ns, &frame) != BKS_OK) {
        return;
    }
    p->taken++;
    if (p->mode == PRESENT_DRAWN) {
        const bks_picture picture = view_pictures_of(&p->pictures, &frame, p->now_ns);
        p->bench->match.plugin->draw(&picture, canvas);
    }
}

static bool play(presented *p)
{
    const present_bench *bench = p->bench;
    const bks_canvas canvas = canvas_dry_canvas(&p->dry, WIDTH, HEIGHT);
    const uint64_t pictures = (uint64_t)bench->seconds * bench->pictures_hz;
    bool is_good = true;
    p->now_ns = SECOND_NS;
    for (uint64_t i = 1; is_good && i <= pictures; i++) {
        is_good = update_until(p, SECOND_NS + i * SECOND_NS / bench->pictures_hz);
        if (is_good && bks_peer_started(p->peer)) {
            take_picture(p, &canvas);
        }
    }
    const bks_session *session = bks_peer_session(p->peer);
    const bks_tick tick = bks_session_published(session);
    return is_good && tick != BKS_TICK_NONE && bks_session_hash(session, tick, &p->hash) == BKS_OK;
}

static int run_pass(const present_bench *bench, uint32_t pass, present_result *result)
{
    uint64_t hashes[PRESENT_MODES] = {0};
    for (present_mode mode = 0; mode < PRESENT_MODES; mode++) {
        presented p = {.bench = bench, .mode = mode};
        int status = open_match(&p);
        if (status == TOOL_OK) {
            const double begun_ns = bench_cpu_ns();
            const bool is_good = play(&p);
            result->ns[mode][pass] = bench_cpu_ns() - begun_ns;
            result->pictures = p.taken;
            hashes[mode] = p.hash;
            if (!is_good) {
                tool_complain(bench->match.game->name, "the match failed");
                status = TOOL_NO;
            }
        }
        close_match(&p);
        if (status != TOOL_OK) {
            return status;
        }
    }
    for (present_mode mode = 1; mode < PRESENT_MODES; mode++) {
        result->is_same &= hashes[mode] == hashes[PRESENT_PLAYED];
    }
    return TOOL_OK;
}

/// Run all passes. Errors go to stderr.
/// @return exit status
static int present_bench_run(const present_bench *bench, present_result *result)
{
    int status = TOOL_OK;
    result->is_same = true;
    for (uint32_t i = 0; status == TOOL_OK && i < bench->match.passes; i++) {
        status = run_pass(bench, i, result);
    }
    return status;
}

/// Goal: greatest share of a core that 144 pictures a second may take without drawing, in percent.
#define GOAL_PERCENT 10.0

static const struct {
    const char *key;
    const char *name;
} modes[PRESENT_MODES] = {
    {"played", "the match, without pictures"},
    {"taken", "taken"},
    {"drawn", "drawn, without pixels"},
};

typedef struct present_options {
    bench_match_options match;
    int64_t seconds;
    int64_t pictures_hz;
} present_options;

// ---- figures of the result ----

/// Return the time that a variant takes beyond the variant before it, as the median over the
/// passes. The variants are compared within a pass, in which the load of the machine is the
/// same.
static double more_ns(const present_bench *bench, const present_result *result, present_mode mode)
{
    double more[BENCH_PASSES_MAX];
    for (uint32_t i = 0; i < bench->match.passes; i++) {
        more[i] = result->ns[mode][i] - (mode > 0 ? result->ns[mode - 1][i] : 0.0);
    }
    return bench_median(more, bench->match.passes);
}

/// Convert processor time to the share of a core, in percent, that the match takes in real time.
static double percent(const present_bench *bench, double ns)
{
    return 100.0 * ns / ((double)bench->seconds * 1e9);
}

// ---- printing results ----

static void print_row(const present_bench *bench, const present_result *result, present_mode mode)
{
    const double ns = more_ns(bench, result, mode);
    printf("  %-28s %8.2f us %8.2f %% of a core\n", modes[mode].name,
           ns * 1e-3 / (double)result->pictures, percent(bench, ns));
}

static void print_text(const present_bench *bench, const present_result *result)
{
    const double played_ns = more_ns(bench, result, PRESENT_PLAYED);
    printf("%s, %" PRIu32 " players, %" PRIu32 " s, %" PRIu32
           " pictures a second; the median of %" PRIu32 " passes, processor time\n",
           bench->match.game->name, bench->match.players, bench->seconds, bench->pictures_hz,
           bench->match.passes);
    printf("  %-28s             %8.2f %% of a core\n", modes[PRESENT_PLAYED].name,
           percent(bench, played_ns));
    printf("  what each picture adds\n");
    print_row(bench, result, PRESENT_TAKEN);
    print_row(bench, result, PRESENT_DRAWN);
    printf("  goal for taken: under %.0f %% of a core at 144 pictures a second\n", GOAL_PERCENT);
}

static void json_mode(json *out, const present_bench *bench, const present_result *result,
                      present_mode mode)
{
    const double ns = more_ns(bench, result, mode);
    json_object(out, modes[mode].key);
    json_number(out, "picture_us", ns * 1e-3 / (double)result->pictures, 3);
    json_number(out, "core_percent", percent(bench, ns), 3);
    json_close(out);
}

static bool print_json(const present_bench *bench, const present_result *result)
{
    json out;
    json_begin(&out, stdout);
    json_text(&out, "bench", "present");
    json_text(&out, "game", bench->match.game->name);
    json_uint(&out, "players", bench->match.players);
    json_uint(&out, "seconds", bench->seconds);
    json_uint(&out, "pictures_hz", bench->pictures_hz);
    json_uint(&out, "pictures", result->pictures);
    json_uint(&out, "passes", bench->match.passes);
    json_number(&out, "played_core_percent", percent(bench, more_ns(bench, result, PRESENT_PLAYED)),
                3);
    json_mode(&out, bench, result, PRESENT_TAKEN);
    json_mode(&out, bench, result, PRESENT_DRAWN);
    json_number(&out, "goal_core_percent", GOAL_PERCENT, 0);
    json_bool(&out, "same", result->is_same);
    return json_end(&out);
}

// ---- the command `bks bench present` ----

static int parse(present_options *o, int argc, char **argv)
{
    const args_option options[] = {
        ARGS_INT("--seconds", "N", &o->seconds, 1, 3600, "length of the match (default 60)"),
        ARGS_INT("--pictures", "N", &o->pictures_hz, 1, 1000, "pictures a second (default 144)"),
        BENCH_MATCH_OPTIONS(&o->match, 1, "how often each variant runs (default 5)"),
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

static int make_bench(const present_options *o, present_bench *bench)
{
    *bench =
        (present_bench){.seconds = (uint32_t)o->seconds, .pictures_hz = (uint32_t)o->pictures_hz};
    const int status = bench_match_open(&o->match, &bench->match);
    const bks_plugin *plugin = bench->match.plugin;
    if (status == TOOL_OK &&
        (plugin->draw == NULL || view_pictures_kind(plugin) == BKS_PICTURES_NONE)) {
        tool_complain(bench->match.game->name,
                      "has no pictures between ticks, expected a plug-in with draw, and "
                      "extrapolate or is_blended");
        return TOOL_MISUSE;
    }
    return status;
}

int bench_present(int argc, char **argv)
{
    static present_options options;
    options = (present_options){
        .match = {.game = "duel", .seed = 1, .passes = 5}, .seconds = 60, .pictures_hz = 144};
    int status = parse(&options, argc, argv);
    if (status != ARGS_GO) {
        return status;
    }
    present_bench bench;
    static present_result result;
    result = (present_result){0};
    status = make_bench(&options, &bench);
    if (status == TOOL_OK) {
        status = present_bench_run(&bench, &result);
    }
    if (status != TOOL_OK) {
        return status;
    }
    if (!options.match.is_json) {
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
