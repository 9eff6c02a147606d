// SPDX-License-Identifier: MIT

#include "duel/weapon.h"

#include "duel/particles.h"
#include "duel/ships.h"
#include "duel/shots.h"

static void reload(duel_ship *ship)
{
    if (ship->ammo >= ship->ammo_max) {
        ship->reload_ticks = 0;
    } else if (++ship->reload_ticks >= DUEL_RELOAD_TICKS) {
        ship->reload_ticks = 0;
        ship->ammo++;
    }
}

static void spend(duel_ship *ship, uint32_t direction)
{
    ship->ammo--;
    ship->cooldown_ticks = DUEL_COOLDOWN_TICKS;
    ship->facing = (uint8_t)direction;
    ship->protect_ticks = 0; // a ship that fires loses its protection
}

static void fire_once(duel_state *duel, const bks_step *step, duel_ship *ship, uint32_t direction)
{
    ship->shot_owed = 0;
    spend(ship, direction);
    const bool is_wide = ship->spread_shots > 0;
    if (is_wide) {
        ship->spread_shots--;
    }
    duel_shots_fire(duel, ship, direction, is_wide, false);
    duel_ship_cue(step, ship, DUEL_CUE_SHOT, 0);
}

static void release(duel_state *duel, const bks_step *step, duel_ship *ship)
{
    const bool is_full = ship->charge_ticks >= DUEL_CHARGE_TICKS;
    const uint32_t direction = ship->held_direction;
    ship->charge_ticks = 0;
    ship->shot_owed = 0;
    if (is_full && ship->ammo > 0) {
        spend(ship, direction);
        duel_shots_fire(duel, ship, direction, true, true);
        duel_ship_cue(step, ship, DUEL_CUE_VOLLEY, 0);
        duel_particles_burst(duel, ship->x, ship->y, 10, 110, DUEL_TINT_WHITE);
    }
}

void duel_weapon_step(duel_state *duel, const bks_step *step, duel_ship *ship, uint32_t fire)
{
    reload(ship);
    if (ship->cooldown_ticks > 0) {
        ship->cooldown_ticks--;
    }
    if (fire != ship->held_direction) {
        if (ship->held_direction != DUEL_NONE) {
            release(duel, step, ship);
        }
        ship->held_direction = (uint8_t)fire;
        ship->shot_owed = fire != DUEL_NONE;
    }
    if (fire == DUEL_NONE) {
        return;
    }
    if (ship->shot_owed && ship->cooldown_ticks == 0 && ship->ammo > 0) {
        fire_once(duel, step, ship, fire);
    }
    // Charge only if a shot is left to fire.
    if (ship->ammo > 0 && ship->charge_ticks < DUEL_CHARGE_TICKS) {
        ship->charge_ticks++;
        if (ship->charge_ticks == DUEL_CHARGE_TICKS) {
            duel_ship_cue(step, ship, DUEL_CUE_CHARGED, 0);
        }
    }
}
