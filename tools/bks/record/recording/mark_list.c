// SPDX-License-Identifier: MIT

#include "record/recording/mark_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mark_list_end(mark_list *list)
{
    free(list->bytes);
    list->bytes = NULL;
    list->bytes_count = 0;
}

void mark_list_begin(mark_list *list, uint32_t wanted)
{
    mark_list_end(list);
    list->count = 0;
    list->wanted = wanted;
}

bool mark_list_add(void *context, const char *mark, const void *state, size_t count)
{
    mark_list *list = context;
    if (list->count == MARK_LIST_MAX) {
        return false;
    }
    list->hashes[list->count] = bks_hash64(state, count, 0);
    (void)snprintf(list->names[list->count], sizeof(list->names[0]), "%s",
                   mark[0] != '\0' ? mark : "(start)");
    if (list->count == list->wanted && count > 0) {
        list->bytes = malloc(count);
        list->bytes_count = list->bytes != NULL ? count : 0;
        if (list->bytes != NULL) {
            memcpy(list->bytes, state, count);
        }
    }
    list->count++;
    return list->count < MARK_LIST_MAX;
}

uint32_t mark_list_compare(const mark_list *a, const mark_list *b)
{
    for (uint32_t i = 0; i < a->count || i < b->count; i++) {
        if (i >= a->count || i >= b->count || a->hashes[i] != b->hashes[i] ||
            strcmp(a->names[i], b->names[i]) != 0) {
            return i;
        }
    }
    return MARK_LIST_NONE;
}
