// SPDX-License-Identifier: MIT

/// @file state_view_walk.h
/// The values of a state that are to be shown, in order, equal neighbours of an array as one.

#ifndef BKS_TOOL_STATE_VIEW_WALK_H
#define BKS_TOOL_STATE_VIEW_WALK_H

#include "map/state_names.h"

/// What is shown.
typedef struct state_view_request {
    const state_names *names;
    bks_compared_state state;
    const char *under; ///< an object or a field, such as "shots[3]"; NULL: all
} state_view_request;

/// Bytes of the whole state by use, and what it has.
typedef struct state_view_totals {
    uint64_t bytes[5];  ///< by bks_map_use
    bool is_whole;      ///< false: what lies behind was not looked at, it is too much
    uint64_t shown;     ///< values
    bool is_not_live;   ///< what was asked for is an item that is not live
    char objects[1024]; ///< what `under` could have named, with commas between
} state_view_totals;

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
