// SPDX-License-Identifier: MIT

/// @file state_view_walk.h
/// The values of a state that are to be shown, in order, equal neighbours of an array as one.

#ifndef BKS_TOOL_STATE_VIEW_WALK_H
#define BKS_TOOL_STATE_VIEW_WALK_H

#include "recording/state_view.h"

/// A value, or elements of an array that stand side by side and hold the same.
typedef struct state_view_run {
    bks_map_place place; ///< the first
    char base[160];      ///< its field without the last index
    uint64_t first;      ///< that index
    uint64_t count;      ///< elements; 0: it is none of an array
    bool is_zero;        ///< all its bytes are
    char text[STATE_VALUE_BYTES];
} state_view_run;

/// Visit what was asked for.
void state_view_walk(const state_view_request *request, state_view_totals *totals,
                     void (*visit)(void *context, const state_view_run *run), void *context);

#endif
