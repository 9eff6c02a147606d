// SPDX-License-Identifier: MIT

/// @file run.h
/// Parts of `bks run`: play a recording once or several times, and report the outcome.

#ifndef BKS_TOOL_RUN_H
#define BKS_TOOL_RUN_H

#include "base/args.h"
#include "base/tool.h"
#include "game/loader.h"
#include "record/recording/ahead.h"
#include "record/recording/replay_file.h"
#include "record/run/run_compare.h"
#include "record/run/run_stats.h"
#include "record/run/run_times.h"
#include "screen/window/canvas.h"
#include "screen/window/window.h"

enum {
    RUN_WIDTH = 1280,
    RUN_HEIGHT = 720,
    RUN_HASHES_MAX = 16, ///< maximum number of different final hashes that are stored
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

/// State of the command `bks run`.
typedef struct run {
    const run_options *options;
    int argc;
    char **argv;
    run_task task;
    /// Hash of the state at each tick, if this is the process of one run; else NULL.
    uint64_t *tick_hashes;
    run_outcome *outcomes; ///< outcome of each run with --times
    uint32_t outcome_count;
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
    run_outcome outcome; ///< outcome of this process; after several runs, the sum of all
    uint64_t hashes[RUN_HASHES_MAX]; ///< the different final hashes of all runs, in order
    uint32_t hash_count;
    uint64_t recording; ///< hash of the bytes of the recording's file
} run;

/// Return the config for a playback of the recording.
/// @param replay  the recording, or its bytes opened a second time
bks_playback_config run_playback_config(const run *r, bks_replay *replay);

/// Play the recording in this process. If this is one of several runs, vary the process as its task
/// says.
/// @return TOOL_OK, TOOL_NO
int run_play_here(run *r);

/// Play the recording as one of several runs and send the outcome to the command, without output.
/// @return TOOL_OK, TOOL_NO, TOOL_DAMAGED
int run_play_as_one(run *r);

/// Play the recording several times, each in a process of its own.
/// @return TOOL_OK, TOOL_NO, TOOL_DAMAGED
int run_play_many(run *r);

/// Report on stderr which runs differ from the first one, and the tick at which each begins to
/// differ.
void run_complain_apart(const run *r);

/// Print the outcome of the runs as text.
void run_print_text(run *r);

/// Print the outcome as JSON.
/// @return false: the JSON could not be written
bool run_print_json(run *r);

#endif
