// SPDX-License-Identifier: MIT

/// @file panel_memory.h
/// The memory of a state as a tree: the state, in it the root and the arena, in that blocks and
/// pools.

#ifndef BKS_TOOL_PANEL_MEMORY_H
#define BKS_TOOL_PANEL_MEMORY_H

#include "screen/overlay/panel.h"

/// Add it to a panel.
/// @param state       its bytes
/// @param root_bytes  of the game
void panel_memory(panel *p, const void *state, size_t count, size_t root_bytes);

#endif
