// SPDX-License-Identifier: MIT

// Two structs are compared by `memcmp`, padding included.

#include "planted.h"

typedef struct order {
    char kind;
    int32_t goal;
} order;

typedef struct compared_state {
    planted_base base;
    order last; // its padding is zero
    uint32_t repeats;
} compared_state;

// Not to be seen through by the compiler.
__attribute__((noinline)) static void give(order *given)
{
    __asm__ volatile("" : : "r"(given) : "memory");
    given->kind = 'm';
    given->goal = 7;
}

__attribute__((noinline)) static bool is_given_again(const order *last)
{
    order given[1024]; // its middle lies deeper than what was called before
    give(&given[512]);
    return memcmp(&given[512], last, sizeof(*last)) == 0;
}

static void compared_init(void *state, const bks_start *start)
{
    (void)start;
    compared_state *compared = state;
    compared->last.kind = 'm';
    compared->last.goal = 7;
}

static void compared_step(void *state, const bks_step *step)
{
    compared_state *compared = state;
    planted_move(&compared->base, step);
    if (step->tick >= 16) {
        compared->repeats += is_given_again(&compared->last) ? 1 : 0;
    }
    bks_mark(step, "orders");
}

PLANTED("padding_compared", compared_state, .state_bytes = sizeof(compared_state),
        .init = compared_init, .step = compared_step);
