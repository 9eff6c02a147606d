// SPDX-License-Identifier: MIT

/// @file watch.h
/// Watches a recording, for `bks play --watch`.

#ifndef BKS_TOOL_WATCH_H
#define BKS_TOOL_WATCH_H

#include <stdio.h>

#include "screen/player/play_view.h"
#include "watch/watch_take.h"

/// Set-up of watching. Start from {0}.
typedef struct watch_config {
    loaded_game game; ///< game that the given name selects
    /// Name of the game as typed. Of several builds, the one that made the recording is used.
    const char *game_name;
    const char *where; ///< file, or http:// or https:// address of a file, or a match's address
    const char *invitation;    ///< invitation to the match to watch, NULL: `where` says all
    const char *feed_path;     ///< with `invitation`: file for what comes of the match, NULL: none
    const char *serve_address; ///< with `invitation`: where others may watch, NULL: nowhere
    /// First tick that is shown. BKS_TICK_NONE: the recording's first tick, or its newest if it is
    /// still being written.
    bks_tick from;
    bks_tick until; ///< tick before which watching ends, 0: the end of the recording
    play_view_kind view;
    window *window;          ///< window, as in play_view_config
    user_settings *settings; ///< settings of the window, as in play_view_config
    uint32_t pictures_hz;    ///< pictures a second, as in play_view_config
    bool has_overlay;        ///< true: statistics are shown from the start on
    bool lines_to_stderr;
    const char *wav_path; ///< WAV file of the sound, NULL: none
    const play_view_shot *shots;
    uint32_t shot_count;
    /// Tick from which on the user plays. BKS_TICK_NONE: when the user asks to.
    bks_tick take_over;
    /// Set-up of playing on after a take-over; watch_run() fills in game, replay, tick and ticks.
    watch_take_config take;
} watch_config;

/// Result of watching.
typedef struct watch_result {
    bool is_shown;            ///< true: at least one tick was played
    bks_tick tick;            ///< last tick shown
    bks_tick from;            ///< first tick shown
    bks_tick end;             ///< one past the last tick of the recording
    bks_tick compared;        ///< number of ticks whose hashes were compared
    bks_tick first_different; ///< first tick whose state differs, BKS_TICK_NONE: none
    bks_tick lost;            ///< number of ticks skipped because they are damaged
    bks_tick confirmed;       ///< number of confirmed ticks of the recording
    bool is_finished;         ///< true: everything that was asked for was played
    bool is_complete;         ///< true: the recording is complete
    bool has_hash;            ///< true: `hash` is filled in
    uint64_t hash;            ///< hash of the last state that was shown
    uint64_t seed;            ///< seed of the match
    bks_tick depth_max;       ///< largest depth of the playout buffer, as in watch_player
    uint32_t misses;          ///< number of times that a due tick was not recorded yet
    uint64_t received_bytes;  ///< number of bytes received from a server, 0 for a file
    double played_s;          ///< time played, by the game's clock
    double wall_s;            ///< time played, by the wall clock
    /// Tick from which on the user played, BKS_TICK_NONE: the user did not play.
    bks_tick taken_over;
    /// Path of the recording of the ticks that the user plays after a take-over; "": none.
    char record_path[1024];
    char why[192]; ///< description of the recording's damage, empty if there is none
} watch_result;

/// Watch a recording. Errors go to stderr.
/// @return TOOL_OK, TOOL_NO (a state differs, or the recording lacks something that was asked for),
///         TOOL_MISUSE, TOOL_DAMAGED
int watch_run(const watch_config *config, watch_result *out);

/// Write the result as one JSON object.
/// @return true if the whole object was written
bool watch_report_json(const watch_config *config, const watch_result *result, FILE *out);

/// Write the result as a few lines of text.
void watch_report_text(const watch_config *config, const watch_result *result, FILE *out);

#endif
