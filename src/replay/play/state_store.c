// SPDX-License-Identifier: MIT

#include "replay/play/state_store.h"

#include <string.h>

#include "base/memory.h"
#include "base/report.h"

#define SPACING_TICKS 64

bks_status bksi_state_store_create(bksi_state_store *store, size_t bytes, uint32_t tick_rate_hz,
                                   const bks_allocator *allocator)
{
    *store = (bksi_state_store){.spacing_ticks = SPACING_TICKS};
    while (store->spacing_ticks > 1 && (uint32_t)store->spacing_ticks > tick_rate_hz) {
        store->spacing_ticks /= 2;
    }
    if (bytes == 0) {
        return BKS_OK;
    }
    store->block = bksi_alloc(allocator, bytes, 64);
    store->block_bytes = bytes;
    store->states =
        bksi_alloc(allocator, BKSI_STORE_STATES_MAX * sizeof(*store->states), _Alignof(size_t));
    return store->block != NULL && store->states != NULL ? BKS_OK : BKS_ERR_OUT_OF_MEMORY;
}

void bksi_state_store_destroy(bksi_state_store *store, const bks_allocator *allocator)
{
    bksi_free(allocator, store->block, store->block_bytes);
    bksi_free(allocator, store->states, BKSI_STORE_STATES_MAX * sizeof(*store->states));
    *store = (bksi_state_store){0};
}

/// Return the index of the first state whose tick is above `tick`.
static size_t place_of(const bksi_state_store *store, bks_tick tick)
{
    size_t low = 0;
    for (size_t high = store->count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (store->states[middle].tick <= tick) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// Move the remaining states to the start of the block, without gaps. They may lie in any order.
static void close_gaps(bksi_state_store *store)
{
    size_t end = 0;
    for (size_t moved = 0; moved < store->count; moved++) {
        // Find the next state in the block. States before `end` have been moved already.
        bksi_stored_state *next = NULL;
        for (size_t i = 0; i < store->count; i++) {
            bksi_stored_state *one = &store->states[i];
            if (one->offset >= end && (next == NULL || one->offset < next->offset)) {
                next = one;
            }
        }
        BKS_ASSERT(next != NULL);
        memmove(store->block + end, store->block + next->offset, next->bytes);
        next->offset = end;
        end += next->bytes;
    }
    store->used_bytes = end;
}

/// Drop the states whose ticks are not multiples of the spacing. If there are no such states,
/// double the spacing first.
static void thin_out(bksi_state_store *store)
{
    size_t kept = 0;
    while (store->count > 0) {
        kept = 0;
        for (size_t i = 0; i < store->count; i++) {
            if (store->states[i].tick % store->spacing_ticks == 0) {
                store->states[kept++] = store->states[i];
            }
        }
        if (kept < store->count) {
            break;
        }
        if (store->spacing_ticks > INT32_MAX / 2) {
            kept = 0;
            break;
        }
        store->spacing_ticks *= 2;
    }
    store->count = kept;
    close_gaps(store);
}

uint8_t *bksi_state_store_room(bksi_state_store *store, bks_tick tick, size_t bytes)
{
    const size_t place = place_of(store, tick);
    if (bytes > store->block_bytes || (place > 0 && store->states[place - 1].tick == tick)) {
        return NULL;
    }
    while (store->count == BKSI_STORE_STATES_MAX ||
           store->block_bytes - store->used_bytes < bytes) {
        thin_out(store);
    }
    return store->block + store->used_bytes;
}

void bksi_state_store_added(bksi_state_store *store, bks_tick tick, size_t bytes)
{
    const size_t place = place_of(store, tick);
    memmove(&store->states[place + 1], &store->states[place],
            (store->count - place) * sizeof(*store->states));
    store->states[place] = (bksi_stored_state){tick, store->used_bytes, bytes};
    store->count++;
    store->used_bytes += bytes;
}

const bksi_stored_state *bksi_state_store_find(const bksi_state_store *store, bks_tick tick)
{
    const size_t place = place_of(store, tick);
    return place > 0 ? &store->states[place - 1] : NULL;
}
