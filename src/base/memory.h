// SPDX-License-Identifier: MIT

/// @file memory.h
/// Memory by the caller's hooks.

#ifndef BKSI_MEMORY_H
#define BKSI_MEMORY_H

#include "backstitch/base.h"

/// True when both hooks are set or neither.
bool bksi_allocator_ok(const bks_allocator *allocator);

/// Zeroed memory, or NULL. `alignment` is a power of two.
void *bksi_alloc(const bks_allocator *allocator, size_t bytes, size_t alignment);

/// Give memory back; NULL is allowed. `bytes` as it was asked for.
void bksi_free(const bks_allocator *allocator, void *memory, size_t bytes);

// Whole pages with a guard on either side: a write past either end stops the program at the
// instruction that does it. By the caller's hooks there are no guards.

#define BKSI_PAGE_BYTES 4096u

/// Zeroed memory on a multiple of BKSI_PAGE_BYTES, or NULL. Its end lies against the upper guard;
/// where the machine's pages are larger than ours, up to one of them lies before its start.
/// @param bytes  a multiple of BKSI_PAGE_BYTES
void *bksi_pages_alloc(const bks_allocator *allocator, size_t bytes);

/// Give memory back; NULL is allowed. `bytes` as it was asked for.
void bksi_pages_free(const bks_allocator *allocator, void *memory, size_t bytes);

/// A growing array of items of one size. Start from {.item_bytes = sizeof(item)}.
typedef struct bksi_list {
    size_t item_bytes;
    uint8_t *items;
    size_t count;
    size_t capacity;
} bksi_list;

/// Append a copy of an item. Pointers into the list become invalid.
/// @return false when there is no memory
bool bksi_list_add(bksi_list *list, const void *item, const bks_allocator *allocator);

/// Free the items; the list is empty and can be used again.
void bksi_list_free(bksi_list *list, const bks_allocator *allocator);

/// Return an item. It is valid until the next bksi_list_add().
/// @param index  below list->count
static inline void *bksi_list_at(const bksi_list *list, size_t index)
{
    return list->items + index * list->item_bytes;
}

/// Return the newest item, or NULL if the list is empty.
static inline void *bksi_list_last(const bksi_list *list)
{
    return list->count > 0 ? bksi_list_at(list, list->count - 1) : NULL;
}

/// Find the first item whose tick is `tick` or later, in a list that is in order of ticks.
/// @param tick_offset  offset of the bks_tick in an item
/// @return its number, list->count if there is none
size_t bksi_list_find_tick(const bksi_list *list, size_t tick_offset, int64_t tick);

#endif
