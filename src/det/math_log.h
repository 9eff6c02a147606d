// SPDX-License-Identifier: MIT

// Logarithms of floats, the quick way.

#ifndef BKSI_DET_MATH_LOG_H
#define BKSI_DET_MATH_LOG_H

#include "det/math_bits.h"
#include "det/math_tables.h"

/// Where the steps begin, 0.6875, in a float.
#define BKSI_LOG_BEGIN_FLOAT 0x3F300000u

/// x = 2^exponent * c * (1 + r).
typedef struct bksi_log_parts {
    int32_t exponent; ///< times 2^23
    double log;       ///< of c
    double r;         ///< -2^-8 to 2^-8, up to 2^-7 where c is 1; exact
} bksi_log_parts;

/// @param bits  of a float that is positive and normal
static inline bksi_log_parts bksi_log_begin(uint32_t bits, const bksi_log_brief_step *table)
{
    const uint32_t above = bits - BKSI_LOG_BEGIN_FLOAT;
    const uint32_t exponent = above & 0xFF800000u;
    const bksi_log_brief_step *step = &table[(above >> 16) & (BKSI_LOG_STEPS - 1)];
    const double mantissa = bksi_float_of(bits - exponent);
    return (bksi_log_parts){(int32_t)exponent, step->log, mantissa * step->inverse - 1.0};
}

#endif
