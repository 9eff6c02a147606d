// SPDX-License-Identifier: MIT

/// @file figures.h
/// Figures of a match and of its links, as text and as JSON, for the overlay and `bks inspect`.
/// Their names and order are those of bks_figure_row_of().

#ifndef BKS_TOOL_FIGURES_H
#define BKS_TOOL_FIGURES_H

#include "backstitch/toolkit/inspector.h"
#include "base/json.h"

/// Return the row of a figure of the match.
/// @param key  key of an existing figure
const bks_figure_row *figure_row_named(const char *key);

/// Return the place of a figure, for writing.
bks_figure *figure_row_place(bks_figures *figures, uint32_t peer, uint32_t index);

/// Explanation of a word.
typedef struct figure_term {
    const char *name;
    const char *meaning; ///< at most 36 characters, which fit in a panel
} figure_term;

/// All explanations; after the last one comes a name that is NULL.
extern const figure_term figure_terms[];

/// Write a number with about three digits; with an exponent if it has more than six before the
/// point.
/// @param digits_max  most digits behind the point
void figure_number(char out[32], float value, int digits_max);

/// Figure as text, in its unit.
typedef struct figure_text {
    char mean[32];  ///< mean; "-": nothing was measured
    char range[80]; ///< least and most; "": both are equal
} figure_text;

/// Write a figure as text.
/// @param window_ms  window of the mean; "-" is written if nothing was measured in it
void figure_write(const bks_figure_row *row, const bks_figure *figure, uint32_t window_ms,
                  figure_text *out);

/// Write a figure as an object of the JSON object that is open.
/// @param is_old  the figure is of an earlier look
void figure_json(json *j, const bks_figure_row *row, const bks_figure *figure, uint32_t window_ms,
                 bool is_old);

#endif
