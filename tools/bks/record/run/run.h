// SPDX-License-Identifier: MIT

/// @file run.h
/// The parts of `bks run`: playing a recording once or several times, and saying what came of it.

#ifndef BKS_TOOL_RUN_H
#define BKS_TOOL_RUN_H

#include "base/tool.h"
#include "game/loader.h"
#include "record/recording/ahead.h"
#include "record/recording/replay_file.h"
#include "record/run/run_compare.h"
#include "record/run/run_options.h"
#include "record/run/run_stats.h"
#include "record/run/run_times.h"
#include "screen/window/canvas.h"
#include "screen/window/window.h"

enum {
    RUN_WIDTH = 1280,
    RUN_HEIGHT = 720,
    RUN_HASHES_MAX = 16, ///< different final hashes that are counted apart
    RUN_PATH_BYTES = 4096,
};

/// One run over a file, and what came of it.
typedef struct run {
    const run_options *options;
    int argc;
    char **argv;
    run_seat seat;
    uint64_t *tick_hashes; ///< of one of many: the state at each tick, for the others to compare
    run_outcome *outcomes; ///< of many
    uint32_t outcome_count;
    loaded_game game;
    char plugin_path[RUN_PATH_BYTES]; ///< its file, from the root
    replay_file file;
    bks_tick end;  ///< one past the last tick to step
    ahead *inputs; ///< read ahead on another core; NULL: not
    window *screen;
    canvas_dry dry;
    run_stats stats;
    run_compare other; ///< with --compare
    progress bar;
    run_outcome outcome;             ///< of this process; of many, of all together
    uint64_t hashes[RUN_HASHES_MAX]; ///< different ones at the end of a time, in order
    uint32_t hash_count;
    uint64_t recording; ///< hash of the file's bytes
} run;

/// What a playback of it needs.
/// @param replay  the recording, or the same bytes opened once more
bks_playback_config run_playback_config(const run *r, bks_replay *replay);

/// Play it in this process; of many, varied by its seat.
/// @return TOOL_OK, TOOL_NO
int run_play_here(run *r);

/// Play it as one of many and hand over what came of it, without a word of its own.
/// @return TOOL_OK, TOOL_NO, TOOL_DAMAGED
int run_play_as_one(run *r);

/// Play it as often as the options say, each in a process of its own.
/// @return TOOL_OK, TOOL_NO, TOOL_DAMAGED
int run_play_many(run *r);

/// Say on stderr which runs differ from the first, and where.
void run_complain_apart(const run *r);

/// Print what came of it.
void run_print_text(run *r);

/// The same as JSON.
/// @return whether it could be written
bool run_print_json(run *r);

#endif
