// SPDX-License-Identifier: MIT

#include "duel/rounds.h"

#include "duel/board.h"
#include "duel/duel_cues.h"
#include "duel/particles.h"
#include "duel/ships.h"
#include "duel/waves.h"

enum {
    BERTH_FROM_EDGE = 3, ///< tiles between a ship's first place and the edge
    FIRST_PICKUP_TICKS = 4 * 60,
    VERSUS_SPARES = 1, ///< spare ships of each side
    ARCADE_SPARES = 3, ///< spare ships besides one for each player
};

static void empty_pool(bks_pool *pool)
{
    uint32_t cursor = 0;
    bks_id id = 0;
    while (duel_pool_next(pool, &cursor, &id) != NULL) {
        bks_pool_remove(pool, id);
    }
}

// Place the ships for a round: the sides opposite each other, in the arcade all ships in the
// middle.
static void place_ships(duel_state *duel)
{
    const uint32_t each = (duel->ship_count + 1u) / 2u;
    for (uint32_t seat = 0; seat < duel->ship_count; seat++) {
        const int32_t rank = (int32_t)(seat / 2u);
        int32_t x = duel->width / 2 - 2 + (int32_t)(seat & 1u) * 3;
        int32_t y = duel->height / 2 - 1 + rank * 2;
        if (duel->mode == DUEL_VERSUS) {
            x = BERTH_FROM_EDGE;
            y = each == 1 ? duel->height / 2 : duel->height / 4 + rank * (duel->height / 2);
            if (seat & 1u) {
                x = duel->width - 1 - x;
                y = duel->height - 1 - y;
            }
        }
        duel_ship_place(duel, duel_ship_of(duel, seat), x, y);
    }
}

static void enter(duel_state *duel, duel_phase phase)
{
    duel->phase = (uint8_t)phase;
    duel->phase_ticks = 0;
}

// Reset everything except the score. The pools are restored to their first contents.
static void start_round(duel_state *duel)
{
    empty_pool(bks_ref_get(&duel->shots));
    empty_pool(bks_ref_get(&duel->blasts));
    empty_pool(bks_ref_get(&duel->pickups));
    empty_pool(bks_ref_get(&duel->particles));
    empty_pool(bks_ref_get(&duel->enemies));
    bks_arena_baseline(bks_arena_of(duel, sizeof(*duel)));

    duel_board_reset(duel);
    place_ships(duel);
    for (uint32_t i = 0; i < duel_board_tiles(duel); i++) {
        duel->glow[i] = 0;
    }
    duel->round++;
    duel->round_winner = DUEL_NOBODY;
    duel->shake_ticks = 0;
    duel->pickup_ticks = FIRST_PICKUP_TICKS;
    duel->spare[0] = VERSUS_SPARES;
    duel->spare[1] = VERSUS_SPARES;
    if (duel->mode == DUEL_ARCADE) {
        duel->spare[0] = (uint8_t)(ARCADE_SPARES + duel->ship_count);
        duel_waves_begin(duel);
    }
    enter(duel, DUEL_PHASE_READY);
}

static void start_match(duel_state *duel)
{
    duel->match++;
    duel->round = 0;
    duel->score[0] = 0;
    duel->score[1] = 0;
    duel->rounds_drawn = 0;
    for (uint32_t seat = 0; seat < duel->ship_count; seat++) {
        duel_ship *ship = duel_ship_of(duel, seat);
        ship->kills = 0;
        ship->deaths = 0;
    }
    start_round(duel);
}

void duel_rounds_begin(duel_state *duel)
{
    start_match(duel);
}

static bool is_side_out(const duel_state *duel, uint32_t side)
{
    for (uint32_t seat = 0; seat < duel->ship_count; seat++) {
        const duel_ship *ship = duel_ship_of(duel, seat);
        if (ship->side == side && (ship->is_alive || ship->respawn_ticks > 0)) {
            return false;
        }
    }
    return true;
}

uint32_t duel_rounds_collapse_in(const duel_state *duel)
{
    const uint32_t rings = (duel->height + 1u) / 2u;
    if (duel->mode == DUEL_ARCADE || duel->phase != DUEL_PHASE_PLAY || duel->rings_gone >= rings) {
        return UINT32_MAX;
    }
    const uint32_t due =
        DUEL_COLLAPSE_START_TICKS + (uint32_t)duel->rings_gone * DUEL_COLLAPSE_EVERY_TICKS;
    return due > duel->phase_ticks ? due - duel->phase_ticks : 0;
}

static void cue_decided(const duel_state *duel, const bks_step *step, bool is_match)
{
    const duel_cue_payload payload = {.side = duel->round_winner};
    bks_cue(step, DUEL_CUE_ROUND, (uint64_t)duel->match << 32 | duel->round, &payload,
            sizeof(payload));
    if (is_match) {
        bks_cue(step, DUEL_CUE_MATCH, duel->match, &payload, sizeof(payload));
    }
}

static void decide_versus(duel_state *duel, const bks_step *step)
{
    const bool is_out[DUEL_SIDES] = {is_side_out(duel, 0), is_side_out(duel, 1)};
    if (!is_out[0] && !is_out[1]) {
        return;
    }
    if (is_out[0] && is_out[1]) {
        duel->rounds_drawn++;
    } else {
        duel->round_winner = is_out[0] ? 1 : 0;
        duel->score[duel->round_winner]++;
    }
    bks_note(step, "round %u won by %u after %u ticks", (unsigned)duel->round,
             (unsigned)duel->round_winner, (unsigned)duel->phase_ticks);
    const bool is_match =
        duel->round_winner != DUEL_NOBODY && duel->score[duel->round_winner] >= DUEL_ROUNDS_TO_WIN;
    if (is_match) {
        duel->matches_won[duel->round_winner]++;
    }
    cue_decided(duel, step, is_match);
    enter(duel, is_match ? DUEL_PHASE_MATCH_OVER : DUEL_PHASE_ROUND_OVER);
}

static void play(duel_state *duel, const bks_step *step)
{
    if (duel->mode == DUEL_ARCADE) {
        duel_waves_step(duel, step);
        if (is_side_out(duel, DUEL_TILE_EMBER)) {
            bks_note(step, "game over in wave %u with %u points", (unsigned)duel->wave,
                     (unsigned)duel->points);
            enter(duel, DUEL_PHASE_MATCH_OVER);
        }
        return;
    }
    if (duel_rounds_collapse_in(duel) == 0) {
        duel_board_collapse(duel);
        duel_ships_fall(duel, step);
    }
    decide_versus(duel, step);
}

void duel_rounds_step(duel_state *duel, const bks_step *step)
{
    duel->phase_ticks++;
    duel->shake_ticks = (uint8_t)(duel->shake_ticks - (duel->shake_ticks > 0));
    switch ((duel_phase)duel->phase) {
    case DUEL_PHASE_READY:
        if (duel->phase_ticks >= DUEL_READY_TICKS) {
            enter(duel, DUEL_PHASE_PLAY);
        }
        break;
    case DUEL_PHASE_PLAY:
        play(duel, step);
        break;
    case DUEL_PHASE_ROUND_OVER:
        if (duel->phase_ticks >= DUEL_ROUND_OVER_TICKS) {
            start_round(duel);
        }
        break;
    case DUEL_PHASE_MATCH_OVER:
        if (duel->phase_ticks >= DUEL_MATCH_OVER_TICKS) {
            start_match(duel);
        }
        break;
    }
}
