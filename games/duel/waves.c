// SPDX-License-Identifier: MIT

#include "duel/waves.h"

#include "duel/enemies.h"
#include "duel/ships.h"

enum {
    WAVE_SIZE_MAX = 4000,
    WAIT_TICKS = 130, ///< ticks between waves
    SPARES_MAX = 9,
    COMBO_TICKS = 75,
    COMBO_MAX = 20,
    WAVE_POINTS = 250,
    STRAGGLERS_PART = 4, ///< wave N ends when at most N / 4 creatures are left
};

static uint16_t wave_size(uint32_t wave)
{
    const uint32_t size = 14u + 8u * wave + wave * wave / 2u;
    return (uint16_t)(size < WAVE_SIZE_MAX ? size : WAVE_SIZE_MAX);
}

static void start_wave(duel_state *duel, uint32_t wave)
{
    duel->wave = (uint16_t)wave;
    duel->wave_left = wave_size(wave);
    duel->wave_wait_ticks = WAIT_TICKS;
}

void duel_waves_begin(duel_state *duel)
{
    duel->points = 0;
    duel->combo = 0;
    duel->combo_ticks = 0;
    start_wave(duel, duel->wave_first);
}

static duel_enemy_kind pick_kind(duel_state *duel)
{
    // Later waves have fewer fuses, which help the ships, and more creatures that are hard to kill.
    const uint32_t late = duel->wave < 50 ? duel->wave : 50;
    const uint32_t fuses = 15u - late / 5u;
    const uint32_t runners = fuses + 12u + late / 3u;
    const uint32_t brutes = runners + 4u + late / 6u;
    const uint32_t dice = bks_random_below(&duel->random, 100);
    if (dice < fuses) {
        return DUEL_ENEMY_FUSE;
    }
    if (dice < runners && duel->wave >= 2) {
        return DUEL_ENEMY_RUNNER;
    }
    if (dice < brutes && duel->wave >= 4) {
        return DUEL_ENEMY_BRUTE;
    }
    return DUEL_ENEMY_MITE;
}

static void hatch(duel_state *duel)
{
    const uint32_t every = duel->wave < 16 ? 18u - duel->wave : 2u;
    if (duel->phase_ticks % every != 0) {
        return;
    }
    uint32_t batch = 1u + duel->wave / 8u;
    if (batch > duel->wave_left) {
        batch = duel->wave_left;
    }
    for (uint32_t i = 0; i < batch; i++) {
        duel_enemy_hatch(duel, pick_kind(duel));
        duel->wave_left--;
    }
}

// End a wave. Ships that were lost for good come back for the next one.
static void end_wave(duel_state *duel, const bks_step *step)
{
    duel->points += WAVE_POINTS * (uint32_t)duel->wave;
    if (duel->spare[0] < SPARES_MAX) {
        duel->spare[0]++;
    }
    for (uint32_t seat = 0; seat < duel->ship_count; seat++) {
        duel_ship *ship = duel_ship_of(duel, seat);
        if (!ship->is_alive && ship->respawn_ticks == 0) {
            ship->respawn_ticks = 1;
        }
    }
    bks_note(step, "wave %u cleared, %u points", (unsigned)duel->wave, (unsigned)duel->points);
    start_wave(duel, duel->wave < DUEL_WAVE_MAX ? duel->wave + 1u : DUEL_WAVE_MAX);
}

void duel_waves_step(duel_state *duel, const bks_step *step)
{
    if (duel->combo_ticks > 0 && --duel->combo_ticks == 0) {
        duel->combo = 0;
    }
    if (duel->points > duel->best_points) {
        duel->best_points = duel->points;
    }
    if (duel->wave_wait_ticks > 0) {
        duel->wave_wait_ticks--;
    } else if (duel->wave_left > 0) {
        hatch(duel);
    } else if (duel_pool_count(bks_ref_get(&duel->enemies)) <= duel->wave / STRAGGLERS_PART) {
        end_wave(duel, step);
    }
}

void duel_waves_count_kill(duel_state *duel, uint32_t kind, uint32_t seat)
{
    static const uint8_t worth[DUEL_ENEMY_KINDS] = {10, 20, 15, 50};
    if (seat < duel->ship_count) {
        duel_ship *ship = duel_ship_of(duel, seat);
        ship->kills = (uint16_t)(ship->kills + (ship->kills < UINT16_MAX));
    }
    if (duel->combo < COMBO_MAX) {
        duel->combo++;
    }
    duel->combo_ticks = COMBO_TICKS;
    duel->points += (uint32_t)worth[kind] * duel->combo;
}
