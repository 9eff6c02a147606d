// SPDX-License-Identifier: MIT

#include <string.h>

#include "base/report.h"
#include "state/arena.h"
#include "state/pool.h"
#include "state/region_table.h"

// Use integers instead of pointers, because a reference and its target may be in different C
// objects.

bks_status bks_ref_set(bks_ref *ref, const void *target)
{
    BKSI_REFUSE_NULL(NULL, ref);
    if (target == (const void *)ref) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, "bks_ref_set", "target",
                         "target is the reference itself, must be something else in the region");
    }
    if (target != NULL && !bksi_region_table_allows(ref, target)) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, "bks_ref_set", "target",
                         "target lies outside the region that the reference lies in");
    }
    ref->distance_bytes =
        target == NULL ? 0 : (int64_t)((uint64_t)(uintptr_t)target - (uint64_t)(uintptr_t)ref);
    return BKS_OK;
}

static void *target_of(const bks_ref *ref)
{
    return (void *)(uintptr_t)((uint64_t)(uintptr_t)ref + (uint64_t)ref->distance_bytes);
}

/// Return true if a reference's distance is possible between two addresses of this machine. With
/// addresses of 32 bits most distances are not possible, and would wrap around.
static bool is_distance(const bks_ref *ref)
{
    return (int64_t)(intptr_t)ref->distance_bytes == ref->distance_bytes;
}

static BKSI_RARE void *get_checked(const bks_ref *ref)
{
    if (is_distance(ref) && bksi_region_table_allows(ref, target_of(ref))) {
        return target_of(ref);
    }
    (void)bksi_fail(NULL, BKS_ERR_DAMAGED, "bks_ref_get", "ref",
                    "ref leads %lld bytes on, out of the region that it lies in",
                    (long long)ref->distance_bytes);
    return NULL;
}

void *bks_ref_get(const bks_ref *ref)
{
    if (ref == NULL || ref->distance_bytes == 0) {
        return NULL;
    }
    void *target = target_of(ref);
    return is_distance(ref) && bksi_span_covers_both(ref, target) ? target : get_checked(ref);
}

bool bks_ref_is_pool(const bks_ref *ref, const char *name, size_t item_bytes, uint32_t capacity)
{
    const bks_pool *pool = bks_ref_get(ref);
    return bksi_region_table_has_pool(pool) && pool->item_bytes == item_bytes &&
           pool->capacity == capacity &&
           (name == NULL || strncmp(pool->name, name, BKSI_POOL_NAME_BYTES - 1) == 0);
}

bool bks_ref_in_pool(const bks_ref *ref, const bks_pool *pool)
{
    const void *item = bks_ref_get(ref);
    return item != NULL && bksi_region_table_has_pool(pool) && bksi_pool_has_item(pool, item);
}

bool bks_ref_in_arena(const bks_ref *ref, size_t bytes, size_t alignment)
{
    const uint8_t *target = bks_ref_get(ref);
    bksi_region_entry entry;
    if (target == NULL || bytes == 0 || alignment == 0 || (uintptr_t)target % alignment != 0 ||
        !bksi_region_table_find(target, &entry) || entry.root_bytes == 0) {
        return false;
    }
    return bksi_arena_is_game_memory(entry.bytes, entry.root_bytes, entry.capacity_bytes,
                                     (uint64_t)(target - entry.bytes), bytes);
}

size_t bks_state_bytes(const void *state)
{
    bksi_region_entry entry;
    return bksi_region_table_find(state, &entry) && entry.bytes == state ? entry.capacity_bytes : 0;
}
