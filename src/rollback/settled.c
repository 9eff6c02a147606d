// SPDX-License-Identifier: MIT

#include "rollback/settled.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/report.h"

static bksi_tick_hash *place_of(const bksi_settled *settled, bks_tick tick)
{
    return &settled->hashes[(uint32_t)tick % settled->capacity_ticks];
}

bks_status bksi_settled_create(bksi_settled *settled, uint32_t capacity_ticks,
                               const bks_allocator *allocator)
{
    *settled = (bksi_settled){.capacity_ticks = capacity_ticks,
                              .every = 1,
                              .published = BKS_TICK_NONE,
                              .held = BKS_TICK_NONE};
    settled->hashes = bksi_alloc(allocator, capacity_ticks * sizeof(bksi_tick_hash), 16);
    if (settled->hashes == NULL) {
        return BKS_ERR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < capacity_ticks; i++) {
        settled->hashes[i].tick = BKS_TICK_NONE;
    }
    return BKS_OK;
}

void bksi_settled_destroy(bksi_settled *settled, const bks_allocator *allocator)
{
    bksi_free(allocator, settled->hashes, settled->capacity_ticks * sizeof(bksi_tick_hash));
    *settled = (bksi_settled){0};
}

void bksi_settled_start(bksi_settled *settled, uint32_t every, bks_tick first, bks_tick end)
{
    settled->every = every;
    settled->first = settled->tick = first;
    settled->end = end;
}

void bksi_settled_end_at(bksi_settled *settled, bks_tick end)
{
    settled->end = end;
}

void bksi_settled_hold(bksi_settled *settled, bks_tick tick)
{
    BKS_ASSERT(tick > settled->published);
    const bool was_waiting = bksi_settled_is_waiting(settled);
    settled->held = tick;
    if (was_waiting && tick != settled->tick) {
        bksi_settled_publish(settled);
    }
}

void bksi_settled_let_go(bksi_settled *settled, bool begins_anew)
{
    const bool was_waiting = bksi_settled_is_waiting(settled);
    settled->held = BKS_TICK_NONE;
    settled->states = begins_anew ? 0 : settled->states;
    if (was_waiting) {
        bksi_settled_publish(settled);
    }
}

bool bksi_settled_keep(bksi_settled *settled, bks_tick tick, uint64_t hash)
{
    bksi_tick_hash *own = place_of(settled, tick);
    bool was_here = own->tick == tick;
    bool is_same = was_here && own->state == hash;
    own->tick = tick;
    if (!was_here || !bksi_mutated(BKSI_MUTANT_STALE)) {
        own->state = hash;
    }
    return is_same;
}

void bksi_settled_forget(bksi_settled *settled, bks_tick tick)
{
    place_of(settled, tick)->tick = BKS_TICK_NONE;
}

void bksi_settled_link(bksi_settled *settled, uint32_t player, const uint8_t *packed, size_t bytes)
{
    settled->chain = bksi_hash64_pair(settled->chain, bksi_hash64(packed, bytes, player));
}

void bksi_settled_advance(bksi_settled *settled)
{
    settled->tick++;
}

void bksi_settled_publish(bksi_settled *settled)
{
    bks_tick tick = settled->tick;
    if (!bksi_settled_wants(settled, tick)) {
        return;
    }
    bksi_tick_hash *own = place_of(settled, tick);
    BKS_ASSERT(own->tick == tick);
    own->inputs = settled->chain;
    if (bksi_settled_is_waiting(settled)) {
        return;
    }
    own->states = settled->states = bksi_hash64_pair(settled->states, own->state);
    settled->published = tick;
}

const bksi_tick_hash *bksi_settled_newest(const bksi_settled *settled)
{
    if (bksi_mutated(BKSI_MUTANT_HASH)) {
        const bksi_tick_hash *early = place_of(settled, settled->published + 1);
        return early->tick > settled->published ? early : NULL;
    }
    return bksi_settled_hash(settled, settled->published);
}
