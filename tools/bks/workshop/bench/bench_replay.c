// SPDX-License-Identifier: MIT

// Measures how much playing a recording costs, compared with only stepping the game.

#define _GNU_SOURCE

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "base/args.h"
#include "base/json.h"
#include "base/tool.h"
#include "game/runner.h"
#include "record/recording/ahead.h"
#include "workshop/bench/bench.h"

typedef enum replay_mode {
    REPLAY_BARE,     ///< loop over `step`, with inputs in memory: the base for the other variants
    REPLAY_PLAYED,   ///< the recording opened and played, without comparing hashes
    REPLAY_VERIFIED, ///< the recording opened and played, with every hash compared
    REPLAY_READ,     ///< the recording opened and all inputs read, without stepping
    REPLAY_AHEAD,    ///< the recording opened and played, with inputs read ahead on a second core
    REPLAY_MODES,
} replay_mode;

/// Match to record and to play.
typedef struct replay_bench {
    bench_match match;
    bks_tick ticks;
    source_set *sources;
} replay_bench;

/// Result of the benchmark of playing a recording.
typedef struct replay_result {
    size_t file_bytes;
    bool is_same; ///< true: all variants ended in the recorded state
    /// processor time that the stepping thread used in each pass, in ns
    double ns[REPLAY_MODES][BENCH_PASSES_MAX];
    double wall_ns[REPLAY_MODES][BENCH_PASSES_MAX]; ///< time of each pass by the clock, in ns
} replay_result;

/// A recording in memory.
typedef struct memory_file {
    uint8_t *bytes;
    size_t count;
    size_t capacity;
} memory_file;

/// State of the benchmark of playing a recording.
typedef struct run {
    const replay_bench *bench;
    memory_file file;
    int32_t *inputs; ///< inputs of all ticks and players
    uint64_t final_hash;
    bool is_same;
} run;

// ---- recording the match ----

static bks_status write_memory(void *context, uint64_t offset_bytes, const void *bytes,
                               size_t count)
{
    memory_file *file = context;
    const size_t end = (size_t)offset_bytes + count;
    if (end > file->capacity) {
        uint8_t *more = realloc(file->bytes, 2 * end);
        if (more == NULL) {
            return BKS_ERR_IO;
        }
        file->bytes = more;
        file->capacity = 2 * end;
    }
    memcpy(file->bytes + offset_bytes, bytes, count);
    file->count = end > file->count ? end : file->count;
    return BKS_OK;
}

static int record(run *r)
{
    const replay_bench *bench = r->bench;
    bks_peer_config config = bench_match_config(&bench->match, bench->sources);
    config.session.ticks = bench->ticks;
    config.session.tuning.window_ticks = 0;
    config.session.tuning.delay_ticks = 0;
    config.session.tuning.hash_every_ticks = 1;
    config.record = (bks_sink){.write = write_memory, .context = &r->file};
    bks_error error = {0};
    bks_peer *peer = NULL;
    if (bks_peer_create(&config, &peer, &error) != BKS_OK) {
        tool_complain_error(bench->match.game->name, &error);
        return TOOL_MISUSE;
    }
    bks_session *session = bks_peer_session(peer);
    progress bar;
    progress_begin(&bar, "recording", (uint64_t)bench->ticks);
    bks_status status = BKS_OK;
    for (uint64_t now = 0; status == BKS_OK; now = bks_peer_wake(peer)) {
        status = bks_peer_update(peer, now);
        progress_show(&bar, (uint64_t)bks_session_tick(session));
    }
    progress_end(&bar);
    const bool is_over =
        status == BKS_OVER && bks_session_hash(session, bench->ticks, &r->final_hash) == BKS_OK;
    bks_peer_destroy(peer);
    if (!is_over) {
        tool_complain(bench->match.game->name, "the match ended early: %s",
                      bks_status_text(status));
        return TOOL_NO;
    }
    return source_set_failed(bench->sources);
}

// ---- variants of playing the recording ----

static bks_status step_ahead(ahead *inputs, bks_playback *playback, bks_tick tick)
{
    const int32_t *values = inputs != NULL ? ahead_inputs(inputs, tick) : NULL;
    return values != NULL ? bks_playback_step_with(playback, values) : BKS_ERR_DAMAGED;
}

static bool play(run *r, replay_mode mode)
{
    bks_replay *replay = NULL;
    bks_playback *playback = NULL;
    ahead *inputs = NULL;
    bool is_right = bks_replay_open(r->file.bytes, r->file.count, NULL, &replay, NULL) == BKS_OK;
    if (is_right && mode == REPLAY_AHEAD) {
        inputs = ahead_open(r->file.bytes, bks_replay_info(replay), r->bench->ticks);
    }
    const bks_playback_config config = {.replay = replay, .game = r->bench->match.game};
    is_right = is_right && bks_playback_create(&config, &playback, NULL) == BKS_OK;
    for (bks_tick tick = 0; tick < r->bench->ticks && is_right; tick++) {
        is_right = mode != REPLAY_VERIFIED ||
                   bks_replay_hash_agrees(replay, tick, bks_playback_hash(playback));
        const bks_status status =
            mode == REPLAY_AHEAD ? step_ahead(inputs, playback, tick) : bks_playback_step(playback);
        is_right = is_right && status == BKS_OK;
    }
    is_right = is_right && bks_playback_hash(playback) == r->final_hash;
    ahead_close(inputs);
    bks_playback_destroy(playback);
    bks_replay_close(replay);
    return is_right;
}

