// SPDX-License-Identifier: MIT

/// @file layout.h
/// Compiled table of fields: the place of each field's bits, and packing of inputs. A packed input
/// is `bytes` long, with fields in table order, lowest bit first, zero-padded.

#ifndef BKSI_LAYOUT_H
#define BKSI_LAYOUT_H

#include "backstitch/game.h"

#define BKSI_INPUT_BYTES_MAX (BKS_INPUT_BITS_MAX / 8)

typedef struct bksi_layout {
    /// Copy of the game's table of fields. Names are not copied: they point into the game's memory.
    bks_field fields[BKS_FIELDS_MAX];
    uint32_t sign[BKS_FIELDS_MAX];    ///< highest bit of a signed field, 0 for an unsigned field
    int32_t least[BKS_FIELDS_MAX];    ///< least value that a field's bits can hold
    int32_t greatest[BKS_FIELDS_MAX]; ///< greatest value that a field's bits can hold
    uint32_t mask[BKS_FIELDS_MAX];    ///< mask with as many ones as the field has bits
    uint16_t offset_bits[BKS_FIELDS_MAX];
    uint8_t group_of[BKS_FIELDS_MAX];        ///< group number of a field, rising from 0
    uint8_t group_first[BKS_FIELDS_MAX + 1]; ///< first field of each group, then field_count
    uint16_t group_offset_bits[BKS_FIELDS_MAX];
    uint16_t group_bits[BKS_FIELDS_MAX]; ///< number of bits of each group
    uint32_t field_count;
    uint32_t group_count;
    uint32_t bits;                         ///< bits of an input
    uint32_t bytes;                        ///< bytes of a packed input
    uint8_t neutral[BKSI_INPUT_BYTES_MAX]; ///< packed input in which every field is neutral
    /// Mask over a packed input: 1 for each bit of a field with the predictor `release`.
    uint8_t release_mask[BKSI_INPUT_BYTES_MAX];
    bool has_release;  ///< true if a field has the predictor `release`
    bool has_movement; ///< true if a field has the predictor `linear` or `spline`
    /// True if a field has the predictor `linear`, `spline` or `vote`, which need more than the
    /// newest input, so bksi_layout_predict() is not enough.
    bool has_history;
} bksi_layout;

/// Check and compile a table of fields.
/// @return BKS_OK, BKS_ERR_BAD_CONFIG
bks_status bksi_layout_init(bksi_layout *layout, const bks_field *fields, uint32_t count,
                            bks_error *error);

/// Return a hash that is equal for two layouts if inputs mean the same in both: XXH3-64 over names,
/// bits, signs, neutral values, groups and predictors.
uint64_t bksi_layout_hash(const bksi_layout *layout);

/// Check that every value is in its field's range.
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (error names the first wrong field, its value and its
///          range)
bks_status bksi_layout_check(const bksi_layout *layout, const int32_t *values, bks_error *error);

/// Pack a player's values; `packed` gets layout->bytes bytes.
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT if a value is out of range (error names the field, the
///          value and the range; nothing is written)
bks_status bksi_layout_pack(const bksi_layout *layout, const int32_t *values, uint8_t *packed,
                            bks_error *error);

/// Pack values, each clamped into its range first.
void bksi_layout_pack_clamped(const bksi_layout *layout, const int32_t *values, uint8_t *packed);

/// Return the value of one field of a packed input.
int32_t bksi_layout_get(const bksi_layout *layout, uint32_t field, const uint8_t *packed);

/// Change the value of one field of a packed input.
/// @param value  within the field's range
void bksi_layout_set(const bksi_layout *layout, uint32_t field, int32_t value, uint8_t *packed);

/// Unpack values. Any bytes give values within the ranges.
void bksi_layout_unpack(const bksi_layout *layout, const uint8_t *packed, int32_t *values);

/// Set every field to its neutral value.
void bksi_layout_neutral(const bksi_layout *layout, int32_t *values);

/// Guess the input that follows `last`, the newest confirmed input. Each field is guessed by its
/// predictor, or by `hold` if the predictor needs more than the newest input (input/predict.h).
/// `guess` may be the same memory as `last`.
void bksi_layout_predict(const bksi_layout *layout, const uint8_t *last, uint8_t *guess);

#endif
