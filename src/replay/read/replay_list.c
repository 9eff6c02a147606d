// SPDX-License-Identifier: MIT

#include "replay/read/replay_list.h"

#include <string.h>

#include "base/memory.h"

#define CAPACITY_MIN 16u

bool bksi_list_add(bksi_list *list, const void *item, const bks_allocator *allocator)
{
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity > 0 ? 2 * list->capacity : CAPACITY_MIN;
        uint8_t *items = bksi_alloc(allocator, capacity * list->item_bytes, 16);
        if (items == NULL) {
            return false;
        }
        if (list->count > 0) {
            memcpy(items, list->items, list->count * list->item_bytes);
        }
        bksi_free(allocator, list->items, list->capacity * list->item_bytes);
        list->items = items;
        list->capacity = capacity;
    }
    memcpy(bksi_list_at(list, list->count), item, list->item_bytes);
    list->count++;
    return true;
}

void bksi_list_free(bksi_list *list, const bks_allocator *allocator)
{
    bksi_free(allocator, list->items, list->capacity * list->item_bytes);
    *list = (bksi_list){.item_bytes = list->item_bytes};
}
