// SPDX-License-Identifier: MIT

// `sin`, `exp` and `pow` are the C library's.

#include <math.h>

#include "planted.h"

typedef struct sine_state {
    planted_base base;
    uint32_t turned;
} sine_state;

static void sine_init(void *state, const bks_start *start)
{
    (void)start;
    ((sine_state *)state)->turned = 1;
}

// The C library's forms of a function differ in the last bit of some of these values.
static uint32_t turn(void)
{
    uint32_t turned = 0;
    for (int32_t i = 1; i < 5000; i++) {
#ifdef MENDED // what every processor rounds in one way
        const double way[] = {sqrt(i * 0.01)};
#else
        const double way[] = {sin(i * 0.01), exp(i * 0.001), pow(i * 0.1, 1.3)};
#endif
        uint8_t bytes[sizeof(way)];
        memcpy(bytes, way, sizeof(way));
        for (size_t k = 0; k < sizeof(bytes); k++) {
            turned = turned * 31u + bytes[k];
        }
    }
    return turned;
}

static void sine_step(void *state, const bks_step *step)
{
    sine_state *sine = state;
    planted_move(&sine->base, step);
    if (step->tick == 11) {
        sine->turned = turn();
    }
    bks_mark(step, "turn");
}

PLANTED("c_sine", sine_state, .state_bytes = sizeof(sine_state), .init = sine_init,
        .step = sine_step);
