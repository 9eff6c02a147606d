// SPDX-License-Identifier: MIT

// Written by tests/matrix/write_tables.py.

// clang-format off
// Written by bks games --map duel --as-c. Set bks_game.map to it.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <backstitch/state.h>
#include "duel_state.h"
#include <backstitch/game.h>
#include <backstitch/det.h>
#include "duel_input.h"
#include "board.h"

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif

#define STATE_MAP_COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define STATE_MAP_GREATER(a, b) ((a) > (b) ? (a) : (b))

static const bks_map_member state_map_members_0[] = { // duel_state
    {.name = "random", .type = 2, .offset_bytes = offsetof(duel_state, random)},
    {.name = "fx_random", .type = 2, .offset_bytes = offsetof(duel_state, fx_random)},
    {.name = "ships", .type = 22, .offset_bytes = offsetof(duel_state, ships)},
    {.name = "shots", .type = 22, .offset_bytes = offsetof(duel_state, shots)},
    {.name = "blasts", .type = 22, .offset_bytes = offsetof(duel_state, blasts)},
    {.name = "pickups", .type = 22, .offset_bytes = offsetof(duel_state, pickups)},
    {.name = "particles", .type = 22, .offset_bytes = offsetof(duel_state, particles)},
    {.name = "enemies", .type = 22, .offset_bytes = offsetof(duel_state, enemies)},
    {.name = "field", .type = 20, .offset_bytes = offsetof(duel_state, field)},
    {.name = "ship", .type = 19, .offset_bytes = offsetof(duel_state, ship),
     .count = {
               sizeof(((duel_state *)0)->ship) / sizeof(((duel_state *)0)->ship[0])}},
    {.name = "tick", .type = 33, .offset_bytes = offsetof(duel_state, tick)},
    {.name = "mode", .type = 18, .offset_bytes = offsetof(duel_state, mode)},
    {.name = "map", .type = 17, .offset_bytes = offsetof(duel_state, map)},
    {.name = "seats", .type = 35, .offset_bytes = offsetof(duel_state, seats)},
    {.name = "ship_count", .type = 35, .offset_bytes = offsetof(duel_state, ship_count)},
    {.name = "width", .type = 35, .offset_bytes = offsetof(duel_state, width)},
    {.name = "height", .type = 35, .offset_bytes = offsetof(duel_state, height)},
    {.name = "phase", .type = 16, .offset_bytes = offsetof(duel_state, phase)},
    {.name = "round_winner", .type = 35, .offset_bytes = offsetof(duel_state, round_winner)},
    {.name = "phase_ticks", .type = 33, .offset_bytes = offsetof(duel_state, phase_ticks)},
    {.name = "round", .type = 33, .offset_bytes = offsetof(duel_state, round)},
    {.name = "match", .type = 33, .offset_bytes = offsetof(duel_state, match)},
    {.name = "score", .type = 35, .offset_bytes = offsetof(duel_state, score),
     .count = {
               sizeof(((duel_state *)0)->score) / sizeof(((duel_state *)0)->score[0])}},
    {.name = "spare", .type = 35, .offset_bytes = offsetof(duel_state, spare),
     .count = {
               sizeof(((duel_state *)0)->spare) / sizeof(((duel_state *)0)->spare[0])}},
    {.name = "rings_gone", .type = 35, .offset_bytes = offsetof(duel_state, rings_gone)},
    {.name = "shake_ticks", .type = 35, .offset_bytes = offsetof(duel_state, shake_ticks)},
    {.name = "pickup_ticks", .type = 34, .offset_bytes = offsetof(duel_state, pickup_ticks)},
    {.name = "rounds_drawn", .type = 34, .offset_bytes = offsetof(duel_state, rounds_drawn)},
    {.name = "matches_won", .type = 34, .offset_bytes = offsetof(duel_state, matches_won),
     .count = {
               sizeof(((duel_state *)0)->matches_won) / sizeof(((duel_state *)0)->matches_won[0])}},
    {.name = "flipped", .type = 34, .offset_bytes = offsetof(duel_state, flipped)},
    {.name = "points", .type = 33, .offset_bytes = offsetof(duel_state, points)},
    {.name = "best_points", .type = 33, .offset_bytes = offsetof(duel_state, best_points)},
    {.name = "wave", .type = 34, .offset_bytes = offsetof(duel_state, wave)},
    {.name = "wave_first", .type = 34, .offset_bytes = offsetof(duel_state, wave_first)},
    {.name = "wave_left", .type = 34, .offset_bytes = offsetof(duel_state, wave_left)},
    {.name = "wave_wait_ticks", .type = 34, .offset_bytes = offsetof(duel_state, wave_wait_ticks)},
    {.name = "combo", .type = 34, .offset_bytes = offsetof(duel_state, combo)},
    {.name = "combo_ticks", .type = 34, .offset_bytes = offsetof(duel_state, combo_ticks)},
    {.name = "field_wait_ticks", .type = 34, .offset_bytes = offsetof(duel_state, field_wait_ticks)},
    {.name = "field_is_stale", .type = 34, .offset_bytes = offsetof(duel_state, field_is_stale)},
    {.name = "tile", .type = 15, .offset_bytes = offsetof(duel_state, tile),
     .count = {
               sizeof(((duel_state *)0)->tile) / sizeof(((duel_state *)0)->tile[0])}},
    {.name = "glow", .type = 35, .offset_bytes = offsetof(duel_state, glow),
     .count = {
               sizeof(((duel_state *)0)->glow) / sizeof(((duel_state *)0)->glow[0])}},
    {.name = "voice", .type = 1, .offset_bytes = offsetof(duel_state, voice),
     .count = {
               sizeof(((duel_state *)0)->voice) / sizeof(((duel_state *)0)->voice[0])}},
};

