// SPDX-License-Identifier: MIT

/// @file enemies.h
/// Creatures of the arcade. They walk from tile to tile along the field of pathfield.h, turn tiles
/// into their colour, and destroy a ship by touching it.

#ifndef DUEL_ENEMIES_H
#define DUEL_ENEMIES_H

#include "duel/duel_state.h"

/// The creatures of one tick, sorted by tile, so that a shot checks few of them. It lies on the
/// stack of a step, and is empty in versus.
typedef struct duel_crowd {
    uint32_t count;                      ///< number of creatures; if 0, the other fields are not
                                         ///< set
    uint16_t first[DUEL_TILES_MAX];      ///< first entry of each tile plus one; 0: none
    uint16_t next[DUEL_ENEMIES_MAX];     ///< next entry of the same tile plus one; 0: none
    uint8_t standing[DUEL_TILES_MAX];    ///< creatures on the tile, at most 255
    bks_id id[DUEL_ENEMIES_MAX];         ///< id of each entry
    duel_enemy *enemy[DUEL_ENEMIES_MAX]; ///< creature of each entry, NULL after it was killed
} duel_crowd;

/// Sort the living creatures into tiles.
void duel_crowd_gather(const duel_state *duel, duel_crowd *crowd);

/// Let a shot damage the creatures that it touches, until it has no strength left.
void duel_crowd_hit_shot(duel_state *duel, duel_crowd *crowd, duel_shot *shot);

/// Kill all creatures in a circle.
void duel_crowd_hit_circle(duel_state *duel, duel_crowd *crowd, int32_t x, int32_t y,
                           int32_t radius, uint32_t seat);

/// Hatch a creature on a free tile away from ships. It is left out if there are too many.
void duel_enemy_hatch(duel_state *duel, duel_enemy_kind kind);

/// Return the radius of a kind of creature.
int32_t duel_enemy_radius(uint32_t kind);

/// Step the creatures: they walk, change tiles and hit ships.
void duel_enemies_step(duel_state *duel, const bks_step *step, const duel_crowd *crowd);

/// Move the creatures on for a picture: they walk for a part of the next tick.
/// @param part  0..DUEL_PARTS
void duel_enemies_ahead(duel_state *duel, int32_t part);

#endif
