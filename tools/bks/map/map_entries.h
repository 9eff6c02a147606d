// SPDX-License-Identifier: MIT

/// @file map_entries.h
/// Puts together what debug information and bks_game.types say of a game's state.

#ifndef BKS_TOOL_MAP_ENTRIES_H
#define BKS_TOOL_MAP_ENTRIES_H

#include "backstitch/game.h"
#include "map/map_dwarf.h"

/// Read all types of a game's state, in no order yet.
/// @return false with types->error set
bool map_entries_read(map_dwarf *dwarf, const bks_game *game, map_types *types);

#endif
