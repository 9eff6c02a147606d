// SPDX-License-Identifier: MIT

/// @file run.h
/// Parts of `bks run`: play a recording once or several times, and report the outcome.

#ifndef BKS_TOOL_RUN_H
#define BKS_TOOL_RUN_H

#include "base/args.h"
#include "base/tool.h"
#include "diagnose/check/check_run.h"
#include "game/loader.h"
#include "record/recording/ahead.h"
#include "record/recording/replay_file.h"
#include "record/run/run_compare.h"
#include "record/run/run_stats.h"
#include "screen/window/canvas.h"
#include "screen/window/window.h"

enum {
    RUN_WIDTH = 1280,
    RUN_HEIGHT = 720,
    RUN_PATH_BYTES = 4096,
};

/// Values of --render.
typedef enum run_render { RUN_RENDER_NONE, RUN_RENDER_DRY, RUN_RENDER_FULL } run_render;

/// Options of `bks run`, parsed.
typedef struct run_options {
    args_list positionals;   ///< positional arguments: [GAME] FILE
    uint32_t render;         ///< value of --render, a run_render
    int64_t times;           ///< value of --times: number of runs
    int64_t until;           ///< tick before which playing stops, INT32_MAX: at the end
    int64_t break_tick;      ///< tick to stop at in the debugger, -1: none
    const char *player_text; ///< value of --as-player, NULL: not given
    int64_t player;          ///< player whose perspective is played, RUN_AS_NONE or RUN_AS_RECORDED
    /// Ticks by which the inputs of the other players come late; 0: not given.
    int64_t late_ticks;
    const char *compare_path; ///< value of --compare, the other build; NULL: not given
    bool no_verify;           ///< true: compare no hashes and accept any version
    bool has_stats;           ///< true: measure the time from mark to mark
    bool is_json;             ///< true: print one JSON object
} run_options;

/// Outcome of all runs.
typedef struct run_outcome {
    bool is_same; ///< true: all hashes are those of the recording
    bool is_ended_by_hand;
    bool has_failed;          ///< true: a step failed, so there is no state after it
    bks_tick first_different; ///< first tick with another hash than recorded; BKS_TICK_NONE: none
    bks_tick reached;         ///< tick that the newest run has reached
    uint64_t compared;        ///< number of hashes compared
    uint64_t stepped;         ///< number of ticks stepped, each counted once in each run
    uint64_t steps;           ///< number of steps, including repeated steps
    uint64_t rollbacks;
    uint64_t wall_ns;
} run_outcome;

/// One of several runs.
typedef struct run_one {
    bool is_same;        ///< true: all hashes are those of the recording
    bool has_hash;       ///< true: `final_hash` is known
    uint64_t final_hash; ///< hash of the state at the start of the tick that the first run reached
    bks_tick reached;    ///< tick that the run reached
    check_same varied;   ///< outcome of stepping varied, see run_vary()
    bks_tick apart;      ///< first tick with another state if varied; BKS_TICK_NONE: none
} run_one;

/// State of the command `bks run`.
typedef struct run {
    const run_options *options;
    run_one *runs; ///< all runs, as many as --times says
    uint32_t run_count;
    check_finding found; ///< first difference of the first run that differs if varied
    loaded_game game;
    char plugin_path[RUN_PATH_BYTES]; ///< absolute path of the plug-in
    replay_file file;
    bks_tick end;  ///< one past the last tick to step
    ahead *inputs; ///< inputs unpacked on another core; NULL: this thread unpacks them
    window *screen;
    canvas_dry dry;
    run_stats stats;
    run_compare other; ///< comparison with another build, with --compare
    progress bar;
    run_outcome outcome;
    uint64_t recording; ///< hash of the bytes of the recording's file
} run;

/// Return the config for a playback of the recording.
/// @param replay  the recording, or its bytes opened a second time
bks_playback_config run_playback_config(const run *r, bks_replay *replay);

/// Play the recording in this process, --times in a row.
/// @return TOOL_OK, TOOL_NO, TOOL_DAMAGED
int run_play(run *r);

/// Return the names of what is varied, with commas between them.
const char *run_varied(void);

/// Step the recording's inputs once more for each run but the first, beside a plain baseline, by
/// the variant of `bks check` that varies everything.
/// @return TOOL_OK, also if runs differ; TOOL_MISUSE or TOOL_DAMAGED with an error on stderr
int run_vary(run *r);

/// Return true if runs differ: from their baseline if varied, or in their final hashes.
bool run_is_apart(const run *r);

/// Report on stderr which runs differ, and the tick at which each begins to differ.
void run_complain_apart(const run *r);

/// Print the outcome of the runs as text.
void run_print_text(run *r);

/// Print the outcome as JSON.
/// @return false: the JSON could not be written
bool run_print_json(run *r);

#endif
