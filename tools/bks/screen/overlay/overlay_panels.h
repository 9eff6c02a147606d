// SPDX-License-Identifier: MIT

/// @file overlay_panels.h
/// Panels for developers over the picture: lines of text, the figures of the match and of each
/// connection as ranges and small graphs, and the memory of the state as a tree.

#ifndef BKS_TOOL_OVERLAY_PANELS_H
#define BKS_TOOL_OVERLAY_PANELS_H

#include "backstitch/plugin.h"
#include "backstitch/present.h"
#include "backstitch/session.h"
#include "screen/overlay/figures.h"
#include "screen/overlay/tuner.h"

/// A figure as a row.
typedef struct overlay_row {
    const bks_figure_row *row;
    const bks_figure *figure;
} overlay_row;

/// Contents of the panels.
typedef struct overlay_panels {
    const char *const *lines; ///< texts, the first one the headline
    uint32_t line_count;
    const tuner *tuner;         ///< settings that keys change, NULL: none
    const bks_figures *figures; ///< NULL: there are none
    const bks_roster *roster;   ///< which peers have left, NULL: not known
    const char *rows_title;     ///< headline of `rows`
    const overlay_row *rows;    ///< other figures
    uint32_t row_count;
    const void *state;  ///< NULL: nothing is said of its memory
    size_t state_bytes; ///< 0: likewise
    size_t root_bytes;  ///< bks_game.root_bytes
} overlay_panels;

/// Return true if a peer has left: its figures are out of date.
/// @param roster  NULL: not known
bool overlay_has_left(const bks_roster *roster, uint32_t peer);

/// Draw them in columns, from the left on. Above them the names and scores of a game stay free.
/// What has no room on a small canvas becomes smaller, then takes that too, then becomes shorter,
/// and is left out at last. What the words mean is said where there is room left.
/// @param height  of the canvas that they may use
void overlay_panels_draw(const overlay_panels *panels, const bks_canvas *canvas, float height);

#endif
