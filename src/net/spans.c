// SPDX-License-Identifier: MIT

#include "net/spans.h"

#include <string.h>

/// The first span that ends at or after a place; `count` when none does.
static uint32_t first_to(const bksi_spans *spans, uint64_t place)
{
    uint32_t low = 0;
    uint32_t high = spans->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (spans->spans[middle].end < place) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// Put `count` spans in the place of those from `first` to before `until`.
static void replace(bksi_spans *spans, uint32_t first, uint32_t until, const bksi_span *with,
                    uint32_t count)
{
    memmove(&spans->spans[first + count], &spans->spans[until],
            (spans->count - until) * sizeof(bksi_span));
    memcpy(&spans->spans[first], with, count * sizeof(bksi_span));
    spans->count = spans->count - (until - first) + count;
}

bool bksi_spans_add(bksi_spans *spans, uint64_t begin, uint64_t end)
{
    if (begin >= end) {
        return true;
    }
    uint32_t first = first_to(spans, begin);
    uint32_t until = first;
    bksi_span joined = {begin, end};
    while (until < spans->count && spans->spans[until].begin <= end) {
        const bksi_span *span = &spans->spans[until++];
        joined.begin = span->begin < joined.begin ? span->begin : joined.begin;
        joined.end = span->end > joined.end ? span->end : joined.end;
    }
    if (first == until && spans->count == BKSI_SPANS_MAX) {
        return false;
    }
    replace(spans, first, until, &joined, 1);
    return true;
}

bool bksi_spans_remove(bksi_spans *spans, uint64_t begin, uint64_t end)
{
    if (begin >= end) {
        return true;
    }
    uint32_t first = first_to(spans, begin);
    uint32_t until = first;
    bksi_span left[2];
    uint32_t count = 0;
    while (until < spans->count && spans->spans[until].begin < end) {
        const bksi_span *span = &spans->spans[until++];
        if (span->begin < begin) {
            left[count++] = (bksi_span){span->begin, span->end < begin ? span->end : begin};
        }
        if (span->end > end) {
            left[count++] = (bksi_span){end, span->end};
        }
    }
    if (spans->count - (until - first) + count > BKSI_SPANS_MAX) {
        return false;
    }
    replace(spans, first, until, left, count);
    return true;
}

bool bksi_spans_has(const bksi_spans *spans, uint64_t begin, uint64_t end)
{
    uint32_t first = first_to(spans, begin + 1);
    return begin >= end || (first < spans->count && spans->spans[first].begin <= begin &&
                            spans->spans[first].end >= end);
}
