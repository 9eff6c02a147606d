// SPDX-License-Identifier: MIT

#include "duel/ships.h"

#include "duel/blasts.h"
#include "duel/board.h"
#include "duel/bot.h"
#include "duel/motion.h"
#include "duel/particles.h"
#include "duel/pathfield.h"
#include "duel/weapon.h"

enum {
    LOSS_RADIUS = DUEL_TILE * 9 / 4,
    ARCADE_LOSS_RADIUS = DUEL_TILE * 7 / 2,
    SHIELD_BREAK_TICKS = 45, ///< ticks that a ship is protected after its shield broke
};

void duel_ships_create(duel_state *duel)
{
    for (uint32_t seat = 0; seat < duel->ship_count; seat++) {
        void *item = NULL;
        duel->ship[seat] = bks_pool_add(bks_ref_get(&duel->ships), &item);
        duel_ship *ship = item;
        ship->seat = (uint8_t)seat;
        ship->side = duel->mode == DUEL_ARCADE ? DUEL_TILE_EMBER : (uint8_t)(seat & 1u);
    }
}

void duel_ship_place(duel_state *duel, duel_ship *ship, int32_t tile_x, int32_t tile_y)
{
    for (int32_t y = tile_y - 1; y <= tile_y + 1; y++) {
        for (int32_t x = tile_x - 1; x <= tile_x + 1; x++) {
            duel_board_colour(duel, x, y, ship->side);
        }
    }
    ship->x = duel_tile_middle(tile_x);
    ship->y = duel_tile_middle(tile_y);
    ship->vx = 0;
    ship->vy = 0;
    ship->heading_x = ship->side == DUEL_TILE_EMBER ? 1 : -1;
    ship->heading_y = 0;
    ship->is_alive = 1;
    ship->is_trapped = 0;
    ship->has_shield = 0;
    ship->held_direction = DUEL_NONE;
    ship->shot_owed = 0;
    ship->facing = ship->side == DUEL_TILE_EMBER ? DUEL_EAST : DUEL_WEST;
    ship->ammo_max = DUEL_AMMO_FULL;
    ship->ammo = DUEL_AMMO_FULL;
    ship->reload_ticks = 0;
    ship->cooldown_ticks = 0;
    ship->charge_ticks = 0;
    ship->spread_shots = 0;
    ship->protect_ticks = DUEL_PROTECT_TICKS;
    ship->respawn_ticks = 0;
    duel->field_is_stale = 1;
}

void duel_ship_cue(const bks_step *step, const duel_ship *ship, duel_cue cue, uint32_t kind)
{
    const duel_cue_payload payload = {
        .x = ship->x, .y = ship->y, .side = ship->side, .kind = (uint8_t)kind};
    bks_cue(step, cue, ship->seat, &payload, sizeof(payload));
}

static void explode(duel_state *duel, const duel_ship *ship, uint32_t by_side, uint32_t by_seat)
{
    const uint32_t tint = ship->side == DUEL_TILE_EMBER ? DUEL_TINT_EMBER : DUEL_TINT_TIDE;
    duel_particles_burst(duel, ship->x, ship->y, 70, 190, tint);
    duel_particles_burst(duel, ship->x, ship->y, 24, 120, DUEL_TINT_WHITE);
    // In the arcade, a lost ship kills the creatures around it, so that the next ship has room.
    if (duel->mode == DUEL_ARCADE) {
        duel_blast_add(duel, ship->x, ship->y, ARCADE_LOSS_RADIUS, ship->side, ship->seat, true);
    } else {
        duel_blast_add(duel, ship->x, ship->y, LOSS_RADIUS, by_side, by_seat, false);
    }
}

