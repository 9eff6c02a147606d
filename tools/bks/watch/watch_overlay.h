// SPDX-License-Identifier: MIT

/// @file watch_overlay.h
/// What a developer looks at while a recording is played: what it says of the match up to the
/// place, the ten seconds before it as graphs, and the state's memory.

#ifndef BKS_TOOL_WATCH_OVERLAY_H
#define BKS_TOOL_WATCH_OVERLAY_H

#include "watch/watch_picture.h"

/// Draw it over the picture.
void watch_overlay_draw(const watch_picture *picture, const bks_canvas *canvas);

#endif
