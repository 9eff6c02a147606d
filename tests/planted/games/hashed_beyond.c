// SPDX-License-Identifier: MIT

// The hash covers a number outside the state. No snapshot brings it back.

#include "planted.h"

typedef struct beyond_state {
    planted_base base;
    int32_t way;
} beyond_state;

static uint32_t shouts;

static void beyond_init(void *state, const bks_start *start)
{
    (void)start;
    ((beyond_state *)state)->way = 1;
    shouts = 0;
}

static void beyond_step(void *state, const bks_step *step)
{
    beyond_state *beyond = state;
    planted_move(&beyond->base, step);
    beyond->way++;
    shouts += beyond->way == 20 ? 1 : 0;
    bks_mark(step, "shout");
}

static void beyond_hash(const void *state, bks_hasher *hasher)
{
    bks_hash_add(hasher, state, sizeof(beyond_state));
    bks_hash_add(hasher, &shouts, sizeof(shouts));
}

PLANTED("hashed_beyond", beyond_state, .state_bytes = sizeof(beyond_state), .init = beyond_init,
        .step = beyond_step, .hash = beyond_hash);
