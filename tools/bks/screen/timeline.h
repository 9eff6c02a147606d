// SPDX-License-Identifier: MIT

/// @file timeline.h
/// A recording as a bar along the lower edge of the picture: how far it is played, what is
/// confirmed, what is lost, what happened when, and where the keyframes are.

#ifndef BKS_TOOL_TIMELINE_H
#define BKS_TOOL_TIMELINE_H

#include "backstitch/plugin.h"
#include "backstitch/replay.h"

/// What a timeline shows.
typedef struct timeline {
    const bks_replay *replay; ///< for its events, what is lost of it and what was guessed
    bks_tick first;           ///< at the left end
    bks_tick end;             ///< at the right end, above `first`
    bks_tick here;            ///< the place
    bks_tick first_different; ///< BKS_TICK_NONE: none
    const char *status;       ///< text over the bar, at the left
    const char *remark;       ///< text over the bar, at the right; NULL: none
    const char *keys;         ///< text under the bar
} timeline;

/// Height that it takes of a canvas, from the lower edge.
float timeline_height(const bks_canvas *canvas);

/// Draw it. On a coarse canvas the bar alone: text would not be read.
void timeline_draw(const timeline *line, const bks_canvas *canvas);

/// Which tick a place on the canvas stands for.
/// @param width, height  of the canvas when it was drawn
/// @param is_grabbed     it was on the bar before, so it need not be on it now
/// @return the tick, BKS_TICK_NONE when the place is not on the bar
bks_tick timeline_at(const timeline *line, float width, float height, float x, float y,
                     bool is_grabbed);

#endif
