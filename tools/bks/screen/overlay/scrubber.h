// SPDX-License-Identifier: MIT

/// @file scrubber.h
/// A bar along the lower edge of the picture that shows a recording: the present tick, confirmed
/// and lost ticks, events, and keyframes.

#ifndef BKS_TOOL_SCRUBBER_H
#define BKS_TOOL_SCRUBBER_H

#include "backstitch/plugin.h"
#include "backstitch/toolkit/recording.h"

/// Contents of a scrubber.
typedef struct scrubber {
    const bks_replay *replay; ///< recording, for its events, lost ticks and predictions
    bks_tick first;           ///< tick at the left end of the bar
    bks_tick end;             ///< tick at the right end of the bar, above `first`
    bks_tick here;            ///< tick that is shown now
    bks_tick first_different; ///< first tick whose state differs, BKS_TICK_NONE: none
    const char *status;       ///< text over the bar, at the left
    const char *remark;       ///< text over the bar, at the right; NULL: none
    const char *keys;         ///< text under the bar
} scrubber;

/// Return the height of the scrubber above the lower edge of a canvas.
float scrubber_height(const bks_canvas *canvas);

/// Draw a scrubber. On a coarse canvas only the bar is drawn, because text is not readable.
void scrubber_draw(const scrubber *line, const bks_canvas *canvas);

/// Find the tick at a position on the canvas.
/// @param width, height  size of the canvas when the scrubber was drawn
/// @param is_grabbed     true: the mouse holds the bar, so the position may lie beside it
/// @return the tick, BKS_TICK_NONE if the position is not on the bar
bks_tick scrubber_at(const scrubber *line, float width, float height, float x, float y,
                     bool is_grabbed);

#endif
