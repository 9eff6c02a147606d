// SPDX-License-Identifier: MIT

/// @file particles.h
/// Debris: it decides nothing, but it lives in the state, so that a rollback never doubles or
/// forgets an explosion.

#ifndef DUEL_PARTICLES_H
#define DUEL_PARTICLES_H

#include "duel/duel_state.h"

/// Throw debris from a point in all directions. What finds no room is left out.
/// @param speed_max  units a tick, 1..2000
/// @param tint       a duel_tint
void duel_particles_burst(duel_state *duel, int32_t x, int32_t y, uint32_t count,
                          uint32_t speed_max, uint32_t tint);

/// Debris flies, slows down, bounces off walls and fades.
void duel_particles_step(duel_state *duel);

/// For a picture: it flies on for a part of the next tick.
/// @param part  of DUEL_PARTS, 0..DUEL_PARTS
void duel_particles_ahead(duel_state *duel, int32_t part);

#endif
