// SPDX-License-Identifier: MIT

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ahead.h"
#include "args.h"
#include "base/hash.h"
#include "base/report.h"
#include "canvas_dry.h"
#include "commands.h"
#include "debugger.h"
#include "json.h"
#include "loader.h"
#include "progress.h"
#include "replay/play/playback.h"
#include "replay_file.h"
#include "run_compare.h"
#include "run_options.h"
#include "run_stats.h"
#include "tool.h"
#include "window.h"

enum { WIDTH = 1280, HEIGHT = 720 };

// Different final hashes that are told apart.
enum { HASHES_MAX = 16 };

static const char *const render_names[] = {"none", "dry", "full"};

// One run over a file, and what came of it.
typedef struct run {
    const run_options *options;
    loaded_game game;
    replay_file file;
    bks_tick end;  ///< one past the last tick to step
    ahead *inputs; ///< read ahead on another core; NULL: not
    window *screen;
    canvas_dry dry;
    run_stats stats;
    run_compare before; ///< with --compare
    progress bar;
    bool is_same; ///< as recorded
    bool is_ended_by_hand;
    bks_tick first_different;
    uint64_t compared; ///< hashes, by all times together
    uint64_t stepped;  ///< ticks, the same; each once, however often it was stepped again
    uint64_t steps;    ///< the same, each as often as it was stepped
    uint64_t rollbacks;
    bks_tick reached;
    uint64_t final_hash;         ///< of the state at the start of that tick
    uint64_t hashes[HASHES_MAX]; ///< different ones at the end of a time, in order
    uint32_t hash_count;
    uint64_t recording; ///< hash of the file's bytes
    double wall_s;
} run;

