// SPDX-License-Identifier: MIT

// Invalid float operations at every tick, whose results are unused or replaced. They are in unused
// lanes of vectors, as clang makes them of two divisions; in a NaN that is looked for and taken
// away; in a conversion to an unsigned integer by what x86 gives for a number that does not fit.

#include "planted.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

typedef struct lanes_state {
    planted_base base;
    float share[2];
    float stick;
    uint64_t wide;
} lanes_state;

static void lanes_init(void *state, const bks_start *start)
{
    (void)state;
    (void)start;
}

static void divide(float share[2], float a, float b)
{
#if defined(__x86_64__)
    const __m128 whole = _mm_setr_ps(a, b, 0.0f, 0.0f);
    const __m128 parts = _mm_setr_ps(3.0f, 7.0f, 0.0f, 0.0f);
    float all[4];
    _mm_storeu_ps(all, _mm_div_ps(whole, parts));
    share[0] = all[0];
    share[1] = all[1];
#else
    share[0] = a / 3.0f;
    share[1] = b / 7.0f;
#endif
}

static uint64_t to_unsigned(double number)
{
#if defined(__x86_64__)
    const double half = 9223372036854775808.0;
    const int64_t plain = _mm_cvttsd_si64(_mm_set_sd(number));
    const int64_t less = _mm_cvttsd_si64(_mm_set_sd(number - half));
    return (uint64_t)((less & (plain >> 63)) | plain);
#else
    return (uint64_t)number;
#endif
}

static void lanes_step(void *state, const bks_step *step)
{
    lanes_state *lanes = state;
    planted_move(&lanes->base, step);
    const float x = (float)lanes->base.x[0];
    divide(lanes->share, x, (float)lanes->base.ticks);
    const float length = (float)(step->inputs[0] * step->inputs[0] * 0);
    const float stick = length / length;
    lanes->stick = stick == stick ? stick : 0.0f;
    lanes->wide = to_unsigned(9223372036854775808.0 + 4096.0 * (double)lanes->base.ticks);
    bks_mark(step, "lanes");
}

PLANTED("lanes", lanes_state, .state_bytes = sizeof(lanes_state), .init = lanes_init,
        .step = lanes_step);
