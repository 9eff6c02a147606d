// SPDX-License-Identifier: MIT

/// @file view_pictures.h
/// How a plug-in is drawn between ticks, and what lasts from one of its pictures to the next.

#ifndef BKS_TOOL_VIEW_PICTURES_H
#define BKS_TOOL_VIEW_PICTURES_H

#include "backstitch/plugin.h"
#include "backstitch/present.h"

/// What of a plug-in's pictures lasts. Start from {0}.
typedef struct view_pictures {
    bks_smooth *smooths; ///< smooth_count of the plug-in
} view_pictures;

/// How pictures between its ticks are made: extrapolated, where the game can be; else interpolated,
/// where it draws that; else there are none.
bks_pictures view_pictures_kind(const bks_plugin *plugin);

/// Whether its pictures can be interpolated, as those of a recording are, where no one waits for
/// them.
bool view_pictures_interpolate(const bks_plugin *plugin);

/// @return false: there is no memory
/// Release with view_pictures_close().
bool view_pictures_open(view_pictures *pictures, const bks_plugin *plugin);

/// Release it. An empty one is allowed.
void view_pictures_close(view_pictures *pictures);

/// The picture of a frame.
/// @param now_ns  when it is seen
bks_picture view_pictures_of(view_pictures *pictures, const bks_frame *frame, uint64_t now_ns);

#endif
