// SPDX-License-Identifier: MIT

// Compares a float function of two arguments with the true value on pairs that are drawn, and on
// some that were made to come close to the middle of two floats:
//
//     det_pairs FUNCTION COUNT SEED
//
// Before that come all exact powers and all whole triangles that have results of 25 bits at most.
// The reference is the C library's double function with 2^-48 to either side, then the x87's long
// double with 2^-60, then MPFR. Prints "digest wrong asked".

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpfr.h>

#include "backstitch/math.h"
#include "det/drawn.h"
#include "det/math_bits.h"

typedef struct function {
    const char *name;
    float (*own)(float, float);
    double (*near)(double, double);
    long double (*wide)(long double, long double);
    int (*true_value)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);
} function;

static const function functions[] = {
    {"atan2f", bks_atan2f, atan2, atan2l, mpfr_atan2},
    {"powf", bks_powf, pow, powl, mpfr_pow},
    {"hypotf", bks_hypotf, hypot, hypotl, mpfr_hypot},
    {"fmodf", bks_fmodf, fmod, fmodl, mpfr_fmod},
};

static mpfr_t in_x, in_y, out;
static uint64_t state;

static uint32_t draw(void)
{
    return (uint32_t)draw_bits(&state);
}

static float draw_positive(float from, float to)
{
    return from + (to - from) * (float)(draw() >> 8) * 0x1p-24f;
}

/// The middle of two floats about as large as `size`.
static double draw_middle(double size)
{
    const float near = (float)(size * (1.0 + draw() * 0x1p-32));
    return bksi_double_of(bksi_double_bits(near) | 0x10000000u);
}

static float nudged(double value)
{
    return bksi_float_of(bksi_float_bits((float)value) + draw() % 3 - 1);
}

/// A partner for x with which the result is nearly a midpoint.
static float draw_partner(const function *f, float x)
{
    if (f->own == bks_powf) {
        return nudged(log(draw_middle(pow(2.0, (int)(draw() % 250) - 125))) / log(fabsf(x)));
    }
    if (f->own == bks_atan2f) {
        return nudged(x / tan(draw_middle(0.001 + draw() * 0x1p-32)));
    }
    if (f->own == bks_hypotf) {
        const double middle = draw_middle(fabsf(x));
        return nudged(sqrt(fmax(middle * middle - (double)x * x, 0)));
    }
    return nudged(x / (double)(1 + draw() % 1000));
}

static void draw_pair(const function *f, float *x, float *y)
{
    switch (draw() % 6) {
    case 0: // any bits
        *x = bksi_float_of(draw());
        *y = bksi_float_of(draw());
        break;
    case 1: // as games have them
        *x = draw_positive(0.0f, 100.0f);
        *y = draw_positive(-10.0f, 10.0f);
        break;
    case 2: // small integers and eighths, which have exact powers and distances
        *x = (float)(draw() % 8192);
        *y = (float)(draw() % 256);
        *y *= draw() % 2 == 0 ? 1.0f : 0.125f;
        break;
    case 3: // near 1
        *x = (float)(int32_t)draw() * 0x1p-32f;
        *x = 1.0f + *x / (float)(1u << draw() % 20);
        *y = draw_positive(-4.0f, 4.0f);
        *y *= (float)(1u << draw() % 20);
        break;
    case 4: // a whole triangle: m^2 - n^2 and 2mn, whose distance may have 25 bits
    {
        const uint32_t m = 2 + draw() % 5000;
        const uint32_t n = 1 + draw() % (m - 1);
        *x = (float)(m * m - n * n);
        *y = (float)(2 * m * n);
        break;
    }
    default:
        *x = bksi_float_of((draw() & 0x80FFFFFFu) + 0x3F000000u);
        *y = draw_partner(f, *x);
    }
}

static uint32_t true_bits(const function *f, float x, float y)
{
    mpfr_set_flt(in_x, x, MPFR_RNDN);
    mpfr_set_flt(in_y, y, MPFR_RNDN);
    (void)f->true_value(out, in_x, in_y, MPFR_RNDN);
    return mpfr_nan_p(out) ? BKSI_FLOAT_NAN : bksi_float_bits(mpfr_get_flt(out, MPFR_RNDN));
}

