// SPDX-License-Identifier: MIT

#include "state/snapshot.h"

#include <string.h>

#include "base/memory.h"
#include "base/report.h"

/// Alignment of snapshot slots: a cache line.
#define SLOT_ALIGNMENT 64u

struct bksi_snapshots {
    bks_allocator allocator;
    uint32_t slot_count;
    size_t slot_bytes; ///< size of a slot: state_bytes_max rounded up to SLOT_ALIGNMENT
    size_t state_bytes_max;
    uint8_t *bytes;           ///< memory of all slots: slot_count * slot_bytes
    size_t *counts_bytes;     ///< by slot: bytes saved, 0 if nothing was saved
    const uint8_t **borrowed; ///< by slot: borrowed bytes; NULL: none
};

bks_status bksi_snapshots_create(uint32_t slot_count, size_t state_bytes_max,
                                 const bks_allocator *allocator, bksi_snapshots **out)
{
    BKS_ASSERT(slot_count <= 256);
    *out = NULL;
    // The slots together, and their rounding, must fit a size_t.
    const size_t slots = slot_count > 0 ? slot_count : 1;
    if (state_bytes_max > SIZE_MAX / 2 / slots - SLOT_ALIGNMENT) {
        return BKS_ERR_OUT_OF_MEMORY;
    }
    size_t slot_bytes = (state_bytes_max + SLOT_ALIGNMENT - 1) / SLOT_ALIGNMENT * SLOT_ALIGNMENT;
    bksi_snapshots *snapshots = bksi_alloc(allocator, sizeof(*snapshots), SLOT_ALIGNMENT);
    if (snapshots == NULL) {
        return BKS_ERR_OUT_OF_MEMORY;
    }
    *snapshots = (bksi_snapshots){
        .allocator = *allocator,
        .slot_count = slot_count,
        .slot_bytes = slot_bytes,
        .state_bytes_max = state_bytes_max,
        .bytes = bksi_alloc(allocator, slot_count * slot_bytes, SLOT_ALIGNMENT),
        .counts_bytes = bksi_alloc(allocator, slot_count * sizeof(size_t), sizeof(size_t)),
        .borrowed = bksi_alloc(allocator, slot_count * sizeof(uint8_t *), sizeof(uint8_t *)),
    };
    if (snapshots->bytes == NULL || snapshots->counts_bytes == NULL ||
        snapshots->borrowed == NULL) {
        bksi_snapshots_destroy(snapshots);
        return BKS_ERR_OUT_OF_MEMORY;
    }
    *out = snapshots;
    return BKS_OK;
}

void bksi_snapshots_destroy(bksi_snapshots *snapshots)
{
    if (snapshots == NULL) {
        return;
    }
    bks_allocator allocator = snapshots->allocator;
    bksi_free(&allocator, snapshots->bytes, snapshots->slot_count * snapshots->slot_bytes);
    bksi_free(&allocator, snapshots->counts_bytes, snapshots->slot_count * sizeof(size_t));
    bksi_free(&allocator, (void *)snapshots->borrowed, snapshots->slot_count * sizeof(uint8_t *));
    bksi_free(&allocator, snapshots, sizeof(*snapshots));
}

uint8_t *bksi_snapshots_room(bksi_snapshots *snapshots, uint32_t slot)
{
    BKS_ASSERT(slot < snapshots->slot_count);
    snapshots->borrowed[slot] = NULL;
    return snapshots->bytes + slot * snapshots->slot_bytes;
}

const uint8_t *bksi_snapshots_bytes(const bksi_snapshots *snapshots, uint32_t slot)
{
    BKS_ASSERT(slot < snapshots->slot_count);
    return snapshots->borrowed[slot] != NULL ? snapshots->borrowed[slot]
                                             : snapshots->bytes + slot * snapshots->slot_bytes;
}

void bksi_snapshots_borrow(bksi_snapshots *snapshots, uint32_t slot, const uint8_t *bytes,
                           size_t count)
{
    bksi_snapshots_set_count(snapshots, slot, count);
    snapshots->borrowed[slot] = bytes;
}

void bksi_snapshots_set_count(bksi_snapshots *snapshots, uint32_t slot, size_t count_bytes)
{
    BKS_ASSERT(slot < snapshots->slot_count);
    BKS_ASSERT(count_bytes <= snapshots->state_bytes_max);
    snapshots->counts_bytes[slot] = count_bytes;
}

size_t bksi_snapshots_count(const bksi_snapshots *snapshots, uint32_t slot)
{
    BKS_ASSERT(slot < snapshots->slot_count);
    return snapshots->counts_bytes[slot];
}

size_t bksi_snapshots_save(bksi_snapshots *snapshots, uint32_t slot, const bksi_region *region)
{
    size_t used = bksi_region_used(region);
    memcpy(bksi_snapshots_room(snapshots, slot), region->bytes, used);
    bksi_snapshots_set_count(snapshots, slot, used);
    return used;
}

void bksi_snapshots_load(const bksi_snapshots *snapshots, uint32_t slot, bksi_region *region)
{
    size_t kept = bksi_snapshots_count(snapshots, slot);
    BKS_ASSERT(kept > 0);
    bksi_region_put_back(region, bksi_snapshots_bytes(snapshots, slot), kept);
}
