// SPDX-License-Identifier: MIT

#include "game/command_list.h"

#include <stdlib.h>
#include <string.h>

enum { ENTRIES_AT_FIRST = 1024, BYTES_AT_FIRST = 65536 };

/// Double an array until it has room for `wanted` elements.
/// @return false if there is no memory
static bool grow(void **array, size_t *capacity, size_t wanted, size_t at_first, size_t bytes)
{
    size_t more = *capacity > 0 ? *capacity : at_first;
    while (more < wanted) {
        more *= 2;
    }
    if (more > *capacity) {
        void *grown = more <= SIZE_MAX / bytes ? realloc(*array, more * bytes) : NULL;
        if (grown == NULL) {
            return false;
        }
        *array = grown;
        *capacity = more;
    }
    return true;
}

uint8_t *command_list_add(command_list *list, uint32_t player, bks_tick tick, uint32_t count)
{
    size_t capacity = list->capacity;
    void *entries = list->entries;
    void *bytes = list->bytes;
    const bool has_entries =
        list->count < UINT32_MAX / 2 && grow(&entries, &capacity, (size_t)list->count + 1,
                                             ENTRIES_AT_FIRST, sizeof(*list->entries));
    list->entries = entries;
    list->capacity = (uint32_t)capacity;
    const bool has_bytes =
        grow(&bytes, &list->byte_capacity, list->byte_count + count, BYTES_AT_FIRST, 1);
    list->bytes = bytes;
    if (!has_entries || !has_bytes) {
        return NULL;
    }
    list->entries[list->count] = (command_entry){.tick = tick,
                                                 .player = player,
                                                 .number = list->count,
                                                 .count = count,
                                                 .at = list->byte_count};
    list->count++;
    list->byte_count += count;
    return list->bytes + list->byte_count - count;
}

static int compare(const void *left, const void *right)
{
    const command_entry *a = left;
    const command_entry *b = right;
    if (a->player != b->player) {
        return a->player < b->player ? -1 : 1;
    }
    if (a->tick != b->tick) {
        return a->tick < b->tick ? -1 : 1;
    }
    return a->number < b->number ? -1 : 1;
}

void command_list_sort(command_list *list)
{
    if (list->count > 0) {
        qsort(list->entries, list->count, sizeof(*list->entries), compare);
    }
}

uint32_t command_list_find(const command_list *list, uint32_t player, bks_tick tick)
{
    uint32_t begin = 0;
    uint32_t end = list->count;
    while (begin < end) {
        const uint32_t middle = begin + (end - begin) / 2;
        const command_entry *entry = &list->entries[middle];
        if (entry->player < player || (entry->player == player && entry->tick < tick)) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

size_t command_list_give(const command_list *list, command_cursor *cursor, uint32_t player,
                         bks_tick tick, void *bytes, size_t capacity)
{
    if (!cursor->has_begun) {
        *cursor = (command_cursor){true, command_list_find(list, player, tick)};
    }
    const command_entry *entry = cursor->next < list->count ? &list->entries[cursor->next] : NULL;
    if (entry == NULL || entry->player != player || entry->tick > tick || entry->count > capacity) {
        return 0;
    }
    cursor->next++;
    memcpy(bytes, list->bytes + entry->at, entry->count);
    return entry->count;
}

void command_list_free(command_list *list)
{
    free(list->entries);
    free(list->bytes);
    *list = (command_list){0};
}
