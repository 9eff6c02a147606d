// SPDX-License-Identifier: MIT

#include "duel_help.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "duel/board.h"
#include "duel/duel.h"
#include "duel/pickups.h"
#include "duel/ships.h"

static void set(bks_option_values *values, const char *name, const char *value)
{
    assert_int_equal(bks_option_values_set(&duel_game, values, name, value, NULL), BKS_OK);
}

bksi_runner *duel_help_open(const char *mode, const char *map, const char *wave, uint32_t players,
                            uint64_t seed)
{
    bksi_runner_config config = {.game = &duel_game,
                                 .seed = seed,
                                 .players = players,
                                 .tick_rate_hz = duel_game.tick_rate_hz,
                                 .slot_count = 2};
    assert_int_equal(bks_option_values_default(&duel_game, &config.options), BKS_OK);
    set(&config.options, "mode", mode);
    set(&config.options, "map", map);
    set(&config.options, "wave", wave);
    bksi_runner *runner = NULL;
    bks_error error = {0};
    if (bksi_runner_create(&config, &runner, &error) != BKS_OK) {
        fail_msg("%s", error.text);
    }
    return runner;
}

void duel_help_idle(bksi_runner *runner, bks_tick from, uint32_t ticks)
{
    const duel_input inputs[DUEL_SEATS] = {0};
    for (uint32_t i = 0; i < ticks; i++) {
        bksi_runner_step(runner, from + (bks_tick)i, &inputs[0].move_x);
    }
}

bks_tick duel_help_start_round(bksi_runner *runner)
{
    duel_help_idle(runner, 0, DUEL_READY_TICKS);
    const duel_state *duel = bksi_runner_state(runner);
    assert_int_equal(duel->phase, DUEL_PHASE_PLAY);
    return DUEL_READY_TICKS;
}

void duel_help_bots(bksi_runner *runner, bks_tick tick, uint64_t memory[DUEL_SEATS][8],
                    duel_input inputs[DUEL_SEATS])
{
    for (uint32_t seat = 0; seat < bksi_runner_start(runner)->players; seat++) {
        duel_game.bot(bksi_runner_state(runner), seat, tick, memory[seat], &inputs[seat].move_x);
    }
}

void duel_help_put(duel_state *duel, uint32_t seat, int32_t tile_x, int32_t tile_y)
{
    duel_ship *ship = duel_ship_of(duel, seat);
    duel_ship_place(duel, ship, tile_x, tile_y);
    ship->protect_ticks = 0;
}

uint32_t duel_help_count(const bks_ref *pool)
{
    return bks_pool_count(bks_ref_get(pool));
}

// One line a rule: what is asked, and what to say when it does not hold.
#define HOLDS(condition)         \
    do {                         \
        if (!(condition)) {      \
            *wrong = #condition; \
            return false;        \
        }                        \
    } while (0)

static bool is_on_board(const duel_state *duel, int32_t x, int32_t y)
{
    return x >= 0 && y >= 0 && x < duel->width * DUEL_TILE && y < duel->height * DUEL_TILE &&
           duel_tile_at(duel, x / DUEL_TILE, y / DUEL_TILE) != DUEL_TILE_WALL;
}

static bool are_ships_sound(const duel_state *duel, const char **wrong)
{
    HOLDS(duel_help_count(&duel->ships) == duel->ship_count);
    for (uint32_t seat = 0; seat < duel->ship_count; seat++) {
        const duel_ship *ship = duel_ship_of(duel, seat);
        HOLDS(ship != NULL && ship->seat == seat && ship->side < DUEL_SIDES);
        HOLDS(ship->ammo <= ship->ammo_max && ship->ammo_max <= DUEL_AMMO_EXTRA);
        HOLDS(ship->charge_ticks <= DUEL_CHARGE_TICKS && ship->held_direction <= DUEL_WEST);
        HOLDS(ship->respawn_ticks <= DUEL_RESPAWN_TICKS && ship->reserved == 0);
        HOLDS(ship->vx >= -DUEL_SHIP_SPEED && ship->vx <= DUEL_SHIP_SPEED);
        HOLDS(ship->vy >= -DUEL_SHIP_SPEED && ship->vy <= DUEL_SHIP_SPEED);
        if (ship->is_alive) {
            HOLDS(is_on_board(duel, ship->x, ship->y));
            HOLDS(ship->x >= DUEL_SHIP_RADIUS && ship->y >= DUEL_SHIP_RADIUS);
            HOLDS(duel_tile_at(duel, ship->x / DUEL_TILE, ship->y / DUEL_TILE) != DUEL_TILE_VOID);
            HOLDS(ship->respawn_ticks == 0 || duel->mode == DUEL_ARCADE);
        }
    }
    return true;
}

