// SPDX-License-Identifier: MIT

// A local struct is copied into the state with unset padding.

#include "planted.h"

typedef struct spark {
    int8_t colour;
    int32_t x;
} spark;

typedef struct sparks_state {
    planted_base base;
    spark sparks[4];
} sparks_state;

// Not to be seen through by the compiler, which would copy member by member.
__attribute__((noinline)) static void put(spark *to, const spark *from)
{
    memcpy(to, from, sizeof(*to));
}

static void sparks_init(void *state, const bks_start *start)
{
    (void)start;
    ((sparks_state *)state)->sparks[0].x = 1;
}

static void sparks_step(void *state, const bks_step *step)
{
    sparks_state *sparks = state;
    planted_move(&sparks->base, step);
    if (step->tick == 13) {
        spark local[1024]; // its middle lies deeper than what was called before
        __asm__ volatile("" : : "r"(local) : "memory");
        local[512].colour = 2;
        local[512].x = 7;
        put(&sparks->sparks[1], &local[512]);
    }
    bks_mark(step, "sparks");
}

PLANTED("padding_hashed", sparks_state, .state_bytes = sizeof(sparks_state), .init = sparks_init,
        .step = sparks_step);
