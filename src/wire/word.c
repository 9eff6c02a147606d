// SPDX-License-Identifier: MIT

#include "wire/word.h"

#define PEER_BITS   3u
#define NUMBER_BITS 16u
#define ENTRY_BITS  (PEER_BITS + NUMBER_BITS + BKS_PEERS_MAX)

_Static_assert(BKS_PEERS_MAX == 1u << PEER_BITS, "a peer takes three bits");

void bksi_word_write(bksi_bit_writer *writer, const bksi_word *word)
{
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        const bksi_word_entry *entry = &word->of[i];
        if (entry->is_there) {
            bksi_write_bits(writer, i, PEER_BITS);
            bksi_write_bits(writer, entry->number, NUMBER_BITS);
            bksi_write_bits(writer, entry->hears, BKS_PEERS_MAX);
        }
    }
}

bool bksi_word_read(bksi_bit_reader *reader, bksi_word *word)
{
    *word = (bksi_word){0};
    const size_t bits = reader->count_bits - reader->at_bits;
    const size_t count = bits / ENTRY_BITS;
    const uint32_t spare_bits = (uint32_t)(bits % ENTRY_BITS);
    if (count == 0 || count > BKS_PEERS_MAX || spare_bits >= 8) {
        return false;
    }
    uint32_t next = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t peer = (uint32_t)bksi_read_bits(reader, PEER_BITS);
        if (peer < next) {
            return false;
        }
        next = peer + 1;
        word->of[peer] =
            (bksi_word_entry){.is_there = true,
                              .number = (uint16_t)bksi_read_bits(reader, NUMBER_BITS),
                              .hears = (uint32_t)bksi_read_bits(reader, BKS_PEERS_MAX)};
    }
    return bksi_read_bits(reader, spare_bits) == 0 && !reader->failed;
}
