// SPDX-License-Identifier: MIT

/// @file mark_list.h
/// The states of a tick at its start and at its marks, by hash, and the bytes of one of them.

#ifndef BKS_TOOL_MARK_LIST_H
#define BKS_TOOL_MARK_LIST_H

#include "backstitch/base.h"

enum { MARK_LIST_MAX = 256, MARK_LIST_NONE = MARK_LIST_MAX };

/// Start from mark_list_begin(); release with mark_list_end().
typedef struct mark_list {
    uint32_t count;
    uint64_t hashes[MARK_LIST_MAX];
    char names[MARK_LIST_MAX][64]; ///< "(start)" for the start of a tick
    uint32_t wanted;               ///< the one whose bytes are kept, MARK_LIST_NONE: none
    uint8_t *bytes;                ///< of it, NULL: it has not come
    size_t bytes_count;
} mark_list;

/// Begin a list, once more too.
/// @param list  {0} at first
void mark_list_begin(mark_list *list, uint32_t wanted);

/// Release its bytes.
void mark_list_end(mark_list *list);

/// Add a state: a `visit` of bks_replay_marks().
/// @param context  the list
/// @param mark     "": the start of a tick
/// @return false when it is full
bool mark_list_add(void *context, const char *mark, const void *state, size_t count);

/// Number of the first state that differs, MARK_LIST_NONE: none does.
uint32_t mark_list_compare(const mark_list *a, const mark_list *b);

#endif
