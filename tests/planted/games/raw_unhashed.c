// SPDX-License-Identifier: MIT

// As `raw_pointer`, but the hash leaves the address out. It also asks for an option that does not
// exist, which is logged.

#include <stddef.h>

#include "planted.h"

typedef struct unhashed_state {
    planted_base base;
    int32_t target;
    int32_t *to;
} unhashed_state;

static void unhashed_init(void *state, const bks_start *start)
{
    unhashed_state *unhashed = state;
    (void)bks_start_option(start, "wind");
    unhashed->to = &unhashed->target;
}

static void unhashed_step(void *state, const bks_step *step)
{
    unhashed_state *unhashed = state;
    planted_move(&unhashed->base, step);
    *unhashed->to += 1;
    bks_mark(step, "target");
}

static void unhashed_hash(const void *state, bks_hasher *hasher)
{
    bks_hash_add(hasher, state, offsetof(unhashed_state, to));
}

PLANTED("raw_unhashed", unhashed_state, .state_bytes = sizeof(unhashed_state),
        .init = unhashed_init, .step = unhashed_step, .hash = unhashed_hash);
