// SPDX-License-Identifier: MIT

#include "backstitch/math.h"

#include "det/math_reduce.h"

#define SIZE 0x7FFFFFFFu
/// Below 2^-13 the sine and the tangent round to x itself, and the cosine to 1.
#define TINY 0x39000000u
/// Up to 2^24 the products with the parts of pi/2 are exact enough.
#define WIDE 0x4B800000u
/// So near a multiple of pi/2 they are not: 2^-15, squared.
#define NEAR_ZERO 0x1p-30
/// The quick results are right to 2^-40.
#define SLACK (1u << 13)

/// What is left of x after quarters of a turn, -pi/4 to pi/4.
static inline double reduce(double x, uint32_t *quarters)
{
    const double shifted = x * 0x1.45f306dc9c883p-1 + BKSI_SHIFTER; // 2 / pi
    const double turns = shifted - BKSI_SHIFTER;
    *quarters = (uint32_t)bksi_double_bits(shifted);
    return (x - turns * 0x1.921fb54000000p+0) - turns * 0x1.10b4611a62633p-30;
}

/// The sine of r plus `quarters` quarters of a turn, without a branch.
static inline double quick_sine(double r, uint32_t quarters)
{
    const double *c = bksi_sine_brief[quarters & 1];
    const double z = r * r;
    const double rest = (c[0] + z * c[1]) + z * z * ((c[2] + z * c[3]) + z * z * c[4]);
    const uint64_t is_cosine = 0 - (uint64_t)(quarters & 1);
    const uint64_t sign = (uint64_t)(quarters & 2) << 62;
    const double f = bksi_double_of(bksi_double_bits(bksi_select(r, 1.0, is_cosine)) ^ sign);
    return f + f * (z * rest);
}

static bksi_pair exact_reduce(uint32_t size, uint32_t *quarters)
{
    const double x = bksi_float_of(size);
    if (x < 0.75) {
        *quarters = 0;
        return bksi_pair_of(x);
    }
    return bksi_reduce_wide(x, quarters);
}

static bksi_pair exact_sine(bksi_pair r, uint32_t quarters)
{
    const bksi_pair sine = bksi_pair_sine(r, (quarters & 1) != 0);
    return (quarters & 2) != 0 ? bksi_pair_negated(sine) : sine;
}

/// The sine of x plus `further` quarters of a turn, where the quick way does not serve.
static float slow_sine(float x, uint32_t further)
{
    const uint32_t size = bksi_float_bits(x) & SIZE;
    if (size >= BKSI_FLOAT_INFINITY) {
        return bksi_float_of(BKSI_FLOAT_NAN);
    }
    if (size < TINY) {
        return further == 0 ? x : 1.0f;
    }
    uint32_t quarters;
    const bksi_pair r = exact_reduce(size, &quarters);
    if (size >= WIDE) {
        const double y = quick_sine(r.high, quarters + further);
        if (bksi_is_decided(y, SLACK)) {
            return (float)(further == 0 && x < 0.0f ? -y : y);
        }
    }
    const float sine = bksi_pair_to_float(exact_sine(r, quarters + further));
    return further == 0 && x < 0.0f ? -sine : sine;
}

static inline float sine(float x, uint32_t further)
{
    if ((bksi_float_bits(x) & SIZE) - TINY < WIDE - TINY) {
        uint32_t quarters;
        const double r = reduce(x, &quarters);
        const double y = quick_sine(r, quarters + further);
        if (bksi_is_decided(y, SLACK) && r * r > NEAR_ZERO) {
            return (float)y;
        }
    }
    return slow_sine(x, further);
}

float bks_sinf(float x)
{
    return sine(x, 0);
}

float bks_cosf(float x)
{
    return sine(x, 1);
}

static inline double quick_tangent(double r, uint32_t quarters)
{
    const double *s = bksi_sine_brief[0];
    const double *c = bksi_sine_brief[1];
    const double z = r * r;
    const double sine_rest = (s[0] + z * s[1]) + z * z * ((s[2] + z * s[3]) + z * z * s[4]);
    const double cosine_rest = (c[0] + z * c[1]) + z * z * ((c[2] + z * c[3]) + z * z * c[4]);
    const double over = r + r * (z * sine_rest);
    const double under = 1.0 + z * cosine_rest;
    return (quarters & 1) != 0 ? -under / over : over / under;
}

static float slow_tangent(float x)
{
    const uint32_t size = bksi_float_bits(x) & SIZE;
    if (size >= BKSI_FLOAT_INFINITY) {
        return bksi_float_of(BKSI_FLOAT_NAN);
    }
    if (size < TINY) {
        return x;
    }
    uint32_t quarters;
    const bksi_pair r = exact_reduce(size, &quarters);
    if (size >= WIDE) {
        const double y = quick_tangent(r.high, quarters);
        if (bksi_is_decided(y, SLACK)) {
            return (float)(x < 0.0f ? -y : y);
        }
    }
    const bksi_pair over = exact_sine(r, quarters);
    const float tangent = bksi_pair_to_float(bksi_pair_divide(over, exact_sine(r, quarters + 1)));
    return x < 0.0f ? -tangent : tangent;
}

float bks_tanf(float x)
{
    if ((bksi_float_bits(x) & SIZE) - TINY < WIDE - TINY) {
        uint32_t quarters;
        const double r = reduce(x, &quarters);
        const double y = quick_tangent(r, quarters);
        if (bksi_is_decided(y, SLACK) && r * r > NEAR_ZERO) {
            return (float)y;
        }
    }
    return slow_tangent(x);
}
