// SPDX-License-Identifier: MIT

#include "net/extents.h"

#include <string.h>

/// Return the index of the first extent that ends at or after a position; `count` if there is none.
static uint32_t first_to(const bksi_extents *extents, uint64_t place)
{
    uint32_t low = 0;
    uint32_t high = extents->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (extents->extents[middle].end < place) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// Replace the extents `first` to `until` - 1 by the `count` extents of `with`.
static void replace(bksi_extents *extents, uint32_t first, uint32_t until, const bksi_extent *with,
                    uint32_t count)
{
    memmove(&extents->extents[first + count], &extents->extents[until],
            (extents->count - until) * sizeof(bksi_extent));
    memcpy(&extents->extents[first], with, count * sizeof(bksi_extent));
    extents->count = extents->count - (until - first) + count;
}

bool bksi_extents_add(bksi_extents *extents, uint64_t begin, uint64_t end)
{
    if (begin >= end) {
        return true;
    }
    uint32_t first = first_to(extents, begin);
    uint32_t until = first;
    bksi_extent joined = {begin, end};
    while (until < extents->count && extents->extents[until].begin <= end) {
        const bksi_extent *extent = &extents->extents[until++];
        joined.begin = extent->begin < joined.begin ? extent->begin : joined.begin;
        joined.end = extent->end > joined.end ? extent->end : joined.end;
    }
    if (first == until && extents->count == BKSI_EXTENTS_MAX) {
        return false;
    }
    replace(extents, first, until, &joined, 1);
    return true;
}

bool bksi_extents_remove(bksi_extents *extents, uint64_t begin, uint64_t end)
{
    if (begin >= end) {
        return true;
    }
    uint32_t first = first_to(extents, begin);
    uint32_t until = first;
    bksi_extent left[2];
    uint32_t count = 0;
    while (until < extents->count && extents->extents[until].begin < end) {
        const bksi_extent *extent = &extents->extents[until++];
        if (extent->begin < begin) {
            left[count++] = (bksi_extent){extent->begin, extent->end < begin ? extent->end : begin};
        }
        if (extent->end > end) {
            left[count++] = (bksi_extent){end, extent->end};
        }
    }
    if (extents->count - (until - first) + count > BKSI_EXTENTS_MAX) {
        return false;
    }
    replace(extents, first, until, left, count);
    return true;
}

bool bksi_extents_has(const bksi_extents *extents, uint64_t begin, uint64_t end)
{
    uint32_t first = first_to(extents, begin + 1);
    return begin >= end || (first < extents->count && extents->extents[first].begin <= begin &&
                            extents->extents[first].end >= end);
}
