// SPDX-License-Identifier: MIT

// Compares a float function of det with the true value, for a part of all inputs:
//
//     det_all FUNCTION FROM TO STEP DIGEST x87|double [PLANT]
//
// With `double` the C library's double function is asked first, with 2^-48 to either side, and the
// x87 only where that is not enough: glibc documents errors of at most 4 ulp. PLANT is the bits of
// an input whose result is given one wrong bit, which must be found.
//
// For each FROM <= i < TO by STEP, i below 2^31, the float with these bits and its negative are
// tried. The reference is the x87's long double with 2^-61 to either side; where the two sides
// round to different floats, or not to the result, MPFR decides. Prints "digest wrong asked", the
// digest continued from DIGEST. Every wrong result goes to stderr.

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpfr.h>

#include "backstitch/math.h"
#include "det/math_bits.h"

typedef enum symmetry { NONE, ODD, EVEN } symmetry;

typedef struct function {
    const char *name;
    float (*own)(float);
    double (*near)(double);
    long double (*wide)(long double);
    int (*true_value)(mpfr_t, const mpfr_t, mpfr_rnd_t);
    symmetry of;
} function;

static int true_floor(mpfr_t y, const mpfr_t x, mpfr_rnd_t r)
{
    (void)r;
    return mpfr_floor(y, x);
}

static int true_ceil(mpfr_t y, const mpfr_t x, mpfr_rnd_t r)
{
    (void)r;
    return mpfr_ceil(y, x);
}

static int true_trunc(mpfr_t y, const mpfr_t x, mpfr_rnd_t r)
{
    (void)r;
    return mpfr_trunc(y, x);
}

static int true_round(mpfr_t y, const mpfr_t x, mpfr_rnd_t r)
{
    (void)r;
    return mpfr_round(y, x);
}

static int true_rint(mpfr_t y, const mpfr_t x, mpfr_rnd_t r)
{
    (void)r;
    return mpfr_rint(y, x, MPFR_RNDN);
}

#ifdef LIBM // the C library's own floats take their place
#define OWN(name) name
#else
#define OWN(name) bks_##name
#endif

static const function functions[] = {
    {"sqrtf", OWN(sqrtf), sqrt, sqrtl, mpfr_sqrt, NONE},
    {"cbrtf", OWN(cbrtf), cbrt, cbrtl, mpfr_cbrt, ODD},
    {"floorf", OWN(floorf), floor, floorl, true_floor, NONE},
    {"ceilf", OWN(ceilf), ceil, ceill, true_ceil, NONE},
    {"truncf", OWN(truncf), trunc, truncl, true_trunc, ODD},
    {"roundf", OWN(roundf), round, roundl, true_round, ODD},
    {"rintf", OWN(rintf), rint, rintl, true_rint, ODD},
    {"expf", OWN(expf), exp, expl, mpfr_exp, NONE},
    {"exp2f", OWN(exp2f), exp2, exp2l, mpfr_exp2, NONE},
    {"logf", OWN(logf), log, logl, mpfr_log, NONE},
    {"log2f", OWN(log2f), log2, log2l, mpfr_log2, NONE},
    {"sinf", OWN(sinf), sin, sinl, mpfr_sin, ODD},
    {"cosf", OWN(cosf), cos, cosl, mpfr_cos, EVEN},
    {"tanf", OWN(tanf), tan, tanl, mpfr_tan, ODD},
    {"asinf", OWN(asinf), asin, asinl, mpfr_asin, ODD},
    {"acosf", OWN(acosf), acos, acosl, mpfr_acos, NONE},
    {"atanf", OWN(atanf), atan, atanl, mpfr_atan, ODD},
};

static mpfr_t in, out;
static uint64_t plant = UINT64_MAX;
static bool is_quick;

static uint32_t own_bits(const function *f, uint32_t x)
{
    const float y = f->own(bksi_float_of(x));
#ifdef LIBM // which may have any NaN
    if (isnan(y)) {
        return BKSI_FLOAT_NAN;
    }
#endif
    return bksi_float_bits(y) ^ (x == plant ? 1u : 0u);
}

