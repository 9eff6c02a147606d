// SPDX-License-Identifier: MIT

/// @file play_options.h
/// Options of `bks play`.

#ifndef BKS_TOOL_PLAY_OPTIONS_H
#define BKS_TOOL_PLAY_OPTIONS_H

#include "base/args.h"
#include "game/loader.h"
#include "game/match_options.h"
#include "screen/player/play_view.h"

enum { PLAY_NOT_GIVEN = -1, PLAY_DELAY_AUTO = -1 };

/// Options of `bks play`, from the command line or the start menu.
typedef struct play_options {
    args_list positionals; ///< name of the game; with `watch` optional: the recording has it
    int64_t local;
    const char *host;
    const char *join;
    int64_t players;
    args_list inputs;
    args_list game_options;
    int64_t ticks;
    int64_t seed;
    int64_t delay;
    int64_t window;
    uint32_t save;
    uint32_t on_desync; ///< value of --on-desync; ON_DESYNC_NOT_GIVEN: not given
    int64_t budget;
    int64_t sync_test;
    const char *link;
    const char *link_out;
    silence_limits silence;
    bool is_headless;
    bool has_overlay;
    int64_t figures_s;
    const char *inspect;
    args_list screenshots;
    int64_t pictures; ///< pictures to draw a second, 0: not given
    const char *wav;
    const char *record;
    bool is_unrecorded;
    int64_t keyframes; ///< value of --keyframes, as record_detail_keyframes() takes it
    const char *kept;  ///< value of --keep: details to record besides the inputs, NULL: none
    const char *watch;
    int64_t watchers; ///< most watchers at a time, PLAY_NOT_GIVEN: the usual number
    int64_t watch_delay;
    const char *take_over; ///< recording to take over, NULL: none
    int64_t from;          ///< tick of `watch` or `take_over`
    bool is_json;
} play_options;

/// Read the command line and check that its options go together. Errors go to stderr.
/// @param out  receives options that live as long as the program
/// @return ARGS_GO, or the exit status to end with
int play_options_read(int argc, char **argv, const play_options **out);

/// Check that options about a network are given only together with a network. If the options lead
/// to the start menu, they pass, because the user may choose a match over a network there. Errors
/// go to stderr.
/// @return TOOL_OK or TOOL_MISUSE
int play_options_check_network(const play_options *o);

/// Return true if the options name no match, so that the start menu may ask.
bool play_options_name_no_match(const play_options *o);

// ---- play_start.c: the one way into a match for the command line and the start menu ----

enum { PLAY_RECORDED_BYTES = 1024 }; ///< Size of a buffer for the path of a recording, in bytes.

/// Return the kind of view that the options select.
play_view_kind play_start_view(const play_options *o);

/// Play or watch, and print the result. Errors go to stderr.
/// @param settings  settings of the window; NULL: the usual ones
/// @param shown  open window to use and leave open; NULL: open one if there is a display
/// @param recorded  receives the path of the recording, "" if there is none
/// @return TOOL_OK, TOOL_NO, TOOL_MISUSE, TOOL_DAMAGED
int play_start(const play_options *o, const loaded_game *game, user_settings *settings,
               window *shown, char recorded[PLAY_RECORDED_BYTES]);

#endif
