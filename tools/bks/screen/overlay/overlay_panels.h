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

/// A figure as a row of a panel.
typedef struct overlay_row {
    const bks_figure_row *row;
    const bks_figure *figure;
} overlay_row;

/// Contents of the panels.
typedef struct overlay_panels {
    const char *const *lines; ///< lines of text; the first is the headline
    uint32_t line_count;
    const tuner *tuner;         ///< settings that keys change; NULL: none
    const bks_figures *figures; ///< figures of the match; NULL: none
    const bks_roster *roster;   ///< roster, to mark peers that have left; NULL: not known
    const char *rows_title;     ///< headline of `rows`
    const overlay_row *rows;    ///< figures shown beside those of the match
    uint32_t row_count;
    const void *state;  ///< state whose memory is shown; NULL: none
    size_t state_bytes; ///< size of the state in bytes; 0: its memory is not shown
    size_t root_bytes;  ///< size of the state's root object: bks_game.root_bytes
} overlay_panels;

/// Return true if a peer has left, so that its figures are out of date.
/// @param roster  NULL: not known
bool overlay_has_left(const bks_roster *roster, uint32_t peer);

/// Draw the panels in columns, from the left. The top of the canvas stays free for a game's names
/// and scores. On a small canvas a panel gets smaller text, then uses the top as well, then gets
/// fewer rows, and is left out at last. Explanations of words are drawn if there is room.
/// @param height  height of the canvas that the panels may use
void overlay_panels_draw(const overlay_panels *panels, const bks_canvas *canvas, float height);

#endif
