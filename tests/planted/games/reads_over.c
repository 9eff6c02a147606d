// SPDX-License-Identifier: MIT

// The place in a stream is no part of the state. The system writes over a store of the game.

#include <unistd.h>

#include "planted.h"

typedef struct reads_state {
    planted_base base;
    int32_t wave;
} reads_state;

static void reads_init(void *state, const bks_start *start)
{
    (void)start;
    ((reads_state *)state)->wave = 1;
}

static void reads_step(void *state, const bks_step *step)
{
    static int ends[2];
    static int32_t calls;
    reads_state *reads = state;
    planted_move(&reads->base, step);
    if (calls++ == 0 && pipe(ends) != 0) {
        return;
    }
    reads->wave = 0; // the wave if the stream has ended
    if (write(ends[1], &calls, sizeof(calls)) == (ssize_t)sizeof(calls)) {
        (void)!read(ends[0], &reads->wave, sizeof(reads->wave));
    }
    bks_mark(step, "wave");
}

PLANTED("reads_over", reads_state, .state_bytes = sizeof(reads_state), .init = reads_init,
        .step = reads_step);