static bool is_beyond_doubt(const function *f, float x, float y, uint32_t own)
{
    const double near = f->near(x, y);
    const double near_margin = fabs(near) * 0x1p-48;
    if (isnormal(near) && f->own != bks_fmodf &&
        bksi_float_bits((float)(near - near_margin)) == own &&
        bksi_float_bits((float)(near + near_margin)) == own) {
        return true;
    }
    const long double wide = f->wide(x, y);
    if (isnan(wide)) {
        return own == BKSI_FLOAT_NAN;
    }
    if (wide == 0.0l || isinf(wide) || f->own == bks_fmodf) {
        return bksi_float_bits((float)wide) == own;
    }
    const long double margin = fabsl(wide) * 0x1p-60l;
    return bksi_float_bits((float)(wide - margin)) == own &&
           bksi_float_bits((float)(wide + margin)) == own;
}

typedef struct tally {
    uint64_t digest;
    uint64_t wrong;
    uint64_t asked; ///< of MPFR
} tally;

static void try_pair(const function *f, float x, float y, tally *t)
{
    const uint32_t own = bksi_float_bits(f->own(x, y));
    t->digest = (t->digest ^ own) * 0x100000001B3u;
    if (is_beyond_doubt(f, x, y, own)) {
        return;
    }
    t->asked++;
    const uint32_t right = true_bits(f, x, y);
    if (own != right && ++t->wrong <= 20) {
        (void)fprintf(stderr, "%s(%a, %a) is %08" PRIx32 ", should be %08" PRIx32 "\n", f->name, x,
                      y, own, right);
    }
}

/// All powers of odd numbers that have 25 bits at most, times some powers of 2.
static void try_exact_powers(const function *f, tally *t)
{
    for (int k = 0; k <= 3; k++) {
        for (uint64_t root = 1; root < 5794 && pow((double)root, 1 << k) < 0x1p24; root += 2) {
            uint64_t power = root;
            for (int n = 1; n <= 130 && power < 1u << 25; n++, power *= root) {
                for (int e = -16; e <= 16; e++) {
                    const float x = (float)ldexp(pow((double)root, 1 << k), e * (1 << k));
                    try_pair(f, x, (float)n / (float)(1 << k), t);
                }
            }
        }
    }
}

/// All whole triangles m^2 - n^2, 2mn, m^2 + n^2 whose distance has 25 bits at most.
static void try_triangles(const function *f, tally *t)
{
    for (uint32_t m = 2; m * m < 1u << 25; m++) {
        for (uint32_t n = 1; n < m && m * m + n * n < 1u << 25; n++) {
            for (uint32_t times = 1; times <= 3; times += 2) { // thrice, the even one may lie above
                const uint32_t a = times * (m * m - n * n);
                const uint32_t b = times * 2 * m * n;
                if ((uint32_t)(float)a == a && (uint32_t)(float)b == b) {
                    const float right = (float)(times * (m * m + n * n));
                    t->wrong +=
                        bksi_float_bits(f->own((float)a, (float)b)) != bksi_float_bits(right);
                }
            }
        }
    }
}

int main(int argc, char **argv)
{
    const function *f = NULL;
    for (size_t i = 0; argc == 4 && i < sizeof(functions) / sizeof(functions[0]); i++) {
        f = strcmp(argv[1], functions[i].name) == 0 ? &functions[i] : f;
    }
    if (f == NULL) {
        (void)fprintf(stderr, "usage: det_pairs FUNCTION COUNT SEED\n");
        return 2;
    }
    mpfr_set_default_prec(400);
    mpfr_inits(in_x, in_y, out, (mpfr_ptr)NULL);
    state = strtoull(argv[3], NULL, 10);
    tally t = {.digest = 0xCBF29CE484222325u};
    if (f->own == bks_powf) {
        try_exact_powers(f, &t);
    } else if (f->own == bks_hypotf) {
        try_triangles(f, &t);
    }
    for (uint64_t i = strtoull(argv[2], NULL, 10); i > 0; i--) {
        float x;
        float y;
        draw_pair(f, &x, &y);
        try_pair(f, x, y, &t);
    }
    printf("%016" PRIx64 " %" PRIu64 " %" PRIu64 "\n", t.digest, t.wrong, t.asked);
    return 0;
}