/// Open the recording and read the inputs of all ticks.
/// @param values  receives the inputs of all ticks and players; NULL: they are not wanted
/// @return true if all inputs were read
static bool read_inputs(const run *r, int32_t *values)
{
    const size_t stride =
        values != NULL ? r->bench->match.players * r->bench->match.game->field_count : 0;
    int32_t nowhere[BKS_PLAYERS_MAX * BKS_FIELDS_MAX];
    int32_t *row = values != NULL ? values : nowhere;
    bks_replay *replay = NULL;
    bool is_right = bks_replay_open(r->file.bytes, r->file.count, NULL, &replay, NULL) == BKS_OK;
    for (bks_tick tick = 0; tick < r->bench->ticks && is_right; tick++) {
        is_right = bks_replay_inputs(replay, tick, row) == BKS_OK;
        row += stride;
    }
    bks_replay_close(replay);
    return is_right;
}

static bool step_bare(run *r)
{
    const replay_bench *bench = r->bench;
    const bksi_runner_config config = {
        .game = bench->match.game,
        .seed = bench->match.seed,
        .players = bench->match.players,
        .tick_rate_hz = bench->match.game->tick_rate_hz,
        .options = bench->match.options,
    };
    bksi_runner *runner = NULL;
    if (bksi_runner_create(&config, &runner, NULL) != BKS_OK) {
        return false;
    }
    void *state = bksi_runner_state(runner);
    const size_t stride = bench->match.players * bench->match.game->field_count;
    for (bks_tick tick = 0; tick < bench->ticks; tick++) {
        const bks_step step = {
            .tick = tick,
            .tick_rate_hz = config.tick_rate_hz,
            .players = bench->match.players,
            .field_count = bench->match.game->field_count,
            .inputs = r->inputs + (size_t)tick * stride,
        };
        bench->match.game->step(state, &step);
    }
    const bool is_right = bksi_runner_hash(runner) == r->final_hash;
    bksi_runner_destroy(runner);
    return is_right;
}

static bool run_mode(run *r, replay_mode mode)
{
    switch (mode) {
    case REPLAY_BARE:
        return step_bare(r);
    case REPLAY_READ:
        return read_inputs(r, NULL);
    default:
        return play(r, mode);
    }
}

/// Time all variants. Every other pass runs the variants in reverse order, so that a slow change of
/// the machine's load affects all alike.
static void time_all(run *r, replay_result *result)
{
    progress bar;
    progress_begin(&bar, "playing", (uint64_t)r->bench->match.passes);
    for (uint32_t pass = 0; pass < r->bench->match.passes; pass++) {
        for (uint32_t i = 0; i < REPLAY_MODES; i++) {
            const replay_mode mode = (replay_mode)(pass % 2 == 0 ? i : REPLAY_MODES - 1 - i);
            const double begun_ns = bench_cpu_ns();
            const double begun_wall_ns = (double)tool_clock_ns(NULL);
            r->is_same = run_mode(r, mode) && r->is_same;
            result->ns[mode][pass] = bench_cpu_ns() - begun_ns;
            result->wall_ns[mode][pass] = (double)tool_clock_ns(NULL) - begun_wall_ns;
        }
        progress_show(&bar, pass + 1);
    }
    progress_end(&bar);
}

/// Record the match and play it. Errors go to stderr.
/// @return exit status
static int replay_bench_run(const replay_bench *bench, replay_result *result)
{
    run r = {.bench = bench, .is_same = true};
    int status = record(&r);
    r.inputs = malloc((size_t)bench->ticks * bench->match.players * bench->match.game->field_count *
                      sizeof(int32_t));
    if (status == TOOL_OK && (r.inputs == NULL || !read_inputs(&r, r.inputs))) {
        tool_complain(bench->match.game->name, "out of memory");
        status = TOOL_DAMAGED;
    }
    if (status == TOOL_OK) {
        time_all(&r, result);
        result->file_bytes = r.file.count;
        result->is_same = r.is_same;
    }
    free(r.inputs);
    free(r.file.bytes);
    return status;
}

/// Goal: greatest time that a playback without comparison of hashes may take, as a multiple of the
/// time of the bare loop over `step`.
#define GOAL_RATIO 1.05

static const struct {
    const char *key;
    const char *name;
} modes[REPLAY_MODES] = {
    {"bare", "a bare loop over step"},           {"played", "played"},
    {"verified", "played, every hash compared"}, {"read", "inputs read, nothing stepped"},
    {"ahead", "played, inputs read ahead"},
};

