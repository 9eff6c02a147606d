// SPDX-License-Identifier: MIT

/// @file play.h
/// Plays one match in real time on this machine: what `bks play` and `bks demo` do.

#ifndef BKS_TOOL_PLAY_H
#define BKS_TOOL_PLAY_H

#include "base/args.h"
#include "game/loader.h"
#include "game/report.h"
#include "play/play_net.h"
#include "screen/player/play_view.h"

enum { PLAY_FAULTS_MAX = 8 };

/// Set-up of a match. Start from {0}.
typedef struct play_config {
    loaded_game game;
    play_net_config net;
    const bks_option_values *options; ///< host
    uint32_t players;                 ///< host: seats of the match
    uint32_t local_players;           ///< seats here
    const args_list *inputs;          ///< `--input`
    const char *input_fallback;       ///< SOURCE of seats not named there
    uint64_t seed;  ///< seed of the match, the monkeys and the link; 0: drawn at random
    bks_tick ticks; ///< host, 0: no end
    uint32_t delay_ticks;
    uint32_t window_ticks;
    bks_save_policy save;
    bks_on_desync on_desync;
    uint32_t budget_us;
    uint32_t sync_test_ticks; ///< 0: no sync test
    uint32_t notify_after_ms; ///< both 0: the defaults
    uint32_t drop_after_ms;
    const char *inspect;     ///< "[ADDR:]PORT" for bks inspect, NULL: no one can look
    uint32_t figures_log_ms; ///< a line of figures goes to stderr this often, 0: never
    bool may_end_early;      ///< the user may end it without a failure
    bool is_recorded;
    bks_replay_detail record_detail; ///< details that the recording holds
    const char *record_path;         ///< NULL: named by the game and the time
    play_view_config view;           ///< its plugin, has_devices and heard are filled in
    const char *wav_path;            ///< WAV file of the sound, NULL: none
    const play_view_shot *shots;
    uint32_t shot_count;

    /// Called once the match is open, before it gathers.
    /// @param invitation  "" when no one can be invited
    /// @return TOOL_OK, or the exit status to end with
    int (*opened)(void *context, const char *invitation);
    void *context; ///< handed to opened
} play_config;

/// How it went.
typedef struct play_result {
    bks_status status; ///< BKS_OVER at its end, BKS_OK when the user ended it before
    bool has_started;
    bool is_complete;    ///< all ticks asked for were played and their hashes compared
    report_match report; ///< its pointers point in here
    report_peer peer;    ///< this machine
    bks_lab_count faults[PLAY_FAULTS_MAX];
    bks_repair repairs[BKS_REPAIRS_MAX];
    char reason[192];
    char record_path[1024]; ///< "" when there is no recording
    bks_roster roster;
    char scores[BKS_PLAYERS_MAX][64]; ///< by player; "" where the game has none
} play_result;

/// Play. Errors go to stderr.
/// @return TOOL_OK, TOOL_NO (not finished, or states differ), TOOL_MISUSE, TOOL_DAMAGED; the result
///         is filled in when has_started
int play_run(const play_config *config, play_result *out);

#endif
