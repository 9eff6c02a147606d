// SPDX-License-Identifier: MIT

/// @file run_compare.h
/// Times of two builds of a game on one recording: `bks run --compare OTHER`. OTHER is the other
/// build's plug-in, or the output of `bks run --json` with that build. If the build still exists,
/// both play in turns now, because times measured earlier differ by the state of the machine.

#ifndef BKS_TOOL_RUN_COMPARE_H
#define BKS_TOOL_RUN_COMPARE_H

#include "game/loader.h"
#include "record/recording/replay_file.h"
#include "record/run/run_pair.h"

/// Values of run_options.player that stand for no player.
enum { RUN_AS_NONE = -1, RUN_AS_RECORDED = -2 };

/// Conditions under which the times of steps were measured.
typedef struct run_measured {
    uint64_t recording; ///< hash of the bytes of the recording that was played
    int64_t ticks;      ///< one past the last measured tick, -1: not known
    int64_t player;     ///< player whose perspective was played, RUN_AS_NONE or RUN_AS_RECORDED
    bool has_marks;     ///< true: measured with times from mark to mark, which cost time themselves
} run_measured;

/// Comparison of two builds.
typedef struct run_compare {
    const char *path;      ///< value of --compare as typed, borrowed
    loaded_game game;      ///< the other build; plugin is NULL if it does not exist any more
    run_measured measured; ///< conditions under which the times in a JSON file were measured
    uint32_t times;        ///< number of runs of each build; if they differ, the smaller number
    double before_us;      ///< least step time of the other build; 0: not known
    double now_us;         ///< least step time of the present build
    double ratio;          ///< ratio of step times, present build / other build
    double half_ratio[2];  ///< ratio in the even and in the odd runs, from measuring in turns
    bool is_in_turns;      ///< true: both builds were measured now, in turns
} run_compare;

/// Load the plug-in or the JSON file; errors go to stderr.
/// @param path     must outlive `out`
/// @param present  the present build
/// @return TOOL_OK, TOOL_DAMAGED, TOOL_MISUSE
int run_compare_open(const char *path, const loaded_game *present, run_compare *out);

/// Check that the other build was measured in the same way; errors go to stderr.
/// @param path  path of the recording
/// @return TOOL_OK, TOOL_MISUSE
int run_compare_check(const run_compare *c, const char *path, const run_measured *now);

/// Measure both builds in turns, or take the known times if the other build does not exist.
/// @param config  settings; this call fills in the games
/// @param now     times of the present runs
/// @return TOOL_OK, TOOL_NO
int run_compare_measure(run_compare *c, run_pair_config config, const loaded_game *present,
                        const run_least *now);

/// Verdict on whether the present build is faster than the other one.
typedef struct run_verdict {
    double ratio;     ///< ratio of step times, present build / other build
    double noise;     ///< possible error of the ratio
    const char *word; ///< one word: faster, slower, same (within the noise) or unknown
} run_verdict;

/// Return the verdict on whether the present build is faster.
run_verdict run_compare_judge(const run_compare *c);

/// Write the object "compare" into the open JSON object.
void run_compare_json(json *j, const run_compare *c);

/// Print the comparison on stdout.
void run_compare_print(const run_compare *c);

#endif
