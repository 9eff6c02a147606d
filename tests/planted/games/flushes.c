// SPDX-License-Identifier: MIT

// A library makes the processor flush denormals to zero. Code that was compiled for speed does so,
// and leaves it so.

#include "planted.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

typedef struct flushes_state {
    planted_base base;
    float echo;
} flushes_state;

static __attribute__((noinline)) void mixer_begin(void)
{
#if defined(__SSE2__)
    _mm_setcsr(_mm_getcsr() | 0x8040u);
#endif
}

static void flushes_init(void *state, const bks_start *start)
{
    (void)start;
    ((flushes_state *)state)->echo = 1.0f;
}

static void flushes_step(void *state, const bks_step *step)
{
    flushes_state *flushes = state;
    planted_move(&flushes->base, step);
    if (step->tick == 17) {
        mixer_begin();
    }
    flushes->echo *= 0.5f;
    bks_mark(step, "echo");
}

PLANTED("flushes", flushes_state, .state_bytes = sizeof(flushes_state), .init = flushes_init,
        .step = flushes_step);
