// SPDX-License-Identifier: MIT

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "base/report.h"
#include "canvas_dry.h"
#include "commands.h"
#include "json.h"
#include "loader.h"
#include "progress.h"
#include "replay_file.h"
#include "tool.h"
#include "window.h"

enum { RENDER_NONE, RENDER_DRY, RENDER_FULL };

enum { WIDTH = 1280, HEIGHT = 720 };

// Durations kept for their distribution.
#define DURATIONS_MAX ((size_t)1 << 20)

static const char *const render_names[] = {"none", "dry", "full"};

// What the command line says.
typedef struct run_options {
    args_list positionals;
    uint32_t render;
    int64_t times;
    int64_t until;
    bool no_verify;
    bool has_stats;
    bool is_json;
} run_options;

// Durations of one kind of work, in nanoseconds.
typedef struct durations {
    uint64_t *ns;
    size_t count;
    size_t capacity;
    uint64_t calls; ///< also those that are not kept
    uint64_t sum_ns;
} durations;

// One run over a file, and what came of it.
typedef struct run {
    const run_options *options;
    loaded_game game;
    replay_file file;
    bks_tick end; ///< one past the last tick to step
    window *screen;
    canvas_dry dry;
    durations steps;
    durations draws;
    progress bar;
    bool is_same;
    bool is_ended_by_hand;
    bks_tick first_different;
    bks_tick compared;
    bks_tick stepped; ///< by all times together
    bks_tick reached;
    uint64_t final_hash;
    double wall_s;
} run;

static int parse(run_options *o, int argc, char **argv)
{
    const args_option options[] = {
        ARGS_CHOICE("--render", "none|dry|full", &o->render,
                    "none (the default); dry does all drawing work and shows nothing; full\n"
                    "shows it in a window"),
        ARGS_INT("--times", "N", &o->times, 1, 1000000, "play it so often (default 1)"),
        ARGS_INT("--until", "TICK", &o->until, 0, INT32_MAX,
                 "stop before stepping this tick (default: at the end)"),
        ARGS_FLAG("--no-verify", &o->no_verify,
                  "compare no hashes and take any version of the game: a changed build on\n"
                  "old inputs"),
        ARGS_FLAG("--stats", &o->has_stats, "tell how long steps and drawing took"),
        ARGS_FLAG("--json", &o->is_json, "print one JSON object"),
    };
    const args_spec spec = {
        .command = "run",
        .usage = "[GAME] FILE [options]",
        .about = "Plays a recording as fast as it goes and compares every hash. Ticks that were\n"
                 "stepped with guesses when the recording stopped are stepped too: a crash is\n"
                 "reached again. GAME is found by its name when it is not given.",
        .options = options,
        .option_count = ARGS_COUNT(options),
        .positionals = &o->positionals,
        .positionals_min = 1,
        .positionals_max = 2,
        .more = "examples:\n"
                "  bks run duel match.bks\n"
                "  bks run ./changed.so match.bks --no-verify --stats\n"
                "  bks run duel crashed.bks --verbose     the last line names the tick",
    };
    return args_parse(&spec, argc, argv);
}

static void add_duration(durations *d, uint64_t ns)
{
    d->sum_ns += ns;
    d->calls++;
    if (d->count == DURATIONS_MAX) {
        return;
    }
    if (d->count == d->capacity) {
        const size_t capacity = d->capacity > 0 ? 2 * d->capacity : 4096;
        uint64_t *larger = realloc(d->ns, capacity * sizeof(*larger));
        if (larger == NULL) {
            return;
        }
        d->ns = larger;
        d->capacity = capacity;
    }
    d->ns[d->count++] = ns;
}

