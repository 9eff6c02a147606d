// SPDX-License-Identifier: MIT

/// @file figures.h
/// Which figures there are of a match and of a link, in the order in which all show them: the
/// overlay, `bks inspect` in the terminal, as JSON and in a browser. It is that of a request for
/// one, too (docs/spec/inspect.md). One printer makes text of a figure, another one JSON.

#ifndef BKS_TOOL_FIGURES_H
#define BKS_TOOL_FIGURES_H

#include <stddef.h>

#include "backstitch/toolkit/inspector.h"
#include "base/json.h"

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

/// One of the match.
/// @param key  of a figure that there is
const figure_row *figure_row_named(const char *key);

/// A figure in its place.
bks_figure *figure_row_place(bks_figures *figures, uint32_t peer, uint32_t index);

/// The same, to be read.
const bks_figure *figure_row_figure(const bks_figures *figures, uint32_t peer, uint32_t index);

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
void figure_write(const figure_row *row, const bks_figure *figure, uint32_t window_ms,
                  figure_text *out);

/// Write a figure as an object of the JSON object that is open.
/// @param is_old  it is of an earlier look
void figure_json(json *j, const figure_row *row, const bks_figure *figure, uint32_t window_ms,
                 bool is_old);

#endif
