// SPDX-License-Identifier: MIT

/// @file odd_floats.h
/// Floating-point environments that are not the known one, as a library may leave them.

#ifndef BKS_TEST_ODD_FLOATS_H
#define BKS_TEST_ODD_FLOATS_H

#include <fenv.h>
#include <stdint.h>

#include "backstitch/det.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#define ODD_FLUSHES UINT32_C(0x8040) // FTZ and DAZ
#endif

/// Have the calling thread round downwards, and on x86 take denormals for zero and the x87 keep 24
/// bits.
/// @return the faults that it has now
static inline uint32_t odd_floats_set(void)
{
    (void)fesetround(FE_DOWNWARD);
#if defined(__SSE2__)
    const uint16_t word = 0x047f; // 24 bits, downwards
    __asm__ volatile("fldcw %0" : : "m"(word));
    _mm_setcsr(_mm_getcsr() | ODD_FLUSHES);
    return BKS_FLOAT_ROUNDS | BKS_FLOAT_FLUSHES | BKS_FLOAT_PRECISION;
#else
    return BKS_FLOAT_ROUNDS;
#endif
}

static inline void odd_floats_clear(void)
{
    (void)fesetenv(FE_DFL_ENV);
}

#endif