static const bks_map_member state_map_members_1[] = { // bks_voice
    {.name = "cursor", .type = 37, .offset_bytes = offsetof(bks_voice, cursor)},
    {.name = "sound", .type = 34, .offset_bytes = offsetof(bks_voice, sound)},
    {.name = "volume", .type = 34, .offset_bytes = offsetof(bks_voice, volume)},
    {.name = "pan", .type = 32, .offset_bytes = offsetof(bks_voice, pan)},
    {.name = "is_on", .type = 35, .offset_bytes = offsetof(bks_voice, is_on)},
    {.name = "is_loop", .type = 35, .offset_bytes = offsetof(bks_voice, is_loop)},
};

static const bks_map_member state_map_members_2[] = { // bks_random
    {.name = "state", .type = 37, .offset_bytes = offsetof(bks_random, state)},
    {.name = "increment", .type = 37, .offset_bytes = offsetof(bks_random, increment)},
};

static const bks_map_member state_map_members_3[] = { // duel_enemy
    {.name = "x", .type = 34, .offset_bytes = offsetof(duel_enemy, x)},
    {.name = "y", .type = 34, .offset_bytes = offsetof(duel_enemy, y)},
    {.name = "vx", .type = 32, .offset_bytes = offsetof(duel_enemy, vx)},
    {.name = "vy", .type = 32, .offset_bytes = offsetof(duel_enemy, vy)},
    {.name = "kind", .type = 10, .offset_bytes = offsetof(duel_enemy, kind)},
    {.name = "hits", .type = 35, .offset_bytes = offsetof(duel_enemy, hits)},
    {.name = "tile_x", .type = 35, .offset_bytes = offsetof(duel_enemy, tile_x)},
    {.name = "tile_y", .type = 35, .offset_bytes = offsetof(duel_enemy, tile_y)},
    {.name = "offset_x", .type = 31, .offset_bytes = offsetof(duel_enemy, offset_x)},
    {.name = "offset_y", .type = 31, .offset_bytes = offsetof(duel_enemy, offset_y)},
    {.name = "age_ticks", .type = 35, .offset_bytes = offsetof(duel_enemy, age_ticks)},
    {.name = "flash_ticks", .type = 35, .offset_bytes = offsetof(duel_enemy, flash_ticks)},
};

