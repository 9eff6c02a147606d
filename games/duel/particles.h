// SPDX-License-Identifier: MIT

/// @file particles.h
/// Debris. It decides nothing, but it is part of the state, so that a rollback neither doubles nor
/// loses an explosion.

#ifndef DUEL_PARTICLES_H
#define DUEL_PARTICLES_H

#include "duel/duel_state.h"

/// Throw debris from a point in all directions. Particles beyond the pool's capacity are left out.
/// @param speed_max  units a tick, 1..2000
/// @param tint       a duel_tint
void duel_particles_burst(duel_state *duel, int32_t x, int32_t y, uint32_t count,
                          uint32_t speed_max, uint32_t tint);

/// Step the debris: it flies, slows down, bounces off walls and fades.
void duel_particles_step(duel_state *duel);

/// Move the debris on for a picture: it flies for a part of the next tick.
/// @param part  0..DUEL_PARTS
void duel_particles_ahead(duel_state *duel, int32_t part);

#endif
