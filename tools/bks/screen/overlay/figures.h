// SPDX-License-Identifier: MIT

/// @file figures.h
/// Writes figures of a match and of its links as text and as JSON, for the overlay and `bks
/// inspect`. bks_figure_row_of() gives their names and order.

#ifndef BKS_TOOL_FIGURES_H
#define BKS_TOOL_FIGURES_H

#include "backstitch/toolkit/inspector.h"
#include "base/json.h"

/// Return the row of a figure of the match.
/// @param key  key of an existing figure
const bks_figure_row *figure_row_named(const char *key);

/// Return a writable pointer to a figure of a peer.
bks_figure *figure_row_place(bks_figures *figures, uint32_t peer, uint32_t index);

/// Explanation of a word that the panels use.
typedef struct figure_term {
    const char *name;
    const char *meaning; ///< meaning of the word in at most 36 characters, which fit in a panel
} figure_term;

/// All explanations, ended by one whose name is NULL.
extern const figure_term figure_terms[];

/// Write a number with about three digits. It has an exponent if it has more than six digits before
/// the point.
/// @param digits_max  most digits after the point
void figure_number(char out[32], float value, int digits_max);

/// A figure as text, in its unit.
typedef struct figure_text {
    char mean[32];  ///< mean of the figure; a dash if nothing was measured
    char range[80]; ///< least and greatest value; empty if both are equal
} figure_text;

/// Write a figure as text.
/// @param window_ms  window of the mean; "-" is written if nothing was measured in it
void figure_write(const bks_figure_row *row, const bks_figure *figure, uint32_t window_ms,
                  figure_text *out);

/// Add a figure to the JSON object that is open, as an object of its own.
/// @param is_old  the figure was measured by an earlier query
void figure_json(json *j, const bks_figure_row *row, const bks_figure *figure, uint32_t window_ms,
                 bool is_old);

#endif
