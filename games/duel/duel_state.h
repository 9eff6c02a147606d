// SPDX-License-Identifier: MIT

/// @file duel_state.h
/// Everything a match of duel is made of. Lengths are in units, DUEL_TILE of them to a tile, x
/// right and y down from the board's top left corner; times in ticks. No struct has a hole, and
/// things refer to each other by seat, id or bks_ref, so the bytes mean the same on every peer.

#ifndef DUEL_DUEL_STATE_H
#define DUEL_DUEL_STATE_H

#include "backstitch/det.h"
#include "backstitch/game.h"
#include "duel/duel_input.h"

enum {
    DUEL_TICK_RATE_HZ = 60,
    DUEL_TILE = 1024, ///< units across a tile
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
    DUEL_AMMO_EXTRA = 9,     ///< with the ammo pickup
    DUEL_CHARGE_TICKS = 36,  ///< from pressing to a charged shot
    DUEL_RESPAWN_TICKS = 96, ///< a ship is away for
    DUEL_PROTECT_TICKS = 75, ///< untouchable after it comes back
    DUEL_GLOW_TICKS = 12,    ///< a tile's colour spreads for
    DUEL_READY_TICKS = 84,   ///< before a round
    DUEL_ROUND_OVER_TICKS = 110,
    DUEL_MATCH_OVER_TICKS = 300,
    DUEL_ROUNDS_TO_WIN = 5,
    DUEL_COLLAPSE_START_TICKS = 40 * 60, ///< tick of a round at which the board begins to fall away
    DUEL_COLLAPSE_EVERY_TICKS = 200,
    DUEL_HATCH_TICKS = 36, ///< a creature is harmless while it hatches

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
    DUEL_TILE_VOID = 3, ///< fallen away: shots pass, ships are lost
} duel_tile;

typedef enum duel_mode {
    DUEL_VERSUS = 0,
    DUEL_ARCADE = 1,
} duel_mode;

typedef enum duel_phase {
    DUEL_PHASE_READY = 0,      ///< ships in place, none moves
    DUEL_PHASE_PLAY = 1,       ///< the round itself
    DUEL_PHASE_ROUND_OVER = 2, ///< versus: decided, ships still fly
    DUEL_PHASE_MATCH_OVER = 3, ///< somebody has won, or the last ship is lost
} duel_phase;

/// "No side" and "no seat".
enum { DUEL_NOBODY = 255 };

typedef struct duel_ship {
    uint64_t memory[8]; ///< memory of the bot that flies this ship when no seat does
    int32_t x, y;       ///< centre
    int32_t vx, vy;     ///< units a tick
    int32_t heading_x;  ///< where it last flew
    int32_t heading_y;
    uint8_t seat;
    uint8_t side;
    uint8_t is_alive;
    uint8_t is_trapped;     ///< its tile was shot from under it
    uint8_t has_shield;     ///< takes one hit
    uint8_t held_direction; ///< fire as it was at the last tick
    uint8_t shot_owed;      ///< pressed while the gun cooled down
    uint8_t facing;         ///< where it last fired, a duel_direction
    uint8_t ammo;           ///< shots left
    uint8_t ammo_max;       ///< shots when full
    uint8_t reload_ticks;   ///< since the last shot came back
    uint8_t cooldown_ticks; ///< ticks until the next shot may leave
    uint8_t charge_ticks;   ///< held so long, up to DUEL_CHARGE_TICKS
    uint8_t spread_shots;   ///< shots left that go three wide
    uint8_t protect_ticks;  ///< untouchable for
    uint8_t respawn_ticks;  ///< ticks until it comes back; 0 while it is away: it stays away
    uint16_t kills;         ///< in this match
    uint16_t deaths;        ///< in this match
    uint32_t reserved;      ///< 0
} duel_ship;

typedef struct duel_shot {
    int32_t x, y;
    uint16_t age_ticks;
    uint8_t direction;
    uint8_t side;
    uint8_t seat;     ///< seat of the ship that fired
    uint8_t strength; ///< hits it can still make
    uint8_t is_heavy; ///< true for a shot of a charged volley
    uint8_t reserved; ///< 0
} duel_shot;

/// A circle that grows, colours the tiles it reaches and may kill.
typedef struct duel_blast {
    uint16_t x, y;
    uint16_t radius;     ///< now
    uint16_t radius_max; ///< then it ends
    uint16_t speed;      ///< units a tick
    uint8_t side;
    uint8_t seat;        ///< gets the kills
    uint8_t is_deadly;   ///< to the other side
    uint8_t reserved[3]; ///< 0
} duel_blast;

typedef enum duel_pickup_kind {
    DUEL_PICKUP_SPREAD = 0, ///< the next shots go three wide
    DUEL_PICKUP_AMMO = 1,   ///< full, and more of it until the ship is lost
    DUEL_PICKUP_SHIELD = 2, ///< takes one hit
    DUEL_PICKUP_NOVA = 3,   ///< a deadly blast around the ship
    DUEL_PICKUP_KINDS = 4,
} duel_pickup_kind;

typedef struct duel_pickup {
    uint8_t tile_x, tile_y;
    uint8_t kind;     ///< a duel_pickup_kind
    uint8_t reserved; ///< 0
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
    uint8_t tile_x, tile_y; ///< where it is going
    int8_t offset_x;        ///< from the tile's middle, in 8 units, so that a swarm is not a line
    int8_t offset_y;
    uint8_t age_ticks;   ///< up to 255
    uint8_t flash_ticks; ///< hit a moment ago
} duel_enemy;

