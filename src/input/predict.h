// SPDX-License-Identifier: MIT

/// @file predict.h
/// Prediction from more than the newest input: the predictors `linear`, `spline` and `vote`. A
/// layout without such fields needs none of this, bksi_layout_predict() says it all.
///
/// Guesses form a chain: the one for a tick rests on the guess for the tick before, back to the
/// newest confirmed input. As long as arriving inputs are as guessed the chain stands, so that a
/// right guess made early is not replaced by another one later.

#ifndef BKSI_PREDICT_H
#define BKSI_PREDICT_H

#include "input/extrapolate.h"
#include "input/layout.h"
#include "input/votes.h"

/// Longest chain; what lies farther ahead is guessed as its last tick. A power of two, and more
/// than a session steps ahead.
#define BKSI_CHAIN_MAX 128u

/// What the players of a match share.
typedef struct bksi_prediction {
    const bksi_layout *layout;
    bksi_votes votes; ///< without entries when no field is voted on
} bksi_prediction;

/// @param votes, votes_bytes  a table shipped with the game, NULL: none
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_DAMAGED, BKS_ERR_UNSUPPORTED
bks_status bksi_prediction_create(bksi_prediction *prediction, const bksi_layout *layout,
                                  const void *votes, size_t votes_bytes,
                                  const bks_allocator *allocator, bks_error *error);
void bksi_prediction_destroy(bksi_prediction *prediction, const bks_allocator *allocator);

/// One player's.
typedef struct bksi_predictor {
    bksi_prediction *prediction;
    bks_tick head;         ///< one past the newest confirmed input heard of
    uint32_t sample_count; ///< confirmed inputs kept
    uint32_t chain_first;  ///< place of the guess for `head`
    uint32_t chain_length; ///< guesses
    uint8_t *samples;      ///< BKSI_SAMPLES_MAX * bytes, newest first
    uint8_t *chain;        ///< BKSI_CHAIN_MAX * bytes
    bksi_unit_past *past;  ///< by unit of the votes, after the newest confirmed input
    bksi_unit_past *ahead; ///< the same after the chain's last guess
} bksi_predictor;

/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_predictor_create(bksi_predictor *predictor, bksi_prediction *prediction,
                                 const bks_allocator *allocator);
void bksi_predictor_destroy(bksi_predictor *predictor, const bks_allocator *allocator);

/// The first input to be confirmed is that of this tick; 0 otherwise.
void bksi_predictor_begin(bksi_predictor *predictor, bks_tick first);

/// The input of tick `tick` is confirmed. A gap before it is allowed: the history starts anew.
void bksi_predictor_learn(bksi_predictor *predictor, bks_tick tick, const uint8_t *packed);

/// Guess the input of a tick at or beyond the head.
void bksi_predictor_guess(bksi_predictor *predictor, bks_tick tick, uint8_t *packed);

#endif
