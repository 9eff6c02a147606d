// SPDX-License-Identifier: MIT

/// @file demo.h
/// A match of four over a bad connection, each peer a process of its own.

#ifndef BKS_TOOL_DEMO_H
#define BKS_TOOL_DEMO_H

#include "play/play_options.h"
#include "screen/window/settings.h"
#include "screen/window/window.h"

/// The connection.
#define DEMO_LINK_TEXT "100 ms round trip, 10 ms jitter, one packet of 50 lost"

/// Set-up of the demo. Texts must outlive the run.
typedef struct demo_config {
    const char *game;        ///< as typed; it has bots
    int64_t ticks;           ///< 0: half a minute, or without end in a window
    bool has_window;         ///< one of the four is played by hand in it
    window *window;          ///< a window that is open and stays open; NULL: a window of its own
    user_settings *settings; ///< as in play_view_config
    const char *record;      ///< where the recording goes, NULL: beside the program
    const char *wav;         ///< a file for what the first peer hears, NULL: none
} demo_config;

/// Show the match, and print its result. Errors go to stderr.
/// @param recorded  receives where it was recorded, "" where it was not
/// @return TOOL_OK, TOOL_NO, TOOL_MISUSE, TOOL_DAMAGED
int demo_run(const demo_config *config, char recorded[PLAY_RECORDED_BYTES]);

#endif
