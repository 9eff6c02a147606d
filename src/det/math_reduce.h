// SPDX-License-Identifier: MIT

// An angle as quarters of a turn and a rest.

#ifndef BKSI_DET_MATH_REDUCE_H
#define BKSI_DET_MATH_REDUCE_H

#include "det/math_pairs.h"

/// x - quarters * pi/2, between -pi/4 and pi/4, with a relative error of 2^-100. Takes some 50 ns.
/// @param x  finite, at least 2^-2
/// @param quarters  receives 0 to 3
bksi_pair bksi_reduce_wide(double x, uint32_t *quarters);

#endif
