// SPDX-License-Identifier: MIT

// Source: P. T. P. Tang, "Table-driven implementation of the logarithm function in IEEE
// floating-point arithmetic", 1990 [Tang].

#include "backstitch/math.h"

#include "det/math_log.h"
#include "det/math_pairs.h"

/// The quick results are right to 2^-37; better ones would need another term.
#define SLACK  (1u << 16)
#define NORMAL 0x00800000u

static float slow_log(float x, bool is_binary)
{
    const uint32_t bits = bksi_float_bits(x);
    if ((bits & ~BKSI_FLOAT_SIGN) == 0) {
        return -bksi_float_of(BKSI_FLOAT_INFINITY);
    }
    if (bits > BKSI_FLOAT_INFINITY) { // negative numbers are above all others, too
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

/// base + log(1 + r) times `unit`: the latter's relative error is 2^-37.6 for r up to 2^-7, 2^-42
/// for those up to 2^-8.
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
        if (bksi_is_decided(y, SLACK)) {
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
        if (bksi_is_decided(y, SLACK)) {
            return (float)y;
        }
    }
    return slow_log(x, true);
}
