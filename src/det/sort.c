// SPDX-License-Identifier: MIT

// Source: P. Kim and A. Kutzner, "Stable Minimum Storage Merging by Symmetric Comparisons", ESA
// 2004: blocks are sorted by insertion, then merged in place.

#include <string.h>

#include "backstitch/det.h"
#include "base/report.h"

enum { BLOCK_ITEMS = 20, CHUNK_BYTES = 64 };

typedef struct sorting {
    uint8_t *items;
    size_t item_bytes;
    int (*compare)(void *context, const void *a, const void *b);
    void *context;
} sorting;

static bool is_less(const sorting *s, size_t a, size_t b)
{
    return s->compare(s->context, s->items + a * s->item_bytes, s->items + b * s->item_bytes) < 0;
}

static void swap(const sorting *s, size_t a, size_t b)
{
    uint8_t chunk[CHUNK_BYTES];
    uint8_t *left = s->items + a * s->item_bytes;
    uint8_t *right = s->items + b * s->item_bytes;
    for (size_t at = 0; at < s->item_bytes; at += sizeof(chunk)) {
        const size_t rest = s->item_bytes - at;
        const size_t count = rest < sizeof(chunk) ? rest : sizeof(chunk);
        memcpy(chunk, left + at, count);
        memcpy(left + at, right + at, count);
        memcpy(right + at, chunk, count);
    }
}

static void sort_block(const sorting *s, size_t begin, size_t end)
{
    for (size_t i = begin + 1; i < end; i++) {
        for (size_t k = i; k > begin && is_less(s, k, k - 1); k--) {
            swap(s, k, k - 1);
        }
    }
}

static void reverse(const sorting *s, size_t begin, size_t end)
{
    while (begin + 1 < end) {
        swap(s, begin++, --end);
    }
}

/// Swap the neighbouring ranges begin..middle-1 and middle..end-1.
static void rotate(const sorting *s, size_t begin, size_t middle, size_t end)
{
    reverse(s, begin, middle);
    reverse(s, middle, end);
    reverse(s, begin, end);
}

/// Merge the single item at `begin` into the sorted items begin+1..end-1.
static void merge_first(const sorting *s, size_t begin, size_t end)
{
    size_t low = begin + 1;
    size_t high = end;
    while (low < high) {
        const size_t at = low + (high - low) / 2;
        if (is_less(s, at, begin)) {
            low = at + 1;
        } else {
            high = at;
        }
    }
    for (size_t k = begin; k + 1 < low; k++) {
        swap(s, k, k + 1);
    }
}

/// Merge the single item at `last` into the sorted items begin..last-1.
static void merge_last(const sorting *s, size_t begin, size_t last)
{
    size_t low = begin;
    size_t high = last;
    while (low < high) {
        const size_t at = low + (high - low) / 2;
        if (is_less(s, last, at)) {
            high = at;
        } else {
            low = at + 1;
        }
    }
    for (size_t k = last; k > low; k--) {
        swap(s, k, k - 1);
    }
}

/// Merge begin..middle-1 and middle..end-1, both sorted and not empty.
static void merge(const sorting *s, size_t begin, size_t middle, size_t end)
{
    if (middle - begin == 1) {
        merge_first(s, begin, end);
        return;
    }
    if (end - middle == 1) {
        merge_last(s, begin, middle);
        return;
    }
    const size_t half = begin + (end - begin) / 2;
    const size_t sum = half + middle;
    size_t low = middle > half ? sum - end : begin;
    size_t high = middle > half ? half : middle;
    while (low < high) {
        const size_t at = low + (high - low) / 2;
        if (is_less(s, sum - 1 - at, at)) {
            high = at;
        } else {
            low = at + 1;
        }
    }
    const size_t upper = sum - low;
    if (low < middle && middle < upper) {
        rotate(s, low, middle, upper);
    }
    if (begin < low && low < half) {
        merge(s, begin, low, half);
    }
    if (half < upper && upper < end) {
        merge(s, half, upper, end);
    }
}

void bks_sort(void *items, size_t count, size_t item_bytes,
              int (*compare)(void *context, const void *a, const void *b), void *context)
{
    if (compare == NULL || item_bytes == 0 || (items == NULL && count > 0)) {
        (void)bksi_fail_null(NULL, "bks_sort",
                             compare == NULL   ? "compare"
                             : item_bytes == 0 ? "item_bytes"
                                               : "items");
        return;
    }
    const sorting s = {
        .items = items, .item_bytes = item_bytes, .compare = compare, .context = context};
    for (size_t at = 0; at < count; at += BLOCK_ITEMS) {
        sort_block(&s, at, count - at < BLOCK_ITEMS ? count : at + BLOCK_ITEMS);
    }
    for (size_t run = BLOCK_ITEMS; run < count; run *= 2) {
        for (size_t at = 0; count - at > run; at += 2 * run) {
            merge(&s, at, at + run, count - at < 2 * run ? count : at + 2 * run);
            if (count - at <= 2 * run) {
                break;
            }
        }
    }
}
