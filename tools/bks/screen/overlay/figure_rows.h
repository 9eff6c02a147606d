// SPDX-License-Identifier: MIT

/// @file figure_rows.h
/// Which figures there are of a match and of a link, in the order in which all show them: the
/// overlay, `bks inspect` in the terminal, as JSON and in a browser. It is that of a request for
/// one, too (docs/spec/inspect.md).

#ifndef BKS_TOOL_FIGURE_ROWS_H
#define BKS_TOOL_FIGURE_ROWS_H

#include <stddef.h>

#include "backstitch/toolkit/inspector.h"

/// How a figure is shown.
typedef struct figure_row {
    const char *name;
    const char *key; ///< in JSON
    const char *unit;
    float scale;    ///< from the figure to that unit
    float least;    ///< a graph reaches from 0 up to this at the least, in the figure's own unit
    bool is_urgent; ///< where there is room for a few, it is one of them
    size_t at;      ///< where it lies in bks_figures, or in bks_link_figures
} figure_row;

/// How many there are.
/// @param peer  BKS_PEERS_MAX: of the match; else of the link to it
uint32_t figure_row_count(uint32_t peer);

/// One of them.
/// @param index  below figure_row_count(), as in a request
const figure_row *figure_row_of(uint32_t peer, uint32_t index);

/// A figure in its place.
bks_figure *figure_row_place(bks_figures *figures, uint32_t peer, uint32_t index);

/// The same, to be read.
const bks_figure *figure_row_figure(const bks_figures *figures, uint32_t peer, uint32_t index);

#endif
