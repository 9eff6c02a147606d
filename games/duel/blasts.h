// SPDX-License-Identifier: MIT

/// @file blasts.h
/// Explosions: circles that grow for some ticks and colour every tile that they reach.

#ifndef DUEL_BLASTS_H
#define DUEL_BLASTS_H

#include "duel/enemies.h"

/// Start an explosion. It is left out if there are too many.
/// @param radius_max  1..16 tiles, in units
/// @param seat        the seat that gets the kills, or DUEL_NOBODY
void duel_blast_add(duel_state *duel, int32_t x, int32_t y, int32_t radius_max, uint32_t side,
                    uint32_t seat, bool is_deadly);

/// Step the explosions: they grow, colour tiles and kill.
void duel_blasts_step(duel_state *duel, const bks_step *step, duel_crowd *crowd);

/// Move the explosions on for a picture: they grow for a part of the next tick.
/// @param part  0..DUEL_PARTS
void duel_blasts_ahead(duel_state *duel, int32_t part);

#endif
