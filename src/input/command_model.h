// SPDX-License-Identifier: MIT

/// @file command_model.h
/// Model of one player's commands: it predicts each bit of the sequence (command_log.h) from the
/// bits before it, and learns from all of them. Six contexts each look up a chance, and a mixer
/// weighs these by how well each context predicted at this place of a command [Mahoney].
/// Only whole numbers are used, so the model is the same on every machine.
/// See docs/spec/input-codec.md.
///
///     uint32_t zero = bksi_command_model_predict(model);
///     bksi_range_encode(&encoder, zero, bit);
///     bksi_command_model_learn(model, bit);

#ifndef BKSI_COMMAND_MODEL_H
#define BKSI_COMMAND_MODEL_H

#include <stdint.h>

#define BKSI_COMMAND_CONTEXTS 6u

/// Number of chances of a context, by hash: a power of two.
#define BKSI_COMMAND_CHANCES (1u << 15)

/// Places in a command that have their own weights. The last one stands for all beyond it.
#define BKSI_COMMAND_PLACES 61u

/// Bytes that the model remembers, a power of two.
#define BKSI_COMMAND_HISTORY (1u << 14)

/// Entries of the table that finds earlier copies of the last four bytes, a power of two.
#define BKSI_COMMAND_COPIES (1u << 12)

/// Learnt state. Offsets count the bytes of the sequence from 0.
typedef struct bksi_command_model {
    /// Chances of a 1: the highest 12 bits are the chance in 1/4096, the others a count of uses.
    uint16_t chances[BKSI_COMMAND_CONTEXTS][BKSI_COMMAND_CHANCES];
    int32_t weights[BKSI_COMMAND_PLACES][BKSI_COMMAND_CONTEXTS]; ///< in 1/65536
    int16_t stretched[4096]; ///< logarithm of the odds for each chance, in 1/256
    uint8_t history[BKSI_COMMAND_HISTORY];
    uint32_t copies[BKSI_COMMAND_COPIES]; ///< by hash of four bytes: offset behind them; 0: none
    uint32_t at;                          ///< offset of the next byte
    uint32_t copy_at;                     ///< offset of the byte that the next one may repeat
    uint32_t copy_length;                 ///< bytes before it that are the same; 0: no copy
    // The command that the next byte is part of.
    uint32_t place;     ///< number of its bytes before the next one, with those of the length
    uint32_t length;    ///< its length, as far as it is known
    uint32_t kind;      ///< first byte of the newest command after its length
    uint32_t like[256]; ///< by kind: offset behind the first byte of the newest command; 0: none
    uint32_t begun;     ///< the same of this command
    // The next bit.
    uint32_t bits; ///< bits of the next byte so far, after a leading 1
    uint32_t hashes[BKSI_COMMAND_CONTEXTS];
    uint16_t *used[BKSI_COMMAND_CONTEXTS]; ///< chances that the prediction was made from
    int32_t inputs[BKSI_COMMAND_CONTEXTS]; ///< these chances, stretched
    int32_t predicted;                     ///< chance of a 1, in 1/4096: 1..4095
} bksi_command_model;

/// Begin a sequence.
void bksi_command_model_init(bksi_command_model *model);
/// Predict the next bit.
/// @return chance of a 0, in 1/65536: 1..65535
uint32_t bksi_command_model_predict(bksi_command_model *model);
/// Learn a bit that was predicted.
/// @param bit  0 or 1
void bksi_command_model_learn(bksi_command_model *model, uint32_t bit);

#endif
