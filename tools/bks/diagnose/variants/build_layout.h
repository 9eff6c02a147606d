// SPDX-License-Identifier: MIT

/// @file build_layout.h
/// Whether two builds of a game lay out their state in the same way.

#ifndef BKS_TOOL_BUILD_LAYOUT_H
#define BKS_TOOL_BUILD_LAYOUT_H

#include "game/loader.h"

/// Compare the sizes that two builds say, and the types that their state maps hold.
/// @param out_a, out_b  receive how each lays out the first thing that differs, capacity bytes
/// @return whether anything differs
bool build_layout_differs(const loaded_game *a, const loaded_game *b, char *out_a, char *out_b,
                          size_t capacity);

#endif
