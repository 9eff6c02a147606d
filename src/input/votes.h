// SPDX-License-Identifier: MIT

/// @file votes.h
/// Counts of successions of values, for the predictor `vote`. A *unit* is guessed as one: a stick,
/// an angle with its magnitude, neighbouring buttons of a group, or a single field. Each unit has
/// counts in four contexts, from the broadest to the narrowest: 1. its coarse movement; 2. its
/// value; 3. its value and how long it was held; 4. all of 3 and the previous value.
///
/// Counts of a narrower context outweigh the broader ones as they grow. A stick is mirrored to
/// point up and right, so that opposite directions share their counts.
///
/// One table serves all players of a match: each learns from the others.

#ifndef BKSI_VOTES_H
#define BKSI_VOTES_H

#include "input/layout.h"

/// Most bits of a unit (fields that are guessed as one).
#define BKSI_UNIT_BITS_MAX 32u

/// Unit: a field of an input, or several that are guessed as one.
typedef struct bksi_unit {
    uint16_t offset_bits; ///< offset of the unit's first bit in a packed input
    uint8_t bits;         ///< bits of the unit, 1..BKSI_UNIT_BITS_MAX
    uint8_t first_bits;   ///< bits of the first field of a pair; all bits if the unit is no pair
    bool is_mirrored;     ///< signed axis or stick, whose opposite directions share their counts
} bksi_unit;

/// Newest values of a unit (fields that are guessed as one).
typedef struct bksi_unit_past {
    uint32_t value;      ///< newest value, packed
    uint32_t before;     ///< last value that differed from the newest one
    uint32_t held_ticks; ///< ticks for which the newest value was repeated, up to 255
} bksi_unit_past;

typedef struct bksi_vote_entry bksi_vote_entry;

typedef struct bksi_votes {
    bksi_vote_entry *entries;
    uint64_t identity; ///< hash of the layout, leaving out its predictors
    uint32_t unit_count;
    bksi_unit units[BKS_FIELDS_MAX];
} bksi_votes;

/// Create an empty table for the fields that are predicted by vote, or for all fields.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_votes_create(bksi_votes *votes, const bksi_layout *layout, bool all_fields,
                             const bks_allocator *allocator);
void bksi_votes_destroy(bksi_votes *votes, const bks_allocator *allocator);

/// Read the value of a unit (fields that are guessed as one) from a packed input.
uint32_t bksi_unit_read(const bksi_unit *unit, const uint8_t *packed);
void bksi_unit_write(const bksi_unit *unit, uint32_t value, uint8_t *packed);

/// Add one more tick, with the value `value`, to the past of a unit (fields that are guessed as
/// one).
void bksi_unit_past_push(bksi_unit_past *past, uint32_t value);

/// Count that `value` followed a past of a unit (fields that are guessed as one).
void bksi_votes_learn(bksi_votes *votes, uint32_t unit, const bksi_unit_past *past, uint32_t value);

/// Guess the value that follows a past of a unit (fields that are guessed as one). Without counts
/// it is the held value.
uint32_t bksi_votes_guess(const bksi_votes *votes, uint32_t unit, const bksi_unit_past *past);

/// Write the table of votes for shipping with a game. See docs/spec/votes.md.
/// @param bytes     receives the table; NULL: only return the size
/// @return bytes written or needed; 0 if the capacity is too small
size_t bksi_votes_write(const bksi_votes *votes, void *bytes, size_t capacity);

/// Read a shipped table of votes. The bytes may be hostile; if they are refused, the table is
/// empty.
/// @return BKS_OK, BKS_ERR_DAMAGED, BKS_ERR_UNSUPPORTED (another version or layout)
bks_status bksi_votes_read(bksi_votes *votes, const void *bytes, size_t count, bks_error *error);

#endif