static bool are_shots_sound(const duel_state *duel, const char **wrong)
{
    uint32_t cursor = 0;
    bks_pool *pool = bks_ref_get(&duel->shots);
    for (const duel_shot *shot; (shot = bks_pool_next(pool, &cursor, NULL)) != NULL;) {
        HOLDS(is_on_board(duel, shot->x, shot->y) && shot->reserved == 0);
        HOLDS(shot->direction >= DUEL_NORTH && shot->direction <= DUEL_WEST);
        HOLDS(shot->side < DUEL_SIDES && shot->seat < duel->ship_count);
    }
    cursor = 0;
    pool = bks_ref_get(&duel->blasts);
    for (const duel_blast *blast; (blast = bks_pool_next(pool, &cursor, NULL)) != NULL;) {
        HOLDS(is_on_board(duel, blast->x, blast->y) && blast->side < DUEL_SIDES);
        HOLDS(blast->radius < blast->radius_max && blast->speed > 0);
    }
    return true;
}

static bool are_things_sound(const duel_state *duel, const char **wrong)
{
    uint32_t cursor = 0;
    bks_pool *pool = bks_ref_get(&duel->pickups);
    for (const duel_pickup *pickup; (pickup = bks_pool_next(pool, &cursor, NULL)) != NULL;) {
        HOLDS(pickup->tile_x < duel->width && pickup->tile_y < duel->height);
        HOLDS(pickup->kind < DUEL_PICKUP_KINDS && pickup->left_ticks > 0);
        HOLDS(pickup->age_ticks + pickup->left_ticks == DUEL_PICKUP_LIFE_TICKS);
    }
    cursor = 0;
    pool = bks_ref_get(&duel->particles);
    for (const duel_particle *bit; (bit = bks_pool_next(pool, &cursor, NULL)) != NULL;) {
        HOLDS(is_on_board(duel, bit->x, bit->y) && bit->colour < DUEL_TINTS);
        HOLDS(bit->left_ticks > 0 && bit->left_ticks <= bit->life_ticks);
        HOLDS(bit->reserved[0] == 0 && bit->reserved[1] == 0);
    }
    cursor = 0;
    pool = bks_ref_get(&duel->enemies);
    for (const duel_enemy *enemy; (enemy = bks_pool_next(pool, &cursor, NULL)) != NULL;) {
        HOLDS(is_on_board(duel, enemy->x, enemy->y) && enemy->kind < DUEL_ENEMY_KINDS);
        HOLDS(enemy->hits > 0 && duel_tile_at(duel, enemy->tile_x, enemy->tile_y) < DUEL_TILE_WALL);
    }
    return true;
}

static bool is_board_sound(const duel_state *duel, const char **wrong)
{
    for (uint32_t i = 0; i < DUEL_TILES_MAX; i++) {
        HOLDS(duel->tile[i] <= DUEL_TILE_VOID && duel->glow[i] <= DUEL_GLOW_TICKS);
        HOLDS(i < duel_board_tiles(duel) || (duel->tile[i] == 0 && duel->glow[i] == 0));
    }
    return true;
}

bool duel_help_is_sound(const duel_state *duel, const char **wrong)
{
    HOLDS(duel->phase <= DUEL_PHASE_MATCH_OVER && duel->match > 0 && duel->round > 0);
    HOLDS(duel->score[0] <= DUEL_ROUNDS_TO_WIN && duel->score[1] <= DUEL_ROUNDS_TO_WIN);
    HOLDS(duel->round_winner < DUEL_SIDES || duel->round_winner == DUEL_NOBODY);
    HOLDS(duel->rings_gone <= (duel->height + 1) / 2 && duel->flipped <= 4 * DUEL_TILES_MAX);
    HOLDS(duel->mode == DUEL_ARCADE || bks_ref_get(&duel->enemies) == NULL);
    HOLDS(duel->wave >= 1 || duel->mode == DUEL_VERSUS);
    return is_board_sound(duel, wrong) && are_ships_sound(duel, wrong) &&
           are_shots_sound(duel, wrong) && are_things_sound(duel, wrong);
}
