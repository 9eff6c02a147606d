// SPDX-License-Identifier: MIT

/// @file demo.h
/// A match of four peers over a bad connection, each peer a process of its own.

#ifndef BKS_TOOL_DEMO_H
#define BKS_TOOL_DEMO_H

#include "play/play_options.h"
#include "screen/window/settings.h"
#include "screen/window/window.h"

/// Description of the emulated connection between the peers.
#define DEMO_LINK_TEXT "100 ms round trip, 10 ms jitter, one packet of 50 lost"

/// Set-up of the demo. Texts must outlive the run.
typedef struct demo_config {
    const char *game; ///< name of the game as typed; the game must have bots
    int64_t ticks;    ///< length of the demo; 0: half a minute, or with a window no end
    bool has_window;  ///< true: the user plays one of the four peers in a window
    /// Window that is already open, to use and leave open; NULL: open one for the demo.
    window *window;
    user_settings *settings; ///< settings of the window, as play_view_config takes them
    const char *record;      ///< path of the recording, NULL: beside the program
    const char *wav;         ///< WAV file of what the first peer hears, NULL: none
} demo_config;

/// Show the match, and print its result. Errors go to stderr.
/// @param recorded  receives the path of the recording, "" if there is none
/// @return TOOL_OK, TOOL_NO, TOOL_MISUSE, TOOL_DAMAGED
int demo_run(const demo_config *config, char recorded[PLAY_RECORDED_BYTES]);

#endif
