// SPDX-License-Identifier: MIT

/// @file answer_cache.h
/// Answers that the steps of a match got to their questions (bks_ask()). An answer is kept as long
/// as its tick may be stepped again, so that the same question of a tick is put to the owner only
/// once.

#ifndef BKSI_ANSWER_CACHE_H
#define BKSI_ANSWER_CACHE_H

#include "backstitch/game.h"

/// Maximum number of bytes kept, of answers and their questions.
#define BKSI_ANSWER_CACHE_BYTES 65536u

typedef struct bksi_answer_cache {
    uint8_t *bytes; ///< entries in order, the oldest first; NULL: none are kept
    size_t used;    ///< bytes used of BKSI_ANSWER_CACHE_BYTES
    bks_allocator allocator;
} bksi_answer_cache;

/// Allocate the cache. A zeroed bksi_answer_cache keeps nothing.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_answer_cache_create(bksi_answer_cache *cache, const bks_allocator *allocator,
                                    bks_error *error);
void bksi_answer_cache_destroy(bksi_answer_cache *cache);

/// Find the answer to a question of a tick.
/// @param out    receives the answer, BKS_ANSWER_BYTES_MAX bytes at most
/// @param count  receives the size of the answer; 0 if there is no answer
/// @return false if the question was not asked yet
bool bksi_answer_cache_find(const bksi_answer_cache *cache, bks_tick tick, uint32_t question,
                            void *out, size_t *count);

/// Keep an answer. To make room, drop the answers of ticks before `settled`, which are never
/// stepped again.
/// @return false if there is still no room
bool bksi_answer_cache_keep(bksi_answer_cache *cache, bks_tick settled, bks_tick tick,
                            uint32_t question, const void *bytes, size_t count);

#endif
