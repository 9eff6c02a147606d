// SPDX-License-Identifier: MIT

#include "backstitch/math.h"

#include "det/math_pairs.h"

/// Float nearest to pi, a little above it.
#define PI_FLOAT 0x1.921fb6p+1

/// Return a result as a float, with the one NaN that all machines use. The NaN is chosen by its
/// bits, because a compiler may replace one NaN by another.
static float rounded(double x)
{
    const uint32_t bits = bksi_float_bits((float)x);
    const bool is_nan = (bits & ~BKSI_FLOAT_SIGN) > BKSI_FLOAT_INFINITY;
    return bksi_float_of(is_nan ? BKSI_FLOAT_NAN : bits);
}

float bks_vector_length(bks_vector v)
{
    return bks_hypotf(v.x, v.y);
}

bks_vector bks_vector_normalise(bks_vector v)
{
    const double x = v.x;
    const double y = v.y;
    const double length = bks_sqrt(x * x + y * y);
    if (!(length > 0.0) && length >= 0.0) {
        return v;
    }
    if (!(length < bksi_double_of(BKSI_DOUBLE_INFINITY))) {
        return (bks_vector){bksi_float_of(BKSI_FLOAT_NAN), bksi_float_of(BKSI_FLOAT_NAN)};
    }
    return (bks_vector){rounded(x / length), rounded(y / length)};
}

bks_vector bks_vector_rotate(bks_vector v, float radians)
{
    const double sine = bks_sin(radians);
    const double cosine = bks_cos(radians);
    return (bks_vector){rounded(v.x * cosine - v.y * sine), rounded(v.x * sine + v.y * cosine)};
}

bks_vector bks_vector_polar(float radians, float length)
{
    return (bks_vector){rounded(bks_cos(radians) * length), rounded(bks_sin(radians) * length)};
}

float bks_vector_angle(bks_vector v)
{
    return bks_atan2f(v.y, v.x);
}

static float wrap(double radians)
{
    const double size = bksi_double_of(bksi_double_bits(radians) & ~BKSI_DOUBLE_SIGN);
    if (!(size < bksi_double_of(BKSI_DOUBLE_INFINITY))) {
        return bksi_float_of(BKSI_FLOAT_NAN);
    }
    if (size <= PI_FLOAT) {
        return (float)radians;
    }
    uint32_t quarters;
    const bksi_pair rest = bksi_reduce_wide(size, &quarters);
    int32_t signed_quarters = (int32_t)quarters;
    if (signed_quarters == 3 || (signed_quarters == 2 && rest.high > 0.0)) {
        signed_quarters -= 4;
    }
    const bksi_pair turn = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54}; // pi/2
    const bksi_pair angle = bksi_pair_add(rest, bksi_pair_scale(turn, signed_quarters));
    return (float)(radians < 0.0 ? -angle.high : angle.high);
}

float bks_angle_wrap(float radians)
{
    return wrap(radians);
}

float bks_angle_between(float from, float to)
{
    return wrap((double)to - from);
}

float bks_angle_turn(float from, float to, float most_radians)
{
    const float way = bks_angle_between(from, to);
    if (way > most_radians) {
        return wrap((double)from + most_radians);
    }
    if (way < -most_radians) {
        return wrap((double)from - most_radians);
    }
    return way != way || most_radians != most_radians ? bksi_float_of(BKSI_FLOAT_NAN) : wrap(to);
}
