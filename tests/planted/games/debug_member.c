// SPDX-License-Identifier: MIT

// A member exists only without `NDEBUG`, which the other build has.

#include "planted.h"

typedef struct member_state {
    planted_base base;
#ifndef NDEBUG
    int32_t pushed;
#endif
    int32_t way;
} member_state;

static void member_init(void *state, const bks_start *start)
{
    (void)start;
    ((member_state *)state)->way = 1;
}

static void member_step(void *state, const bks_step *step)
{
    member_state *member = state;
    planted_move(&member->base, step);
    member->way += member->base.x[0];
    bks_mark(step, "way");
}

PLANTED("debug_member", member_state, .state_bytes = sizeof(member_state), .init = member_init,
        .step = member_step);
