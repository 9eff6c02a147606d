// SPDX-License-Identifier: MIT

// `init` copies a local struct with an unset field.

#include "planted.h"

typedef struct ship {
    int32_t speed;
    int32_t fuel;
} ship;

typedef struct unset_state {
    planted_base base;
    int32_t speed;
    int32_t fuel;
} unset_state;

static void unset_init(void *state, const bks_start *start)
{
    unset_state *unset = state;
    ship fresh;
    __asm__ volatile("" : : "r"(&fresh) : "memory"); // or the compiler would warn
    fresh.speed = (int32_t)(start->seed % 7);
    unset->speed = fresh.speed;
    unset->fuel = fresh.fuel;
}

static void unset_step(void *state, const bks_step *step)
{
    unset_state *unset = state;
    planted_move(&unset->base, step);
    unset->fuel -= unset->speed;
    bks_mark(step, "fuel");
}

PLANTED("init_unset", unset_state, .state_bytes = sizeof(unset_state), .init = unset_init,
        .step = unset_step);
