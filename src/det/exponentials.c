// SPDX-License-Identifier: MIT

// Source: P. T. P. Tang, "Table-driven implementation of the exponential function in IEEE
// floating-point arithmetic", 1989 [Tang].

#include "backstitch/math.h"

#include "det/math_exp.h"
#include "det/math_pairs.h"

#define SIZE 0x7FFFFFFFu
/// Slack for bksi_is_decided(): quick results have a relative error of at most 2^-40.
#define SLACK (1u << 13)

/// Return e^x where the quick result cannot be rounded with certainty.
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
    // For |x| up to 87 the result is a normal float, as bksi_is_decided() demands.
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
    // For a whole x, return 2^x exactly: a pair would only come close.
    if (!(whole < x || whole > x)) {
        return (float)bksi_power_of_2((int32_t)x);
    }
    return bksi_exp_to_float(
        bksi_pair_scale((bksi_pair){0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}, x)); // ln 2
}

float bks_exp2f(float x)
{
    // For |x| up to 126 the result is a normal float, as bksi_is_decided() demands.
    if ((bksi_float_bits(x) & SIZE) <= 0x42FC0000u) {
        const double y = bksi_quick_exp2(x * 128.0);
        if (bksi_is_decided(y, SLACK)) {
            return (float)y;
        }
    }
    return slow_exp2(x);
}

// Source: P. T. P. Tang, "Table-driven implementation of the logarithm function in IEEE
// floating-point arithmetic", 1990 [Tang].

/// LOG_SLACK: slack for bksi_is_decided(), because quick logarithms have a relative error of at
/// most 2^-37, and a smaller error would need another term. NORMAL: bits of the least normal float.
#define LOG_SLACK (1u << 16)
#define NORMAL    0x00800000u

static float slow_log(float x, bool is_binary)
{
    const uint32_t bits = bksi_float_bits(x);
    if ((bits & ~BKSI_FLOAT_SIGN) == 0) {
        return -bksi_float_of(BKSI_FLOAT_INFINITY);
    }
    if (bits > BKSI_FLOAT_INFINITY) { // NaN or negative: the sign is the highest bit
        return bksi_float_of(BKSI_FLOAT_NAN);
    }
    if (bits == BKSI_FLOAT_INFINITY) {
        return x;
    }
    bksi_pair log = bksi_pair_log(x);
    if (is_binary) {
        log = bksi_pair_multiply(
            log, (bksi_pair){0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56}); // 1 / ln 2
    }
    return bksi_pair_to_float(log);
}

/// Return base + log(1 + r) * unit. The relative error of log(1 + r) is 2^-37.6 for r up to 2^-7,
/// 2^-42 for r up to 2^-8.
static inline double add_log(double base, double r, double unit)
{
    const double z = r * r;
    const double rest = (-unit / 2.0 + r * (unit / 3.0)) + z * (-unit / 4.0 + r * (unit / 5.0));
    return (base + r * unit) + z * rest;
}

float bks_logf(float x)
{
    const uint32_t bits = bksi_float_bits(x);
    if (bits - NORMAL < BKSI_FLOAT_INFINITY - NORMAL) {
        const bksi_log_parts parts = bksi_log_begin(bits, bksi_log_brief);
        const double base = parts.exponent * 0x1.62e42fefa39efp-24 + parts.log; // ln 2
        const double y = add_log(base, parts.r, 1.0);
        if (bksi_is_decided(y, LOG_SLACK)) {
            return (float)y;
        }
    }
    return slow_log(x, false);
}

float bks_log2f(float x)
{
    const uint32_t bits = bksi_float_bits(x);
    if (bits - NORMAL < BKSI_FLOAT_INFINITY - NORMAL) {
        const bksi_log_parts parts = bksi_log_begin(bits, bksi_log2_brief);
        const double base = (double)(parts.exponent >> 23) + parts.log;
        const double y = add_log(base, parts.r, 0x1.71547652b82fep+0); // 1 / ln 2
        if (bksi_is_decided(y, LOG_SLACK)) {
            return (float)y;
        }
    }
    return slow_log(x, true);
}

double bks_exp(double x)
{
    const uint64_t size = bksi_double_bits(x) & ~BKSI_DOUBLE_SIGN;
    if (size > BKSI_DOUBLE_INFINITY) {
        return bksi_double_of(BKSI_DOUBLE_NAN);
    }
    return bksi_exp_double(x, 0.0);
}

static double special_log(double x)
{
    const uint64_t bits = bksi_double_bits(x);
    if ((bits & ~BKSI_DOUBLE_SIGN) == 0) {
        return -bksi_double_of(BKSI_DOUBLE_INFINITY);
    }
    return bits == BKSI_DOUBLE_INFINITY ? x : bksi_double_of(BKSI_DOUBLE_NAN);
}

double bks_log(double x)
{
    if (bksi_double_bits(x) - 1 >= BKSI_DOUBLE_INFINITY - 1) {
        return special_log(x);
    }
    const bksi_log_whole parts = bksi_log_take_apart(x);
    const double r = parts.r;
    const double z = r * r;
    const double far = (1.0 / 5.0 + r * (-1.0 / 6.0)) + z * (1.0 / 7.0 + r * (-1.0 / 8.0));
    const double rest = z * (-1.0 / 2.0 + (r * (1.0 / 3.0 + r * (-1.0 / 4.0)) + z * (r * far)));
    const double high = parts.high + r;
    const double low = (parts.high - high) + r;
    return high + (rest + ((low + parts.low) + parts.rest));
}
