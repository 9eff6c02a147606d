// SPDX-License-Identifier: MIT

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/replay.h"
#include "backstitch/toolkit/recording.h"
#include "base/stop.h"
#include "base/system.h"
#include "base/tool.h"
#include "record/run/run.h"
#include "record/run/run_times.h"

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
    durations_add(&r->stats.draws, tool_clock_ns(NULL) - before);
    return true;
}

// Compare the state of a tick with the recording, and store its hash for the comparison with other
// runs.
static bool check_state(run *r, bks_playback *playback, bks_tick tick)
{
    uint64_t recorded = 0;
    uint32_t bits = 0;
    const bool is_recorded = !r->options->no_verify && tick <= r->file.info->confirmed &&
                             bks_replay_hash(r->file.replay, tick, &recorded, &bits) == BKS_OK &&
                             bits > 0;
    if (!is_recorded && r->tick_hashes == NULL) {
        return true;
    }
    uint64_t hash = 0;
    if (bks_playback_confirmed_hash(playback, tick, &hash) != BKS_OK) {
        return true;
    }
    if (r->tick_hashes != NULL) {
        r->tick_hashes[tick] = hash;
    }
    r->outcome.compared += is_recorded ? 1 : 0;
    if (!is_recorded || bks_replay_hash_agrees(r->file.replay, tick, hash)) {
        return true;
    }
    if (r->outcome.is_same || tick < r->outcome.first_different) {
        r->outcome.first_different = tick;
    }
    r->outcome.is_same = false;
    return false;
}

// Compare the states that were confirmed since the last call. With --times continue after a
// difference.
// @param next  first tick not yet compared
static bool check_states(run *r, bks_playback *playback, bks_tick *next)
{
    bool is_same = true;
    while ((is_same || r->task.is_one_of_many) && *next <= bks_playback_confirmed(playback) &&
           *next <= r->end) {
        is_same = check_state(r, playback, *next) && is_same;
        r->outcome.reached = (*next)++;
    }
    return is_same;
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
    run_times_fill_stack(r->task.index);
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
static void play(run *r, bks_playback *playback)
{
    r->inputs = open_inputs(r);
    run_stats_begin_run(&r->stats);
    bks_tick next = bks_playback_tick(playback);
    bks_status status = BKS_OK;
    for (;;) {
        if ((!check_states(r, playback, &next) && !r->task.is_one_of_many) ||
            bks_playback_confirmed(playback) >= r->end || status != BKS_OK) {
            break;
        }
        if (stop_is_wanted()) {
            r->outcome.is_ended_by_hand = true;
            break;
        }
        status = step(r, playback);
        if (status == BKS_OK && !draw(r, bks_playback_state(playback))) {
            r->outcome.is_ended_by_hand = true;
            break;
        }
        progress_show(&r->bar, r->outcome.stepped);
    }
    run_stats_end_run(&r->stats);
    ahead_close(r->inputs);
    r->outcome.has_failed = r->outcome.has_failed || status == BKS_ERR_GAME;
    r->outcome.final_hash = 0;
    if (status != BKS_ERR_GAME) {
        (void)!bks_playback_confirmed_hash(playback, r->outcome.reached, &r->outcome.final_hash);
    }
    bks_playback_counts costs = {0};
    (void)bks_playback_costs(playback, &costs);
    r->outcome.steps += costs.steps;
    r->outcome.rollbacks += costs.rollbacks;
}

static void keep_hash(run *r, uint64_t hash)
{
    for (uint32_t i = 0; i < r->hash_count; i++) {
        if (r->hashes[i] == hash) {
            return;
        }
    }
    if (r->hash_count < RUN_HASHES_MAX) {
        r->hashes[r->hash_count++] = hash;
    }
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

// Step a state that nobody needs, so that the steps change the data that the game keeps outside its
// state, if there is any.
static void throw_away(bks_playback *playback, bks_tick ticks)
{
    for (bks_tick i = 0; i < ticks && playback != NULL; i++) {
        if (bks_playback_step(playback) != BKS_OK) {
            break;
        }
    }
}

int run_play_here(run *r)
{
    const bks_playback_config config = run_playback_config(r, r->file.replay);
    const bks_playback_listener listener = {.reached = reach_mark, .context = &r->stats};
    bks_replay *again = NULL;
    bks_playback *thrown = NULL;
    if (r->task.index > 0 &&
        bks_replay_open(r->file.bytes, (size_t)r->file.info->bytes, NULL, &again, NULL) == BKS_OK) {
        const bks_playback_config same = run_playback_config(r, again);
        (void)!bks_playback_create(&same, &thrown, NULL);
    }
    throw_away(thrown, r->task.ticks_before);
    bks_playback *playback = NULL;
    bks_error error = {0};
    int status = TOOL_OK;
    if (bks_playback_create(&config, &playback, &error) != BKS_OK) {
        tool_complain_error(r->file.path, &error);
        loader_compare_builds(r->file.path, r->file.info, &r->game);
        status = tool_status_of(&error);
    }
    throw_away(thrown, r->task.ticks_behind);
    bks_playback_destroy(thrown);
    bks_replay_close(again);
    if (status == TOOL_OK) {
        if (r->options->has_stats) {
            (void)bks_playback_listen(playback, &listener);
        }
        progress_begin(&r->bar, "running", (uint64_t)(r->end - r->file.info->first));
        const uint64_t begun = tool_clock_ns(NULL);
        play(r, playback);
        r->outcome.wall_ns = tool_clock_ns(NULL) - begun;
        progress_end(&r->bar);
        keep_hash(r, r->outcome.final_hash);
    }
    bks_playback_destroy(playback);
    return status;
}

int run_play_as_one(run *r)
{
    r->tick_hashes = calloc((size_t)r->end + 1, sizeof(*r->tick_hashes));
    int status = r->tick_hashes != NULL ? run_play_here(r) : TOOL_DAMAGED;
    if (status == TOOL_OK &&
        !run_times_send(&r->task, &r->outcome, r->tick_hashes, r->end, &r->stats)) {
        status = TOOL_DAMAGED;
    }
    free(r->tick_hashes);
    return status;
}

static bks_tick earlier(bks_tick a, bks_tick b)
{
    return a == BKS_TICK_NONE || (b != BKS_TICK_NONE && b < a) ? b : a;
}

static void add_outcome(run_outcome *sum, const run_outcome *one)
{
    sum->is_same = sum->is_same && one->is_same;
    sum->has_failed = sum->has_failed || one->has_failed;
    sum->first_different = earlier(sum->first_different, one->first_different);
    sum->apart = earlier(sum->apart, one->apart);
    sum->reached = one->reached;
    sum->compared += one->compared;
    sum->stepped += one->stepped;
    sum->steps += one->steps;
    sum->rollbacks += one->rollbacks;
    sum->wall_ns += one->wall_ns;
}

int run_play_many(run *r)
{
    const uint32_t times = (uint32_t)r->options->times;
    r->outcomes = calloc(times, sizeof(*r->outcomes));
    if (r->outcomes == NULL) {
        tool_complain("--times", "there is no memory for %" PRIu32 " runs", times);
        return TOOL_DAMAGED;
    }
    const int status =
        run_times_all(r->argc, r->argv, times, r->end, r->outcomes, &r->stats, &r->outcome_count);
    for (uint32_t i = 0; i < r->outcome_count; i++) {
        const run_outcome *one = &r->outcomes[i];
        add_outcome(&r->outcome, one);
        keep_hash(r, one->final_hash);
    }
    return status;
}
