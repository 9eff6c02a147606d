// SPDX-License-Identifier: MIT

#include "backstitch/math.h"

#include "det/math_atan.h"
#include "det/math_pairs.h"

#define SIZE 0x7FFFFFFFu
/// The quick results are right to 2^-41.
#define SLACK (1u << 12)

/// Zeros, infinities and NaNs.
static float special_atan2(uint32_t y, uint32_t x, bool is_left)
{
    if (y > BKSI_FLOAT_INFINITY || x > BKSI_FLOAT_INFINITY) {
        return bksi_float_of(BKSI_FLOAT_NAN);
    }
    if (y == BKSI_FLOAT_INFINITY && x == BKSI_FLOAT_INFINITY) {
        return is_left ? (float)(0.75 * BKSI_PI) : (float)(0.25 * BKSI_PI);
    }
    if (y == BKSI_FLOAT_INFINITY || x == 0) {
        if (y != 0) {
            return (float)BKSI_HALF_PI;
        }
    }
    return is_left ? (float)BKSI_PI : 0.0f; // to the left or to the right
}

static float slow_atan2(uint32_t y, uint32_t x, bool is_left)
{
    const bool is_finite = y < BKSI_FLOAT_INFINITY && x < BKSI_FLOAT_INFINITY;
    if (!is_finite || y == 0 || x == 0) {
        return special_atan2(y, x, is_left);
    }
    bksi_pair angle =
        bksi_pair_atan2(bksi_pair_of(bksi_float_of(y)), bksi_pair_of(bksi_float_of(x)));
    if (is_left) {
        angle =
            bksi_pair_add((bksi_pair){BKSI_PI, 0x1.1a62633145c07p-53}, bksi_pair_negated(angle));
    }
    return bksi_pair_to_float(angle);
}

float bks_atan2f(float y, float x)
{
    const uint32_t b = bksi_float_bits(y) & SIZE;
    const uint32_t a = bksi_float_bits(x) & SIZE;
    const bool is_left = bksi_float_bits(x) >> 31 != 0;
    if (b - 1 < BKSI_FLOAT_INFINITY - 1 && a - 1 < BKSI_FLOAT_INFINITY - 1) {
        const double right = bksi_quick_atan2(bksi_float_of(b), bksi_float_of(a));
        const double angle = is_left ? BKSI_PI - right : right;
        if (bksi_is_decided(angle, SLACK) && angle >= 0x1p-126) {
            return bksi_with_sign_of((float)angle, y);
        }
    }
    const float angle = slow_atan2(b, a, is_left);
    return b > BKSI_FLOAT_INFINITY || a > BKSI_FLOAT_INFINITY ? angle : bksi_with_sign_of(angle, y);
}
