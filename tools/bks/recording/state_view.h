// SPDX-License-Identifier: MIT

/// @file state_view.h
/// One state by names, for people: grouped by object, equal elements of an array in one, zeros
/// last.

#ifndef BKS_TOOL_STATE_VIEW_H
#define BKS_TOOL_STATE_VIEW_H

#include "base/json.h"
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

/// Write the state as text.
/// @param width  columns, at least 40
/// @return false: there is no memory
bool state_view_print(const state_view_request *request, FILE *out, int width,
                      state_view_totals *totals);

/// See what there is to show, and write nothing.
void state_view_look(const state_view_request *request, state_view_totals *totals);

/// Write it as an array `values` into the object that is open.
void state_view_json(const state_view_request *request, json *out, state_view_totals *totals);

#endif
