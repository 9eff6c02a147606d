// SPDX-License-Identifier: MIT

/// @file layout.h
/// A table of fields made ready: where each field's bits lie, and how an input becomes bytes.
/// A packed input is `bytes` long, fields in table order, lowest bit first, zero-padded.

#ifndef BKSI_LAYOUT_H
#define BKSI_LAYOUT_H

#include "backstitch/game.h"

#define BKSI_INPUT_BYTES_MAX (BKS_INPUT_BITS_MAX / 8)

typedef struct bksi_layout {
    bks_field fields[BKS_FIELDS_MAX]; ///< names point into the game's table
    uint32_t sign[BKS_FIELDS_MAX];    ///< a signed field's highest bit, 0 of the others
    int32_t least[BKS_FIELDS_MAX];    ///< that a field's bits can hold
    int32_t greatest[BKS_FIELDS_MAX]; ///< likewise
    uint32_t mask[BKS_FIELDS_MAX];    ///< a field's bits, all set
    uint16_t offset_bits[BKS_FIELDS_MAX];
    uint8_t group_of[BKS_FIELDS_MAX];        ///< 0..group_count-1, rising
    uint8_t group_first[BKS_FIELDS_MAX + 1]; ///< its first field; behind the last: field_count
    uint16_t group_offset_bits[BKS_FIELDS_MAX];
    uint16_t group_bits[BKS_FIELDS_MAX]; ///< by group
    uint32_t field_count;
    uint32_t group_count;
    uint32_t bits;                              ///< of a whole input
    uint32_t bytes;                             ///< of a packed input
    uint8_t neutral[BKSI_INPUT_BYTES_MAX];      ///< packed
    uint8_t release_mask[BKSI_INPUT_BYTES_MAX]; ///< packed: the bits predicted by release
    bool has_release;                           ///< some field is predicted by release
    bool has_movement;                          ///< … by linear or spline
    bool has_history; ///< … by these or vote: bksi_layout_predict() alone does not do
} bksi_layout;

/// Check the table and make it ready.
/// @return BKS_OK, BKS_ERR_BAD_CONFIG
bks_status bksi_layout_init(bksi_layout *layout, const bks_field *fields, uint32_t count,
                            bks_error *error);

/// Number that is the same for two layouts when inputs of one mean the same in the other:
/// XXH3-64 over names, bits, signs, neutrals, groups and predictors.
uint64_t bksi_layout_hash(const bksi_layout *layout);

/// Whether every value lies in its field's range.
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (error names the first field that does not, its value and
///         its range)
bks_status bksi_layout_check(const bksi_layout *layout, const int32_t *values, bks_error *error);

/// Values to packed bytes; `packed` gets layout->bytes bytes.
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT when a value is out of its field's range (error names the
///         field, the value and the range; nothing is written)
bks_status bksi_layout_pack(const bksi_layout *layout, const int32_t *values, uint8_t *packed,
                            bks_error *error);

/// The same with every value clamped into its range first.
void bksi_layout_pack_clamped(const bksi_layout *layout, const int32_t *values, uint8_t *packed);

/// One field of a packed input.
int32_t bksi_layout_get(const bksi_layout *layout, uint32_t field, const uint8_t *packed);

/// Change one field of a packed input.
/// @param value  in its range
void bksi_layout_set(const bksi_layout *layout, uint32_t field, int32_t value, uint8_t *packed);

/// Packed bytes to values. Any bytes give values within the ranges.
void bksi_layout_unpack(const bksi_layout *layout, const uint8_t *packed, int32_t *values);

/// Every field's neutral value.
void bksi_layout_neutral(const bksi_layout *layout, int32_t *values);

/// Guess the input that follows `last` and has not arrived: each field by its predictor, or by
/// `hold` where that asks for more than the newest input (input/predict.h).
/// `last` is the newest confirmed input, `guess` may be the same memory.
void bksi_layout_predict(const bksi_layout *layout, const uint8_t *last, uint8_t *guess);

#endif