static int compare_ns(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a;
    const uint64_t right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

// Microseconds that `share` of the sorted durations did not exceed.
static double share_us(const durations *d, double share)
{
    return d->count > 0 ? (double)d->ns[(size_t)(share * (double)(d->count - 1))] * 1e-3 : 0;
}

static double mean_us(const durations *d)
{
    return d->calls > 0 ? (double)d->sum_ns * 1e-3 / (double)d->calls : 0;
}

// Draw the state as it is, as --render says.
// @return false once the user wants to end it
static bool draw(run *r, const void *state)
{
    if (r->options->render == RENDER_NONE || r->game.plugin->draw == NULL) {
        return true;
    }
    const uint64_t before = tool_clock_ns(NULL);
    if (r->options->render == RENDER_DRY) {
        const bks_canvas canvas = canvas_dry_canvas(&r->dry, WIDTH, HEIGHT);
        r->game.plugin->draw(state, &canvas);
    } else {
        if (window_poll(r->screen).quit) {
            return false;
        }
        const bks_canvas canvas = window_canvas(r->screen);
        r->game.plugin->draw(state, &canvas);
        window_present(r->screen);
    }
    add_duration(&r->draws, tool_clock_ns(NULL) - before);
    return true;
}

// Compare the state with what was recorded for its tick.
static bool check_state(run *r, bks_playback *playback)
{
    const bks_tick tick = bks_playback_tick(playback);
    uint64_t recorded = 0;
    uint32_t bits = 0;
    if (r->options->no_verify || tick > r->file.info->confirmed ||
        bks_replay_hash(r->file.replay, tick, &recorded, &bits) != BKS_OK || bits == 0) {
        return true;
    }
    r->compared++;
    if (bks_replay_hash_agrees(r->file.replay, tick, bks_playback_hash(playback))) {
        return true;
    }
    r->is_same = false;
    r->first_different = tick;
    return false;
}

static void play(run *r, bks_playback *playback)
{
    for (;;) {
        const bks_tick tick = bks_playback_tick(playback);
        if (!check_state(r, playback) || tick >= r->end) {
            break;
        }
        // The last of these lines names the tick that a crash happens in.
        bksi_log(BKS_LOG_DEBUG, "run", "stepping tick %" PRId32, tick);
        const uint64_t before = tool_clock_ns(NULL);
        if (bks_playback_step(playback) != BKS_OK) {
            break;
        }
        add_duration(&r->steps, tool_clock_ns(NULL) - before);
        r->stepped++;
        if (!draw(r, bks_playback_state(playback))) {
            r->is_ended_by_hand = true;
            break;
        }
        progress_show(&r->bar, (uint64_t)r->stepped);
    }
    r->reached = bks_playback_tick(playback);
    r->final_hash = bks_playback_hash(playback);
}

static int play_times(run *r)
{
    const bks_playback_config config = {
        .replay = r->file.replay, .game = r->game.game, .any_version = r->options->no_verify};
    progress_begin(&r->bar, "running", (uint64_t)r->end * (uint64_t)r->options->times);
    const uint64_t begun = tool_clock_ns(NULL);
    int status = TOOL_OK;
    for (int64_t i = 0; i < r->options->times && r->is_same && !r->is_ended_by_hand; i++) {
        bks_playback *playback = NULL;
        bks_error error = {0};
        if (bks_playback_create(&config, &playback, &error) != BKS_OK) {
            tool_complain_error(r->file.path, &error);
            status = TOOL_NO;
            break;
        }
        play(r, playback);
        bks_playback_destroy(playback);
    }
    r->wall_s = (double)(tool_clock_ns(NULL) - begun) * 1e-9;
    progress_end(&r->bar);
    return status;
}

static void json_durations(json *j, const char *key, const durations *d)
{
    json_object(j, key);
    json_number(j, "mean", mean_us(d), 3);
    json_number(j, "p50", share_us(d, 0.5), 3);
    json_number(j, "p99", share_us(d, 0.99), 3);
    json_number(j, "max", share_us(d, 1), 3);
    json_close(j);
}

static double rate(const run *r)
{
    return r->wall_s > 0 ? (double)r->stepped / r->wall_s : 0;
}

static bool print_json(const run *r)
{
    json out;
    json_begin(&out, stdout);
    json_text(&out, "game", r->game.game->name);
    json_text(&out, "file", r->file.path);
    json_int(&out, "ticks", r->reached);
    json_int(&out, "confirmed", r->file.info->confirmed);
    json_bool(&out, "complete", r->file.info->is_complete);
    json_bool(&out, "verified", !r->options->no_verify);
    json_bool(&out, "same", r->is_same);
    json_int(&out, "compared", r->compared);
    if (r->is_same) {
        json_null(&out, "first_different");
    } else {
        json_int(&out, "first_different", r->first_different);
    }
    json_hash(&out, "final_hash", r->final_hash);
    json_int(&out, "times", r->options->times);
    json_text(&out, "render", render_names[r->options->render]);
    json_number(&out, "wall_s", r->wall_s, 6);
    json_number(&out, "ticks_per_s", rate(r), 1);
    json_number(&out, "speed", rate(r) / (double)r->file.info->tick_rate_hz, 2);
    json_durations(&out, "step_us", &r->steps);
    json_durations(&out, "draw_us", &r->draws);
    return json_end(&out);
}

static void print_durations(const char *what, const durations *d)
{
    if (d->count > 0) {
        printf("  %s %.2f us in the mean; half under %.2f, 99 %% under %.2f, most %.2f\n", what,
               mean_us(d), share_us(d, 0.5), share_us(d, 0.99), share_us(d, 1));
    }
}

static void print_text(const run *r)
{
    const bks_replay_info *info = r->file.info;
    printf("%s: %s at tick %" PRId32 ", hash %016" PRIx64 "\n", r->file.path, info->game,
           r->reached, r->final_hash);
    if (r->reached > info->confirmed) {
        printf("  from tick %" PRId32 " on inputs were guesses when the recording stopped\n",
               info->confirmed);
    }
    if (r->is_same && !r->options->no_verify) {
        printf("  %" PRId32 " hashes compared, all the same\n", r->compared);
    }
    printf("  %" PRId32 " ticks in %.3f s, %.0f a second, %.1f times real time\n", r->stepped,
           r->wall_s, rate(r), rate(r) / (double)info->tick_rate_hz);
    if (r->options->has_stats) {
        print_durations("a step takes", &r->steps);
        print_durations("drawing takes", &r->draws);
    }
}

// Load what the command line names.
static int open_all(run *r)
{
    const args_list *given = &r->options->positionals;
    if (replay_file_open(given->items[given->count - 1], &r->file) != TOOL_OK) {
        return TOOL_DAMAGED;
    }
    const int status =
        loader_open(given->count > 1 ? given->items[0] : r->file.info->game, &r->game);
    if (status != TOOL_OK) {
        return status;
    }
    if (strcmp(r->game.game->name, r->file.info->game) != 0) {
        tool_complain(r->file.path, "is a recording of %s, expected one of %s", r->file.info->game,
                      r->game.game->name);
        return TOOL_MISUSE;
    }
    r->end =
        r->options->until < r->file.info->ticks ? (bks_tick)r->options->until : r->file.info->ticks;
    if (r->options->until != INT32_MAX && r->options->until > r->file.info->ticks) {
        tool_complain(r->file.path, "has no tick %" PRId64 ", expected --until 0 to %" PRId32,
                      r->options->until, r->file.info->ticks);
        return TOOL_MISUSE;
    }
    if (r->options->render != RENDER_NONE && r->game.plugin->draw == NULL) {
        tool_complain(r->game.game->name, "cannot draw itself, expected --render none");
        return TOOL_MISUSE;
    }
    if (r->options->render == RENDER_FULL) {
        r->screen = window_open(r->game.game->name, WIDTH, HEIGHT);
        return r->screen != NULL ? TOOL_OK : TOOL_DAMAGED;
    }
    return TOOL_OK;
}

static int run_file(run *r)
{
    int status = open_all(r);
    if (status == TOOL_OK) {
        status = play_times(r);
    }
    if (status != TOOL_OK) {
        return status;
    }
    if (r->steps.count > 0) {
        qsort(r->steps.ns, r->steps.count, sizeof(*r->steps.ns), compare_ns);
    }
    if (r->draws.count > 0) {
        qsort(r->draws.ns, r->draws.count, sizeof(*r->draws.ns), compare_ns);
    }
    if (!r->is_same) {
        tool_complain(r->file.path,
                      "the state at tick %" PRId32 " is not the recorded one: hash %016" PRIx64,
                      r->first_different, r->final_hash);
        status = TOOL_NO;
    }
    if (!r->options->is_json) {
        print_text(r);
    } else if (!print_json(r)) {
        status = TOOL_DAMAGED;
    }
    return r->file.status > status ? r->file.status : status;
}

int cmd_run(int argc, char **argv)
{
    static run_options options;
    options = (run_options){.times = 1, .until = INT32_MAX};
    const int parsed = parse(&options, argc, argv);
    if (parsed != ARGS_GO) {
        return parsed;
    }
    run r = {.options = &options, .is_same = true, .first_different = BKS_TICK_NONE};
    const int status = run_file(&r);
    window_close(r.screen);
    replay_file_close(&r.file);
    free(r.steps.ns);
    free(r.draws.ns);
    return status;
}
