// SPDX-License-Identifier: MIT

/// @file run_pair.h
/// Two builds of a game play one recording in turns, so that what else the machine does meets both.

#ifndef BKS_TOOL_RUN_PAIR_H
#define BKS_TOOL_RUN_PAIR_H

#include "backstitch/toolkit/recording.h"
#include "record/run/run_least.h"
#include "record/run/run_turns.h"

/// What is measured.
typedef struct run_pair_config {
    bks_playback_config playback; ///< its game is not used
    const bks_game *before;
    const bks_game *now;
    bks_tick end;   ///< one past the last tick to step
    uint32_t times; ///< that each plays it
} run_pair_config;

/// Let them play, in turns, and the one that begins by turns too. Hashes are not compared.
/// @param before, now  receive the times of ticks; released by the caller with run_least_free()
/// @param turns        receives how the two stand to each other; released by run_turns_free()
/// @param error        receives what went wrong
/// @return BKS_OK, or why a playback could not be had; BKS_ERR_OUT_OF_MEMORY
bks_status run_pair_measure(const run_pair_config *config, run_least *before, run_least *now,
                            run_turns *turns, bks_error *error);

#endif
