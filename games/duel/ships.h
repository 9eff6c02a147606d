// SPDX-License-Identifier: MIT

/// @file ships.h
/// Ships: they fly, are lost and come back.

#ifndef DUEL_SHIPS_H
#define DUEL_SHIPS_H

#include "duel/duel_cues.h"
#include "duel/duel_state.h"

enum {
    DUEL_SHIP_SPEED = 106,      ///< units a tick at full stick: 6.2 tiles a second
    DUEL_SHIP_PUSH = 16,        ///< change of speed in a tick
    DUEL_SHIP_TRAPPED_PART = 3, ///< factor by which a trapped ship is slower
};

/// Make the ships of a match.
void duel_ships_create(duel_state *duel);

/// Put a ship on a tile in its first condition, and give the tiles around to its side.
void duel_ship_place(duel_state *duel, duel_ship *ship, int32_t tile_x, int32_t tile_y);

/// Hit a living ship, unless it is protected or its shield takes the hit.
/// @param by_seat  seat that hit it, or DUEL_NOBODY
void duel_ship_hit(duel_state *duel, const bks_step *step, duel_ship *ship, uint32_t by_side,
                   uint32_t by_seat);

/// Destroy a living ship, even if it is protected.
void duel_ship_lose(duel_state *duel, const bks_step *step, duel_ship *ship, uint32_t by_side,
                    uint32_t by_seat);

/// Destroy the ships whose tile fell away.
void duel_ships_fall(duel_state *duel, const bks_step *step);

/// Emit a cue about a ship.
/// @param kind  kind of the pickup, 0 for other cues
void duel_ship_cue(const bks_step *step, const duel_ship *ship, duel_cue cue, uint32_t kind);

/// Step the ships: they fly, fire and come back.
void duel_ships_step(duel_state *duel, const bks_step *step);

/// Move the ships on for a picture: they fly for a part of the next tick.
/// @param part  0..DUEL_PARTS
void duel_ships_ahead(duel_state *duel, const bks_step *step, int32_t part);

#endif