// Draw the state as it is, as --render says.
// @return false once the user wants to end it
static bool draw(run *r, const void *state)
{
    if (r->options->render == RUN_RENDER_NONE || r->game.plugin->draw == NULL) {
        return true;
    }
    const uint64_t before = tool_clock_ns(NULL);
    if (r->options->render == RUN_RENDER_DRY) {
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
    durations_add(&r->stats.draws, tool_clock_ns(NULL) - before);
    return true;
}

// The hash of the state at the start of a tick that is final: in a straight run the state as it is.
static uint64_t hash_of(bks_playback *playback, bks_tick tick)
{
    return playback->observed != NULL ? bksi_observed_hash(playback->observed, tick)
                                      : bks_playback_hash(playback);
}

// Compare a state with what was recorded for its tick.
static bool check_state(run *r, bks_playback *playback, bks_tick tick)
{
    uint64_t recorded = 0;
    uint32_t bits = 0;
    if (r->options->no_verify || tick > r->file.info->confirmed ||
        bks_replay_hash(r->file.replay, tick, &recorded, &bits) != BKS_OK || bits == 0) {
        return true;
    }
    r->compared++;
    if (bks_replay_hash_agrees(r->file.replay, tick, hash_of(playback, tick))) {
        return true;
    }
    if (r->is_same || tick < r->first_different) {
        r->first_different = tick;
    }
    r->is_same = false;
    return false;
}

// Compare all that became final since the last time.
// @param next  the first tick not yet compared
static bool check_states(run *r, bks_playback *playback, bks_tick *next)
{
    bool is_same = true;
    for (; is_same && *next <= bks_playback_confirmed(playback) && *next <= r->end; (*next)++) {
        is_same = check_state(r, playback, *next);
        r->reached = *next;
    }
    return is_same;
}

static void reach_mark(void *context, bks_tick tick, const char *name)
{
    (void)tick;
    run_stats_mark(context, name);
}

// Whether anybody reads the times of single steps: looking at the clock twice for each costs too.
static bool has_times(const run *r)
{
    return r->options->has_stats || r->options->is_json || r->options->compare_path != NULL;
}

static bks_status step(run *r, bks_playback *playback)
{
    const bks_tick tick = bks_playback_tick(playback);
    if (tool_log_is_verbose()) {
        // The last of these lines names the tick that a crash happens in.
        bksi_log(BKS_LOG_DEBUG, "run", "stepping tick %" PRId32, tick);
    }
    if (tick == r->options->break_tick) {
        debugger_stop();
    }
    const int32_t *inputs = r->inputs != NULL ? ahead_inputs(r->inputs, tick) : NULL;
    if (has_times(r)) {
        run_stats_begin_step(&r->stats);
    }
    const bks_status status =
        inputs != NULL ? bks_playback_step_with(playback, inputs) : bks_playback_step(playback);
    if (status == BKS_OK && tick < r->end) {
        if (has_times(r)) {
            run_stats_end_step(&r->stats, tick);
        }
        r->stepped++;
    }
    return status;
}

// Have inputs unpacked on another core: not where they are guessed, nor those of a damaged file,
// about which enough has been said.
static ahead *open_inputs(const run *r)
{
    return r->options->player == RUN_AS_NONE && !r->file.info->is_damaged && ahead_helps()
               ? ahead_open(r->file.bytes, r->file.info, r->end)
               : NULL;
}

// Play it once. A single time ends where the state is not as recorded; of several each goes on to
// the end, to tell whether it ends the same. Where inputs are guessed it goes on behind the end
// until everything up to there is final: only then is the state what was played.
static void play(run *r, bks_playback *playback)
{
    r->inputs = open_inputs(r);
    run_stats_begin_run(&r->stats);
    bks_tick next = bks_playback_tick(playback);
    bks_status status = BKS_OK;
    for (;;) {
        if ((!check_states(r, playback, &next) && r->options->times == 1) ||
            bks_playback_confirmed(playback) >= r->end || status != BKS_OK) {
            break;
        }
        status = step(r, playback);
        if (status == BKS_OK && !draw(r, bks_playback_state(playback))) {
            r->is_ended_by_hand = true;
            break;
        }
        progress_show(&r->bar, r->stepped);
    }
    run_stats_end_run(&r->stats);
    ahead_close(r->inputs);
    r->final_hash = hash_of(playback, r->reached);
    bks_playback_costs costs = {0};
    (void)bks_playback_get_costs(playback, &costs);
    r->steps += costs.steps;
    r->rollbacks += costs.rollbacks;
}

static void keep_hash(run *r, uint64_t hash)
{
    for (uint32_t i = 0; i < r->hash_count; i++) {
        if (r->hashes[i] == hash) {
            return;
        }
    }
    if (r->hash_count < HASHES_MAX) {
        r->hashes[r->hash_count++] = hash;
    }
}

static int play_times(run *r)
{
    const bks_playback_config config = {
        .replay = r->file.replay,
        .game = r->game.game,
        .any_version = r->options->no_verify,
        .view = r->options->player == RUN_AS_NONE       ? BKS_VIEW_STRAIGHT
                : r->options->player == RUN_AS_RECORDED ? BKS_VIEW_AS_RECORDED
                                                        : BKS_VIEW_AS_PLAYER,
        .player = (uint32_t)(r->options->player >= 0 ? r->options->player : 0),
        .late_ticks = (uint32_t)r->options->late_ticks,
    };
    const bks_playback_listener listener = {.reached = reach_mark, .context = &r->stats};
    progress_begin(&r->bar, "running",
                   (uint64_t)(r->end - r->file.info->first) * (uint64_t)r->options->times);
    const uint64_t begun = tool_clock_ns(NULL);
    int status = TOOL_OK;
    for (int64_t i = 0; i < r->options->times && !r->is_ended_by_hand; i++) {
        bks_playback *playback = NULL;
        bks_error error = {0};
        if (bks_playback_create(&config, &playback, &error) != BKS_OK) {
            tool_complain_error(r->file.path, &error);
            loader_tell_builds(r->file.path, r->file.info, &r->game);
            status = TOOL_NO;
            break;
        }
        if (r->options->has_stats) {
            (void)bks_playback_listen(playback, &listener);
        }
        play(r, playback);
        keep_hash(r, r->final_hash);
        bks_playback_destroy(playback);
    }
    r->wall_s = (double)(tool_clock_ns(NULL) - begun) * 1e-9;
    progress_end(&r->bar);
    return status;
}

static double rate(const run *r)
{
    return r->wall_s > 0 ? (double)r->stepped / r->wall_s : 0;
}

static bool print_json(run *r)
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
    json_uint(&out, "compared", r->compared);
    if (r->is_same) {
        json_null(&out, "first_different");
    } else {
        json_int(&out, "first_different", r->first_different);
    }
    json_hash(&out, "final_hash", r->hashes[0]);
    json_int(&out, "times", r->options->times);
    json_row(&out, "hashes");
    for (uint32_t i = 0; i < r->hash_count; i++) {
        json_hash(&out, NULL, r->hashes[i]);
    }
    json_close(&out);
    if (r->options->player == RUN_AS_RECORDED) {
        json_text(&out, "as_player", "recorded");
    } else if (r->options->player != RUN_AS_NONE) {
        json_int(&out, "as_player", r->options->player);
    } else {
        json_null(&out, "as_player");
    }
    json_uint(&out, "steps", r->steps);
    json_uint(&out, "rollbacks", r->rollbacks);
    json_text(&out, "build", r->game.build);
    json_text(&out, "recorded_build", r->file.info->build);
    json_hash(&out, "recording", r->recording);
    json_bool(&out, "stats", r->options->has_stats);
    json_text(&out, "render", render_names[r->options->render]);
    json_number(&out, "wall_s", r->wall_s, 6);
    json_number(&out, "ticks_per_s", rate(r), 1);
    json_number(&out, "speed", rate(r) / (double)r->file.info->tick_rate_hz, 2);
    run_stats_json(&out, &r->stats);
    if (r->options->compare_path != NULL) {
        run_compare_json(&out, &r->before, &r->stats);
    }
    return json_end(&out);
}