void duel_ship_lose(duel_state *duel, const bks_step *step, duel_ship *ship, uint32_t by_side,
                    uint32_t by_seat)
{
    duel_ship_cue(step, ship, DUEL_CUE_LOSS, 0);
    explode(duel, ship, by_side, by_seat);
    ship->is_alive = 0;
    ship->is_trapped = 0;
    ship->charge_ticks = 0;
    ship->held_direction = DUEL_NONE;
    ship->vx = 0;
    ship->vy = 0;
    ship->deaths++;
    if (by_seat < duel->ship_count && by_seat != ship->seat) {
        duel_ship_of(duel, by_seat)->kills++;
    }
    if (duel->spare[ship->side] > 0 && duel->phase == DUEL_PHASE_PLAY) {
        duel->spare[ship->side]--;
        ship->respawn_ticks = DUEL_RESPAWN_TICKS;
    }
    duel->field_is_stale = 1;
    bks_note(step, "ship %u lost to %u at %d,%d", (unsigned)ship->seat, (unsigned)by_seat,
             (int)ship->x, (int)ship->y);
}

void duel_ship_hit(duel_state *duel, const bks_step *step, duel_ship *ship, uint32_t by_side,
                   uint32_t by_seat)
{
    if (ship->protect_ticks > 0) {
        return;
    }
    if (ship->has_shield) {
        duel_ship_cue(step, ship, DUEL_CUE_SHIELD, 0);
        ship->has_shield = 0;
        ship->protect_ticks = SHIELD_BREAK_TICKS;
        duel_particles_burst(duel, ship->x, ship->y, 24, 130, DUEL_TINT_WHITE);
        if (duel->mode == DUEL_ARCADE) {
            duel_blast_add(duel, ship->x, ship->y, 2 * DUEL_TILE, ship->side, ship->seat, true);
        }
        return;
    }
    duel_ship_lose(duel, step, ship, by_side, by_seat);
}

void duel_ships_fall(duel_state *duel, const bks_step *step)
{
    for (uint32_t seat = 0; seat < duel->ship_count; seat++) {
        duel_ship *ship = duel_ship_of(duel, seat);
        if (ship->is_alive &&
            duel_tile_at(duel, duel_tile_of(ship->x), duel_tile_of(ship->y)) == DUEL_TILE_VOID) {
            duel_ship_lose(duel, step, ship, ship->side, DUEL_NOBODY);
        }
    }
}

// Rate a tile for a ship that comes back: far from danger, with free tiles around, and if possible
// not about to fall away. 0: impossible.
static uint32_t berth_value(const duel_state *duel, uint32_t side, int32_t tile_x, int32_t tile_y,
                            uint32_t distance)
{
    if (duel_tile_at(duel, tile_x, tile_y) >= DUEL_TILE_WALL) {
        return 0;
    }
    if (duel_board_ring(duel, tile_x, tile_y) < duel->rings_gone + 2u) {
        return 1;
    }
    uint32_t value = 8u * distance;
    for (int32_t i = 0; i < 9; i++) {
        const duel_tile tile = duel_tile_at(duel, tile_x + i % 3 - 1, tile_y + i / 3 - 1);
        value += tile < DUEL_TILE_WALL ? 2u : 0u;
        value += (uint32_t)tile == side;
    }
    return value;
}

static bool find_berth(const duel_state *duel, uint32_t side, int32_t *out_x, int32_t *out_y)
{
    uint8_t distance[DUEL_TILES_MAX];
    duel_threat_distance(duel, side, distance);
    uint32_t best = 0;
    for (int32_t y = 0; y < duel->height; y++) {
        for (int32_t x = 0; x < duel->width; x++) {
            const uint32_t far = distance[duel_tile_index(duel, x, y)];
            const uint32_t value = berth_value(duel, side, x, y, far);
            if (value > best) {
                best = value;
                *out_x = x;
                *out_y = y;
            }
        }
    }
    return best > 0;
}

static void come_back(duel_state *duel, const bks_step *step, duel_ship *ship)
{
    if (ship->respawn_ticks == 0 || --ship->respawn_ticks > 0) {
        return;
    }
    int32_t x = 0;
    int32_t y = 0;
    if (find_berth(duel, ship->side, &x, &y)) {
        duel_ship_place(duel, ship, x, y);
        duel_ship_cue(step, ship, DUEL_CUE_BACK, 0);
        duel_particles_burst(duel, ship->x, ship->y, 16, 90, DUEL_TINT_WHITE);
    }
}

