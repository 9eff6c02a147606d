// SPDX-License-Identifier: MIT

#include "backstitch/math.h"

#include "det/math_reduce.h"

#define SIZE_MASK 0x7FFFFFFFFFFFFFFFu
#define QUARTER   0.785398
/// Up to 2^20 the products with the first two parts of pi/2 are exact.
#define WIDE 0x1p20
/// So near a multiple of pi/2 three parts are too few.
#define NEAR_ZERO 0x1p-24

/// What is left of x after quarters of a turn, to 2^-75 of itself.
/// @param x  not negative, finite
static inline bksi_pair reduce(double x, uint32_t *quarters)
{
    if (x <= QUARTER) {
        *quarters = 0;
        return bksi_pair_of(x);
    }
    if (x < WIDE) {
        const double shifted = x * 0x1.45f306dc9c883p-1 + BKSI_SHIFTER; // 2 / pi
        const double turns = shifted - BKSI_SHIFTER;
        const double upper = x - turns * 0x1.921fb54400000p+0;
        const bksi_pair r = bksi_sum(upper, -(turns * 0x1.0b4611a600000p-34));
        if (r.high > NEAR_ZERO || r.high < -NEAR_ZERO) {
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

static inline double sine(double x, uint32_t further)
{
    const double size = bksi_double_of(bksi_double_bits(x) & SIZE_MASK);
    if (!(size < bksi_double_of(BKSI_DOUBLE_INFINITY))) {
        return bksi_double_of(BKSI_DOUBLE_NAN);
    }
    if (further == 0 && size < 0x1p-27) {
        return x;
    }
    uint32_t quarters;
    const bksi_pair r = reduce(size, &quarters);
    quarters += further;
    const double y = (quarters & 1) != 0 ? cosine_of(r) : sine_of(r);
    const uint64_t turned = (uint64_t)(quarters & 2) << 62;
    const uint64_t sign = further == 0 ? bksi_double_bits(x) & BKSI_DOUBLE_SIGN : 0;
    return bksi_double_of(bksi_double_bits(y) ^ turned ^ sign);
}

double bks_sin(double x)
{
    return sine(x, 0);
}

double bks_cos(double x)
{
    return sine(x, 1);
}
