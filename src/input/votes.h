// SPDX-License-Identifier: MIT

/// @file votes.h
/// Counts of what followed what, for the predictor `vote`. A *unit* is what is guessed as one: a
/// stick, an angle with its magnitude, neighbouring buttons of a group, or a single field. For each
/// unit four contexts, from the broadest to the narrowest, each ask their own counts:
///
///     how it moves, coarsely | its value | and for how long | and what it was before
///
/// The counts of a narrower context outweigh the broader ones' as they grow. A stick is seen as if
/// it pointed up and right, so that what is learnt on one side counts on the other.
///
/// One table serves all players of a match: they teach each other.

#ifndef BKSI_VOTES_H
#define BKSI_VOTES_H

#include "input/layout.h"

/// Most bits of a unit.
#define BKSI_UNIT_BITS_MAX 32u

/// What is guessed as one.
typedef struct bksi_unit {
    uint16_t offset_bits; ///< in a packed input
    uint8_t bits;         ///< all together, 1..BKSI_UNIT_BITS_MAX
    uint8_t first_bits;   ///< of the first of a pair; all of them for anything else
    bool is_mirrored;     ///< a signed axis or stick: its sides are alike
} bksi_unit;

/// One unit's recent past.
typedef struct bksi_unit_past {
    uint32_t value;      ///< newest, as its bits
    uint32_t before;     ///< the newest value that was another
    uint32_t held_ticks; ///< for how long the newest has been repeated, up to 255
} bksi_unit_past;

typedef struct bksi_vote_entry bksi_vote_entry;

typedef struct bksi_votes {
    bksi_vote_entry *entries;
    uint64_t identity; ///< of the layout, predictors aside
    uint32_t unit_count;
    bksi_unit units[BKS_FIELDS_MAX];
} bksi_votes;

/// Make an empty table for the fields of a layout that are predicted by vote, or for all of them.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_votes_create(bksi_votes *votes, const bksi_layout *layout, bool all_fields,
                             const bks_allocator *allocator);
void bksi_votes_destroy(bksi_votes *votes, const bks_allocator *allocator);

/// A unit's value in a packed input.
uint32_t bksi_unit_read(const bksi_unit *unit, const uint8_t *packed);
void bksi_unit_write(const bksi_unit *unit, uint32_t value, uint8_t *packed);

/// The past after one more tick with this value.
void bksi_unit_past_push(bksi_unit_past *past, uint32_t value);

/// Count what followed.
void bksi_votes_learn(bksi_votes *votes, uint32_t unit, const bksi_unit_past *past, uint32_t value);

/// What the counts say comes next; the value held when they say nothing.
uint32_t bksi_votes_guess(const bksi_votes *votes, uint32_t unit, const bksi_unit_past *past);

/// Bytes of the table as it is, for shipping with a game. See docs/spec/votes.md.
/// @param bytes     NULL asks for the size
/// @return bytes written or needed; 0 when the capacity is too small
size_t bksi_votes_write(const bksi_votes *votes, void *bytes, size_t capacity);

/// Take in a table that was shipped. The bytes may be hostile: the table is empty again when they
/// are refused.
/// @return BKS_OK, BKS_ERR_DAMAGED, BKS_ERR_UNSUPPORTED (another version or layout)
bks_status bksi_votes_read(bksi_votes *votes, const void *bytes, size_t count, bks_error *error);

#endif
