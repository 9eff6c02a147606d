// SPDX-License-Identifier: MIT

#include "session/time/cost.h"

/// SMOOTHING: minimum weight of a new cost in the smoothed cost. COST_OLD_NS: time since the
/// previous measurement from which on a new cost replaces the smoothed one; otherwise the cost of
/// an operation that is measured rarely would stay out of date for long. The new cost is the median
/// of the newest three, because work that the machine does once in a while is not a cost of the
/// game.
#define SMOOTHING   (1.0 / 4.0)
#define COST_OLD_NS UINT64_C(1000000000)

static double median(double a, double b, double c)
{
    double least = a < b ? a : b;
    double most = a < b ? b : a;
    return c < least ? least : c > most ? most : c;
}

/// Get the weight of a new cost. All costs of one update have the same weight.
static double share_of_new(session_cost *known, uint64_t now_ns)
{
    if (now_ns != known->at_ns) {
        known->gap_ns = now_ns - known->at_ns;
        known->at_ns = now_ns;
    }
    const double share = (double)known->gap_ns / (double)COST_OLD_NS;
    return share < SMOOTHING ? SMOOTHING : share < 1.0 ? share : 1.0;
}

void bksi_cost_note(session_cost *known, double cost_ns, uint64_t now_ns)
{
    const double usual_ns = median(known->last_ns, known->last_but_one_ns, cost_ns);
    known->last_but_one_ns = known->last_ns;
    known->last_ns = cost_ns;
    known->mean_ns += (usual_ns - known->mean_ns) * share_of_new(known, now_ns);
}
