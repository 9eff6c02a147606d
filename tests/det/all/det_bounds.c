// SPDX-License-Identifier: MIT

// Measures how far det's functions of doubles are from the true value, in units in the last place,
// on arguments that are drawn:
//
//     det_bounds COUNT SEED
//
// The reference is the x87's long double, which has 11 bits more.

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "backstitch/math.h"
#include "det/drawn.h"
#include "det/math_bits.h"

static uint64_t state;

static uint64_t draw(void)
{
    return draw_bits(&state);
}

static double between(double from, double to)
{
    return from + (to - from) * (double)(int64_t)(draw() >> 11) * 0x1p-53;
}

/// A number whose logarithm is even between those of two.
static double spread(double from, double to)
{
    return from * exp(between(0, 1) * log(to / from)) * (draw() % 2 == 0 ? 1 : -1);
}

static double ulps(double own, long double right)
{
    const double near = (double)right;
    if (isnan(near) || isinf(near) || isinf(own)) {
        return bksi_double_bits(near) == bksi_double_bits(own) || isnan(own) ? 0 : 1e9;
    }
    const double size = fabs(near) < 0x1p-1022 ? 0x1p-1022 : fabs(near);
    const double unit = bksi_double_of(bksi_double_bits(size) & BKSI_DOUBLE_INFINITY);
    return (double)(fabsl(own - right) / unit * 0x1p52l);
}

typedef struct worst {
    double ulps;
    double x;
    double y;
} worst;

static void look(worst *w, double own, long double right, double x, double y)
{
    const double off = ulps(own, right);
    if (fabsl(right) < 0x1p-1022l) { // rounded twice: one unit of the least of all
        if (off > 1.0) {
            printf("below 2^-1022: %.4f ulp at %a, %a\n", off, x, y);
        }
        return;
    }
    if (!(off <= w->ulps)) {
        *w = (worst){off, x, y};
    }
}

static void show(const char *name, const worst *w)
{
    printf("%-6s %.4f ulp at %a, %a\n", name, w->ulps, w->x, w->y);
}

int main(int argc, char **argv)
{
    const uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    worst sine = {0}, cosine = {0}, exponential = {0}, logarithm = {0}, direction = {0},
          power = {0};
    for (uint64_t i = 0; i < count; i++) {
        double x = i % 3 == 0   ? between(-10, 10)
                   : i % 3 == 1 ? spread(1e-9, 1e6)
                                : spread(1e6, 1e300);
        look(&sine, bks_sin(x), sinl(x), x, 0);
        look(&cosine, bks_cos(x), cosl(x), x, 0);
        x = i % 2 == 0 ? between(-746, 710) : spread(1e-20, 700);
        look(&exponential, bks_exp(x), expl(x), x, 0);
        x = fabs(i % 3 == 0   ? spread(0x1p-1074, 1e308)
                 : i % 3 == 1 ? between(0, 2)
                              : 1 + spread(1e-16, 0.1));
        look(&logarithm, bks_log(x), logl(x), x, 0);
        double y = i % 2 == 0 ? spread(0x1p-1060, 1e308) : between(-1, 1);
        x = i % 2 == 0 ? y * spread(1e-3, 1e3) : between(-1, 1);
        look(&direction, bks_atan2(y, x), atan2l(y, x), y, x);
        x = fabs(i % 3 == 0   ? spread(1e-300, 1e300)
                 : i % 3 == 1 ? between(0, 10)
                              : 1 + spread(1e-10, 0.1));
        y = i % 3 == 2 ? spread(1e-3, 1e8) : between(-20, 20);
        look(&power, bks_pow(x, y), powl(x, y), x, y);
    }
    show("sin", &sine);
    show("cos", &cosine);
    show("exp", &exponential);
    show("log", &logarithm);
    show("atan2", &direction);
    show("pow", &power);
    return 0;
}
