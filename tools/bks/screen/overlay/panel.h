// SPDX-License-Identifier: MIT

/// @file panel.h
/// Panels of rows that flow over a canvas: down one column, then down the next. The caller lists
/// the rows of a panel twice, first to measure it, then to draw it:
///
///     panel_flow flow = panel_flow_begin(canvas, 0.0F, height, size, true);
///     panel p;
///     while (panel_next(&flow, &p)) {
///         panel_title(&p, "peer 1");
///         panel_line(&p, "hello");
///     }

#ifndef BKS_TOOL_PANEL_H
#define BKS_TOOL_PANEL_H

#include "backstitch/plugin.h"
#include "screen/overlay/figures.h"

/// Layout of panels on a canvas. Start with panel_flow_begin().
typedef struct panel_flow {
    const bks_canvas *canvas;
    float size;   ///< height of text in the canvas's units
    float height; ///< height that panels may use
    float top;    ///< top of each column
    float x, y;   ///< position of the next panel
    bool is_drawn;
    bool fits;     ///< true: there was room for all panels so far
    uint32_t turn; ///< pass over the panel: 0 not begun, 1 measuring, 2 drawing
} panel_flow;

/// A panel.
typedef struct panel {
    panel_flow *flow;
    uint32_t rows;  ///< number of rows added to the panel so far
    bool is_hidden; ///< true: nothing is drawn, because the panel is being measured or has no room
} panel;

/// Begin to place panels.
/// @param top       height that stays free above the panels
/// @param is_drawn  false: only find out whether all panels fit
panel_flow panel_flow_begin(const bks_canvas *canvas, float top, float height, float size,
                            bool is_drawn);

/// Begin the next pass over a panel: first measure it, then draw it.
/// @param p  the same panel in each pass
/// @return false if the panel is done
bool panel_next(panel_flow *flow, panel *p);

/// Add a headline to a panel.
void panel_title(panel *p, const char *text);

/// Add a line of text, cut if it is too long.
void panel_line(panel *p, const char *text);

/// Add a name and a text beside it.
/// @param is_lit  true: highlight the row
void panel_pair(panel *p, const char *name, const char *text, bool is_lit);

/// Add a figure: its name, its mean and range, and a graph.
/// @param window_ms  window of the mean; if nothing was measured in it, no mean is shown
void panel_figure(panel *p, const bks_figure_row *row, const bks_figure *figure,
                  uint32_t window_ms);

/// Number of texts beside the name in a row of panel_part().
enum { PANEL_PART_TEXTS = 3 };

/// Bar at the end of a row of panel_part().
typedef struct panel_bar {
    float share; ///< filled share of the bar, 0..1
    float mark;  ///< position of the mark in the bar, 0..1
} panel_bar;

/// Add a row for one part of a whole, such as a block of memory.
/// @param depth  depth of the indentation
/// @param texts  PANEL_PART_TEXTS texts beside the name
/// @param bar    NULL: no bar
void panel_part(panel *p, uint32_t depth, const char *name, const char *const *texts,
                const panel_bar *bar);

/// Add a headline above rows of panel_part().
/// @param heads  PANEL_PART_TEXTS headings of the columns; the first is not drawn
void panel_part_title(panel *p, const char *text, const char *const *heads);

#endif
