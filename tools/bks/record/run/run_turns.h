// SPDX-License-Identifier: MIT

/// @file run_turns.h
/// How many times as long one build steps as another that takes turns with it: the median over
/// stretches of a few dozen ticks, which both step one right after the other. What holds one up for
/// a moment spoils a stretch and not the median.

#ifndef BKS_TOOL_RUN_TURNS_H
#define BKS_TOOL_RUN_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Ratios of stretches, in two halves, every other run in each: what both agree on is no chance.
/// Begin with zeros, end with run_turns_free().
typedef struct run_turns {
    double *ratios[2];    ///< now / before, in no order
    size_t counts[2];     ///< of ratios
    size_t capacities[2]; ///< of ratios
} run_turns;

/// Medians of ratios; 0: no stretch was stepped.
typedef struct run_turns_medians {
    double all;
    double half[2];
} run_turns_medians;

/// Take in a stretch; one that took no time on either side is left out.
/// @param half  0 or 1
/// @return false when there is no memory
bool run_turns_add(run_turns *t, uint32_t half, uint64_t before_ns, uint64_t now_ns);

/// The medians; sorts what was taken in.
run_turns_medians run_turns_median(run_turns *t);

void run_turns_free(run_turns *t);

#endif
