// SPDX-License-Identifier: MIT

/// @file watch_overlay.h
/// Panels for developers while a recording is played: the match up to the current tick, the ten
/// seconds before it as graphs, and the state's memory.

#ifndef BKS_TOOL_WATCH_OVERLAY_H
#define BKS_TOOL_WATCH_OVERLAY_H

#include "backstitch/plugin.h"
#include "screen/overlay/overlay.h"
#include "screen/overlay/picture_meter.h"
#include "watch/watch_player.h"

/// The moment of a recording that is drawn.
typedef struct watch_picture {
    const bks_plugin *plugin;
    bks_frame frame;
    const int32_t *inputs;      ///< inputs of the previous tick, for games without `draw`
    const watch_player *player; ///< player of the recording
    bks_tick live_from; ///< tick from which the user plays on; BKS_TICK_NONE: the recording plays
    bks_tick live_tick; ///< current tick of the game that the user plays
    bool is_held;       ///< true: the game waits until a player presses a control
    bool has_overlay;   ///< true: statistics are shown from the start on, in their short form
    picture_rate pictures; ///< rate of pictures, zero: not measured
    double pictures_hz;    ///< wanted pictures a second
} watch_picture;

/// Draw the panels over the picture.
void watch_overlay_draw(const watch_picture *picture, overlay_form form, const bks_canvas *canvas);

#endif
