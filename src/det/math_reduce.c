// SPDX-License-Identifier: MIT

// Source: M. Payne, R. Hanek, "Radian reduction for trigonometric functions", 1983 [Payne]: of the
// product with 2/pi only those bits are worked out that count: neither whole turns nor what lies
// below the precision that is wanted.

#include "det/math_reduce.h"

#define FACTORS 8  // words of 2/pi
#define WORDS   10 // of the product

/// The product of a mantissa and some words of 2/pi, the highest first.
static void multiply(uint64_t mantissa, const uint32_t *factors, uint32_t product[WORDS])
{
    const uint64_t low = mantissa & UINT32_MAX;
    const uint64_t high = mantissa >> 32;
    uint64_t carry = 0;      // of the lower half's row
    uint64_t carry_high = 0; // of the upper half's row
    uint32_t before = 0;     // the factor one word further down
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

/// 64 bits of a row of words, from bit `from` on, counted from the highest.
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
    const int32_t exponent = (int32_t)(bits >> 52) - 1075; // x is a mantissa times 2^exponent
    const uint64_t mantissa = (bits & 0xFFFFFFFFFFFFFu) | 1ull << 52;
    const int32_t first = exponent > 2 ? (exponent - 2) / 32 : 0;
    uint32_t product[WORDS + 3] = {0};
    multiply(mantissa, &bksi_two_over_pi[first], product);

    // The point stands behind bit 32 * WORDS - fraction_bits; two bits before it count quarters.
    const int32_t fraction_bits = 32 * (first + FACTORS) - exponent;
    uint32_t from = (uint32_t)(32 * WORDS - fraction_bits);
    *quarters = (uint32_t)(bits_at(product, from - 2) >> 62);
    const bool is_over_half = bits_at(product, from) >> 63 != 0;
    if (is_over_half) {
        *quarters = (*quarters + 1) & 3;
        for (int i = 0; i < WORDS; i++) {
            product[i] = ~product[i]; // one unit less than the negative: far below what is kept
        }
    }
    // At most some 60 zeros: no double is closer to a multiple of pi/2.
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
