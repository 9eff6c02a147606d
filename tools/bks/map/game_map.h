// SPDX-License-Identifier: MIT

/// @file game_map.h
/// State map of a loaded game. It is made from debug information and bks_game.types, and printed as
/// text, as JSON or as a C table.

#ifndef BKS_TOOL_GAME_MAP_H
#define BKS_TOOL_GAME_MAP_H

#include <stdio.h>

#include "backstitch/game.h"
#include "base/json.h"
#include "game/loader.h"
#include "map/map_types.h"

/// State map of a game. It is kept until the program ends.
typedef struct game_map {
    const bks_state_map *map;
    const map_types
        /// Types read from debug information, in the order of `map`; NULL: `map` is bks_game.map.
        *types;
} game_map;

/// Find the map of a game: that of its debug information, else bks_game.map.
/// @param out  receives the map
/// @param why  receives the reason why there is none: a phrase to follow the game's name
/// @return false: the game has no map
bool game_map_find(const loaded_game *game, game_map *out, char why[320]);

/// Find the map of a game as game_map_find() does, and return its `map`.
/// @return NULL: the game has no map
const bks_state_map *game_map_of(const loaded_game *game);

/// Read all types of a game's state. Their order is not that of a map until map_types_finish().
/// @return false on failure, with types->error set
bool map_entries_read(map_dwarf *dwarf, const bks_game *game, map_types *types);

/// Print a state map for people.
void map_print_text(FILE *out, const loaded_game *game, const game_map *map);

/// Add the state map as member "map" to a JSON object.
void map_print_json(json *j, const game_map *map);

/// Print a map as C, with offsetof and sizeof in place of numbers.
/// @param why  reason why there is no map from debug information, or ""; receives the reason if
///             nothing is printed
/// @return false: the map is the game's own (bks_game.map), or it has types that C cannot name
bool map_print_c(FILE *out, const loaded_game *game, const game_map *map, char *why,
                 size_t capacity);

/// Return the name of a type, or its kind if it has no name.
const char *map_type_name(const bks_map_type *type);

#endif
