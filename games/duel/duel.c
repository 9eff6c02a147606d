// SPDX-License-Identifier: MIT

#include "duel/duel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/state.h"
#include "duel/blasts.h"
#include "duel/board.h"
#include "duel/bot.h"
#include "duel/check.h"
#include "duel/duel_cues.h"
#include "duel/duel_voices.h"
#include "duel/enemies.h"
#include "duel/motion.h"
#include "duel/particles.h"
#include "duel/pickups.h"
#include "duel/rounds.h"
#include "duel/ships.h"
#include "duel/shots.h"

enum {
    STATE_BYTES = 1 << 20,
    FX_STREAM = 2, ///< stream of random numbers for effects; the rules take stream 1
};

static const bks_field duel_fields[] = {
    {.name = "move_x",
     .bits = 6,
     .is_signed = true,
     .kind = BKS_FIELD_STICK_X,
     .group = 1,
     .dead_zone = 0.2f,
     .limit = DUEL_STICK_FULL},
    {.name = "move_y",
     .bits = 6,
     .is_signed = true,
     .kind = BKS_FIELD_STICK_Y,
     .group = 1,
     .limit = DUEL_STICK_FULL},
    {.name = "fire", .bits = 3, .group = 2},
};

static const bks_option duel_options[] = {
    {.name = "mode",
     .default_value = "versus",
     .help = "versus: Ember against Tide; arcade: all seats against waves of creatures"},
    {.name = "map", .default_value = "plain", .help = "plain, cross, islands or lanes"},
    {.name = "wave", .default_value = "1", .help = "first wave of the arcade, 1 to 99"},
};

// Read a whole number from 1 to 99. Return 0 if the text is anything else.
static uint32_t parse_wave(const char *text)
{
    uint32_t wave = 0;
    size_t length = strlen(text);
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9' || length > 2) {
            return 0;
        }
        wave = wave * 10u + (uint32_t)(text[i] - '0');
    }
    return wave;
}

static bks_status refuse(bks_error *error, const char *field, const char *value, const char *wanted)
{
    if (error != NULL) {
        error->code = BKS_ERR_BAD_CONFIG;
        error->field = field;
        error->offset_bytes = 0;
        snprintf(error->text, sizeof(error->text), "option %s is \"%s\", must be %s", field, value,
                 wanted);
    }
    return BKS_ERR_BAD_CONFIG;
}

static bks_status duel_configure(const bks_start *start, size_t *out_state_bytes, bks_error *error)
{
    const char *mode = bks_start_option(start, "mode");
    const char *map = bks_start_option(start, "map");
    const char *wave = bks_start_option(start, "wave");
    if (strcmp(mode, "versus") != 0 && strcmp(mode, "arcade") != 0) {
        return refuse(error, "mode", mode, "versus or arcade");
    }
    if (duel_map_named(map) == DUEL_MAPS) {
        return refuse(error, "map", map, "plain, cross, islands or lanes");
    }
    if (parse_wave(wave) == 0) {
        return refuse(error, "wave", wave, "1 to 99");
    }
    *out_state_bytes = STATE_BYTES;
    return BKS_OK;
}

static void create_pools(duel_state *duel)
{
    bks_arena *arena = bks_arena_of(duel, sizeof(*duel));
    const bool is_arcade = duel->mode == DUEL_ARCADE;
    const uint32_t particles_max =
        is_arcade ? DUEL_ARCADE_PARTICLES_MAX : DUEL_VERSUS_PARTICLES_MAX;
    bks_ref_set(&duel->ships, bks_pool_create(arena, "ships", sizeof(duel_ship), DUEL_SEATS));
    bks_ref_set(&duel->shots, bks_pool_create(arena, "shots", sizeof(duel_shot), DUEL_SHOTS_MAX));
    bks_ref_set(&duel->blasts,
                bks_pool_create(arena, "blasts", sizeof(duel_blast), DUEL_BLASTS_MAX));
    bks_ref_set(&duel->pickups,
                bks_pool_create(arena, "pickups", sizeof(duel_pickup), DUEL_PICKUPS_MAX));
    bks_ref_set(&duel->particles,
                bks_pool_create(arena, "particles", sizeof(duel_particle), particles_max));
    if (is_arcade) {
        bks_ref_set(&duel->enemies,
                    bks_pool_create(arena, "enemies", sizeof(duel_enemy), DUEL_ENEMIES_MAX));
        bks_ref_set(&duel->field,
                    bks_arena_alloc(arena, DUEL_TILES_MAX * sizeof(uint16_t), sizeof(uint16_t)));
    }
}

