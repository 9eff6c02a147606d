// SPDX-License-Identifier: MIT

// The quick arc tangent for floats, which atan and atan2 share.

#ifndef BKSI_DET_MATH_ATAN_H
#define BKSI_DET_MATH_ATAN_H

#include <stdbool.h>
#include <stdint.h>

#include "det/math_tables.h"

#define BKSI_PI      0x1.921fb54442d18p+1
#define BKSI_HALF_PI 0x1.921fb54442d18p+0

/// The angle of (x, y), 0 to pi/2.
/// The relative error is 2^-43.
/// @param y, x  of floats, not negative, not both 0, at most one of them infinite
static inline double bksi_quick_atan2(double y, double x)
{
    const bool is_steep = y > x;
    const double least = is_steep ? x : y;
    const double most = is_steep ? y : x;
    const int32_t i = (int32_t)((float)least / (float)most * 64.0f + 0.5f);
    const double tangent = i * (1.0 / 64.0);
    const double t = (least - most * tangent) / (most + least * tangent);
    const double z = t * t;
    const double rest = t * (z * (-1.0 / 3.0 + z * (1.0 / 5.0 - z * (1.0 / 7.0))));
    const double angle = bksi_atan_table[i].high + (t + rest);
    return is_steep ? BKSI_HALF_PI - angle : angle;
}

#endif
