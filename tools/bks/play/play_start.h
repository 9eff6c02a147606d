// SPDX-License-Identifier: MIT

/// @file play_start.h
/// Plays or watches as the options say: the one way into a match for the command line and the start
/// menu.

#ifndef BKS_TOOL_PLAY_START_H
#define BKS_TOOL_PLAY_START_H

#include "game/loader.h"
#include "play/play_options.h"
#include "screen/player/play_view.h"

enum { PLAY_RECORDED_BYTES = 1024 }; ///< room for the path of a recording

/// How it would be seen.
play_view_kind play_start_view(const play_options *o);

/// Play or watch, and print what came of it. Errors go to stderr.
/// @param settings  of the window; NULL: the usual ones
/// @param shown  the window, which stays open; NULL: one of its own where there is a display
/// @param recorded  receives where it was recorded, "" where it was not
/// @return TOOL_OK, TOOL_NO, TOOL_MISUSE, TOOL_DAMAGED
int play_start(const play_options *o, const loaded_game *game, user_settings *settings,
               window *shown, char recorded[PLAY_RECORDED_BYTES]);

#endif
