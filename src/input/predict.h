// SPDX-License-Identifier: MIT

/// @file predict.h
/// Prediction from more than the newest input: the predictors `linear`, `spline` and `vote`.
/// Layouts without such fields use bksi_layout_predict().
///
/// Guesses form a chain: each tick's guess follows from the guess for the tick before, back to the
/// newest confirmed input. The chain is kept while arriving inputs match it, so that a right early
/// guess is not replaced later.

#ifndef BKSI_PREDICT_H
#define BKSI_PREDICT_H

#include "input/extrapolate.h"
#include "input/layout.h"
#include "input/votes.h"

/// Most guesses in a chain; later ticks repeat the last guess. A power of two, above the number of
/// ticks that a session ever steps ahead.
#define BKSI_CHAIN_MAX 128u

/// Data for prediction that the players of a match share.
typedef struct bksi_prediction {
    const bksi_layout *layout;
    bksi_votes votes; ///< votes of all players; empty if no field has the predictor `vote`
} bksi_prediction;

/// Create the data for prediction that the players of a match share.
/// @param votes, votes_bytes  table of votes shipped with the game; NULL: none
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_DAMAGED, BKS_ERR_UNSUPPORTED
bks_status bksi_prediction_create(bksi_prediction *prediction, const bksi_layout *layout,
                                  const void *votes, size_t votes_bytes,
                                  const bks_allocator *allocator, bks_error *error);
void bksi_prediction_destroy(bksi_prediction *prediction, const bks_allocator *allocator);

/// Predictor of one player.
typedef struct bksi_predictor {
    bksi_prediction *prediction;
    bks_tick head;         ///< one past the newest tick with a confirmed input
    uint32_t sample_count; ///< number of confirmed inputs in `samples`
    uint32_t chain_first;  ///< index in `chain` of the guess for tick `head`
    uint32_t chain_length; ///< number of guesses in the chain
    uint8_t *samples;      ///< newest confirmed inputs, newest first; BKSI_SAMPLES_MAX * bytes
    uint8_t *chain;        ///< ring of guesses; BKSI_CHAIN_MAX * bytes

    /// Past of each unit (fields guessed as one), after the newest confirmed input.
    bksi_unit_past *past;
    /// Past of each unit (fields guessed as one), after the last guess of the chain.
    bksi_unit_past *ahead;
} bksi_predictor;

/// Create the predictor of one player.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_predictor_create(bksi_predictor *predictor, bksi_prediction *prediction,
                                 const bks_allocator *allocator);
void bksi_predictor_destroy(bksi_predictor *predictor, const bks_allocator *allocator);

/// Set the tick of the first confirmed input, 0 by default.
void bksi_predictor_begin(bksi_predictor *predictor, bks_tick first);

/// Learn the confirmed input of a tick. After a gap the history starts anew.
void bksi_predictor_learn(bksi_predictor *predictor, bks_tick tick, const uint8_t *packed);

/// Guess the input of a tick at or beyond the head.
void bksi_predictor_guess(bksi_predictor *predictor, bks_tick tick, uint8_t *packed);

#endif
