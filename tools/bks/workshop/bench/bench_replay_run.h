// SPDX-License-Identifier: MIT

/// @file bench_replay_run.h
/// What playing a recording costs beside stepping the game: a match is recorded in memory, then
/// played in several ways in turn, again and again.

#ifndef BKS_BENCH_REPLAY_RUN_H
#define BKS_BENCH_REPLAY_RUN_H

#include "backstitch/game.h"
#include "game/source.h"
#include "workshop/bench/bench_passes.h"

typedef enum replay_way {
    REPLAY_BARE,     ///< a loop over `step`, inputs in memory: what the others are measured against
    REPLAY_PLAYED,   ///< opened and played, nothing compared
    REPLAY_VERIFIED, ///< the same with every hash compared
    REPLAY_READ,     ///< opened and all inputs read, nothing stepped
    REPLAY_AHEAD,    ///< opened and played, inputs read ahead on a second core
    REPLAY_WAYS,
} replay_way;

/// What to record, and how often to play it.
typedef struct replay_bench {
    const bks_game *game;
    bks_option_values options;
    uint64_t seed;
    uint32_t players;
    bks_tick ticks;
    uint32_t passes;     ///< 1..BENCH_PASSES_MAX
    source_set *sources; ///< what the players do
} replay_bench;

/// What it came to.
typedef struct replay_result {
    size_t file_bytes;
    bool is_same;                                  ///< all ways ended in the recorded state
    double ns[REPLAY_WAYS][BENCH_PASSES_MAX];      ///< of each pass: processor time of the stepper
    double wall_ns[REPLAY_WAYS][BENCH_PASSES_MAX]; ///< of each pass, by the clock
} replay_result;

/// Record and play. What goes wrong is complained about.
/// @return exit status
int replay_bench_run(const replay_bench *bench, replay_result *result);

#endif
