// SPDX-License-Identifier: MIT

/// @file replay_list.h
/// A list that grows while a file is read.

#ifndef BKSI_REPLAY_LIST_H
#define BKSI_REPLAY_LIST_H

#include "backstitch/base.h"

/// Start from {.item_bytes = sizeof(item)}.
typedef struct bksi_list {
    size_t item_bytes;
    uint8_t *items;
    size_t count;
    size_t capacity;
} bksi_list;

/// Append a copy of an item. What bksi_list_at() gave is no longer valid then.
/// @return false when there is no memory
bool bksi_list_add(bksi_list *list, const void *item, const bks_allocator *allocator);

void bksi_list_free(bksi_list *list, const bks_allocator *allocator);

/// @param index  below list->count
static inline void *bksi_list_at(const bksi_list *list, size_t index)
{
    return list->items + index * list->item_bytes;
}

/// The newest item, NULL when there is none.
static inline void *bksi_list_last(const bksi_list *list)
{
    return list->count > 0 ? bksi_list_at(list, list->count - 1) : NULL;
}

#endif
