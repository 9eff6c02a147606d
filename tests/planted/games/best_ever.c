// SPDX-License-Identifier: MIT

// A static variable holds the greatest input ever, guesses included.

#include "planted.h"

typedef struct best_state {
    planted_base base;
    int32_t best;
} best_state;

static void best_init(void *state, const bks_start *start)
{
    (void)start;
    ((best_state *)state)->best = -4;
}

static void best_step(void *state, const bks_step *step)
{
    best_state *game = state;
#ifdef MENDED
    int32_t best = game->best;
#else
    static int32_t best = -4;
#endif
    planted_move(&game->base, step);
    // Inputs of every fourth tick count, which a monkey seldom pushes to the end.
    for (uint32_t player = 0; player < step->players; player++) {
        const int32_t move = step->inputs[player];
        best = step->tick % 4 == 0 && move > best ? move : best;
    }
    game->best = best;
    bks_mark(step, "best");
}

PLANTED("best_ever", best_state, .state_bytes = sizeof(best_state), .init = best_init,
        .step = best_step);
