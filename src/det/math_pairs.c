// SPDX-License-Identifier: MIT

#include "det/math_pairs.h"

float bksi_pair_to_float(bksi_pair a)
{
    a = bksi_quick_sum(a.high, a.low);
    uint64_t bits = bksi_double_bits(a.high);
    const bool is_beyond = a.low > 0.0 || a.low < 0.0;
    if (is_beyond &&
        (bits & 1) == 0) { // round to odd, so that the rounding to a float takes `low` into account
        bits += (a.low > 0.0) == (a.high > 0.0) ? 1u : UINT64_MAX;
    }
    return (float)bksi_double_of(bits);
}

bksi_pair bksi_pair_sqrt(bksi_pair a)
{
    if (!(a.high > 0.0)) {
        return bksi_pair_of(0.0);
    }
    const double first = bksi_root(a.high);
    const bksi_pair rest = bksi_pair_add(a, bksi_pair_negated(bksi_product(first, first)));
    const bksi_pair root = bksi_quick_sum(first, rest.high / (2.0 * first));
    // Correct the root once more, by the error of its square.
    const bksi_pair rest2 = bksi_pair_add(a, bksi_pair_negated(bksi_pair_multiply(root, root)));
    return bksi_quick_sum(root.high, root.low + rest2.high / (2.0 * first));
}

/// Return terms[first] - terms[first + 2] * z + terms[first + 4] * z^2 - … up to terms[last].
static bksi_pair alternating(const bksi_pair *terms, uint32_t first, uint32_t last, bksi_pair z)
{
    bksi_pair sum = terms[last];
    for (uint32_t i = last; i > first; i -= 2) {
        sum = bksi_pair_add(terms[i - 2], bksi_pair_negated(bksi_pair_multiply(sum, z)));
    }
    return sum;
}

bksi_pair bksi_pair_sine(bksi_pair r, bool is_cosine)
{
    const bksi_pair z = bksi_pair_multiply(r, r);
    if (is_cosine) {
        return alternating(bksi_inverse_factorials, 0, 26, z);
    }
    return bksi_pair_multiply(r, alternating(bksi_inverse_factorials, 1, 27, z));
}

bksi_pair bksi_pair_exp(bksi_pair x, int32_t *exponent)
{
    const double shifted = x.high * 0x1.71547652b82fep+7 + BKSI_SHIFTER; // 128 / ln 2
    const int32_t step = (int32_t)(uint32_t)bksi_double_bits(shifted);
    const double steps = shifted - BKSI_SHIFTER;
    // Subtract steps * ln 2 / 128 in parts, because the products with the first two parts are
    // exact.
    bksi_pair r = bksi_pair_add(x, bksi_pair_of(-(steps * 0x1.62e42fef80000p-8)));
    r = bksi_pair_add(r, bksi_pair_of(-(steps * 0x1.1cf79abc80000p-43)));
    r = bksi_pair_add(r, bksi_pair_negated(bksi_product(steps, 0x1.e3b39803f2f6bp-79)));
    bksi_pair sum = bksi_inverse_factorials[11];
    for (int i = 10; i >= 0; i--) {
        sum = bksi_pair_add(bksi_inverse_factorials[i], bksi_pair_multiply(sum, r));
    }
    const uint32_t i = (uint32_t)step & 127;
    *exponent = (step - (int32_t)i) / 128;
    return bksi_pair_multiply(sum, (bksi_pair){bksi_exp2_table[i], bksi_exp2_rest[i]});
}

bksi_pair bksi_pair_log(double x)
{
    const uint64_t bits = bksi_double_bits(x);
    const uint64_t above = bits - BKSI_LOG_BEGIN;
    const int32_t exponent = (int32_t)((bits >> 52) - (BKSI_LOG_BEGIN >> 52)) -
                             ((bits & 0xFFFFFFFFFFFFFu) < (BKSI_LOG_BEGIN & 0xFFFFFFFFFFFFFu));
    const bksi_log_step *step = &bksi_log_table[(above >> 45) & 127];
    const double mantissa = bksi_double_of(bits - ((uint64_t)(uint32_t)exponent << 52));
    const bksi_pair scaled = bksi_product(mantissa, step->inverse);
    const bksi_pair r = bksi_sum(scaled.high - 1.0, scaled.low);

    bksi_pair sum = bksi_inverses[18];
    for (int i = 17; i > 0; i--) {
        sum = bksi_pair_add(bksi_inverses[i], bksi_pair_negated(bksi_pair_multiply(sum, r)));
    }
    sum = bksi_pair_multiply(sum, r);
    sum = bksi_pair_add(sum, (bksi_pair){step->mid, step->low});
    sum = bksi_pair_add(sum, bksi_product(exponent, 0x1.ef35793c76730p-45)); // ln 2 below 2^-42
    sum = bksi_pair_add(sum, bksi_pair_of(exponent * 0x1.f97b57a079a19p-103));
    return bksi_pair_add(bksi_pair_of(exponent * 0x1.62e42fefa3800p-1 + step->high), sum);
}

bksi_pair bksi_pair_atan2(bksi_pair y, bksi_pair x)
{
    const bool is_steep = y.high > x.high;
    const bksi_pair least = is_steep ? x : y;
    const bksi_pair most = is_steep ? y : x;
    const int32_t i = (int32_t)(least.high / most.high * 64.0 + 0.5);
    const double tangent = i / 64.0;
    const bksi_pair part = bksi_pair_add(least, bksi_pair_negated(bksi_pair_scale(most, tangent)));
    const bksi_pair t =
        bksi_pair_divide(part, bksi_pair_add(most, bksi_pair_scale(least, tangent)));
    const bksi_pair rest =
        bksi_pair_multiply(t, alternating(bksi_inverses, 1, 17, bksi_pair_multiply(t, t)));
    const bksi_pair angle = bksi_pair_add(bksi_atan_table[i], rest);
    if (!is_steep) {
        return angle;
    }
    return bksi_pair_add((bksi_pair){0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54},
                         bksi_pair_negated(angle));
}
