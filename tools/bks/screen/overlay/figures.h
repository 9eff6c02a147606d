// SPDX-License-Identifier: MIT

/// @file figures.h
/// Figures of a match and of its links, as text and as JSON, for the overlay and `bks inspect`.
/// Their names and order are those of bks_figure_row_of().

#ifndef BKS_TOOL_FIGURES_H
#define BKS_TOOL_FIGURES_H

#include "backstitch/toolkit/inspector.h"
#include "base/json.h"

/// One of the match.
/// @param key  of a figure that there is
const bks_figure_row *figure_row_named(const char *key);

/// A figure in its place.
bks_figure *figure_row_place(bks_figures *figures, uint32_t peer, uint32_t index);

/// What the name of a figure means, for those who look at it.
typedef struct figure_word {
    const char *name;
    const char *meaning; ///< at most 36 characters, so that it has room in a panel
} figure_word;

/// All of them; behind the last one a name that is NULL.
extern const figure_word figure_words[];

/// The number of a figure: three digits or so; what is longer than six has an exponent.
/// @param digits_max  most behind the point
void figure_number(char out[32], float value, int digits_max);

/// A figure as text, in its unit.
typedef struct figure_text {
    char mean[32];  ///< "-": nothing was measured
    char range[80]; ///< least and most, "": there is none
} figure_text;

/// Write a figure as text.
/// @param window_ms  of the mean: without anything measured in it there is none
void figure_write(const bks_figure_row *row, const bks_figure *figure, uint32_t window_ms,
                  figure_text *out);

/// Write a figure as an object of the JSON object that is open.
/// @param is_old  it is of an earlier look
void figure_json(json *j, const bks_figure_row *row, const bks_figure *figure, uint32_t window_ms,
                 bool is_old);

#endif
