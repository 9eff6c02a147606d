// SPDX-License-Identifier: MIT

#include "peer/told_facts.h"

#include <string.h>

#include "base/memory.h"
#include "base/report.h"

// What stands before the bytes of an answer.
typedef struct entry {
    bks_tick tick;
    uint32_t question;
    uint32_t count;
} entry;

bks_status bksi_told_facts_create(bksi_told_facts *facts, const bks_allocator *allocator,
                                  bks_error *error)
{
    *facts = (bksi_told_facts){.allocator = *allocator};
    facts->bytes = bksi_alloc(allocator, BKSI_TOLD_FACTS_BYTES, 16);
    if (facts->bytes == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, "bks_peer_create", "allocator",
                         "allocator has no %u bytes", BKSI_TOLD_FACTS_BYTES);
    }
    return BKS_OK;
}

void bksi_told_facts_destroy(bksi_told_facts *facts)
{
    if (facts->bytes != NULL) {
        bksi_free(&facts->allocator, facts->bytes, BKSI_TOLD_FACTS_BYTES);
    }
    *facts = (bksi_told_facts){0};
}

static entry entry_at(const bksi_told_facts *facts, size_t at)
{
    entry e;
    memcpy(&e, facts->bytes + at, sizeof(e));
    return e;
}

bool bksi_told_facts_find(const bksi_told_facts *facts, bks_tick tick, uint32_t question, void *out,
                          size_t *count)
{
    for (size_t at = 0; at < facts->used;) {
        const entry e = entry_at(facts, at);
        if (e.tick == tick && e.question == question) {
            memcpy(out, facts->bytes + at + sizeof(e), e.count);
            *count = e.count;
            return true;
        }
        at += sizeof(e) + e.count;
    }
    return false;
}

/// Ticks come in order, so what is settled stands in front.
static void make_room(bksi_told_facts *facts, bks_tick settled)
{
    size_t at = 0;
    while (at < facts->used && entry_at(facts, at).tick < settled) {
        at += sizeof(entry) + entry_at(facts, at).count;
    }
    facts->used -= at;
    memmove(facts->bytes, facts->bytes + at, facts->used);
}

bool bksi_told_facts_keep(bksi_told_facts *facts, bks_tick settled, bks_tick tick,
                          uint32_t question, const void *bytes, size_t count)
{
    const entry e = {.tick = tick, .question = question, .count = (uint32_t)count};
    if (facts->used + sizeof(e) + count > BKSI_TOLD_FACTS_BYTES) {
        make_room(facts, settled);
    }
    if (facts->bytes == NULL || facts->used + sizeof(e) + count > BKSI_TOLD_FACTS_BYTES) {
        return false;
    }
    memcpy(facts->bytes + facts->used, &e, sizeof(e));
    memcpy(facts->bytes + facts->used + sizeof(e), bytes, count);
    facts->used += sizeof(e) + count;
    return true;
}
