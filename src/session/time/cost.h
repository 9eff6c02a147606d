// SPDX-License-Identifier: MIT

/// @file cost.h
/// Smoothed cost of a kind of operation. Only cost.c changes session_cost.

#ifndef BKSI_COST_H
#define BKSI_COST_H

#include <stdint.h>

/// Cost of a kind of operation.
typedef struct session_cost {
    double mean_ns; ///< smoothed cost; 0: not known
    double last_ns;
    double last_but_one_ns;
    uint64_t at_ns;  ///< time of the update in which the cost was last measured
    uint64_t gap_ns; ///< time between the two newest updates in which the cost was measured
} session_cost;

/// Update the smoothed cost with a measured one.
/// @param now_ns  time of the update
void bksi_cost_note(session_cost *known, double cost_ns, uint64_t now_ns);

#endif
