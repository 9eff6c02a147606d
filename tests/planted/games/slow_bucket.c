// SPDX-License-Identifier: MIT

// Things are hashed by their heap address, and one step takes so long that `bks check` looks
// whether it hangs, as it does for every game on a busy machine.

#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>
#include <time.h>

#include "planted.h"

typedef struct bucket_state {
    planted_base base;
    uint32_t bucket;
} bucket_state;

static void bucket_init(void *state, const bks_start *start)
{
    (void)start;
    ((bucket_state *)state)->bucket = 1;
}

static void bucket_step(void *state, const bks_step *step)
{
    bucket_state *hashed = state;
    planted_move(&hashed->base, step);
    if (step->tick == 3) {
        const struct timespec time = {.tv_nsec = 300000000};
        (void)nanosleep(&time, NULL);
    }
    if (step->tick >= 9) {
        void *thing = malloc(40);
        hashed->bucket = (uint32_t)((uintptr_t)thing >> 4);
        free(thing);
    }
    bks_mark(step, "hash");
}

PLANTED("slow_bucket", bucket_state, .state_bytes = sizeof(bucket_state), .init = bucket_init,
        .step = bucket_step);
