// SPDX-License-Identifier: MIT

#include "map/game_map.h"

#include <stdio.h>

#include "map/map_entries.h"

bool game_map_find(const loaded_game *game, game_map *out, char why[320])
{
    *out = (game_map){.map = game->game->map};
    map_types *types = map_keep(sizeof(*types));
    bks_state_map *map = map_keep(sizeof(*map));
    if (types == NULL || map == NULL) {
        (void)snprintf(why, 320, "does not fit into memory");
        return false;
    }
    map_dwarf *dwarf = map_dwarf_open(game->path, types);
    const bool is_read =
        dwarf != NULL && map_entries_read(dwarf, game->game, types) && map_types_finish(types, map);
    map_dwarf_close(dwarf);
    if (is_read) {
        *out = (game_map){.map = map, .types = types};
    }
    (void)snprintf(why, 320, "%s", types->error);
    return out->map != NULL;
}

const bks_state_map *game_map_of(const loaded_game *game)
{
    game_map found;
    char why[320];
    return game_map_find(game, &found, why) ? found.map : NULL;
}
