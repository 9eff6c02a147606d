// SPDX-License-Identifier: MIT

/// @file gathering.h
/// Inputs that are gathered over several operations, and must survive between them: what a tick is
/// stepped with, some of it guessed by the game, and what was sampled of a tick so far.

#ifndef BKSI_GATHERING_H
#define BKSI_GATHERING_H

#include "input/layout.h"

typedef struct bksi_gathering {
    const bksi_layout *layout;
    uint32_t players_max;
    uint8_t *step_packed; ///< players * layout bytes, for the next STEP
    uint8_t *last_packed; ///< likewise, what `step_values` was unpacked from
    int32_t *step_values; ///< players * fields, as STEP hands them out
    uint32_t next_player; ///< players below it have theirs; PREDICT asks for this one's
    int32_t *guess;       ///< 2 * fields, what PREDICT hands out: the guess, the newest input
    uint8_t *sampled;     ///< local players * layout bytes, of the tick at the own head
    uint32_t next_local;  ///< local players below it have been sampled
} bksi_gathering;

/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_gathering_create(bksi_gathering *gathering, const bksi_layout *layout,
                                 uint32_t players_max, const bks_allocator *allocator);
void bksi_gathering_destroy(bksi_gathering *gathering, const bks_allocator *allocator);

/// An update begins: no player has been sampled.
static inline void bksi_gathering_begin(bksi_gathering *gathering)
{
    gathering->next_local = 0;
}

/// Players below this one have their inputs for the next STEP.
static inline void bksi_gathering_wait(bksi_gathering *gathering, uint32_t player)
{
    gathering->next_player = player;
}

/// Where a player's input for the next STEP lies, packed.
static inline uint8_t *bksi_gathering_packed(const bksi_gathering *gathering, uint32_t player)
{
    return gathering->step_packed + (size_t)player * gathering->layout->bytes;
}

/// All inputs of the next STEP, unpacked where they are not those of the last one.
const int32_t *bksi_gathering_values(bksi_gathering *gathering, uint32_t players);

/// Take the guess of the player that PREDICT asked for, NULL: as the fields' predictors guess.
/// @return it, packed
const uint8_t *bksi_gathering_guess(bksi_gathering *gathering, const int32_t *values);

/// Take the next local player's sample, NULL: neutral.
/// @return it, packed
uint8_t *bksi_gathering_sample(bksi_gathering *gathering, const int32_t *values);

/// What a local player, from 0 on, was sampled with.
static inline const uint8_t *bksi_gathering_sampled(const bksi_gathering *gathering, uint32_t local)
{
    return gathering->sampled + (size_t)local * gathering->layout->bytes;
}

#endif
