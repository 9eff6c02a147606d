// SPDX-License-Identifier: MIT

/// @file timeline.h
/// One player's inputs by tick: confirmed up to the head, predicted beyond it. It also stores what
/// each tick was stepped with, so that a wrong guess is found when the real input arrives.

#ifndef BKSI_TIMELINE_H
#define BKSI_TIMELINE_H

#include "input/layout.h"
#include "input/predict.h"

typedef struct bksi_timeline {
    const bksi_layout *layout;
    uint32_t capacity_ticks;   ///< size of both rings in ticks, a power of two
    bks_tick first;            ///< the first tick of the match
    bks_tick head;             ///< one past the newest confirmed tick
    uint8_t *inputs;           ///< ring of confirmed inputs, capacity_ticks * layout->bytes bytes
    uint8_t *used;             ///< ring of inputs that ticks were stepped with, of the same size
    bks_tick used_head;        ///< one past the newest tick that was stepped
    bksi_predictor *predictor; ///< predictor of the player; NULL: guess from the newest input alone
} bksi_timeline;

/// Create an empty timeline.
/// @param capacity_ticks  a power of two, at least 2
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_timeline_create(bksi_timeline *timeline, const bksi_layout *layout,
                                uint32_t capacity_ticks, const bks_allocator *allocator);
void bksi_timeline_destroy(bksi_timeline *timeline, const bks_allocator *allocator);

/// Predict from more than the newest input, for layouts with `has_history`. Call this before the
/// first input.
/// @param prediction  shared by the match's players; must outlive the timeline
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_timeline_predict_by(bksi_timeline *timeline, bksi_prediction *prediction,
                                    const bks_allocator *allocator);

/// Set the tick of the first input, 0 by default. Call this before the first input.
void bksi_timeline_begin(bksi_timeline *timeline, bks_tick first);

/// Append the confirmed input of tick `head`.
/// @return `head` before the call if that tick was stepped with another input, else BKS_TICK_NONE
bks_tick bksi_timeline_append(bksi_timeline *timeline, const uint8_t *packed);

/// Get the input of a tick: confirmed below the head, else predicted from the newest confirmed ones
/// (neutral if there are none).
/// @param tick  at least head - capacity + 1
void bksi_timeline_at(const bksi_timeline *timeline, bks_tick tick, uint8_t *packed);

/// Return the confirmed input of a tick in head - capacity .. head - 1; neutral for the tick before
/// the first.
const uint8_t *bksi_timeline_confirmed(const bksi_timeline *timeline, bks_tick tick);

/// Return true if each tick from `from` to before `until` was stepped with the input that
/// bksi_timeline_at() returns now. All these ticks must have been stepped.
bool bksi_timeline_is_as_used(const bksi_timeline *timeline, bks_tick from, bks_tick until);

/// Store the input that a tick is stepped with.
void bksi_timeline_use(bksi_timeline *timeline, bks_tick tick, const uint8_t *packed);

#endif
