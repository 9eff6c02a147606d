// SPDX-License-Identifier: MIT

/// @file model.h
/// Adaptive model of one player's inputs: frequent actions cost few bits. Every input is a sequence
/// of decisions, each with a chance learnt in its context. The model uses integers only, so that
/// every machine learns the same. See docs/spec/input-codec.md.
///
///     bksi_model_init(model, &layout);
///     for each tick: bksi_model_encode(model, &layout, &encoder, packed);
///
/// A decoder starts with a model of its own, and decodes and learns in the same order.

#ifndef BKSI_MODEL_H
#define BKSI_MODEL_H

#include "base/range_coder.h"
#include "input/layout.h"

/// State of a group of fields.
typedef struct bksi_group_place {
    uint32_t level;   ///< hash of the coarse distances of the group's fields from neutral
    uint32_t changed; ///< value of `tick` at the newest change of the group; 0: never
} bksi_group_place;

/// State of a field.
typedef struct bksi_field_place {
    int64_t value;    ///< value minus the field's neutral value
    uint32_t changed; ///< value of `tick` at the newest change of the field; 0: never
    uint8_t reach;    ///< coarse size and direction of the field's newest change
    uint8_t reach_before;
} bksi_field_place;

/// Situation of a player: the newest input, and the ages of groups and fields.
typedef struct bksi_place {
    uint8_t packed[BKSI_INPUT_BYTES_MAX]; ///< the newest input, packed
    /// Number of inputs so far plus LONG_AGO (256), so that a change with number 0 is old.
    uint32_t tick;
    /// Value of `tick` at the newest change of the input; 0: never.
    uint32_t changed;
    uint64_t groups; ///< groups that changed at the newest change, one bit for each
    uint32_t level;  ///< hash of the coarse distances of all fields from neutral
    bksi_group_place group[BKS_FIELDS_MAX];
    bksi_field_place field[BKS_FIELDS_MAX];
} bksi_place;

/// Chance of one decision in one context, in one word. The upper 16 bits are the chance of a 1, in
/// 1/65536. The next 8 bits count how often the decision was met, up to a limit. The lowest 8 bits
/// identify the context, because several contexts share a word.
typedef uint32_t bksi_chance;

#define BKSI_MODEL_CONTEXTS_MAX 3u
#define BKSI_MODEL_WEIGHT_SETS  40u

/// Adaptive model of one player's inputs. It has no pointers, so memcpy() of bksi_model_bytes()
/// bytes copies it.
typedef struct bksi_model {
    bksi_place place;
    int32_t weights[BKSI_MODEL_WEIGHT_SETS][BKSI_MODEL_CONTEXTS_MAX];
    uint32_t chance_shift; ///< the model has 2^(32 - chance_shift) chances
    bksi_chance chances[];
} bksi_model;

/// Return the size of a model: 3 KiB to 68 KiB, depending on the number of bits of an input.
size_t bksi_model_bytes(const bksi_layout *layout);

/// Most decisions of an input: one for the input, one for each group and field, two for each bit.
#define BKSI_MODEL_DECISIONS_MAX (1 + 2 * BKS_FIELDS_MAX + 2 * BKS_INPUT_BITS_MAX)
uint32_t bksi_model_decisions_max(const bksi_layout *layout);

/// Begin with nothing learnt and all fields neutral.
/// @param model  memory of bksi_model_bytes() bytes
void bksi_model_init(bksi_model *model, const bksi_layout *layout);

/// Encode the next input, and learn from it.
void bksi_model_encode(bksi_model *model, const bksi_layout *layout, bksi_range_encoder *encoder,
                       const uint8_t *packed);

/// Decode the next input, and learn from it. Any bytes give an input of the layout; bytes that no
/// encoder writes set decoder->failed, and later inputs are meaningless then.
void bksi_model_decode(bksi_model *model, const bksi_layout *layout, bksi_range_decoder *decoder,
                       uint8_t *packed);

/// One decision, with the data from which the model learns after it.
typedef struct bksi_note {
    /// Hashes of the contexts in which the decision was coded.
    uint32_t hashes[BKSI_MODEL_CONTEXTS_MAX];
    int16_t odds[BKSI_MODEL_CONTEXTS_MAX];
    uint16_t one; ///< chance of a 1, combined from the chances in all contexts
    uint8_t bit;
    uint8_t count; ///< number of contexts in which the decision was coded
    uint8_t set;   ///< index of the set of weights that was used
} bksi_note;

/// New value of a changed field.
typedef struct bksi_move {
    uint32_t field;
    int64_t value; ///< value minus the field's neutral value
} bksi_move;

/// Draft of the next input: the decisions are made, but the model has not learnt from them.
typedef struct bksi_draft {
    uint8_t packed[BKSI_INPUT_BYTES_MAX];
    uint64_t groups; ///< groups that changed, one bit for each
    uint32_t move_count;
    uint32_t note_count;
    uint32_t decision_count;
    bksi_move moves[BKS_FIELDS_MAX];
    bksi_note notes[BKSI_MODEL_DECISIONS_MAX];
    bksi_range_decision decisions[BKSI_MODEL_DECISIONS_MAX]; ///< all decisions that code the input
} bksi_draft;

/// Draft the next input. The draft's `decisions` allow encoding or skipping the input repeatedly,
/// whatever is learnt later.
void bksi_model_draft(const bksi_model *model, const bksi_layout *layout, const uint8_t *packed,
                      bksi_draft *draft);

/// Draft the next input by decoding it. Bytes that no encoder writes set decoder->failed.
void bksi_model_draft_decoded(const bksi_model *model, const bksi_layout *layout,
                              bksi_range_decoder *decoder, bksi_draft *draft);

/// Learn from a draft that was made with the present model.
void bksi_model_take(bksi_model *model, const bksi_layout *layout, const bksi_draft *draft);

#endif
