// SPDX-License-Identifier: MIT

/// @file duel_state.h
/// State of a match of duel. Lengths are in units, DUEL_TILE to a tile, with x to the right and y
/// down from the board's top left corner. Times are in ticks. No struct has padding, and references
/// are seats, ids or bks_ref, so the bytes mean the same on every peer.

#ifndef DUEL_DUEL_STATE_H
#define DUEL_DUEL_STATE_H

#include "backstitch/det.h"
#include "backstitch/game.h"
#include "duel/duel_input.h"

enum {
    DUEL_TICK_RATE_HZ = 60,
    DUEL_TILE = 1024, ///< units along the side of a tile
    DUEL_SEATS = 4,
    DUEL_SIDES = 2,
    DUEL_VERSUS_WIDTH = 24, ///< tiles
    DUEL_VERSUS_HEIGHT = 14,
    DUEL_ARCADE_WIDTH = 40,
    DUEL_ARCADE_HEIGHT = 22,
    DUEL_TILES_MAX = DUEL_ARCADE_WIDTH * DUEL_ARCADE_HEIGHT,

    DUEL_SHIP_RADIUS = 350,
    DUEL_SHOT_RADIUS = 150,
    DUEL_SHOT_SPEED = 256, ///< units a tick: 15 tiles a second
    DUEL_STICK_FULL = 31,  ///< length of a stick at full deflection
    DUEL_AMMO_FULL = 5,
    DUEL_AMMO_EXTRA = 9,     ///< shots more with the ammo pickup
    DUEL_CHARGE_TICKS = 36,  ///< ticks from pressing to a charged shot
    DUEL_RESPAWN_TICKS = 96, ///< ticks until a lost ship comes back
    DUEL_PROTECT_TICKS = 75, ///< ticks that a ship is protected after it comes back
    DUEL_GLOW_TICKS = 12,    ///< ticks in which a tile's new colour spreads
    DUEL_READY_TICKS = 84,   ///< ticks before a round
    DUEL_ROUND_OVER_TICKS = 110,
    DUEL_MATCH_OVER_TICKS = 300,
    DUEL_ROUNDS_TO_WIN = 5,
    DUEL_COLLAPSE_START_TICKS = 40 * 60, ///< tick of a round at which the board begins to fall away
    DUEL_COLLAPSE_EVERY_TICKS = 200,
    DUEL_HATCH_TICKS = 36, ///< ticks in which a creature hatches and is harmless

    DUEL_SHOTS_MAX = 96,
    DUEL_BLASTS_MAX = 96,
    DUEL_PICKUPS_MAX = 6,
    DUEL_VERSUS_PARTICLES_MAX = 800,
    DUEL_ARCADE_PARTICLES_MAX = 3000,
    DUEL_ENEMIES_MAX = 1500,
    DUEL_WAVE_MAX = 99,
};

/// Kind of a tile. The first two are the sides' colours.
typedef enum duel_tile {
    DUEL_TILE_EMBER = 0,
    DUEL_TILE_TIDE = 1,
    DUEL_TILE_WALL = 2, ///< stops ships, shots and debris
    DUEL_TILE_VOID = 3, ///< fallen tile: shots pass over it, ships are lost
} duel_tile;

typedef enum duel_mode {
    DUEL_VERSUS = 0,
    DUEL_ARCADE = 1,
} duel_mode;

typedef enum duel_phase {
    DUEL_PHASE_READY = 0,      ///< ships in place, none moves
    DUEL_PHASE_PLAY = 1,       ///< the round is played
    DUEL_PHASE_ROUND_OVER = 2, ///< versus: the round is decided, ships still fly
    DUEL_PHASE_MATCH_OVER = 3, ///< somebody has won, or the last ship is lost
} duel_phase;

/// "No side" and "no seat".
enum { DUEL_NOBODY = 255 };

