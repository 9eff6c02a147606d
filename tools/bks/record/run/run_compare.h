// SPDX-License-Identifier: MIT

/// @file run_compare.h
/// Two builds of a game on one recording: `bks run --compare OTHER`. OTHER is the other build's
/// plug-in, or what `bks run --json` printed with it, which names it. If that build still exists,
/// the two play in turns now: times of another hour differ by the state of the machine.

#ifndef BKS_TOOL_RUN_COMPARE_H
#define BKS_TOOL_RUN_COMPARE_H

#include "game/loader.h"
#include "record/recording/replay_file.h"
#include "record/run/run_pair.h"

/// --as-player, when it is no player.
enum { RUN_AS_NONE = -1, RUN_AS_RECORDED = -2 };

/// How times were measured.
typedef struct run_measured {
    uint64_t recording; ///< hash of its bytes
    int64_t ticks;      ///< up to which it was played, -1: not known
    int64_t player;     ///< as whose machine; RUN_AS_NONE, RUN_AS_RECORDED
    bool has_marks;     ///< from mark to mark, which costs time itself
} run_measured;

/// What is compared with what.
typedef struct run_compare {
    const char *path;        ///< as typed, borrowed
    loaded_game game;        ///< the other build; plugin NULL: it is not there any more
    run_measured measured;   ///< by a JSON
    uint32_t times;          ///< that both played, or the fewer of the two
    run_least_means before;  ///< of the other build; all_us 0: not known
    run_least_means now;     ///< of the present one
    run_turns_medians turns; ///< measured in turns: how many times as long the present one takes
    bool is_in_turns;        ///< both were measured now, in turns
} run_compare;

/// Read what OTHER names; errors go to stderr.
/// @param path     must outlive `out`
/// @param present  the build that is run
/// @return TOOL_OK, TOOL_DAMAGED, TOOL_MISUSE
int run_compare_open(const char *path, const loaded_game *present, run_compare *out);

/// Whether it measured what is run now: this recording, to the same tick, in this way.
/// @param path  of the recording
/// @return TOOL_OK, TOOL_MISUSE
int run_compare_check(const run_compare *c, const char *path, const run_measured *now);

/// Measure: both in turns, or without the other build take what is known.
/// @param config  its games are filled in
/// @param now     what the present runs took
/// @return TOOL_OK, TOOL_NO
int run_compare_measure(run_compare *c, run_pair_config config, const loaded_game *present,
                        const run_least *now);

/// How the present build stands against the other one.
typedef struct run_verdict {
    double ratio;     ///< now / before
    double noise;     ///< what ratio may be wrong by
    const char *word; ///< "faster", "slower", "same" (no more than the noise), or "unknown"
} run_verdict;

/// Judge what was measured.
run_verdict run_compare_judge(const run_compare *c);

/// The object "compare".
void run_compare_json(json *j, const run_compare *c);

/// The same as lines on stdout.
void run_compare_print(const run_compare *c);

#endif