typedef struct replay_options {
    bench_match_options match;
    int64_t minutes;
} replay_options;

// ---- printing results ----

/// Return the processor time of a tick in the median pass.
static double tick_ns(const replay_bench *bench, const replay_result *result, replay_mode mode)
{
    return bench_median(result->ns[mode], bench->match.passes) / (double)bench->ticks;
}

/// Return the time of a variant relative to the bare loop, as the median over the passes. The two
/// times are compared within a pass, in which the load of the machine is the same.
static double ratio(const replay_bench *bench, const double (*ns)[BENCH_PASSES_MAX],
                    replay_mode mode)
{
    double ratios[BENCH_PASSES_MAX];
    for (uint32_t i = 0; i < bench->match.passes; i++) {
        ratios[i] = ns[mode][i] / ns[REPLAY_BARE][i];
    }
    return bench_median(ratios, bench->match.passes);
}

/// Return the time that comparing the hash of a tick takes.
static double hash_ns(const replay_bench *bench, const replay_result *result)
{
    return tick_ns(bench, result, REPLAY_VERIFIED) - tick_ns(bench, result, REPLAY_PLAYED);
}

static double input_ns(const replay_bench *bench, const replay_result *result)
{
    return tick_ns(bench, result, REPLAY_READ) / bench->match.players;
}

static void print_text(const replay_bench *bench, const replay_result *result)
{
    printf("%s, %" PRIu32 " players, %" PRId32 " ticks: %zu bytes; the median of %" PRIu32
           " passes\n",
           bench->match.game->name, bench->match.players, bench->ticks, result->file_bytes,
           bench->match.passes);
    for (replay_mode mode = 0; mode < REPLAY_MODES; mode++) {
        printf("  %-30s %8.0f ns a tick", modes[mode].name, tick_ns(bench, result, mode));
        if (mode == REPLAY_BARE || mode == REPLAY_READ) {
            printf("\n");
        } else {
            printf("   %.3f of the bare loop, %.3f by the clock\n", ratio(bench, result->ns, mode),
                   ratio(bench, result->wall_ns, mode));
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
    json_text(&out, "game", bench->match.game->name);
    json_uint(&out, "players", bench->match.players);
    json_int(&out, "ticks", bench->ticks);
    json_uint(&out, "bytes", result->file_bytes);
    json_uint(&out, "passes", bench->match.passes);
    json_object(&out, "tick_ns");
    for (replay_mode mode = 0; mode < REPLAY_MODES; mode++) {
        json_number(&out, modes[mode].key, tick_ns(bench, result, mode), 1);
    }
    json_close(&out);
    json_object(&out, "ratio");
    for (replay_mode mode = 0; mode < REPLAY_MODES; mode++) {
        json_number(&out, modes[mode].key, ratio(bench, result->ns, mode), 4);
    }
    json_close(&out);
    json_object(&out, "clock_ratio");
    for (replay_mode mode = 0; mode < REPLAY_MODES; mode++) {
        json_number(&out, modes[mode].key, ratio(bench, result->wall_ns, mode), 4);
    }
    json_close(&out);
    json_number(&out, "goal_ratio", GOAL_RATIO, 2);
    json_number(&out, "input_ns", input_ns(bench, result), 1);
    json_number(&out, "hash_ns", hash_ns(bench, result), 1);
    json_bool(&out, "same", result->is_same);
    return json_end(&out);
}

// ---- the command `bks bench replay` ----

static int parse(replay_options *o, int argc, char **argv)
{
    const args_option options[] = {
        ARGS_INT("--minutes", "N", &o->minutes, 1, 60, "length of the match (default 10)"),
        BENCH_MATCH_OPTIONS(&o->match, 0, "how often each variant runs (default 21)"),
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

static int make_bench(const replay_options *o, replay_bench *bench)
{
    int status = bench_match_open(&o->match, &bench->match);
    if (status == TOOL_OK) {
        bench->ticks = (bks_tick)(o->minutes * 60 * bench->match.game->tick_rate_hz);
        status = bench_match_sources(&bench->match, &bench->sources);
    }
    if (status == TOOL_OK) {
        status = source_set_check(bench->sources, 0, bench->match.players, bench->ticks);
    }
    return status;
}

static int report(const replay_options *o, const replay_bench *bench, const replay_result *result)
{
    if (!o->match.is_json) {
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
    options = (replay_options){.match = {.game = "duel", .seed = 1, .passes = 21}, .minutes = 10};
    int status = parse(&options, argc, argv);
    if (status != ARGS_GO) {
        return status;
    }
    replay_bench bench = {0};
    static replay_result result;
    status = make_bench(&options, &bench);
    if (status == TOOL_OK) {
        status = replay_bench_run(&bench, &result);
    }
    if (status == TOOL_OK) {
        status = report(&options, &bench, &result);
    }
    source_set_close(bench.sources);
    return status;
}