static const bks_map_member state_map_members_4[] = { // duel_particle
    {.name = "x", .type = 34, .offset_bytes = offsetof(duel_particle, x)},
    {.name = "y", .type = 34, .offset_bytes = offsetof(duel_particle, y)},
    {.name = "vx", .type = 32, .offset_bytes = offsetof(duel_particle, vx)},
    {.name = "vy", .type = 32, .offset_bytes = offsetof(duel_particle, vy)},
    {.name = "left_ticks", .type = 35, .offset_bytes = offsetof(duel_particle, left_ticks)},
    {.name = "life_ticks", .type = 35, .offset_bytes = offsetof(duel_particle, life_ticks)},
    {.name = "colour", .type = 9, .offset_bytes = offsetof(duel_particle, colour)},
    {.name = "size", .type = 35, .offset_bytes = offsetof(duel_particle, size)},
    {.name = "angle", .type = 35, .offset_bytes = offsetof(duel_particle, angle)},
    {.name = "spin", .type = 31, .offset_bytes = offsetof(duel_particle, spin)},
    {.name = "reserved", .type = 35, .offset_bytes = offsetof(duel_particle, reserved),
     .count = {
               sizeof(((duel_particle *)0)->reserved) / sizeof(((duel_particle *)0)->reserved[0])}},
};

static const bks_map_member state_map_members_5[] = { // duel_pickup
    {.name = "tile_x", .type = 35, .offset_bytes = offsetof(duel_pickup, tile_x)},
    {.name = "tile_y", .type = 35, .offset_bytes = offsetof(duel_pickup, tile_y)},
    {.name = "kind", .type = 11, .offset_bytes = offsetof(duel_pickup, kind)},
    {.name = "reserved", .type = 35, .offset_bytes = offsetof(duel_pickup, reserved)},
    {.name = "age_ticks", .type = 34, .offset_bytes = offsetof(duel_pickup, age_ticks)},
    {.name = "left_ticks", .type = 34, .offset_bytes = offsetof(duel_pickup, left_ticks)},
};

static const bks_map_member state_map_members_6[] = { // duel_blast
    {.name = "x", .type = 34, .offset_bytes = offsetof(duel_blast, x)},
    {.name = "y", .type = 34, .offset_bytes = offsetof(duel_blast, y)},
    {.name = "radius", .type = 34, .offset_bytes = offsetof(duel_blast, radius)},
    {.name = "radius_max", .type = 34, .offset_bytes = offsetof(duel_blast, radius_max)},
    {.name = "speed", .type = 34, .offset_bytes = offsetof(duel_blast, speed)},
    {.name = "side", .type = 35, .offset_bytes = offsetof(duel_blast, side)},
    {.name = "seat", .type = 35, .offset_bytes = offsetof(duel_blast, seat)},
    {.name = "is_deadly", .type = 35, .offset_bytes = offsetof(duel_blast, is_deadly)},
    {.name = "reserved", .type = 35, .offset_bytes = offsetof(duel_blast, reserved),
     .count = {
               sizeof(((duel_blast *)0)->reserved) / sizeof(((duel_blast *)0)->reserved[0])}},
};

static const bks_map_member state_map_members_7[] = { // duel_shot
    {.name = "x", .type = 36, .offset_bytes = offsetof(duel_shot, x)},
    {.name = "y", .type = 36, .offset_bytes = offsetof(duel_shot, y)},
    {.name = "age_ticks", .type = 34, .offset_bytes = offsetof(duel_shot, age_ticks)},
    {.name = "direction", .type = 12, .offset_bytes = offsetof(duel_shot, direction)},
    {.name = "side", .type = 35, .offset_bytes = offsetof(duel_shot, side)},
    {.name = "seat", .type = 35, .offset_bytes = offsetof(duel_shot, seat)},
    {.name = "strength", .type = 35, .offset_bytes = offsetof(duel_shot, strength)},
    {.name = "is_heavy", .type = 35, .offset_bytes = offsetof(duel_shot, is_heavy)},
    {.name = "reserved", .type = 35, .offset_bytes = offsetof(duel_shot, reserved)},
};

