// SPDX-License-Identifier: MIT

/// @file game_map.h
/// The state map of a loaded game.

#ifndef BKS_TOOL_GAME_MAP_H
#define BKS_TOOL_GAME_MAP_H

#include "game/loader.h"
#include "map/map_types.h"

/// A game's map. It stays until the program ends.
typedef struct game_map {
    const bks_state_map *map;
    const map_types *types; ///< of debug information, in the map's order; NULL: the game's own map
} game_map;

/// Find the map of a game: that of its debug information, else bks_game.map.
/// @param out  receives it
/// @param why  receives why there is none, a phrase behind the game's name
/// @return false when there is none
bool game_map_find(const loaded_game *game, game_map *out, char why[320]);

/// The same map alone.
/// @return NULL: there is none
const bks_state_map *game_map_of(const loaded_game *game);

#endif