typedef struct duel_particle {
    uint16_t x, y;
    int16_t vx, vy;
    uint8_t left_ticks;
    uint8_t life_ticks;  ///< lifetime at its beginning
    uint8_t colour;      ///< a duel_tint
    uint8_t size;        ///< in 8 units
    uint8_t angle;       ///< 0..255 is a full turn
    int8_t spin;         ///< a tick
    uint8_t reserved[2]; ///< 0
} duel_particle;

/// Colours of particles.
typedef enum duel_tint {
    DUEL_TINT_EMBER = 0, ///< as the side's ships
    DUEL_TINT_TIDE = 1,
    DUEL_TINT_EMBER_TILE = 2, ///< as the side's tiles
    DUEL_TINT_TIDE_TILE = 3,
    DUEL_TINT_WHITE = 4,
    DUEL_TINT_CREATURE = 5,
    DUEL_TINT_SPARK = 6,
    DUEL_TINTS = 7,
} duel_tint;

/// Sounds that are part of the state.
typedef enum duel_voice {
    DUEL_VOICE_CALM = 0,   ///< the music
    DUEL_VOICE_FIGHT = 1,  ///< joins it in a fight
    DUEL_VOICE_FLIPS = 2,  ///< tiles change their colour
    DUEL_VOICE_CHARGE = 3, ///< voice of the first seat's charge; those of the other seats follow
    DUEL_VOICES = 3 + DUEL_SEATS,
} duel_voice;

/// The root of the state.
typedef struct duel_state {
    bks_random random;    ///< decides the game
    bks_random fx_random; ///< decides debris, which decides nothing
    bks_ref ships, shots, blasts, pickups, particles;
    bks_ref enemies; ///< null in versus
    bks_ref field; ///< uint16_t for each tile: a creature's way to the nearest ship; null in versus
    bks_id ship[DUEL_SEATS];

    uint32_t tick;             ///< steps so far
    uint8_t mode;              ///< a duel_mode
    uint8_t map;               ///< a duel_map
    uint8_t seats;             ///< flown by players
    uint8_t ship_count;        ///< seats and house pilots
    uint8_t width, height;     ///< size of the board in tiles
    uint8_t phase;             ///< a duel_phase
    uint8_t round_winner;      ///< side, or DUEL_NOBODY
    uint32_t phase_ticks;      ///< in this phase
    uint32_t round;            ///< number of the round in this match, from 1
    uint32_t match;            ///< from 1
    uint8_t score[DUEL_SIDES]; ///< rounds won in this match
    uint8_t spare[DUEL_SIDES]; ///< ships that may still come back
    uint8_t rings_gone;        ///< rings of the board that fell away, from outside
    uint8_t shake_ticks;       ///< something big went off
    uint16_t pickup_ticks;     ///< ticks until the next pickup appears
    uint16_t rounds_drawn;     ///< in this match
    uint16_t matches_won[DUEL_SIDES];
    uint16_t flipped; ///< tiles that changed their colour in this tick

    uint32_t points;           ///< arcade, this game
    uint32_t best_points;      ///< arcade, any game
    uint16_t wave;             ///< arcade, from 1
    uint16_t wave_first;       ///< arcade, the option
    uint16_t wave_left;        ///< creatures that have yet to hatch
    uint16_t wave_wait_ticks;  ///< ticks until the wave begins to hatch
    uint16_t combo;            ///< kills in quick succession
    uint16_t combo_ticks;      ///< ticks until the combo ends
    uint16_t field_wait_ticks; ///< ticks until the path field may be computed again
    uint16_t field_is_stale;   ///< a tile or a ship's tile changed

    uint8_t tile[DUEL_TILES_MAX]; ///< a duel_tile for each, row by row
    uint8_t glow[DUEL_TILES_MAX]; ///< ticks since the colour changed, counting down
    bks_voice voice[DUEL_VOICES];
} duel_state;

_Static_assert(sizeof(duel_ship) == 112 && sizeof(duel_shot) == 16, "no holes");
_Static_assert(sizeof(duel_blast) == 16 && sizeof(duel_pickup) == 8, "no holes");
_Static_assert(sizeof(duel_enemy) == 16 && sizeof(duel_particle) == 16, "no holes");
_Static_assert(sizeof(duel_state) ==
                   32 + 56 + 16 + 4 + 8 + 12 + 16 + 8 + 16 + 2 * DUEL_TILES_MAX + 16 * DUEL_VOICES,
               "no holes");
_Static_assert(DUEL_ARCADE_WIDTH *DUEL_TILE < 65536, "positions fit 16 bits");

/// The ship of a seat.
/// @param seat  0..ship_count-1
static inline duel_ship *duel_ship_of(const duel_state *duel, uint32_t seat)
{
    return bks_pool_get(bks_ref_get(&duel->ships), duel->ship[seat]);
}

static inline uint32_t duel_rival(uint32_t side)
{
    return side ^ 1u;
}

/// As bks_pool_next() and bks_pool_count(), of a pool that the options may leave out.
static inline void *duel_pool_next(const bks_pool *pool, uint32_t *cursor, bks_id *out_id)
{
    return pool != NULL ? bks_pool_next(pool, cursor, out_id) : NULL;
}

static inline uint32_t duel_pool_count(const bks_pool *pool)
{
    return pool != NULL ? bks_pool_count(pool) : 0;
}

#endif