static void print_text(run *r)
{
    const bks_replay_info *info = r->file.info;
    printf("%s: %s at tick %" PRId32 ", hash %016" PRIx64 "\n", r->file.path, info->game,
           r->reached, r->hashes[0]);
    if (r->options->times > 1) {
        printf("  %" PRId64 " times, %" PRIu32 " different hash%s\n", r->options->times,
               r->hash_count, r->hash_count == 1 ? "" : "es");
    }
    if (r->reached > info->confirmed) {
        printf("  from tick %" PRId32 " on inputs were guesses when the recording stopped\n",
               info->confirmed);
    }
    if (!info->is_complete) {
        printf("  the recording is not complete: %" PRId32 " ticks of it are confirmed\n",
               info->confirmed - info->first);
    }
    if (r->is_same && !r->options->no_verify) {
        printf("  %" PRIu64 " hashes compared, all the same\n", r->compared);
    }
    if (r->options->player != RUN_AS_NONE) {
        printf("  as %s%s: %" PRIu64 " rollbacks, %" PRIu64 " steps for %" PRIu64 " ticks\n",
               r->options->player == RUN_AS_RECORDED ? "" : "player ", r->options->player_text,
               r->rollbacks, r->steps, r->stepped);
    }
    printf("  %" PRIu64 " ticks in %.3f s, %.0f a second, %.1f times real time\n", r->stepped,
           r->wall_s, rate(r), rate(r) / (double)info->tick_rate_hz);
    if (r->options->has_stats) {
        run_stats_print(&r->stats);
    }
    if (r->options->compare_path != NULL) {
        run_compare_print(&r->before, &r->stats);
    }
}

// Whether what the options ask for is in this recording.
static int check_ticks(const run *r)
{
    const run_options *o = r->options;
    const bks_tick ticks = r->file.info->ticks;
    const bks_tick first = r->file.info->first;
    if (o->until != INT32_MAX && (o->until < first || o->until > ticks)) {
        tool_complain(r->file.path,
                      "has no tick %" PRId64 ", expected --until %" PRId32 " to %" PRId32, o->until,
                      first, ticks);
        return TOOL_MISUSE;
    }
    if (o->player >= (int64_t)r->file.info->players) {
        tool_complain(r->file.path, "has no player %" PRId64 ", expected --as-player 0 to %" PRIu32,
                      o->player, r->file.info->players - 1);
        return TOOL_MISUSE;
    }
    if (o->player == RUN_AS_RECORDED && r->file.info->rollback_count == 0) {
        tool_complain(r->file.path, "has no rollbacks, expected a recording made with --keep "
                                    "rollbacks in which there were some");
        return TOOL_MISUSE;
    }
    if (o->late_ticks > 0 && o->player < 0) {
        tool_complain("--late", "is %" PRId64 ", but all is known at once: expected --as-player N",
                      o->late_ticks);
        return TOOL_MISUSE;
    }
    if (o->break_tick >= 0 && (o->break_tick < first || o->break_tick >= r->end)) {
        tool_complain(r->file.path,
                      "does not step tick %" PRId64 ", expected --break %" PRId32 " to %" PRId32,
                      o->break_tick, first, r->end - 1);
        return TOOL_MISUSE;
    }
    if (o->break_tick >= 0 && !debugger_is_there()) {
        tool_complain("--break", "there is no debugger to stop in, start with: gdb -ex run --args "
                                 "bks run ...");
        return TOOL_MISUSE;
    }
    return TOOL_OK;
}

