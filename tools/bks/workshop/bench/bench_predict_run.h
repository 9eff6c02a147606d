// SPDX-License-Identifier: MIT

/// @file bench_predict_run.h
/// Plays recorded inputs through timelines as a peer would see them arrive, and counts the guesses.
/// This is the library's own prediction, not a model of it.

#ifndef BKS_BENCH_PREDICT_RUN_H
#define BKS_BENCH_PREDICT_RUN_H

#include "workshop/bench/bench_matches.h"

/// What came of guessing.
typedef struct guess_count {
    uint64_t inputs;       ///< that had to be guessed
    uint64_t misses;       ///< guessed wrong when they arrived
    uint64_t rollbacks;    ///< updates in which a player saw a miss of another, summed over players
    double player_seconds; ///< played, summed over players
    double watcher_seconds; ///< the same over those who saw
} guess_count;

/// Count over one match. Every tick one input of each player arrives, `delay_ticks` late.
/// @param fields   as the match's values, with the predictors to try
/// @param votes    a table as by votes_learn(), may be NULL
/// @return BKS_OK, BKS_ERR_BAD_CONFIG, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_DAMAGED, BKS_ERR_UNSUPPORTED
BKS_NODISCARD bks_status guess_match(const played_match *match, const bks_field *fields,
                                     uint32_t field_count, uint32_t delay_ticks, const void *votes,
                                     size_t votes_bytes, guess_count *count, bks_error *error);

/// Learn a table of votes from matches, as a game may ship it.
/// @param out  receives the bytes; release with free()
/// @return BKS_OK, BKS_ERR_BAD_CONFIG, BKS_ERR_OUT_OF_MEMORY
BKS_NODISCARD bks_status votes_learn(const played_match *const *matches, uint32_t match_count,
                                     const bks_field *fields, uint32_t field_count, uint8_t **out,
                                     size_t *out_bytes, bks_error *error);

#endif
