// SPDX-License-Identifier: MIT

/// @file teller.h
/// One player's inputs as peers tell them to each other, again and again until they are
/// acknowledged. The model is asked once for each input; the decisions that told it are kept, so
/// that telling it again costs next to nothing and is the same however much was learnt since.
///
/// All who know a player's inputs before a tick have the same teller, so who reads on from any tick
/// has what was written by anyone. See docs/spec/wire.md.

#ifndef BKSI_TELLER_H
#define BKSI_TELLER_H

#include "input/model.h"

/// The newest ticks are kept; a message that begins before them is told plainly.
#define BKSI_TELLER_TICKS 128u

/// No tick is told by more decisions.
#define BKSI_TELLER_DECISIONS_MAX 256u

/// How one tick was told.
typedef struct bksi_told {
    uint32_t cost;       ///< at most, in 1/256 bits
    uint32_t plain_bits; ///< by input/codec.h
    uint32_t count;      ///< decisions
} bksi_told;

typedef struct bksi_teller {
    const bksi_layout *layout;
    bks_tick head; ///< one past the newest tick
    bksi_model *model;
    bksi_draft *draft; ///< of the input of tick `head`, if there is one
    bool has_draft;
    uint32_t decisions_max; ///< kept of a tick
    uint16_t *decisions;    ///< by tick modulo BKSI_TELLER_TICKS
    bksi_told told[BKSI_TELLER_TICKS];
} bksi_teller;

/// @param layout  must outlive the teller
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_teller_create(bksi_teller *teller, const bksi_layout *layout,
                              const bks_allocator *allocator);
/// NULL and a teller that was never created are fine.
void bksi_teller_destroy(bksi_teller *teller, const bks_allocator *allocator);

/// Take the input of tick `head`.
void bksi_teller_learn(bksi_teller *teller, const uint8_t *packed);

/// Bits that telling some ticks takes at most.
/// @param first, until  0 <= first <= until <= head
/// @param plain_bits    receives the bits they take by input/codec.h
/// @return UINT32_MAX, and plain_bits as it was, when one of them cannot be told: it is too old or
///         took too many decisions
uint32_t bksi_teller_bits(const bksi_teller *teller, bks_tick first, bks_tick until,
                          uint32_t *plain_bits);

/// Tell a tick that can be told.
void bksi_teller_tell(const bksi_teller *teller, bks_tick tick, bksi_range_encoder *encoder);

/// Read over a tick below `head`. If it is told as another input, or cannot be told,
/// decoder->failed is set.
void bksi_teller_skip(const bksi_teller *teller, bks_tick tick, bksi_range_decoder *decoder);

/// Read the input of tick `head`, without taking it: bksi_teller_learn() does, of this or another.
/// What no teller tells sets decoder->failed.
void bksi_teller_hear(bksi_teller *teller, bksi_range_decoder *decoder, uint8_t *packed);

#endif
