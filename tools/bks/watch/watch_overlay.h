// SPDX-License-Identifier: MIT

/// @file watch_overlay.h
/// What a developer looks at while a recording is played: what it says of the match up to the
/// place, the ten seconds before it as graphs, and the state's memory.

#ifndef BKS_TOOL_WATCH_OVERLAY_H
#define BKS_TOOL_WATCH_OVERLAY_H

#include "backstitch/plugin.h"
#include "screen/overlay/picture_meter.h"
#include "watch/watch_player.h"

/// What is shown.
typedef struct watch_picture {
    const bks_plugin *plugin;
    bks_frame frame;
    const int32_t *inputs;      ///< of the tick before, for games that draw nothing
    const watch_player *player; ///< what is played
    bks_tick live_from;         ///< the game is played on from there; BKS_TICK_NONE: it is not
    bks_tick live_tick;         ///< where it stands then
    bool is_held;               ///< it waits there until somebody begins
    bool has_overlay;           ///< from the start on; F1 shows or hides it
    picture_rate pictures;      ///< how they come, zero: not measured
    double pictures_hz;         ///< how many there should be a second
} watch_picture;

/// Draw it over the picture.
void watch_overlay_draw(const watch_picture *picture, const bks_canvas *canvas);

#endif