static const bks_map_member state_map_members_8[] = { // duel_ship
    {.name = "memory", .type = 37, .offset_bytes = offsetof(duel_ship, memory),
     .count = {
               sizeof(((duel_ship *)0)->memory) / sizeof(((duel_ship *)0)->memory[0])}},
    {.name = "x", .type = 36, .offset_bytes = offsetof(duel_ship, x)},
    {.name = "y", .type = 36, .offset_bytes = offsetof(duel_ship, y)},
    {.name = "vx", .type = 36, .offset_bytes = offsetof(duel_ship, vx)},
    {.name = "vy", .type = 36, .offset_bytes = offsetof(duel_ship, vy)},
    {.name = "heading_x", .type = 36, .offset_bytes = offsetof(duel_ship, heading_x)},
    {.name = "heading_y", .type = 36, .offset_bytes = offsetof(duel_ship, heading_y)},
    {.name = "seat", .type = 35, .offset_bytes = offsetof(duel_ship, seat)},
    {.name = "side", .type = 35, .offset_bytes = offsetof(duel_ship, side)},
    {.name = "is_alive", .type = 35, .offset_bytes = offsetof(duel_ship, is_alive)},
    {.name = "is_trapped", .type = 35, .offset_bytes = offsetof(duel_ship, is_trapped)},
    {.name = "has_shield", .type = 35, .offset_bytes = offsetof(duel_ship, has_shield)},
    {.name = "held_direction", .type = 14, .offset_bytes = offsetof(duel_ship, held_direction)},
    {.name = "shot_owed", .type = 35, .offset_bytes = offsetof(duel_ship, shot_owed)},
    {.name = "facing", .type = 13, .offset_bytes = offsetof(duel_ship, facing)},
    {.name = "ammo", .type = 35, .offset_bytes = offsetof(duel_ship, ammo)},
    {.name = "ammo_max", .type = 35, .offset_bytes = offsetof(duel_ship, ammo_max)},
    {.name = "reload_ticks", .type = 35, .offset_bytes = offsetof(duel_ship, reload_ticks)},
    {.name = "cooldown_ticks", .type = 35, .offset_bytes = offsetof(duel_ship, cooldown_ticks)},
    {.name = "charge_ticks", .type = 35, .offset_bytes = offsetof(duel_ship, charge_ticks)},
    {.name = "spread_shots", .type = 35, .offset_bytes = offsetof(duel_ship, spread_shots)},
    {.name = "protect_ticks", .type = 35, .offset_bytes = offsetof(duel_ship, protect_ticks)},
    {.name = "respawn_ticks", .type = 35, .offset_bytes = offsetof(duel_ship, respawn_ticks)},
    {.name = "kills", .type = 34, .offset_bytes = offsetof(duel_ship, kills)},
    {.name = "deaths", .type = 34, .offset_bytes = offsetof(duel_ship, deaths)},
    {.name = "reserved", .type = 33, .offset_bytes = offsetof(duel_ship, reserved)},
};

static const bks_map_enumerator state_map_enumerators_9[] = { // duel_tint
    {.name = "DUEL_TINT_EMBER", .value = DUEL_TINT_EMBER},
    {.name = "DUEL_TINT_TIDE", .value = DUEL_TINT_TIDE},
    {.name = "DUEL_TINT_EMBER_TILE", .value = DUEL_TINT_EMBER_TILE},
    {.name = "DUEL_TINT_TIDE_TILE", .value = DUEL_TINT_TIDE_TILE},
    {.name = "DUEL_TINT_WHITE", .value = DUEL_TINT_WHITE},
    {.name = "DUEL_TINT_CREATURE", .value = DUEL_TINT_CREATURE},
    {.name = "DUEL_TINT_SPARK", .value = DUEL_TINT_SPARK},
    {.name = "DUEL_TINTS", .value = DUEL_TINTS},
};

static const bks_map_enumerator state_map_enumerators_10[] = { // duel_enemy_kind
    {.name = "DUEL_ENEMY_MITE", .value = DUEL_ENEMY_MITE},
    {.name = "DUEL_ENEMY_RUNNER", .value = DUEL_ENEMY_RUNNER},
    {.name = "DUEL_ENEMY_FUSE", .value = DUEL_ENEMY_FUSE},
    {.name = "DUEL_ENEMY_BRUTE", .value = DUEL_ENEMY_BRUTE},
    {.name = "DUEL_ENEMY_KINDS", .value = DUEL_ENEMY_KINDS},
};

