// SPDX-License-Identifier: MIT

/// @file state_view.h
/// One state by names, for people: grouped by object, equal elements of an array in one, zeros
/// last.

#ifndef BKS_TOOL_STATE_VIEW_H
#define BKS_TOOL_STATE_VIEW_H

#include "base/json.h"
#include "record/recording/state_view_walk.h"

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