typedef struct duel_ship {
    uint64_t memory[8]; ///< memory of the bot that flies this ship when no seat does
    int32_t x, y;       ///< centre
    int32_t vx, vy;     ///< units a tick
    int32_t heading_x;  ///< last direction of flight
    int32_t heading_y;
    uint8_t seat;
    uint8_t side;
    uint8_t is_alive;
    uint8_t is_trapped;     ///< its tile was shot from under it
    uint8_t has_shield;     ///< the shield takes one hit
    uint8_t held_direction; ///< `fire` of the last tick
    uint8_t shot_owed;      ///< fire was pressed while the gun cooled down
    uint8_t facing;         ///< a duel_direction: that of the last shot
    uint8_t ammo;           ///< shots left
    uint8_t ammo_max;       ///< shots when full
    uint8_t reload_ticks;   ///< ticks since the last shot was reloaded
    uint8_t cooldown_ticks; ///< ticks until the next shot may leave
    uint8_t charge_ticks;   ///< ticks that fire was held, up to DUEL_CHARGE_TICKS
    uint8_t spread_shots;   ///< shots left that cover three lanes
    uint8_t protect_ticks;  ///< ticks that the ship stays protected
    uint8_t respawn_ticks;  ///< ticks until the ship comes back; 0 while it is lost: it does not
    uint16_t kills;         ///< kills in this match
    uint16_t deaths;        ///< losses in this match
    uint32_t reserved;      ///< always 0
} duel_ship;

typedef struct duel_shot {
    int32_t x, y;
    uint16_t age_ticks;
    uint8_t direction;
    uint8_t side;
    uint8_t seat;     ///< seat of the ship that fired
    uint8_t strength; ///< hits it can still make
    uint8_t is_heavy; ///< true for a shot of a charged volley
    uint8_t reserved; ///< always 0
} duel_shot;

/// A circle that grows, colours the tiles it reaches and may kill.
typedef struct duel_blast {
    uint16_t x, y;
    uint16_t radius;     ///< present radius
    uint16_t radius_max; ///< radius at which it ends
    uint16_t speed;      ///< units a tick
    uint8_t side;
    uint8_t seat;        ///< seat that gets the kills
    uint8_t is_deadly;   ///< true if it kills ships of the other side
    uint8_t reserved[3]; ///< always 0
} duel_blast;

typedef enum duel_pickup_kind {
    DUEL_PICKUP_SPREAD = 0, ///< the next shots cover three lanes
    DUEL_PICKUP_AMMO = 1,   ///< a full magazine, and a larger one until the ship is lost
    DUEL_PICKUP_SHIELD = 2, ///< a shield that takes one hit
    DUEL_PICKUP_NOVA = 3,   ///< a deadly blast around the ship
    DUEL_PICKUP_KINDS = 4,
} duel_pickup_kind;

typedef struct duel_pickup {
    uint8_t tile_x, tile_y;
    uint8_t kind;     ///< a duel_pickup_kind
    uint8_t reserved; ///< always 0
    uint16_t age_ticks;
    uint16_t left_ticks; ///< ticks until it vanishes
} duel_pickup;

typedef enum duel_enemy_kind {
    DUEL_ENEMY_MITE = 0,   ///< many and small
    DUEL_ENEMY_RUNNER = 1, ///< fast
    DUEL_ENEMY_FUSE = 2,   ///< blows up when shot, in the ships' favour
    DUEL_ENEMY_BRUTE = 3,  ///< takes several hits, colours tiles around
    DUEL_ENEMY_KINDS = 4,
} duel_enemy_kind;

typedef struct duel_enemy {
    uint16_t x, y;
    int16_t vx, vy;
    uint8_t kind;           ///< a duel_enemy_kind
    uint8_t hits;           ///< hits left until it dies
    uint8_t tile_x, tile_y; ///< tile that the creature walks to
    int8_t offset_x;        ///< offset from the tile's middle, in 8 units, so that a swarm does not
                            ///< form a line
    int8_t offset_y;
    uint8_t age_ticks;   ///< age, at most 255
    uint8_t flash_ticks; ///< ticks that it still flashes after a hit
} duel_enemy;

typedef struct duel_particle {
    uint16_t x, y;
    int16_t vx, vy;
    uint8_t left_ticks;
    uint8_t life_ticks;  ///< lifetime at its beginning
    uint8_t colour;      ///< a duel_tint
    uint8_t size;        ///< size in 8 units
    uint8_t angle;       ///< angle; 256 is a full turn
    int8_t spin;         ///< change of the angle in a tick
    uint8_t reserved[2]; ///< always 0
} duel_particle;

/// Colours of particles.
typedef enum duel_tint {
    DUEL_TINT_EMBER = 0, ///< Ember's ships
    DUEL_TINT_TIDE = 1,
    DUEL_TINT_EMBER_TILE = 2, ///< Ember's tiles
    DUEL_TINT_TIDE_TILE = 3,
    DUEL_TINT_WHITE = 4,
    DUEL_TINT_CREATURE = 5,
    DUEL_TINT_SPARK = 6,
    DUEL_TINTS = 7,
} duel_tint;