static const bks_map_enumerator state_map_enumerators_11[] = { // duel_pickup_kind
    {.name = "DUEL_PICKUP_SPREAD", .value = DUEL_PICKUP_SPREAD},
    {.name = "DUEL_PICKUP_AMMO", .value = DUEL_PICKUP_AMMO},
    {.name = "DUEL_PICKUP_SHIELD", .value = DUEL_PICKUP_SHIELD},
    {.name = "DUEL_PICKUP_NOVA", .value = DUEL_PICKUP_NOVA},
    {.name = "DUEL_PICKUP_KINDS", .value = DUEL_PICKUP_KINDS},
};

static const bks_map_enumerator state_map_enumerators_12[] = { // duel_direction
    {.name = "DUEL_NONE", .value = DUEL_NONE},
    {.name = "DUEL_NORTH", .value = DUEL_NORTH},
    {.name = "DUEL_EAST", .value = DUEL_EAST},
    {.name = "DUEL_SOUTH", .value = DUEL_SOUTH},
    {.name = "DUEL_WEST", .value = DUEL_WEST},
};

static const bks_map_enumerator state_map_enumerators_13[] = { // duel_direction
    {.name = "DUEL_NONE", .value = DUEL_NONE},
    {.name = "DUEL_NORTH", .value = DUEL_NORTH},
    {.name = "DUEL_EAST", .value = DUEL_EAST},
    {.name = "DUEL_SOUTH", .value = DUEL_SOUTH},
    {.name = "DUEL_WEST", .value = DUEL_WEST},
};

static const bks_map_enumerator state_map_enumerators_14[] = { // duel_direction
    {.name = "DUEL_NONE", .value = DUEL_NONE},
    {.name = "DUEL_NORTH", .value = DUEL_NORTH},
    {.name = "DUEL_EAST", .value = DUEL_EAST},
    {.name = "DUEL_SOUTH", .value = DUEL_SOUTH},
    {.name = "DUEL_WEST", .value = DUEL_WEST},
};

static const bks_map_enumerator state_map_enumerators_15[] = { // duel_tile
    {.name = "DUEL_TILE_EMBER", .value = DUEL_TILE_EMBER},
    {.name = "DUEL_TILE_TIDE", .value = DUEL_TILE_TIDE},
    {.name = "DUEL_TILE_WALL", .value = DUEL_TILE_WALL},
    {.name = "DUEL_TILE_VOID", .value = DUEL_TILE_VOID},
};

static const bks_map_enumerator state_map_enumerators_16[] = { // duel_phase
    {.name = "DUEL_PHASE_READY", .value = DUEL_PHASE_READY},
    {.name = "DUEL_PHASE_PLAY", .value = DUEL_PHASE_PLAY},
    {.name = "DUEL_PHASE_ROUND_OVER", .value = DUEL_PHASE_ROUND_OVER},
    {.name = "DUEL_PHASE_MATCH_OVER", .value = DUEL_PHASE_MATCH_OVER},
};

static const bks_map_enumerator state_map_enumerators_17[] = { // duel_map
    {.name = "DUEL_MAP_PLAIN", .value = DUEL_MAP_PLAIN},
    {.name = "DUEL_MAP_CROSS", .value = DUEL_MAP_CROSS},
    {.name = "DUEL_MAP_ISLANDS", .value = DUEL_MAP_ISLANDS},
    {.name = "DUEL_MAP_LANES", .value = DUEL_MAP_LANES},
    {.name = "DUEL_MAPS", .value = DUEL_MAPS},
};

static const bks_map_enumerator state_map_enumerators_18[] = { // duel_mode
    {.name = "DUEL_VERSUS", .value = DUEL_VERSUS},
    {.name = "DUEL_ARCADE", .value = DUEL_ARCADE},
};

static const bks_map_enumerator state_map_enumerators_23[] = { // duel_tint
    {.name = "DUEL_TINT_EMBER", .value = DUEL_TINT_EMBER},
    {.name = "DUEL_TINT_TIDE", .value = DUEL_TINT_TIDE},
    {.name = "DUEL_TINT_EMBER_TILE", .value = DUEL_TINT_EMBER_TILE},
    {.name = "DUEL_TINT_TIDE_TILE", .value = DUEL_TINT_TIDE_TILE},
    {.name = "DUEL_TINT_WHITE", .value = DUEL_TINT_WHITE},
    {.name = "DUEL_TINT_CREATURE", .value = DUEL_TINT_CREATURE},
    {.name = "DUEL_TINT_SPARK", .value = DUEL_TINT_SPARK},
    {.name = "DUEL_TINTS", .value = DUEL_TINTS},
};

