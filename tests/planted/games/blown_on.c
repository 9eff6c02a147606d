// SPDX-License-Identifier: MIT

// A static variable counts steps and sets the wind, which moves a way that lies before it in the
// state.

#include <stddef.h>

#include "planted.h"

typedef struct blown_state {
    planted_base base;
    int32_t way;
    int32_t heights[4];
    int32_t wind;
} blown_state;

static void blown_init(void *state, const bks_start *start)
{
    (void)start;
    ((blown_state *)state)->heights[0] = 1;
}

// Not inlined, so that the wind is stored before the way.
static __attribute__((noinline)) void drift(blown_state *blown)
{
    blown->way += blown->wind;
}

static void blown_step(void *state, const bks_step *step)
{
    static uint32_t calls;
    blown_state *blown = state;
    planted_move(&blown->base, step);
    calls++;
    blown->wind = (int32_t)(calls % 1000);
    drift(blown);
    bks_mark(step, "drift");
}

#ifdef HASHES_WAY
// Leaves out the wind, which may differ.
static void blown_hash(const void *state, bks_hasher *hasher)
{
    bks_hash_add(hasher, state, offsetof(blown_state, wind));
}
#else
#define blown_hash NULL
#endif

PLANTED("blown_on", blown_state, .state_bytes = sizeof(blown_state), .init = blown_init,
        .step = blown_step, .hash = blown_hash);