/// Voices: sounds that are part of the state.
typedef enum duel_voice {
    DUEL_VOICE_CALM = 0,   ///< the music
    DUEL_VOICE_FIGHT = 1,  ///< music of a fight, played with the other
    DUEL_VOICE_FLIPS = 2,  ///< tiles change their colour
    DUEL_VOICE_CHARGE = 3, ///< charge of the first seat; the voices of the other seats follow
    DUEL_VOICES = 3 + DUEL_SEATS,
} duel_voice;

/// The root of the state.
typedef struct duel_state {
    bks_random random;    ///< random numbers that decide the game
    bks_random fx_random; ///< random numbers for debris, which decides nothing
    bks_ref ships, shots, blasts, pickups, particles;
    bks_ref enemies; ///< null in versus
    bks_ref field; ///< path field, a uint16_t for each tile: a creature's way to the nearest ship;
                   ///< null in versus
    bks_id ship[DUEL_SEATS];

    uint32_t tick;             ///< steps so far
    uint8_t mode;              ///< a duel_mode
    uint8_t map;               ///< a duel_map
    uint8_t seats;             ///< seats flown by players
    uint8_t ship_count;        ///< number of ships: seats and house pilots
    uint8_t width, height;     ///< size of the board in tiles
    uint8_t phase;             ///< a duel_phase
    uint8_t round_winner;      ///< a side, or DUEL_NOBODY
    uint32_t phase_ticks;      ///< ticks since the phase began
    uint32_t round;            ///< number of the round in this match, from 1
    uint32_t match;            ///< number of the match, from 1
    uint8_t score[DUEL_SIDES]; ///< rounds won in this match
    uint8_t spare[DUEL_SIDES]; ///< lost ships that may still come back
    uint8_t rings_gone;        ///< rings of the board that fell away, from outside
    uint8_t shake_ticks;       ///< ticks that the board still shakes after a big explosion
    uint16_t pickup_ticks;     ///< ticks until the next pickup appears
    uint16_t rounds_drawn;     ///< rounds of this match without a winner
    uint16_t matches_won[DUEL_SIDES];
    uint16_t flipped; ///< tiles that changed their colour in this tick

    uint32_t points;           ///< arcade: points of this game
    uint32_t best_points;      ///< arcade: best points of any game
    uint16_t wave;             ///< arcade: number of the wave, from 1
    uint16_t wave_first;       ///< arcade: first wave, from the option
    uint16_t wave_left;        ///< creatures of the wave that have not hatched
    uint16_t wave_wait_ticks;  ///< ticks until the wave begins to hatch
    uint16_t combo;            ///< number of kills in quick succession
    uint16_t combo_ticks;      ///< ticks until the combo ends
    uint16_t field_wait_ticks; ///< ticks until the path field may be computed again
    uint16_t field_is_stale;   ///< the field is out of date: a tile changed, or a ship moved to
                               ///< another tile

    uint8_t tile[DUEL_TILES_MAX]; ///< a duel_tile for each tile, row by row
    uint8_t glow[DUEL_TILES_MAX]; ///< ticks left until a tile's new colour has spread
    bks_voice voice[DUEL_VOICES];
} duel_state;

_Static_assert(sizeof(duel_ship) == 112 && sizeof(duel_shot) == 16, "no holes");
_Static_assert(sizeof(duel_blast) == 16 && sizeof(duel_pickup) == 8, "no holes");
_Static_assert(sizeof(duel_enemy) == 16 && sizeof(duel_particle) == 16, "no holes");
_Static_assert(sizeof(duel_state) ==
                   32 + 56 + 16 + 4 + 8 + 12 + 16 + 8 + 16 + 2 * DUEL_TILES_MAX + 16 * DUEL_VOICES,
               "no holes");
_Static_assert(DUEL_ARCADE_WIDTH *DUEL_TILE < 65536, "positions fit 16 bits");

/// Return the ship of a seat.
/// @param seat  0..ship_count-1
static inline duel_ship *duel_ship_of(const duel_state *duel, uint32_t seat)
{
    return bks_pool_get(bks_ref_get(&duel->ships), duel->ship[seat]);
}

static inline uint32_t duel_rival(uint32_t side)
{
    return side ^ 1u;
}

/// Return the next item of a pool, as bks_pool_next() does. The options may leave the pool out.
static inline void *duel_pool_next(const bks_pool *pool, uint32_t *cursor, bks_id *out_id)
{
    return pool != NULL ? bks_pool_next(pool, cursor, out_id) : NULL;
}

static inline uint32_t duel_pool_count(const bks_pool *pool)
{
    return pool != NULL ? bks_pool_count(pool) : 0;
}

#endif