// Limit the stick's vector to full deflection.
static duel_vector stick_of(const duel_input *input)
{
    const duel_vector stick = {input->move_x, input->move_y};
    const int32_t length = duel_length(stick.x, stick.y);
    return length <= DUEL_STICK_FULL ? stick
                                     : (duel_vector){stick.x * DUEL_STICK_FULL / length,
                                                     stick.y * DUEL_STICK_FULL / length};
}

static void push(const duel_state *duel, duel_ship *ship, duel_vector stick)
{
    ship->is_trapped =
        !duel_tile_is_open(duel, ship->side, duel_tile_of(ship->x), duel_tile_of(ship->y));
    const int32_t speed = DUEL_SHIP_SPEED / (ship->is_trapped ? DUEL_SHIP_TRAPPED_PART : 1);
    ship->vx = duel_approach(ship->vx, stick.x * speed / DUEL_STICK_FULL, DUEL_SHIP_PUSH);
    ship->vy = duel_approach(ship->vy, stick.y * speed / DUEL_STICK_FULL, DUEL_SHIP_PUSH);
}

static void fly(duel_state *duel, duel_ship *ship, const duel_input *input)
{
    const duel_vector stick = stick_of(input);
    const int32_t from_x = duel_tile_of(ship->x);
    const int32_t from_y = duel_tile_of(ship->y);
    push(duel, ship, stick);
    const duel_vector before = {ship->x, ship->y};
    const duel_vector after = duel_slide(duel, ship->side, before, ship->vx, ship->vy);
    ship->x = after.x;
    ship->y = after.y;
    if (stick.x != 0 || stick.y != 0) {
        ship->heading_x = stick.x;
        ship->heading_y = stick.y;
    }
    // A wall reduces the speed, but a push never increases it.
    if (ship->vx != 0 && after.x == before.x) {
        ship->vx = 0;
    }
    if (ship->vy != 0 && after.y == before.y) {
        ship->vy = 0;
    }
    if (duel_tile_of(after.x) != from_x || duel_tile_of(after.y) != from_y) {
        duel->field_is_stale = 1;
    }
}

static duel_input input_of(const duel_state *duel, const bks_step *step, duel_ship *ship)
{
    duel_input input = {0};
    if (duel->phase == DUEL_PHASE_READY) {
        return input;
    }
    const duel_input *given = bks_step_input(step, ship->seat);
    if (ship->seat < duel->seats && given != NULL) {
        input = *given;
    } else {
        duel_bot_think(duel, ship->seat, ship->memory, &input);
    }
    if (input.fire < DUEL_NONE || input.fire > DUEL_WEST) {
        input.fire = DUEL_NONE;
    }
    return input;
}

void duel_ships_step(duel_state *duel, const bks_step *step)
{
    for (uint32_t seat = 0; seat < duel->ship_count; seat++) {
        duel_ship *ship = duel_ship_of(duel, seat);
        if (!ship->is_alive) {
            come_back(duel, step, ship);
            continue;
        }
        const duel_input input = input_of(duel, step, ship);
        ship->protect_ticks = (uint8_t)(ship->protect_ticks - (ship->protect_ticks > 0));
        fly(duel, ship, &input);
        duel_weapon_step(duel, step, ship, (uint32_t)input.fire);
    }
}

void duel_ships_ahead(duel_state *duel, const bks_step *step, int32_t part)
{
    for (uint32_t seat = 0; seat < duel->ship_count; seat++) {
        duel_ship *ship = duel_ship_of(duel, seat);
        const duel_input *given = bks_step_input(step, ship->seat);
        if (!ship->is_alive || duel->phase == DUEL_PHASE_READY) {
            continue;
        }
        if (ship->seat < duel->seats && given != NULL) {
            push(duel, ship, stick_of(given));
        }
        const duel_vector after = duel_slide(duel, ship->side, (duel_vector){ship->x, ship->y},
                                             duel_part(ship->vx, part), duel_part(ship->vy, part));
        ship->x = after.x;
        ship->y = after.y;
    }
}