static const bks_map_enumerator state_map_enumerators_24[] = { // duel_enemy_kind
    {.name = "DUEL_ENEMY_MITE", .value = DUEL_ENEMY_MITE},
    {.name = "DUEL_ENEMY_RUNNER", .value = DUEL_ENEMY_RUNNER},
    {.name = "DUEL_ENEMY_FUSE", .value = DUEL_ENEMY_FUSE},
    {.name = "DUEL_ENEMY_BRUTE", .value = DUEL_ENEMY_BRUTE},
    {.name = "DUEL_ENEMY_KINDS", .value = DUEL_ENEMY_KINDS},
};

static const bks_map_enumerator state_map_enumerators_25[] = { // duel_pickup_kind
    {.name = "DUEL_PICKUP_SPREAD", .value = DUEL_PICKUP_SPREAD},
    {.name = "DUEL_PICKUP_AMMO", .value = DUEL_PICKUP_AMMO},
    {.name = "DUEL_PICKUP_SHIELD", .value = DUEL_PICKUP_SHIELD},
    {.name = "DUEL_PICKUP_NOVA", .value = DUEL_PICKUP_NOVA},
    {.name = "DUEL_PICKUP_KINDS", .value = DUEL_PICKUP_KINDS},
};

static const bks_map_enumerator state_map_enumerators_26[] = { // duel_direction
    {.name = "DUEL_NONE", .value = DUEL_NONE},
    {.name = "DUEL_NORTH", .value = DUEL_NORTH},
    {.name = "DUEL_EAST", .value = DUEL_EAST},
    {.name = "DUEL_SOUTH", .value = DUEL_SOUTH},
    {.name = "DUEL_WEST", .value = DUEL_WEST},
};

static const bks_map_enumerator state_map_enumerators_27[] = { // duel_tile
    {.name = "DUEL_TILE_EMBER", .value = DUEL_TILE_EMBER},
    {.name = "DUEL_TILE_TIDE", .value = DUEL_TILE_TIDE},
    {.name = "DUEL_TILE_WALL", .value = DUEL_TILE_WALL},
    {.name = "DUEL_TILE_VOID", .value = DUEL_TILE_VOID},
};

static const bks_map_enumerator state_map_enumerators_28[] = { // duel_phase
    {.name = "DUEL_PHASE_READY", .value = DUEL_PHASE_READY},
    {.name = "DUEL_PHASE_PLAY", .value = DUEL_PHASE_PLAY},
    {.name = "DUEL_PHASE_ROUND_OVER", .value = DUEL_PHASE_ROUND_OVER},
    {.name = "DUEL_PHASE_MATCH_OVER", .value = DUEL_PHASE_MATCH_OVER},
};

static const bks_map_enumerator state_map_enumerators_29[] = { // duel_map
    {.name = "DUEL_MAP_PLAIN", .value = DUEL_MAP_PLAIN},
    {.name = "DUEL_MAP_CROSS", .value = DUEL_MAP_CROSS},
    {.name = "DUEL_MAP_ISLANDS", .value = DUEL_MAP_ISLANDS},
    {.name = "DUEL_MAP_LANES", .value = DUEL_MAP_LANES},
    {.name = "DUEL_MAPS", .value = DUEL_MAPS},
};

static const bks_map_enumerator state_map_enumerators_30[] = { // duel_mode
    {.name = "DUEL_VERSUS", .value = DUEL_VERSUS},
    {.name = "DUEL_ARCADE", .value = DUEL_ARCADE},
};