static int open_other(run *r)
{
    if (r->options->compare_path == NULL) {
        return TOOL_OK;
    }
    const int status = run_compare_read(r->options->compare_path, &r->before);
    if (status == TOOL_OK && r->before.recording != r->recording) {
        tool_complain(r->options->compare_path,
                      "is of another recording than %s, expected the "
                      "same one",
                      r->file.path);
        return TOOL_MISUSE;
    }
    if (status == TOOL_OK && r->before.ticks >= 0 && r->before.ticks != r->end) {
        tool_complain(r->options->compare_path,
                      "was measured up to tick %" PRId64 ", expected the same stretch: now it is "
                      "%" PRId32,
                      r->before.ticks, r->end);
        return TOOL_MISUSE;
    }
    if (status == TOOL_OK && r->before.player != r->options->player) {
        tool_complain(r->options->compare_path, "was played with another --as-player, expected the "
                                                "same now");
        return TOOL_MISUSE;
    }
    if (status == TOOL_OK && r->before.has_marks != r->options->has_stats) {
        tool_complain(r->options->compare_path,
                      "was measured with%s --stats, expected the same now",
                      r->before.has_marks ? "" : "out");
        return TOOL_MISUSE;
    }
    return status;
}

static int open_screen(run *r)
{
    if (r->options->render != RUN_RENDER_NONE && r->game.plugin->draw == NULL) {
        tool_complain(r->game.game->name, "cannot draw itself, expected --render none");
        return TOOL_MISUSE;
    }
    if (r->options->render == RUN_RENDER_FULL) {
        r->screen = window_open(r->game.game->name, WIDTH, HEIGHT);
        return r->screen != NULL ? TOOL_OK : TOOL_DAMAGED;
    }
    return TOOL_OK;
}

// Load what the command line names.
static int open_all(run *r)
{
    const args_list *given = &r->options->positionals;
    if (replay_file_open(given->items[given->count - 1], &r->file) != TOOL_OK) {
        return TOOL_DAMAGED;
    }
    r->recording = bksi_hash64(r->file.bytes, (size_t)r->file.info->bytes, 0);
    const char *name = given->count > 1 ? given->items[0] : NULL;
    // On a changed build the one that the name means is wanted, not the one that recorded.
    int status = r->options->no_verify
                     ? loader_open(name != NULL ? name : r->file.info->game, &r->game)
                     : loader_open_recorded(r->file.path, name, r->file.info, &r->game);
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
    status = check_ticks(r);
    if (status == TOOL_OK) {
        status = open_other(r);
    }
    if (status == TOOL_OK && !run_stats_open(&r->stats, r->end)) {
        tool_complain(r->file.path, "there is no memory for the times of %" PRId32 " ticks",
                      r->end);
        return TOOL_DAMAGED;
    }
    return status == TOOL_OK ? open_screen(r) : status;
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
    if (!r->is_same) {
        tool_complain(r->file.path, "the state at tick %" PRId32 " is not the recorded one%s",
                      r->first_different, r->options->times > 1 ? "" : ", there it ends");
        loader_tell_builds(r->file.path, r->file.info, &r->game);
        status = TOOL_NO;
    }
    if (r->hash_count > 1) {
        tool_complain(r->game.game->name,
                      "is not deterministic: %" PRId64 " times the same inputs "
                      "gave %" PRIu32 "%s hashes",
                      r->options->times, r->hash_count,
                      r->hash_count == HASHES_MAX ? " or more" : "");
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
    const int parsed = run_options_parse(&options, argc, argv);
    if (parsed != ARGS_GO) {
        return parsed;
    }
    static run r;
    r = (run){.options = &options, .is_same = true, .first_different = BKS_TICK_NONE};
    const int status = run_file(&r);
    window_close(r.screen);
    replay_file_close(&r.file);
    run_stats_free(&r.stats);
    return status;
}
