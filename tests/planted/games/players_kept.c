// SPDX-License-Identifier: MIT

// A static variable keeps the player count of the first match.

#include "planted.h"

typedef struct players_state {
    planted_base base;
    int32_t share;
} players_state;

static uint32_t players;

static void players_init(void *state, const bks_start *start)
{
    players = players != 0 ? players : start->players;
    ((players_state *)state)->share = 0;
}

static void players_step(void *state, const bks_step *step)
{
    players_state *shared = state;
    planted_move(&shared->base, step);
    shared->share += 12 / (int32_t)players;
    bks_mark(step, "share");
}

PLANTED("players_kept", players_state, .state_bytes = sizeof(players_state), .init = players_init,
        .step = players_step);
