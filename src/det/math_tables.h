// SPDX-License-Identifier: MIT

// Constants of the mathematical functions, written by scripts/det-tables.

#ifndef BKSI_DET_MATH_TABLES_H
#define BKSI_DET_MATH_TABLES_H

#include <stdint.h>

/// A number in two parts, whose sum it is: `high` is the double nearest to it, `low` the rest.
typedef struct bksi_pair {
    double high;
    double low;
} bksi_pair;

/// Entry of the table of logarithms, for mantissas near c.
typedef struct bksi_log_step {
    double inverse; ///< 1/c, of 24 bits; exactly 1 in the two entries next to c = 1
    double high;    ///< log(c), a multiple of 2^-42
    double mid;
    double low;
} bksi_log_step;

/// Entry of the table of logarithms in doubles, for mantissas near c.
typedef struct bksi_log_brief_step {
    double inverse;
    double log;
} bksi_log_brief_step;

#define BKSI_LOG_STEPS 128
/// Least mantissa in the table of logarithms, 0.6875, as the bits of a double.
#define BKSI_LOG_BEGIN 0x3FE6000000000000u

extern const double bksi_exp2_table[128]; ///< 2^(i/128), by i
extern const double bksi_exp2_rest[128];  ///< rounding errors of bksi_exp2_table
extern const bksi_log_step bksi_log_table[BKSI_LOG_STEPS];
extern const bksi_log_brief_step bksi_log_brief[BKSI_LOG_STEPS];
extern const bksi_log_brief_step
    bksi_log2_brief[BKSI_LOG_STEPS];                ///< entries for logarithms to base 2
extern const bksi_pair bksi_atan_table[65];         ///< atan(i/64), by i
extern const bksi_pair bksi_inverse_factorials[28]; ///< 1/i!, by i
extern const bksi_pair bksi_inverses[20];           ///< 1/i, by i

// Coefficients of polynomials, the lowest power first. Those of sine, cosine and arc sine are
// polynomials in z = r * r. For sine and cosine z is at most a little above (pi/4)^2.
extern const double bksi_sine_brief[2][5]; ///< (sin(r)/r - 1) / z and (cos(r) - 1) / z, error 2^-40
extern const double bksi_sine_terms[7];    ///< (sin(r)/r - 1) / z
extern const double bksi_cosine_terms[7];  ///< (cos(r) - 1 + z/2) / z^2
extern const double bksi_asin_terms[10];   ///< (asin(r)/r - 1) / z for z up to 1/4, error 2^-46
extern const double bksi_cbrt_terms[4];    ///< cube root of 1 to 2, error 2^-12

extern const uint32_t bksi_two_over_pi[40]; ///< 1280 bits of 2/pi, the highest first

#endif
