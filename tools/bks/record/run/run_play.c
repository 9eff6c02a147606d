// SPDX-License-Identifier: MIT

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "backstitch/replay.h"
#include "backstitch/toolkit/recording.h"
#include "base/stop.h"
#include "base/system.h"
#include "base/tool.h"
#include "record/run/run.h"

// Draw the state as --render says.
// @return false: the user closed the window
static bool draw(run *r, const void *state)
{
    if (r->options->render == RUN_RENDER_NONE || r->game.plugin->draw == NULL) {
        return true;
    }
    const uint64_t before = tool_clock_ns(NULL);
    const bks_picture picture = bks_picture_of(state);
    if (r->options->render == RUN_RENDER_DRY) {
        const bks_canvas canvas = canvas_dry_canvas(&r->dry, RUN_WIDTH, RUN_HEIGHT);
        r->game.plugin->draw(&picture, &canvas);
    } else {
        if (window_poll(r->screen).quit) {
            return false;
        }
        const bks_canvas canvas = window_canvas(r->screen);
        r->game.plugin->draw(&picture, &canvas);
        window_present(r->screen);
    }
    samples_add(&r->stats.draws, (double)(tool_clock_ns(NULL) - before) * 1e-3);
    return true;
}

// Compare the state of a tick with the recording.
static bool check_state(run *r, bks_playback *playback, bks_tick tick)
{
    uint64_t recorded = 0;
    uint64_t hash = 0;
    uint32_t bits = 0;
    if (r->options->no_verify || tick > r->file.info->confirmed ||
        bks_replay_hash(r->file.replay, tick, &recorded, &bits) != BKS_OK || bits == 0 ||
        bks_playback_confirmed_hash(playback, tick, &hash) != BKS_OK) {
        return true;
    }
    r->outcome.compared++;
    if (bks_replay_hash_agrees(r->file.replay, tick, hash)) {
        return true;
    }
    if (r->outcome.first_different == BKS_TICK_NONE || tick < r->outcome.first_different) {
        r->outcome.first_different = tick;
    }
    return false;
}

// Compare the states that were confirmed since the last call. With --times continue after a
// difference.
// @param next  first tick not yet compared
// @return false: this is the only run, and its state differs
static bool check_states(run *r, bks_playback *playback, run_one *one, bks_tick *next)
{
    while ((one->is_same || r->options->times > 1) && *next <= bks_playback_confirmed(playback) &&
           *next <= r->end) {
        one->is_same = check_state(r, playback, *next) && one->is_same;
        r->outcome.reached = (*next)++;
    }
    return one->is_same || r->options->times > 1;
}

static void reach_mark(void *context, bks_tick tick, const char *name)
{
    (void)tick;
    run_stats_mark(context, name);
}

// Return true if each step is timed. Otherwise save the cost of reading the clock twice for each
// step.
static bool has_times(const run *r)
{
    return r->options->has_stats || r->options->is_json || r->options->compare_path != NULL;
}

static bks_status step(run *r, bks_playback *playback)
{
    const bks_tick tick = bks_playback_tick(playback);
    // Log each tick: if a step crashes, the last line of the log names its tick.
    tool_log("run", "stepping tick %" PRId32, tick);
    if (tick == r->options->break_tick) {
        system_stop_in_debugger();
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
        r->outcome.stepped++;
    }
    return status;
}

// Start unpacking the inputs on another core.
// @return NULL if that is not possible: with guessed inputs, a damaged file or a single core
static ahead *open_inputs(const run *r)
{
    return r->options->player == RUN_AS_NONE && !r->file.info->is_damaged && ahead_helps()
               ? ahead_open(r->file.bytes, r->file.info, r->end)
               : NULL;
}

// Play once. A single run ends where the state differs from the recording; with --times each run
// plays to the end, so that all ends can be compared. With guessed inputs it steps beyond the end
// until all inputs up to the end are confirmed, because only then the final state is known.
static void play(run *r, bks_playback *playback, run_one *one)
{
    r->inputs = open_inputs(r);
    run_stats_begin_run(&r->stats);
    bks_tick next = bks_playback_tick(playback);
    bks_status status = BKS_OK;
    while (check_states(r, playback, one, &next) && bks_playback_confirmed(playback) < r->end &&
           status == BKS_OK && !r->outcome.is_ended_by_hand) {
        if (stop_is_wanted()) {
            r->outcome.is_ended_by_hand = true;
            break;
        }
        status = step(r, playback);
        r->outcome.is_ended_by_hand = status == BKS_OK && !draw(r, bks_playback_state(playback));
        progress_show(&r->bar, r->outcome.stepped);
    }
    run_stats_end_run(&r->stats);
    ahead_close(r->inputs);
    r->outcome.has_failed = status == BKS_ERR_GAME;
    one->reached = r->outcome.reached;
    one->has_hash = status != BKS_ERR_GAME && one->reached == r->runs[0].reached &&
                    bks_playback_confirmed_hash(playback, one->reached, &one->final_hash) == BKS_OK;
    bks_playback_counts costs = {0};
    (void)bks_playback_costs(playback, &costs);
    r->outcome.steps += costs.steps;
    r->outcome.rollbacks += costs.rollbacks;
}

bks_playback_config run_playback_config(const run *r, bks_replay *replay)
{
    return (bks_playback_config){
        .replay = replay,
        .game = r->game.game,
        .any_version = r->options->no_verify,
        .perspective = r->options->player == RUN_AS_NONE       ? BKS_PERSPECTIVE_REFERENCE
                       : r->options->player == RUN_AS_RECORDED ? BKS_PERSPECTIVE_RECORDER
                                                               : BKS_PERSPECTIVE_PLAYER,
        .player = (uint32_t)(r->options->player >= 0 ? r->options->player : 0),
        .late_ticks = (uint32_t)r->options->late_ticks,
    };
}

static int play_one(run *r)
{
    const bks_playback_config config = run_playback_config(r, r->file.replay);
    const bks_playback_listener listener = {.reached = reach_mark, .context = &r->stats};
    bks_playback *playback = NULL;
    bks_error error = {0};
    if (bks_playback_create(&config, &playback, &error) != BKS_OK) {
        tool_complain_error(r->file.path, &error);
        loader_compare_builds(r->file.path, r->file.info, &r->game);
        return tool_status_of(&error);
    }
    if (r->options->has_stats) {
        (void)bks_playback_listen(playback, &listener);
    }
    run_one *one = &r->runs[r->run_count++];
    *one = (run_one){.is_same = true, .apart = BKS_TICK_NONE};
    const uint64_t begun = tool_clock_ns(NULL);
    play(r, playback, one);
    r->outcome.wall_ns += tool_clock_ns(NULL) - begun;
    r->outcome.is_same = r->outcome.is_same && one->is_same;
    bks_playback_destroy(playback);
    return TOOL_OK;
}

int run_play(run *r)
{
    const uint32_t times = (uint32_t)r->options->times;
    r->runs = calloc(times, sizeof(*r->runs));
    if (r->runs == NULL) {
        tool_complain("--times", "there is no memory for %" PRIu32 " runs", times);
        return TOOL_DAMAGED;
    }
    int status = TOOL_OK;
    progress_begin(&r->bar, "running", times * (uint64_t)r->stats.least.ticks);
    while (r->run_count < times && status == TOOL_OK && !r->outcome.has_failed &&
           !r->outcome.is_ended_by_hand) {
        status = play_one(r);
    }
    progress_end(&r->bar);
    return status;
}