static void duel_init(void *state, const bks_start *start)
{
    duel_state *duel = state;
    const bool is_arcade = strcmp(bks_start_option(start, "mode"), "arcade") == 0;
    bks_random_seed(&duel->random, start->seed, 1);
    bks_random_seed(&duel->fx_random, start->seed, FX_STREAM);
    duel->mode = is_arcade ? DUEL_ARCADE : DUEL_VERSUS;
    duel->map = (uint8_t)(duel_map_named(bks_start_option(start, "map")) % DUEL_MAPS);
    duel->wave_first = (uint16_t)parse_wave(bks_start_option(start, "wave"));
    duel->seats = (uint8_t)(start->players < DUEL_SEATS ? start->players : DUEL_SEATS);
    duel->ship_count = is_arcade ? duel->seats : (uint8_t)((duel->seats + 1u) & ~1u);
    duel->width = is_arcade ? DUEL_ARCADE_WIDTH : DUEL_VERSUS_WIDTH;
    duel->height = is_arcade ? DUEL_ARCADE_HEIGHT : DUEL_VERSUS_HEIGHT;
    create_pools(duel);
    duel_ships_create(duel);
    duel_rounds_begin(duel);
    duel_voices_begin(duel);
}

static void duel_step(void *state, const bks_step *step)
{
    duel_state *duel = state;
    duel_crowd crowd;
    duel->tick++;
    if (duel_check(duel) != NULL) {
        return;
    }

    duel_voices_move(duel, step);
    duel_ships_step(duel, step);
    bks_mark(step, "ships");

    duel_crowd_gather(duel, &crowd);
    duel_shots_step(duel, step, &crowd);
    bks_mark(step, "shots");

    duel_blasts_step(duel, step, &crowd);
    duel_board_step(duel);
    bks_mark(step, "tiles");

    duel_pickups_step(duel, step);
    bks_mark(step, "pickups");

    duel_enemies_step(duel, step, &crowd);
    bks_mark(step, "enemies");

    duel_particles_step(duel);
    bks_mark(step, "particles");

    duel_rounds_step(duel, step);
    bks_mark(step, "rounds");

    duel_voices_step(duel);
    bks_mark(step, "voices");
}

// Move everything on by a part of a tick for a picture. Nothing begins, ends or collides.
static void duel_extrapolate(void *state, const bks_step *step, float share)
{
    duel_state *duel = state;
    const int32_t part = (int32_t)(share * DUEL_PARTS + 0.5f);
    if (duel_check(duel) != NULL) {
        return;
    }
    duel_ships_ahead(duel, step, part);
    duel_shots_ahead(duel, part);
    duel_blasts_ahead(duel, part);
    duel_enemies_ahead(duel, part);
    duel_particles_ahead(duel, part);
}

void duel_score(const void *state, uint32_t player, char out[64])
{
    const duel_state *duel = state;
    if (player >= duel->ship_count || duel_check(duel) != NULL) {
        snprintf(out, 64, "no ship");
        return;
    }
    const duel_ship *ship = duel_ship_of(duel, player);
    if (duel->mode == DUEL_ARCADE) {
        snprintf(out, 64, "wave %u, %u point%s, %u kill%s, %u lost", (unsigned)duel->wave,
                 (unsigned)duel->points, duel->points == 1 ? "" : "s", (unsigned)ship->kills,
                 ship->kills == 1 ? "" : "s", (unsigned)ship->deaths);
        return;
    }
    const unsigned rounds = duel->score[ship->side];
    const unsigned matches = duel->matches_won[ship->side];
    char won[17] = "";
    if (matches > 0) {
        snprintf(won, sizeof(won), " (%u match%s)", matches, matches == 1 ? "" : "es");
    }
    snprintf(out, 64, "%s: %u round%s%s, %u kill%s, %u lost",
             ship->side == DUEL_TILE_EMBER ? "Ember" : "Tide", rounds, rounds == 1 ? "" : "s", won,
             (unsigned)ship->kills, ship->kills == 1 ? "" : "s", (unsigned)ship->deaths);
}

