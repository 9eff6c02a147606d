// SPDX-License-Identifier: MIT

/// @file model.h
/// What is learnt of one player's inputs, and inputs coded by it: what this player often does costs
/// little. Every input is a row of decisions, each with a chance that was learnt in what led to it;
/// all in integers, so that every machine learns the same. See docs/spec/input-codec.md.
///
///     bksi_model_init(model, &layout);
///     for each tick: bksi_model_encode(model, &layout, &encoder, packed);
///
/// A decoder begins with a model of its own and goes the same way.

#ifndef BKSI_MODEL_H
#define BKSI_MODEL_H

#include "base/range_coder.h"
#include "input/layout.h"

/// What is known of a group of fields.
typedef struct bksi_group_place {
    uint32_t level;   ///< how far each of its fields is from neutral, folded
    uint32_t changed; ///< `tick` of its newest change; 0: never
} bksi_group_place;

/// What is known of a field.
typedef struct bksi_field_place {
    int64_t value;    ///< less the neutral one
    uint32_t changed; ///< `tick` of its newest change; 0: never
    uint8_t reach;    ///< of that change: its size and direction
    uint8_t reach_before;
} bksi_field_place;

/// Where a player stands: the newest input and how long things have been as they are.
typedef struct bksi_place {
    uint8_t packed[BKSI_INPUT_BYTES_MAX]; ///< the newest input
    uint32_t tick;                        ///< inputs so far and 256
    uint32_t changed;                     ///< `tick` of the newest change; 0: never
    uint64_t groups;                      ///< bits: which changed then
    uint32_t level;                       ///< of all fields: how far each is from neutral, folded
    bksi_group_place group[BKS_FIELDS_MAX];
    bksi_field_place field[BKS_FIELDS_MAX];
} bksi_place;

/// The chance of one decision in one context, as one number so that it moves as one: that it is a
/// 1, in 1/65536 (the upper 16 bits); how often it was met, at most a limit (8 bits); the check of
/// its context, which shares the place with others (the lowest 8).
typedef uint32_t bksi_chance;

#define BKSI_MODEL_CONTEXTS_MAX 3u
#define BKSI_MODEL_WEIGHT_SETS  40u

/// Plain memory of bksi_model_bytes(): memcpy copies it.
typedef struct bksi_model {
    bksi_place place;
    int32_t weights[BKSI_MODEL_WEIGHT_SETS][BKSI_MODEL_CONTEXTS_MAX];
    uint32_t chance_shift; ///< there are 2^(32 - chance_shift) chances
    bksi_chance chances[];
} bksi_model;

/// 3 KiB to 68 KiB, by the bits of an input.
size_t bksi_model_bytes(const bksi_layout *layout);

/// Most decisions of an input: one for it, each group and each field, and two for each bit.
#define BKSI_MODEL_DECISIONS_MAX (1 + 2 * BKS_FIELDS_MAX + 2 * BKS_INPUT_BITS_MAX)
uint32_t bksi_model_decisions_max(const bksi_layout *layout);

/// Nothing is learnt, all is neutral.
/// @param model  bksi_model_bytes() of memory
void bksi_model_init(bksi_model *model, const bksi_layout *layout);

/// Encode the next input, and learn from it.
void bksi_model_encode(bksi_model *model, const bksi_layout *layout, bksi_range_encoder *encoder,
                       const uint8_t *packed);

/// Decode the next input, and learn from it. Any bytes give an input of the layout; what no encoder
/// writes sets decoder->failed, and what comes then is of no use.
void bksi_model_decode(bksi_model *model, const bksi_layout *layout, bksi_range_decoder *decoder,
                       uint8_t *packed);

/// What a decision teaches the model.
typedef struct bksi_note {
    uint32_t hashes[BKSI_MODEL_CONTEXTS_MAX]; ///< where its chances are
    int16_t odds[BKSI_MODEL_CONTEXTS_MAX];
    uint16_t one; ///< the chance that was made of them
    uint8_t bit;
    uint8_t count; ///< of contexts
    uint8_t set;   ///< of weights
} bksi_note;

/// A field that changed.
typedef struct bksi_move {
    uint32_t field;
    int64_t value; ///< less the neutral one
} bksi_move;

/// The next input, decided but not learnt from.
typedef struct bksi_draft {
    uint8_t packed[BKSI_INPUT_BYTES_MAX];
    uint64_t groups; ///< bits: which changed
    uint32_t move_count;
    uint32_t note_count;
    uint32_t decision_count;
    bksi_move moves[BKS_FIELDS_MAX];
    bksi_note notes[BKSI_MODEL_DECISIONS_MAX];
    bksi_range_decision decisions[BKSI_MODEL_DECISIONS_MAX]; ///< all that are coded
} bksi_draft;

/// Draft the next input. It can then be encoded or read over again and again by its `decisions`,
/// whatever was learnt since.
void bksi_model_draft(const bksi_model *model, const bksi_layout *layout, const uint8_t *packed,
                      bksi_draft *draft);

/// The same of an input that is decoded; failing as bksi_model_decode() does.
void bksi_model_draft_decoded(const bksi_model *model, const bksi_layout *layout,
                              bksi_range_decoder *decoder, bksi_draft *draft);

/// Learn from a draft, which is of this model as it is.
void bksi_model_take(bksi_model *model, const bksi_layout *layout, const bksi_draft *draft);

#endif
