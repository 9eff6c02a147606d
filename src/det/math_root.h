// SPDX-License-Identifier: MIT

// The square root as the processor has it.

#ifndef BKSI_DET_MATH_ROOT_H
#define BKSI_DET_MATH_ROOT_H

#if defined(__SSE2__)
#include <emmintrin.h>
#else
#include <math.h>
#endif

/// IEEE 754 asks for the nearest, and what is not x86 gives it. There a C library that leaves it to
/// the x87, as mingw's does without an optimiser, rounds twice.
/// @param x  not negative, no NaN
static inline double bksi_root(double x)
{
#if defined(__SSE2__)
    const __m128d packed = _mm_set_sd(x);
    return _mm_cvtsd_f64(_mm_sqrt_sd(packed, packed));
#else
    return sqrt(x);
#endif
}

#endif
