// SPDX-License-Identifier: MIT

#include "backstitch/math.h"

#include "det/math_bits.h"

#define SIZE 0x7FFFFFFFFFFFFFFFu
/// From 2^52 on every double is an integer.
#define WHOLE 0x4330000000000000u

static inline bool is_whole(double x)
{
    return (bksi_double_bits(x) & SIZE) >= WHOLE;
}

/// What is an integer already, an infinity or a NaN.
static double as_it_is(double x)
{
    return (bksi_double_bits(x) & SIZE) > BKSI_DOUBLE_INFINITY ? bksi_double_of(BKSI_DOUBLE_NAN)
                                                               : x;
}

/// The nearest integer without a sign, halves to the even one.
static inline double nearest(double x)
{
    const double size = bksi_double_of(bksi_double_bits(x) & SIZE);
    return (size + 0x1p52) - 0x1p52;
}

/// 1 where it is so, without a branch.
static inline double one_if(bool is_so)
{
    return bksi_double_of(bksi_double_bits(1.0) & (0 - (uint64_t)is_so));
}

double bks_floor(double x)
{
    if (is_whole(x)) {
        return as_it_is(x);
    }
    const double whole = bksi_double_with_sign_of(nearest(x), x);
    return bksi_double_with_sign_of(whole - one_if(whole > x), x);
}

double bks_ceil(double x)
{
    if (is_whole(x)) {
        return as_it_is(x);
    }
    const double whole = bksi_double_with_sign_of(nearest(x), x);
    return bksi_double_with_sign_of(whole + one_if(whole < x), x);
}

double bks_trunc(double x)
{
    if (is_whole(x)) {
        return as_it_is(x);
    }
    const double whole = nearest(x);
    const double size = bksi_double_of(bksi_double_bits(x) & SIZE);
    return bksi_double_with_sign_of(whole - one_if(whole > size), x);
}

double bks_round(double x)
{
    if (is_whole(x)) {
        return as_it_is(x);
    }
    const double whole = nearest(x);
    const double size = bksi_double_of(bksi_double_bits(x) & SIZE);
    // The nearest even one is too small where a half was rounded down.
    return bksi_double_with_sign_of(whole + one_if(size - whole >= 0.5), x);
}

double bks_rint(double x)
{
    return is_whole(x) ? as_it_is(x) : bksi_double_with_sign_of(nearest(x), x);
}
