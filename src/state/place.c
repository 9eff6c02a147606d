// SPDX-License-Identifier: MIT

// Names for bytes of a state that may be hostile. The arena is found by its header, so the game is
// not needed.

#include "state/place.h"

#include <stdio.h>
#include <string.h>

#include "backstitch/toolkit/state_map.h"
#include "base/report.h"

#define STATE_BYTES_MAX (UINT64_C(1) << 30)
#define NAME_BYTES_MAX  63u

uint32_t bks_state_type_bytes(bks_state_type type)
{
    static const uint8_t bytes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    const uint32_t index = (uint32_t)type;
    return index < sizeof(bytes) ? bytes[index] : 0;
}

bool bksi_range_is_sound(const bks_state_range *range)
{
    const uint64_t bytes = (uint64_t)range->count * bks_state_type_bytes(range->type);
    return bytes > 0 && range->offset_bytes < STATE_BYTES_MAX &&
           bytes <= STATE_BYTES_MAX - range->offset_bytes;
}

static bool is_name(const char *name)
{
    size_t count = 0;
    for (; name != NULL && name[count] != '\0'; count++) {
        if (name[count] < 0x20 || name[count] > 0x7E || count == NAME_BYTES_MAX) {
            return false;
        }
    }
    return count > 0;
}

bks_status bksi_ranges_check(const bks_state_range *ranges, uint32_t count, const char *call,
                             bks_error *error)
{
    if (count > BKS_STATE_RANGES_MAX || (count > 0 && ranges == NULL)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "range_count",
                         "ranges is %s with range_count %u, must be 0..%d of them",
                         ranges == NULL ? "NULL" : "given", count, BKS_STATE_RANGES_MAX);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!is_name(ranges[i].name)) {
            return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "ranges",
                             "ranges[%u].name is \"%.40s\", must be 1..%u bytes of printable ASCII",
                             i, ranges[i].name != NULL ? ranges[i].name : "", NAME_BYTES_MAX);
        }
        if (!bksi_range_is_sound(&ranges[i])) {
            return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "ranges",
                             "ranges[%u] (%s) has no bytes or an end beyond 1 GiB", i,
                             ranges[i].name);
        }
    }
    return BKS_OK;
}

static const char call[] = "bks_state_find";

/// Name bytes by their object and the offset in it: "OBJECT.byte N".
static void name_plainly(bks_state_place *out, const char *object, uint64_t offset, uint64_t begin,
                         uint64_t end)
{
    out->begin_bytes = begin;
    out->end_bytes = end;
    snprintf(out->object, sizeof(out->object), "%s", object);
    snprintf(out->name, sizeof(out->name), "%s.byte %llu", object,
             (unsigned long long)(offset - begin));
}

static void name_in_pool(bks_state_place *out, const bks_pool *pool, uint64_t at, uint64_t offset)
{
    const uint64_t items = at + pool->items_at;
    if (offset < items) {
        char object[48];
        snprintf(object, sizeof(object), "(pool %.23s)", pool->name);
        name_plainly(out, object, offset, at, items);
        return;
    }
    const uint64_t slot = (offset - items) / pool->stride_bytes;
    const uint64_t byte = (offset - items) % pool->stride_bytes;
    out->begin_bytes = items;
    out->end_bytes = items + pool->stride_bytes * pool->capacity;
    snprintf(out->object, sizeof(out->object), "%.23s", pool->name);
    snprintf(out->name, sizeof(out->name), "%.23s[%llu].%sbyte %llu", pool->name,
             (unsigned long long)slot, byte < pool->item_bytes ? "" : "(padding) ",
             (unsigned long long)byte);
}

/// Name a byte of the arena by the pool that holds it, or as the gap between two pools.
static void name_in_arena(bks_state_place *out, bksi_place_known *known, uint64_t offset)
{
    const bksi_arena_scan *scan = &known->scan;
    const bool goes_on = known->has_pools && offset >= known->pools.end;
    bksi_pool_walk walk = goes_on ? known->pools : bksi_pool_walk_begin(scan);
    uint64_t begin = goes_on ? walk.end : scan->arena.offset_bytes;
    uint64_t end = scan->count;
    while (bksi_pool_walk_next(scan, &walk)) {
        if (offset < walk.at) {
            end = walk.at;
            break;
        }
        begin = walk.end;
        if (offset < begin) {
            name_in_pool(out, &walk.pool, walk.at, offset);
            return;
        }
        known->has_pools = true;
        known->pools = walk;
    }
    name_plainly(out, "(arena)", offset, begin, end);
}

