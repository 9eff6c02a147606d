// SPDX-License-Identifier: MIT

/// @file bench_present_run.h
/// What presenting costs: the same match on a virtual clock, without pictures, with a picture taken
/// so often a second, and with each of them drawn too, its shapes thrown away.

#ifndef BKS_BENCH_PRESENT_RUN_H
#define BKS_BENCH_PRESENT_RUN_H

#include "backstitch/plugin.h"
#include "game/source.h"
#include "workshop/bench/bench_passes.h"

typedef enum present_way {
    PRESENT_PLAYED, ///< no pictures: what the others are measured against
    PRESENT_TAKEN,  ///< bks_peer_frame() for each
    PRESENT_DRAWN,  ///< and the game's draw, on a canvas that draws nothing
    PRESENT_WAYS,
} present_way;

/// What to play.
typedef struct present_bench {
    const bks_plugin *plugin;
    const bks_game *game;
    bks_option_values options;
    uint64_t seed;
    uint32_t players;
    uint32_t seconds;
    uint32_t pictures_hz;
    uint32_t passes;         ///< 1..BENCH_PASSES_MAX
    const args_list *inputs; ///< what the players do
} present_bench;

/// What it came to.
typedef struct present_result {
    uint64_t pictures;                         ///< of a pass
    bool is_same;                              ///< all ways ended in the same state
    double ns[PRESENT_WAYS][BENCH_PASSES_MAX]; ///< of each pass: processor time
} present_result;

/// Play. What goes wrong is complained about.
/// @return exit status
int present_bench_run(const present_bench *bench, present_result *result);

#endif
