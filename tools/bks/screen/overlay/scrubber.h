// SPDX-License-Identifier: MIT

/// @file scrubber.h
/// A recording as a bar along the lower edge of the picture: how far it is played, what is
/// confirmed, what is lost, what happened when, and where the keyframes are.

#ifndef BKS_TOOL_SCRUBBER_H
#define BKS_TOOL_SCRUBBER_H

#include "backstitch/plugin.h"
#include "backstitch/toolkit/recording.h"

/// Contents of a scrubber.
typedef struct scrubber {
    const bks_replay *replay; ///< for its events, what is lost of it and what was guessed
    bks_tick first;           ///< at the left end
    bks_tick end;             ///< at the right end, above `first`
    bks_tick here;            ///< current tick
    bks_tick first_different; ///< BKS_TICK_NONE: none
    const char *status;       ///< text over the bar, at the left
    const char *remark;       ///< text over the bar, at the right; NULL: none
    const char *keys;         ///< text under the bar
} scrubber;

/// Return the scrubber's height, from the lower edge of a canvas.
float scrubber_height(const bks_canvas *canvas);

/// Draw a scrubber. A coarse canvas gets the bar alone, since its text cannot be read.
void scrubber_draw(const scrubber *line, const bks_canvas *canvas);

/// Find the tick at a place on the canvas.
/// @param width, height  of the canvas when it was drawn
/// @param is_grabbed     the mouse holds the bar, so the place may lie beside it
/// @return the tick, BKS_TICK_NONE when the place is not on the bar
bks_tick scrubber_at(const scrubber *line, float width, float height, float x, float y,
                     bool is_grabbed);

#endif
