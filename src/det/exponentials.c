// SPDX-License-Identifier: MIT

// Source: P. T. P. Tang, "Table-driven implementation of the exponential function in IEEE
// floating-point arithmetic", 1989 [Tang].

#include "backstitch/math.h"

#include "det/math_exp.h"

#define SIZE 0x7FFFFFFFu
/// The quick results are right to 2^-40.
#define SLACK (1u << 13)

/// e^x of what the quick way does not serve.
static float slow_exp(float x)
{
    const uint32_t bits = bksi_float_bits(x);
    if ((bits & SIZE) > BKSI_FLOAT_INFINITY) {
        return bksi_float_of(BKSI_FLOAT_NAN);
    }
    if (x > 89.0f) {
        return bksi_float_of(BKSI_FLOAT_INFINITY);
    }
    if (x < -104.0f) {
        return 0.0f;
    }
    return bksi_exp_to_float(bksi_pair_of(x));
}

float bks_expf(float x)
{
    // Up to 87 the result is normal.
    if ((bksi_float_bits(x) & SIZE) <= 0x42AE0000u) {
        const double y = bksi_quick_exp2(x * 0x1.71547652b82fep+7); // 128 / ln 2
        if (bksi_is_decided(y, SLACK)) {
            return (float)y;
        }
    }
    return slow_exp(x);
}

static float slow_exp2(float x)
{
    const uint32_t bits = bksi_float_bits(x);
    if ((bits & SIZE) > BKSI_FLOAT_INFINITY) {
        return bksi_float_of(BKSI_FLOAT_NAN);
    }
    if (x >= 128.0f) {
        return bksi_float_of(BKSI_FLOAT_INFINITY);
    }
    if (x <= -150.0f) {
        return 0.0f;
    }
    const double whole = (double)(int32_t)x;
    if (!(whole < x || whole > x)) { // exact; a pair would come close to it
        return (float)bksi_power_of_2((int32_t)x);
    }
    return bksi_exp_to_float(
        bksi_pair_scale((bksi_pair){0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}, x)); // ln 2
}

float bks_exp2f(float x)
{
    // Up to 126 the result is normal.
    if ((bksi_float_bits(x) & SIZE) <= 0x42FC0000u) {
        const double y = bksi_quick_exp2(x * 128.0);
        if (bksi_is_decided(y, SLACK)) {
            return (float)y;
        }
    }
    return slow_exp2(x);
}
