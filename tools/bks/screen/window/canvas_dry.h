// SPDX-License-Identifier: MIT

/// @file canvas_dry.h
/// A canvas without a picture: a game does all its drawing work; the calls are checked, measured
/// and dropped.

#ifndef BKS_TOOL_CANVAS_DRY_H
#define BKS_TOOL_CANVAS_DRY_H

#include "backstitch/plugin.h"

/// What was drawn. Start from {0}.
typedef struct canvas_dry {
    uint64_t calls;     ///< shapes and texts asked for
    uint64_t refused;   ///< of them, those a canvas cannot draw: not finite, too few points
    uint64_t arguments; ///< digest of every argument, so that no call can be left out
} canvas_dry;

/// It as a canvas of a size, valid as long as `dry` is.
bks_canvas canvas_dry_canvas(canvas_dry *dry, float width, float height);

#endif
