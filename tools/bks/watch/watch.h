// SPDX-License-Identifier: MIT

/// @file watch.h
/// Watches a recording: what `bks play --watch` does.

#ifndef BKS_TOOL_WATCH_H
#define BKS_TOOL_WATCH_H

#include <stdio.h>

#include "screen/player/play_view.h"
#include "watch/watch_take.h"

/// Set-up of watching. Start from {0}.
typedef struct watch_config {
    loaded_game game;      ///< that the name means
    const char *game_name; ///< as typed: of several builds the one that recorded is taken
    const char *where;     ///< file, or http:// or https:// address of one
    bks_tick from;       ///< first tick shown; BKS_TICK_NONE: the first, or where a recording that
                         ///< is being written stands
    bks_tick until;      ///< ends before this tick, 0: at the end
    uint64_t playout_ns; ///< how much later than it came a growing recording is played
    play_view_kind view;
    window *window;          ///< as in play_view_config
    user_settings *settings; ///< the same
    uint32_t pictures_hz;    ///< as in play_view_config
    bool has_overlay;        ///< statistics from the start on
    bool lines_to_stderr;
    const char *wav_path; ///< WAV file of the sound, NULL: none
    const play_view_shot *shots;
    uint32_t shot_count;
    bks_tick take_over;     ///< play on from there at once; BKS_TICK_NONE: when the user wants to
    watch_take_config take; ///< how; game, replay, tick and ticks are filled in
} watch_config;

/// How it went.
typedef struct watch_result {
    bool is_shown;            ///< something was played
    bks_tick tick;            ///< where it ended
    bks_tick from;            ///< where it began
    bks_tick end;             ///< one past the last tick of the recording
    bks_tick compared;        ///< hashes
    bks_tick first_different; ///< BKS_TICK_NONE: none
    bks_tick lost;            ///< ticks passed over
    bks_tick confirmed;       ///< of the recording
    bool is_finished;         ///< all that there was, or was asked for, was played
    bool is_complete;         ///< the recording is
    bool has_hash;            ///< `hash` is filled in
    uint64_t hash;            ///< hash of the last state
    uint64_t seed;            ///< seed of the match
    bks_tick behind;          ///< as in watch_player
    uint32_t waits;           ///< times that all was played before more came
    uint64_t received_bytes;  ///< from a server, 0 for a file
    double played_s;          ///< on the game's clock
    double wall_s;            ///< on the wall
    bks_tick taken_over;      ///< BKS_TICK_NONE: no one took over
    char record_path[1024];   ///< recording of the part that was played on, "" for none
    char why[192];            ///< damage of the recording, "" for none
} watch_result;

/// Watch. Errors go to stderr.
/// @return TOOL_OK, TOOL_NO (a state differs, or something asked for is missing), TOOL_MISUSE,
///         TOOL_DAMAGED
int watch_run(const watch_config *config, watch_result *out);

/// Write one JSON object.
/// @return whether all of it was written
bool watch_report_json(const watch_config *config, const watch_result *result, FILE *out);

/// Write a few lines for people.
void watch_report_text(const watch_config *config, const watch_result *result, FILE *out);

#endif
