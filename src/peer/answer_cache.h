// SPDX-License-Identifier: MIT

/// @file answer_cache.h
/// What the outside answered to the steps of this match, kept as long as a tick may be stepped
/// again: so each question of a tick is answered once.

#ifndef BKSI_ANSWER_CACHE_H
#define BKSI_ANSWER_CACHE_H

#include "backstitch/game.h"

/// Bytes kept: answers and the questions that they belong to.
#define BKSI_ANSWER_CACHE_BYTES 65536u

typedef struct bksi_answer_cache {
    uint8_t *bytes; ///< entries one behind the other, the oldest first; NULL: none are kept
    size_t used;    ///< of BKSI_ANSWER_CACHE_BYTES
    bks_allocator allocator;
} bksi_answer_cache;

/// Take the memory. Plain zero memory is a bksi_answer_cache that keeps nothing.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_answer_cache_create(bksi_answer_cache *cache, const bks_allocator *allocator,
                                    bks_error *error);
void bksi_answer_cache_destroy(bksi_answer_cache *cache);

/// Look for the answer to a question of a tick.
/// @param out    receives it, up to BKS_ANSWER_BYTES_MAX bytes
/// @param count  receives its bytes, 0 when the answer was that there is none
/// @return false when it was not asked yet
bool bksi_answer_cache_find(const bksi_answer_cache *cache, bks_tick tick, uint32_t question,
                            void *out, size_t *count);

/// Keep an answer. Ticks before `settled` are never stepped again and make room when it is needed.
/// @return false when there is no room all the same
bool bksi_answer_cache_keep(bksi_answer_cache *cache, bks_tick settled, bks_tick tick,
                            uint32_t question, const void *bytes, size_t count);

#endif
