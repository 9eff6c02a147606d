// SPDX-License-Identifier: MIT

#include "peer/answer_cache.h"

#include <string.h>

#include "base/memory.h"
#include "base/report.h"

// Header of a cached answer; the answer's bytes follow.
typedef struct entry {
    bks_tick tick;
    uint32_t question;
    uint32_t count;
} entry;

bks_status bksi_answer_cache_create(bksi_answer_cache *cache, const bks_allocator *allocator,
                                    bks_error *error)
{
    *cache = (bksi_answer_cache){.allocator = *allocator};
    cache->bytes = bksi_alloc(allocator, BKSI_ANSWER_CACHE_BYTES, 16);
    if (cache->bytes == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, "bks_peer_create", "allocator",
                         "allocator has no %u bytes", BKSI_ANSWER_CACHE_BYTES);
    }
    return BKS_OK;
}

void bksi_answer_cache_destroy(bksi_answer_cache *cache)
{
    if (cache->bytes != NULL) {
        bksi_free(&cache->allocator, cache->bytes, BKSI_ANSWER_CACHE_BYTES);
    }
    *cache = (bksi_answer_cache){0};
}

static entry entry_at(const bksi_answer_cache *cache, size_t at)
{
    entry e;
    memcpy(&e, cache->bytes + at, sizeof(e));
    return e;
}

bool bksi_answer_cache_find(const bksi_answer_cache *cache, bks_tick tick, uint32_t question,
                            void *out, size_t *count)
{
    for (size_t at = 0; at < cache->used;) {
        const entry e = entry_at(cache, at);
        if (e.tick == tick && e.question == question) {
            memcpy(out, cache->bytes + at + sizeof(e), e.count);
            *count = e.count;
            return true;
        }
        at += sizeof(e) + e.count;
    }
    return false;
}

/// Drop the answers of settled ticks. They come first in the cache, because answers are added in
/// the order of ticks.
static void make_room(bksi_answer_cache *cache, bks_tick settled)
{
    size_t at = 0;
    while (at < cache->used && entry_at(cache, at).tick < settled) {
        at += sizeof(entry) + entry_at(cache, at).count;
    }
    cache->used -= at;
    memmove(cache->bytes, cache->bytes + at, cache->used);
}

bool bksi_answer_cache_keep(bksi_answer_cache *cache, bks_tick settled, bks_tick tick,
                            uint32_t question, const void *bytes, size_t count)
{
    const entry e = {.tick = tick, .question = question, .count = (uint32_t)count};
    if (cache->used + sizeof(e) + count > BKSI_ANSWER_CACHE_BYTES) {
        make_room(cache, settled);
    }
    if (cache->bytes == NULL || cache->used + sizeof(e) + count > BKSI_ANSWER_CACHE_BYTES) {
        return false;
    }
    memcpy(cache->bytes + cache->used, &e, sizeof(e));
    memcpy(cache->bytes + cache->used + sizeof(e), bytes, count);
    cache->used += sizeof(e) + count;
    return true;
}
