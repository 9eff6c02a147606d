// SPDX-License-Identifier: MIT

#include "backstitch/math.h"

#include "det/math_pairs.h"

#define SIZE 0x7FFFFFFFu
/// Limit below which the sine and the tangent round to x itself, and the cosine to 1: 2^-13.
#define TINY 0x39000000u
/// Limit of x up to which products with the parts of pi/2 are exact enough: 2^24.
#define WIDE 0x4B800000u
/// Square of 2^-15, the distance from a multiple of pi/2 below which reduce() is not exact enough.
#define NEAR_ZERO 0x1p-30
/// Slack for bksi_is_decided(): quick results have a relative error of at most 2^-40.
#define SLACK (1u << 13)

/// Return x minus the nearest multiple of pi/2: -pi/4 to pi/4. `quarters` receives the multiple.
static inline double reduce(double x, uint32_t *quarters)
{
    const double shifted = x * 0x1.45f306dc9c883p-1 + BKSI_SHIFTER; // 2 / pi
    const double turns = shifted - BKSI_SHIFTER;
    *quarters = (uint32_t)bksi_double_bits(shifted);
    return (x - turns * 0x1.921fb54000000p+0) - turns * 0x1.10b4611a62633p-30;
}

/// Return the sine of r + quarters * pi/2, without a branch.
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

/// Return the sine of x + further * pi/2, for an x whose quick result cannot be rounded with
/// certainty.
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

// Source: M. Payne, R. Hanek, "Radian reduction for trigonometric functions", 1983 [Payne]: compute
// only those bits of the product with 2/pi that matter: neither whole turns nor bits below the
// wanted precision.

#define FACTORS 8  // number of words of 2/pi that are used
#define WORDS   10 // number of words of the product

/// Multiply a mantissa by some words of 2/pi, the highest first.
static void multiply(uint64_t mantissa, const uint32_t *factors, uint32_t product[WORDS])
{
    const uint64_t low = mantissa & UINT32_MAX;
    const uint64_t high = mantissa >> 32;
    uint64_t carry = 0;      // carry of the products with the mantissa's lower half
    uint64_t carry_high = 0; // carry of the products with the mantissa's upper half
    uint32_t before = 0;     // next lower word of 2/pi
    for (int i = FACTORS - 1; i >= 0; i--) {
        const uint64_t a = low * factors[i] + carry;
        const uint64_t b = high * before + carry_high + (a & UINT32_MAX);
        product[i + 2] = (uint32_t)b;
        carry = a >> 32;
        carry_high = b >> 32;
        before = factors[i];
    }
    const uint64_t b = high * before + carry_high + carry;
    product[1] = (uint32_t)b;
    product[0] = (uint32_t)(b >> 32);
}

/// Return the 64 bits of `words` from bit `from` on, where bit 0 is the highest.
static uint64_t bits_at(const uint32_t words[WORDS + 3], uint32_t from)
{
    const uint32_t *word = &words[from / 32];
    const uint32_t shift = from % 32;
    const uint64_t two = (uint64_t)word[0] << 32 | word[1];
    return shift == 0 ? two : two << shift | (uint64_t)word[2] >> (32 - shift);
}

static uint32_t leading_zeros(uint64_t x)
{
    uint32_t zeros = 0;
    for (uint32_t step = 32; step > 0; step /= 2) {
        if (x >> (64 - step) == 0) {
            zeros += step;
            x <<= step;
        }
    }
    return zeros;
}