static uint32_t true_bits(const function *f, float x)
{
    mpfr_set_flt(in, x, MPFR_RNDN);
    (void)f->true_value(out, in, MPFR_RNDN);
    if (mpfr_nan_p(out)) {
        return BKSI_FLOAT_NAN;
    }
    return bksi_float_bits(mpfr_get_flt(out, MPFR_RNDN));
}

typedef struct tally {
    uint64_t digest;
    uint64_t wrong;
    uint64_t asked; ///< of MPFR
} tally;

static bool is_right_by_double(double near, uint32_t own)
{
    if (isnan(near)) {
        return own == BKSI_FLOAT_NAN;
    }
    if (near == 0.0 || isinf(near)) { // far below or above all floats, if it is not exact
        return bksi_float_bits((float)near) == own;
    }
    const double margin = fabs(near) * 0x1p-48;
    return bksi_float_bits((float)(near - margin)) == own &&
           bksi_float_bits((float)(near + margin)) == own;
}

/// The reference's float where it is beyond doubt; otherwise MPFR's.
static uint32_t reference(const function *f, float x, uint32_t own, tally *t)
{
    if (is_quick && is_right_by_double(f->near(x), own)) {
        return own;
    }
    const long double wide = f->wide(x);
    if (wide == 0.0l || isinf(wide)) { // far below or above all floats, if it is not exact
        if (bksi_float_bits((float)wide) == own) {
            return own;
        }
    } else if (!isnan(wide)) {
        const long double margin = fabsl(wide) * 0x1p-61l;
        const uint32_t below = bksi_float_bits((float)(wide - margin));
        if (below == own && bksi_float_bits((float)(wide + margin)) == own) {
            return own;
        }
    } else if (own == BKSI_FLOAT_NAN) {
        return own;
    }
    t->asked++;
    return true_bits(f, x);
}

static void report(const function *f, uint32_t x, uint32_t own, uint32_t right, tally *t)
{
    t->digest = (t->digest ^ own) * 0x100000001B3u;
    if (own != right && ++t->wrong <= 20) {
        (void)fprintf(stderr, "%s(%08" PRIx32 ") is %08" PRIx32 ", should be %08" PRIx32 "\n",
                      f->name, x, own, right);
    }
}

static void try_both(const function *f, uint32_t i, tally *t)
{
    const uint32_t j = i | BKSI_FLOAT_SIGN;
    const uint32_t own = own_bits(f, i);
    const uint32_t right = reference(f, bksi_float_of(i), own, t);
    report(f, i, own, right, t);
    const uint32_t own_negative = own_bits(f, j);
    uint32_t mirrored = right;
    if (f->of == ODD && right != BKSI_FLOAT_NAN) {
        mirrored = right ^ BKSI_FLOAT_SIGN;
    } else if (f->of == NONE) {
        mirrored = reference(f, bksi_float_of(j), own_negative, t);
    }
    report(f, j, own_negative, mirrored, t);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
            puts(functions[i].name);
        }
        return 0;
    }
    const function *f = NULL;
    for (size_t i = 0; argc >= 7 && i < sizeof(functions) / sizeof(functions[0]); i++) {
        f = strcmp(argv[1], functions[i].name) == 0 ? &functions[i] : f;
    }
    if (f == NULL) {
        (void)fprintf(
            stderr, "usage: det_all FUNCTION FROM TO STEP DIGEST x87|double [PLANT], or --list\n");
        return 2;
    }
    is_quick = strcmp(argv[6], "double") == 0;
    if (argc > 7) {
        plant = strtoull(argv[7], NULL, 16);
    }
    mpfr_set_default_prec(200);
    mpfr_inits(in, out, (mpfr_ptr)NULL);
    tally t = {.digest = strtoull(argv[5], NULL, 16)};
    const uint64_t to = strtoull(argv[3], NULL, 10);
    const uint64_t step = strtoull(argv[4], NULL, 10);
    for (uint64_t i = strtoull(argv[2], NULL, 10); i < to; i += step) {
        try_both(f, (uint32_t)i, &t);
    }
    printf("%016" PRIx64 " %" PRIu64 " %" PRIu64 "\n", t.digest, t.wrong, t.asked);
    return 0;
}
