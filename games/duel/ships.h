// SPDX-License-Identifier: MIT

/// @file ships.h
/// Ships: flying, being lost, coming back.

#ifndef DUEL_SHIPS_H
#define DUEL_SHIPS_H

#include "duel/duel_cues.h"
#include "duel/duel_state.h"

enum {
    DUEL_SHIP_SPEED = 106,      ///< units a tick at full stick: 6.2 tiles a second
    DUEL_SHIP_PUSH = 16,        ///< how much of it comes or goes in a tick
    DUEL_SHIP_TRAPPED_PART = 3, ///< a trapped ship is this many times slower
};

/// Make the ships of a match.
void duel_ships_create(duel_state *duel);

/// Put a ship on a tile, fresh, with the tiles around in its colour.
void duel_ship_place(duel_state *duel, duel_ship *ship, int32_t tile_x, int32_t tile_y);

/// Something deadly reached a living ship. Protection and shields are looked at here.
/// @param by_seat  the seat that did it, or DUEL_NOBODY
void duel_ship_hit(duel_state *duel, const bks_step *step, duel_ship *ship, uint32_t by_side,
                   uint32_t by_seat);

/// A living ship is gone, whatever protects it.
void duel_ship_lose(duel_state *duel, const bks_step *step, duel_ship *ship, uint32_t by_side,
                    uint32_t by_seat);

/// Ships whose tile fell away are lost.
void duel_ships_fall(duel_state *duel, const bks_step *step);

/// Ask once for something of a ship.
/// @param kind  of a pickup, else 0
void duel_ship_cue(const bks_step *step, const duel_ship *ship, duel_cue cue, uint32_t kind);

/// Ships fly, fire and come back.
void duel_ships_step(duel_state *duel, const bks_step *step);

/// For a picture: ships fly on for a part of the next tick.
/// @param part  of DUEL_PARTS, 0..DUEL_PARTS
void duel_ships_ahead(duel_state *duel, const bks_step *step, int32_t part);

#endif
