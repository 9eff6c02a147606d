// SPDX-License-Identifier: MIT

/// @file memory.h
/// Memory from the caller's allocator.

#ifndef BKSI_MEMORY_H
#define BKSI_MEMORY_H

#include "backstitch/base.h"

/// Return true if both hooks are set or neither.
bool bksi_allocator_ok(const bks_allocator *allocator);

/// Allocate zeroed memory; NULL on failure. `alignment` is a power of two.
void *bksi_alloc(const bks_allocator *allocator, size_t bytes, size_t alignment);

/// Free memory; NULL is allowed. `bytes` is the size that was requested.
void bksi_free(const bks_allocator *allocator, void *memory, size_t bytes);

// Memory in whole pages between two guards: a write past either end stops the program at once.
// Memory from the caller's hooks has no guards.

#define BKSI_PAGE_BYTES 4096u

/// Allocate zeroed pages, aligned to BKSI_PAGE_BYTES; NULL on failure. The pages end at the upper
/// guard. If the machine's pages are larger than BKSI_PAGE_BYTES, some unused bytes lie between the
/// lower guard and the pages.
/// @param bytes  a multiple of BKSI_PAGE_BYTES
void *bksi_pages_alloc(const bks_allocator *allocator, size_t bytes);

/// Free pages; NULL is allowed. `bytes` is the size that was requested.
void bksi_pages_free(const bks_allocator *allocator, void *memory, size_t bytes);

/// A growing array of items of one size. Start from {.item_bytes = sizeof(item)}.
typedef struct bksi_list {
    size_t item_bytes;
    uint8_t *items;
    size_t count;
    size_t capacity;
} bksi_list;

/// Append a copy of an item. Pointers into the list become invalid.
/// @return false if there is no memory
bool bksi_list_add(bksi_list *list, const void *item, const bks_allocator *allocator);

/// Free the items; the list is empty and can be used again.
void bksi_list_free(bksi_list *list, const bks_allocator *allocator);

/// Return an item, which is valid until the next bksi_list_add().
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
/// @return index of the item, list->count if no item has such a tick
size_t bksi_list_find_tick(const bksi_list *list, size_t tick_offset, int64_t tick);

#endif
