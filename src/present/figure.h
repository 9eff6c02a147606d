// SPDX-License-Identifier: MIT

/// @file figure.h
/// A number over time: measured values are summed into a point of a tenth of a second, which is
/// appended to the history once it is complete.

#ifndef BKSI_FIGURE_H
#define BKSI_FIGURE_H

#include "backstitch/present.h"

/// Sums of the point that is being measured. Start from {0}.
typedef struct bksi_figure_sum {
    float least;
    float most;
    double sum; ///< sum of value * weight over the values measured so far
    double weight;
} bksi_figure_sum;

/// Add a measured value to the point that is being measured.
/// @param weight  weight of the value, above 0
void bksi_figure_add(bks_figure *figure, bksi_figure_sum *sum, double value, double weight);

/// Complete the point that is being measured, and the points after it that passed without an
/// update.
/// @param points         number of points to complete, at least 1
/// @param window_points  number of newest points over which least, mean and most are taken
void bksi_figure_close(bks_figure *figure, bksi_figure_sum *sum, uint64_t points,
                       uint32_t window_points);

/// Find a figure as bks_figure_of() does, but return a pointer through which it can be changed.
bks_figure *bksi_figure_place(bks_figures *figures, uint32_t peer, uint32_t index);

/// Size of the longest line of bks_figures_line(). Numbers have at most 6 digits before the point.
#define BKSI_FIGURES_LINE_BYTES 256

#endif