/// Ranges of the root, except its references. Pools have names of their own. The recording of every
/// tick holds the values that decide the game.
static const bks_state_range duel_ranges[] = {
    BKS_RANGE(duel_state, random, true),
    BKS_RANGE(duel_state, fx_random, false),
    BKS_RANGE(duel_state, ship, false),
    BKS_RANGE(duel_state, tick, false),
    BKS_RANGE(duel_state, mode, false),
    BKS_RANGE(duel_state, map, false),
    BKS_RANGE(duel_state, seats, false),
    BKS_RANGE(duel_state, ship_count, false),
    BKS_RANGE(duel_state, width, false),
    BKS_RANGE(duel_state, height, false),
    BKS_RANGE(duel_state, phase, true),
    BKS_RANGE(duel_state, round_winner, true),
    BKS_RANGE(duel_state, phase_ticks, true),
    BKS_RANGE(duel_state, round, true),
    BKS_RANGE(duel_state, match, true),
    BKS_RANGE(duel_state, score, true),
    BKS_RANGE(duel_state, spare, true),
    BKS_RANGE(duel_state, rings_gone, true),
    BKS_RANGE(duel_state, shake_ticks, false),
    BKS_RANGE(duel_state, pickup_ticks, true),
    BKS_RANGE(duel_state, rounds_drawn, true),
    BKS_RANGE(duel_state, matches_won, true),
    BKS_RANGE(duel_state, flipped, false),
    BKS_RANGE(duel_state, points, true),
    BKS_RANGE(duel_state, best_points, true),
    BKS_RANGE(duel_state, wave, true),
    BKS_RANGE(duel_state, wave_left, true),
    BKS_RANGE(duel_state, wave_wait_ticks, true),
    BKS_RANGE(duel_state, combo, true),
    BKS_RANGE(duel_state, combo_ticks, true),
    BKS_RANGE(duel_state, field_wait_ticks, false),
    BKS_RANGE(duel_state, field_is_stale, false),
    BKS_RANGE(duel_state, tile, false),
    BKS_RANGE(duel_state, glow, false),
    BKS_RANGE(duel_state, voice, false),
};

/// Types of ranges that debug information cannot name.
static const bks_type_entry duel_types[] = {
    BKS_TYPE_ROOT(duel_state),
    BKS_TYPE_POOL("ships", duel_ship),
    BKS_TYPE_POOL("shots", duel_shot),
    BKS_TYPE_POOL("blasts", duel_blast),
    BKS_TYPE_POOL("pickups", duel_pickup),
    BKS_TYPE_POOL("particles", duel_particle),
    BKS_TYPE_POOL("enemies", duel_enemy),
    BKS_TYPE_REF(duel_state, field, uint16_t, DUEL_TILES_MAX),
    BKS_TYPE_ID(duel_state, ship, "ships"),
    BKS_TYPE_ENUM(duel_state, mode, duel_mode),
    BKS_TYPE_ENUM(duel_state, map, duel_map),
    BKS_TYPE_ENUM(duel_state, phase, duel_phase),
    BKS_TYPE_ENUM(duel_state, tile, duel_tile),
    BKS_TYPE_ENUM(duel_ship, held_direction, duel_direction),
    BKS_TYPE_ENUM(duel_ship, facing, duel_direction),
    BKS_TYPE_ENUM(duel_shot, direction, duel_direction),
    BKS_TYPE_ENUM(duel_pickup, kind, duel_pickup_kind),
    BKS_TYPE_ENUM(duel_enemy, kind, duel_enemy_kind),
    BKS_TYPE_ENUM(duel_particle, colour, duel_tint),
};

static void fly(const void *state, uint32_t player, bks_tick tick, uint64_t memory[8],
                int32_t *values)
{
    (void)tick; // the state holds the game's own time
    duel_input input = {0};
    if (duel_check(state) == NULL) {
        duel_bot_think(state, player, memory, &input);
    }
    memcpy(values, &input, sizeof(input));
}

const bks_game duel_game = {
    .name = "duel",
    .version = 2,
    .tick_rate_hz = DUEL_TICK_RATE_HZ,
    .players_min = 1,
    .players_max = DUEL_SEATS,
    .fields = duel_fields,
    .field_count = sizeof(duel_fields) / sizeof(duel_fields[0]),
    .options = duel_options,
    .option_count = sizeof(duel_options) / sizeof(duel_options[0]),
    .state_bytes = STATE_BYTES,
    .root_bytes = sizeof(duel_state),
    .ranges = duel_ranges,
    .range_count = sizeof(duel_ranges) / sizeof(duel_ranges[0]),
    .cues = duel_cue_types,
    .cue_count = DUEL_CUES,
    .types = duel_types,
    .type_count = sizeof(duel_types) / sizeof(duel_types[0]),
    .configure = duel_configure,
    .init = duel_init,
    .step = duel_step,
    .extrapolate = duel_extrapolate,
    .bot = fly,
    .check = duel_check,
};
