// SPDX-License-Identifier: MIT

/// @file figure.h
/// One number over time: what is measured goes into a point of a tenth of a second; when that is
/// complete it goes behind the history.

#ifndef BKSI_FIGURE_H
#define BKSI_FIGURE_H

#include "backstitch/present.h"

/// The point that is being measured. Start from {0}.
typedef struct bksi_figure_sum {
    float least;
    float most;
    double sum; ///< of values by their weights
    double weight;
} bksi_figure_sum;

/// A value was measured.
/// @param weight  above 0
void bksi_figure_add(bks_figure *figure, bksi_figure_sum *sum, double value, double weight);

/// Points are complete: the one being measured, and such that passed without an update.
/// @param points         at least 1
/// @param window_points  over which the least, the mean and the most are
void bksi_figure_close(bks_figure *figure, bksi_figure_sum *sum, uint64_t points,
                       uint32_t window_points);

/// Return bks_figure_of(), to be written.
bks_figure *bksi_figure_place(bks_figures *figures, uint32_t peer, uint32_t index);

/// Room for any line of bks_figures_line(). Numbers are cut to 6 digits before the point.
#define BKSI_FIGURES_LINE_BYTES 256

#endif
