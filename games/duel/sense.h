// SPDX-License-Identifier: MIT

/// @file sense.h
/// Knowledge that a pilot has of the state, collected once a tick. The struct lies on the stack.

#ifndef DUEL_SENSE_H
#define DUEL_SENSE_H

#include "duel/motion.h"
#include "duel/pathfield.h"

enum {
    DUEL_NEAR_MAX = 48, ///< most creatures that a pilot watches
};

typedef struct duel_sense {
    const duel_state *duel;
    const duel_ship *me;
    int32_t tile_x, tile_y;
    bool is_hunting; ///< few creatures are left, so the pilot hunts them
    uint32_t noise;  ///< random number that changes every few ticks and differs between seats
    uint32_t rival_count, shot_count, near_count, reach_count;
    const duel_ship *rival[DUEL_SEATS];    ///< living ships of the other side
    const duel_shot *shot[DUEL_SHOTS_MAX]; ///< shots of the other side
    const duel_enemy *near[DUEL_NEAR_MAX]; ///< creatures within some tiles
    uint32_t weight[DUEL_WEST + 1]; ///< weight of the creatures in the lane of each direction; near
                                    ///< ones count more
    uint32_t wide_weight[DUEL_WEST + 1]; ///< the same for three lanes in each direction
    uint8_t threat[DUEL_TILES_MAX];      ///< distances of duel_threat_distance()
    uint8_t reach[DUEL_TILES_MAX];       ///< distances of duel_reach() from the ship
    uint16_t from[DUEL_TILES_MAX];
} duel_sense;

/// Collect what a pilot knows. Its ship must be alive.
void duel_sense_gather(duel_sense *sense, const duel_state *duel, uint32_t seat);

/// Return true if no wall lies between two tiles of one row or column.
bool duel_sense_is_clear(const duel_state *duel, int32_t x0, int32_t y0, int32_t x1, int32_t y1);

/// Return the direction of the longer component of a vector.
uint32_t duel_main_direction(int32_t x, int32_t y);

/// Mix two numbers into a pseudo-random one, so that a pilot's choices vary.
uint32_t duel_stir(uint32_t a, uint32_t b);

/// Rate the danger of a straight course in the next ticks; 0 is safe.
/// @param vx, vy  velocity of the course, in units a tick
uint32_t duel_sense_danger(const duel_sense *sense, int32_t vx, int32_t vy);

/// Choose the tile to fly to: in a lane with a rival, near a pickup, away from danger.
uint32_t duel_choose_goal(const duel_sense *sense);

/// Choose the direction to hold fire in.
/// @param memory  3 words of the pilot's memory
uint32_t duel_choose_fire(const duel_sense *sense, uint64_t *memory);

#endif
