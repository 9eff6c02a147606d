// SPDX-License-Identifier: MIT

/// @file game_map.h
/// The state map of a loaded game: put together of what debug information and bks_game.types say,
/// and printed, for people, as JSON, as a C table.

#ifndef BKS_TOOL_GAME_MAP_H
#define BKS_TOOL_GAME_MAP_H

#include <stdio.h>

#include "backstitch/game.h"
#include "base/json.h"
#include "game/loader.h"
#include "map/map_types.h"

/// A game's map. It stays until the program ends.
typedef struct game_map {
    const bks_state_map *map;
    const map_types
        *types; ///< types of debug information, in the map's order; NULL: the game's own map
} game_map;

/// Find the map of a game: that of its debug information, else bks_game.map.
/// @param out  receives it
/// @param why  receives why there is none, a phrase behind the game's name
/// @return false when there is none
bool game_map_find(const loaded_game *game, game_map *out, char why[320]);

/// The same map alone.
/// @return NULL: there is none
const bks_state_map *game_map_of(const loaded_game *game);

/// Read all types of a game's state, in no order yet.
/// @return false with types->error set
bool map_entries_read(map_dwarf *dwarf, const bks_game *game, map_types *types);

/// Print a map for people.
void map_print_text(FILE *out, const loaded_game *game, const game_map *map);

/// Add the member "map" to a JSON object.
void map_print_json(json *j, const game_map *map);

/// Print a map as C, with offsetof and sizeof in place of numbers.
/// @param why  why there is none of debug information, "" when there is; receives why it is not
///             printed
/// @return false when the map is the game's own, which C already has, or has what C cannot name
bool map_print_c(FILE *out, const loaded_game *game, const game_map *map, char *why,
                 size_t capacity);

/// Return the name of a type, or its kind if it has no name.
const char *map_type_name(const bks_map_type *type);

#endif