bksi_pair bksi_reduce_wide(double x, uint32_t *quarters)
{
    const uint64_t bits = bksi_double_bits(x);
    const int32_t exponent = (int32_t)(bits >> 52) - 1075; // x is mantissa * 2^exponent
    const uint64_t mantissa = (bits & 0xFFFFFFFFFFFFFu) | 1ull << 52;
    const int32_t first = exponent > 2 ? (exponent - 2) / 32 : 0;
    uint32_t product[WORDS + 3] = {0};
    multiply(mantissa, &bksi_two_over_pi[first], product);

    // The binary point comes after the first 32 * WORDS - fraction_bits bits; the two bits before
    // it count quarters.
    const int32_t fraction_bits = 32 * (first + FACTORS) - exponent;
    uint32_t from = (uint32_t)(32 * WORDS - fraction_bits);
    *quarters = (uint32_t)(bits_at(product, from - 2) >> 62);
    const bool is_over_half = bits_at(product, from) >> 63 != 0;
    if (is_over_half) {
        *quarters = (*quarters + 1) & 3;
        for (int i = 0; i < WORDS; i++) {
            product[i] =
                // ~product is one unit less than -product, an error far below the kept precision.
                ~product[i];
        }
    }
    // There are at most some 60 leading zeros, because no double is closer to a multiple of pi/2.
    const uint32_t zeros = leading_zeros(bits_at(product, from));
    from += zeros;
    const double high = (double)(int64_t)(bits_at(product, from) >> 11);
    const double low = (double)(int64_t)(bits_at(product, from + 53) >> 11);
    const double scale = bksi_power_of_2(-53 - (int32_t)zeros);
    const bksi_pair part = bksi_quick_sum(high * scale, low * (scale * 0x1p-53));
    const bksi_pair r =
        bksi_pair_multiply(part, (bksi_pair){0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54});
    return is_over_half ? bksi_pair_negated(r) : r;
}

#define SIZE_MASK 0x7FFFFFFFFFFFFFFFu
#define QUARTER   0.785398
/// Limit of x up to which products with the first two parts of pi/2 are exact: 2^20.
#define DOUBLE_WIDE 0x1p20
/// Distance from a multiple of pi/2 below which three parts of pi/2 are not exact enough.
#define DOUBLE_NEAR_ZERO 0x1p-24

/// Return x minus the nearest multiple of pi/2, with a relative error of 2^-75.
/// @param x  not negative, finite
static inline bksi_pair reduce_double(double x, uint32_t *quarters)
{
    if (x <= QUARTER) {
        *quarters = 0;
        return bksi_pair_of(x);
    }
    if (x < DOUBLE_WIDE) {
        const double shifted = x * 0x1.45f306dc9c883p-1 + BKSI_SHIFTER; // 2 / pi
        const double turns = shifted - BKSI_SHIFTER;
        const double upper = x - turns * 0x1.921fb54400000p+0;
        const bksi_pair r = bksi_sum(upper, -(turns * 0x1.0b4611a600000p-34));
        if (r.high > DOUBLE_NEAR_ZERO || r.high < -DOUBLE_NEAR_ZERO) {
            *quarters = (uint32_t)bksi_double_bits(shifted);
            return bksi_quick_sum(r.high, r.low - turns * 0x1.3198a2e037073p-69);
        }
    }
    return bksi_reduce_wide(x, quarters);
}

static inline double sine_of(bksi_pair r)
{
    const double *c = bksi_sine_terms;
    const double z = r.high * r.high;
    const double z2 = z * z;
    const double rest =
        (c[0] + z * c[1]) + z2 * ((c[2] + z * c[3]) + z2 * ((c[4] + z * c[5]) + z2 * c[6]));
    return r.high + (r.high * (z * rest) + r.low * (1.0 - 0.5 * z));
}

static inline double cosine_of(bksi_pair r)
{
    const double *c = bksi_cosine_terms;
    const double z = r.high * r.high;
    const double z2 = z * z;
    const double rest =
        (c[0] + z * c[1]) + z2 * ((c[2] + z * c[3]) + z2 * ((c[4] + z * c[5]) + z2 * c[6]));
    const double half = 0.5 * z;
    const double near = 1.0 - half;
    return near + (((1.0 - near) - half) + (z2 * rest - r.high * r.low));
}

static inline double sine_double(double x, uint32_t further)
{
    const double size = bksi_double_of(bksi_double_bits(x) & SIZE_MASK);
    if (!(size < bksi_double_of(BKSI_DOUBLE_INFINITY))) {
        return bksi_double_of(BKSI_DOUBLE_NAN);
    }
    if (further == 0 && size < 0x1p-27) {
        return x;
    }
    uint32_t quarters;
    const bksi_pair r = reduce_double(size, &quarters);
    quarters += further;
    const double y = (quarters & 1) != 0 ? cosine_of(r) : sine_of(r);
    const uint64_t turned = (uint64_t)(quarters & 2) << 62;
    const uint64_t sign = further == 0 ? bksi_double_bits(x) & BKSI_DOUBLE_SIGN : 0;
    return bksi_double_of(bksi_double_bits(y) ^ turned ^ sign);
}

double bks_sin(double x)
{
    return sine_double(x, 0);
}

double bks_cos(double x)
{
    return sine_double(x, 1);
}
