// SPDX-License-Identifier: MIT

/// @file figure_number.h
/// How the number of a figure is written, for those who look at it.

#ifndef BKS_TOOL_FIGURE_NUMBER_H
#define BKS_TOOL_FIGURE_NUMBER_H

/// Three digits or so; what is longer than six has an exponent.
/// @param digits_max  most behind the point
void figure_number(char out[32], float value, int digits_max);

#endif
