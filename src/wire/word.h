// SPDX-License-Identifier: MIT

/// @file word.h
/// WORD: whom peers hear straight. Its sender says it of itself, and passes on what it knows of
/// others.

#ifndef BKSI_WORD_H
#define BKSI_WORD_H

#include "base/bits.h"

typedef struct bksi_word_entry {
    bool is_there;
    uint16_t number; ///< raised by that peer with every change
    uint32_t hears;  ///< bits of peers
} bksi_word_entry;

typedef struct bksi_word {
    bksi_word_entry of[BKS_PEERS_MAX]; ///< by peer
} bksi_word;

void bksi_word_write(bksi_bit_writer *writer, const bksi_word *word);
/// @return false when it is none: empty, too long, or not in the order of peers
bool bksi_word_read(bksi_bit_reader *reader, bksi_word *word);

#endif
