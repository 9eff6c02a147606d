// SPDX-License-Identifier: MIT

/// @file enemies.h
/// The creatures of the arcade. They walk from tile to tile along the field of pathfield.h, gnaw
/// tiles into their colour, and end a ship by touching it.

#ifndef DUEL_ENEMIES_H
#define DUEL_ENEMIES_H

#include "duel/duel_state.h"

/// The creatures of one tick by tile, so that a shot looks at few of them. Lives on the stack of a
/// step. Empty in versus.
typedef struct duel_crowd {
    uint32_t count;                      ///< 0: the rest is not filled in
    uint16_t first[DUEL_TILES_MAX];      ///< one more than the tile's first entry; 0: none
    uint16_t next[DUEL_ENEMIES_MAX];     ///< likewise
    uint8_t standing[DUEL_TILES_MAX];    ///< creatures on the tile, at most 255
    bks_id id[DUEL_ENEMIES_MAX];         ///< id of each entry
    duel_enemy *enemy[DUEL_ENEMIES_MAX]; ///< NULL once it was killed
} duel_crowd;

/// Sort the living creatures into tiles.
void duel_crowd_gather(const duel_state *duel, duel_crowd *crowd);

/// A shot hurts what it touches, until it has no strength left.
void duel_crowd_hit_shot(duel_state *duel, duel_crowd *crowd, duel_shot *shot);

/// Whatever lies in a circle is killed.
void duel_crowd_hit_circle(duel_state *duel, duel_crowd *crowd, int32_t x, int32_t y,
                           int32_t radius, uint32_t seat);

/// Hatch one creature on a free tile away from ships. Left out when there are too many.
void duel_enemy_hatch(duel_state *duel, duel_enemy_kind kind);

/// How big a creature is.
int32_t duel_enemy_radius(uint32_t kind);

/// Creatures walk, gnaw and touch.
void duel_enemies_step(duel_state *duel, const bks_step *step, const duel_crowd *crowd);

/// For a picture: they walk on for a part of the next tick.
/// @param part  of DUEL_PARTS, 0..DUEL_PARTS
void duel_enemies_ahead(duel_state *duel, int32_t part);

#endif
