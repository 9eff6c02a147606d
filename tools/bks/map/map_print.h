// SPDX-License-Identifier: MIT

/// @file map_print.h
/// Prints a state map: for people, as JSON, as a C table.

#ifndef BKS_TOOL_MAP_PRINT_H
#define BKS_TOOL_MAP_PRINT_H

#include <stdio.h>

#include "base/json.h"
#include "map/game_map.h"

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

/// What a type is called: its name, or what kind it is when it has none.
const char *map_type_name(const bks_map_type *type);

#endif