/// Name a byte by the narrowest range around it. Return false if no range holds it.
static bool name_by_range(bks_state_place *out, const bks_state_range *ranges, uint32_t count,
                          uint64_t offset)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t bytes = (uint64_t)ranges[i].count * bks_state_type_bytes(ranges[i].type);
        if (bksi_range_is_sound(&ranges[i]) && offset >= ranges[i].offset_bytes &&
            offset - ranges[i].offset_bytes < bytes && bytes < least) {
            least = bytes;
            out->range = i;
        }
    }
    if (least == UINT64_MAX) {
        return false;
    }
    const bks_state_range *range = &ranges[out->range];
    const uint64_t byte = offset - range->offset_bytes;
    out->begin_bytes = range->offset_bytes;
    out->end_bytes = range->offset_bytes + least;
    out->element = (uint32_t)(byte / bks_state_type_bytes(range->type));
    const char *name = range->name != NULL ? range->name : "";
    snprintf(out->object, sizeof(out->object), "%.63s", name);
    if (range->count == 1) {
        snprintf(out->name, sizeof(out->name), "%.63s", name);
    } else {
        snprintf(out->name, sizeof(out->name),
                 range->type == BKS_STATE_BYTES ? "%.63s.byte %u" : "%.63s[%u]", name,
                 out->element);
    }
    return true;
}

/// Let a place outside all ranges end where the next range begins.
static void end_at_ranges(bks_state_place *out, const bks_state_range *ranges, uint32_t count,
                          uint64_t offset)
{
    for (uint32_t i = 0; i < count; i++) {
        if (ranges[i].offset_bytes > offset && ranges[i].offset_bytes < out->end_bytes) {
            out->end_bytes = ranges[i].offset_bytes;
        }
    }
}

void bksi_state_find(const void *state, size_t count, const bks_state_range *ranges,
                     uint32_t range_count, uint64_t offset_bytes, bksi_place_known *known,
                     bks_state_place *out)
{
    *out = (bks_state_place){.range = UINT32_MAX};
    if (name_by_range(out, ranges, range_count, offset_bytes)) {
        return;
    }
    bksi_arena_scan *scan = &known->scan;
    if (!known->is_scanned) {
        *scan = (bksi_arena_scan){.bytes = state, .count = count};
        (void)bksi_arena_scan_search(scan);
        known->is_scanned = true;
    }
    if (offset_bytes >= count) {
        name_plainly(out, "(free)", offset_bytes, count, UINT64_MAX);
    } else if (!scan->has_arena) {
        name_plainly(out, "(state)", offset_bytes, 0, count);
    } else if (offset_bytes < scan->arena.offset_bytes) {
        name_plainly(out, "(root)", offset_bytes, 0, scan->arena.offset_bytes);
    } else {
        name_in_arena(out, known, offset_bytes);
    }
    end_at_ranges(out, ranges, range_count, offset_bytes);
}

bks_status bks_state_find(const void *state, size_t count, const bks_state_range *ranges,
                          uint32_t range_count, uint64_t offset_bytes, bks_state_place *out)
{
    if (out == NULL || (state == NULL && count > 0) || (ranges == NULL && range_count > 0)) {
        return bksi_fail_null(NULL, call,
                              out == NULL      ? "out"
                              : ranges == NULL ? "ranges"
                                               : "state");
    }
    if (range_count > BKS_STATE_RANGES_MAX) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "range_count",
                         "range_count is %u, must be 0..%d", range_count, BKS_STATE_RANGES_MAX);
    }
    bksi_place_known known = {0};
    bksi_state_find(state, count, ranges, range_count, offset_bytes, &known, out);
    return BKS_OK;
}