static const bks_map_type state_map_types[] = {
    {.name = "duel_state", .kind = BKS_MAP_STRUCT, .bytes = sizeof(duel_state),
     .members = state_map_members_0, .member_count = STATE_MAP_COUNT(state_map_members_0)}, // 0
    {.name = "bks_voice", .kind = BKS_MAP_STRUCT, .bytes = sizeof(bks_voice),
     .members = state_map_members_1, .member_count = STATE_MAP_COUNT(state_map_members_1)}, // 1
    {.name = "bks_random", .kind = BKS_MAP_STRUCT, .bytes = sizeof(bks_random),
     .members = state_map_members_2, .member_count = STATE_MAP_COUNT(state_map_members_2)}, // 2
    {.name = "duel_enemy", .kind = BKS_MAP_STRUCT, .bytes = sizeof(duel_enemy),
     .members = state_map_members_3, .member_count = STATE_MAP_COUNT(state_map_members_3)}, // 3
    {.name = "duel_particle", .kind = BKS_MAP_STRUCT, .bytes = sizeof(duel_particle),
     .members = state_map_members_4, .member_count = STATE_MAP_COUNT(state_map_members_4)}, // 4
    {.name = "duel_pickup", .kind = BKS_MAP_STRUCT, .bytes = sizeof(duel_pickup),
     .members = state_map_members_5, .member_count = STATE_MAP_COUNT(state_map_members_5)}, // 5
    {.name = "duel_blast", .kind = BKS_MAP_STRUCT, .bytes = sizeof(duel_blast),
     .members = state_map_members_6, .member_count = STATE_MAP_COUNT(state_map_members_6)}, // 6
    {.name = "duel_shot", .kind = BKS_MAP_STRUCT, .bytes = sizeof(duel_shot),
     .members = state_map_members_7, .member_count = STATE_MAP_COUNT(state_map_members_7)}, // 7
    {.name = "duel_ship", .kind = BKS_MAP_STRUCT, .bytes = sizeof(duel_ship),
     .members = state_map_members_8, .member_count = STATE_MAP_COUNT(state_map_members_8)}, // 8
    {.name = "duel_tint", .kind = BKS_MAP_ENUM, .bytes = sizeof(((duel_particle *)0)->colour),
     .enumerators = state_map_enumerators_9, .enumerator_count = STATE_MAP_COUNT(state_map_enumerators_9)}, // 9
    {.name = "duel_enemy_kind", .kind = BKS_MAP_ENUM, .bytes = sizeof(((duel_enemy *)0)->kind),
     .enumerators = state_map_enumerators_10, .enumerator_count = STATE_MAP_COUNT(state_map_enumerators_10)}, // 10
    {.name = "duel_pickup_kind", .kind = BKS_MAP_ENUM, .bytes = sizeof(((duel_pickup *)0)->kind),
     .enumerators = state_map_enumerators_11, .enumerator_count = STATE_MAP_COUNT(state_map_enumerators_11)}, // 11
    {.name = "duel_direction", .kind = BKS_MAP_ENUM, .bytes = sizeof(((duel_shot *)0)->direction),
     .enumerators = state_map_enumerators_12, .enumerator_count = STATE_MAP_COUNT(state_map_enumerators_12)}, // 12
    {.name = "duel_direction", .kind = BKS_MAP_ENUM, .bytes = sizeof(((duel_ship *)0)->facing),
     .enumerators = state_map_enumerators_13, .enumerator_count = STATE_MAP_COUNT(state_map_enumerators_13)}, // 13
    {.name = "duel_direction", .kind = BKS_MAP_ENUM, .bytes = sizeof(((duel_ship *)0)->held_direction),
     .enumerators = state_map_enumerators_14, .enumerator_count = STATE_MAP_COUNT(state_map_enumerators_14)}, // 14
    {.name = "duel_tile", .kind = BKS_MAP_ENUM, .bytes = sizeof(((duel_state *)0)->tile[0]),
     .enumerators = state_map_enumerators_15, .enumerator_count = STATE_MAP_COUNT(state_map_enumerators_15)}, // 15
    {.name = "duel_phase", .kind = BKS_MAP_ENUM, .bytes = sizeof(((duel_state *)0)->phase),
     .enumerators = state_map_enumerators_16, .enumerator_count = STATE_MAP_COUNT(state_map_enumerators_16)}, // 16
    {.name = "duel_map", .kind = BKS_MAP_ENUM, .bytes = sizeof(((duel_state *)0)->map),
     .enumerators = state_map_enumerators_17, .enumerator_count = STATE_MAP_COUNT(state_map_enumerators_17)}, // 17
    {.name = "duel_mode", .kind = BKS_MAP_ENUM, .bytes = sizeof(((duel_state *)0)->mode),
     .enumerators = state_map_enumerators_18, .enumerator_count = STATE_MAP_COUNT(state_map_enumerators_18)}, // 18
    {.name = "bks_id", .kind = BKS_MAP_ID, .bytes = sizeof(((duel_state *)0)->ship[0]), .pool = "ships"}, // 19
    {.name = "bks_ref", .kind = BKS_MAP_REF, .bytes = sizeof(((duel_state *)0)->field), .target = 34, .target_count = 880}, // 20
    {.name = "bks_id", .kind = BKS_MAP_ID, .bytes = sizeof(bks_id)}, // 21
    {.name = "bks_ref", .kind = BKS_MAP_REF, .bytes = sizeof(bks_ref)}, // 22
    {.name = "duel_tint", .kind = BKS_MAP_ENUM, .bytes = sizeof(enum duel_tint),
     .enumerators = state_map_enumerators_23, .enumerator_count = STATE_MAP_COUNT(state_map_enumerators_23)}, // 23
    {.name = "duel_enemy_kind", .kind = BKS_MAP_ENUM, .bytes = sizeof(duel_enemy_kind),
     .enumerators = state_map_enumerators_24, .enumerator_count = STATE_MAP_COUNT(state_map_enumerators_24)}, // 24
    {.name = "duel_pickup_kind", .kind = BKS_MAP_ENUM, .bytes = sizeof(duel_pickup_kind),
     .enumerators = state_map_enumerators_25, .enumerator_count = STATE_MAP_COUNT(state_map_enumerators_25)}, // 25
    {.name = "duel_direction", .kind = BKS_MAP_ENUM, .bytes = sizeof(enum duel_direction),
     .enumerators = state_map_enumerators_26, .enumerator_count = STATE_MAP_COUNT(state_map_enumerators_26)}, // 26
    {.name = "duel_tile", .kind = BKS_MAP_ENUM, .bytes = sizeof(duel_tile),
     .enumerators = state_map_enumerators_27, .enumerator_count = STATE_MAP_COUNT(state_map_enumerators_27)}, // 27
    {.name = "duel_phase", .kind = BKS_MAP_ENUM, .bytes = sizeof(duel_phase),
     .enumerators = state_map_enumerators_28, .enumerator_count = STATE_MAP_COUNT(state_map_enumerators_28)}, // 28
    {.name = "duel_map", .kind = BKS_MAP_ENUM, .bytes = sizeof(duel_map),
     .enumerators = state_map_enumerators_29, .enumerator_count = STATE_MAP_COUNT(state_map_enumerators_29)}, // 29
    {.name = "duel_mode", .kind = BKS_MAP_ENUM, .bytes = sizeof(enum duel_mode),
     .enumerators = state_map_enumerators_30, .enumerator_count = STATE_MAP_COUNT(state_map_enumerators_30)}, // 30
    {.name = "int8_t", .kind = BKS_MAP_INT, .bytes = sizeof(int8_t)}, // 31
    {.name = "int16_t", .kind = BKS_MAP_INT, .bytes = sizeof(int16_t)}, // 32
    {.name = "uint32_t", .kind = BKS_MAP_UINT, .bytes = sizeof(uint32_t)}, // 33
    {.name = "uint16_t", .kind = BKS_MAP_UINT, .bytes = sizeof(uint16_t)}, // 34
    {.name = "uint8_t", .kind = BKS_MAP_UINT, .bytes = sizeof(uint8_t)}, // 35
    {.name = "int32_t", .kind = BKS_MAP_INT, .bytes = sizeof(int32_t)}, // 36
    {.name = "uint64_t", .kind = BKS_MAP_UINT, .bytes = sizeof(uint64_t)}, // 37
};

static const bks_map_pool state_map_pools[] = {
    {.name = "ships", .type = 8},
    {.name = "shots", .type = 7},
    {.name = "blasts", .type = 6},
    {.name = "pickups", .type = 5},
    {.name = "particles", .type = 4},
    {.name = "enemies", .type = 3},
};

extern const bks_state_map duel_state_map;

const bks_state_map duel_state_map = {
    .types = state_map_types,
    .type_count = STATE_MAP_COUNT(state_map_types),
    .has_arena = true,
    .pools = state_map_pools,
    .pool_count = STATE_MAP_COUNT(state_map_pools),
};

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
