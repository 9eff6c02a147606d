// SPDX-License-Identifier: MIT

/// @file play.h
/// Plays one match in real time on this machine, for `bks play` and `bks demo`.

#ifndef BKS_TOOL_PLAY_H
#define BKS_TOOL_PLAY_H

#include "base/args.h"
#include "game/loader.h"
#include "game/report.h"
#include "play/play_from.h"
#include "play/play_net.h"
#include "screen/player/play_view.h"

enum { PLAY_FAULTS_MAX = 8 };

/// Set-up of a match to play. Start from {0}.
typedef struct play_config {
    loaded_game game;
    play_net_config net;
    const bks_option_values *options; ///< host: options of the game
    const play_from *from;            ///< host: beginning of the match, NULL: as usual
    uint32_t players;                 ///< host: number of seats of the match
    uint32_t local_players;           ///< number of players who play at this machine
    const args_list *inputs;          ///< values of `--input`
    const char *input_fallback;       ///< SOURCE of seats that `inputs` does not name
    uint64_t seed;  ///< seed of the match, the monkeys and the link; 0: drawn at random
    bks_tick ticks; ///< host: tick before which the match ends, 0: no end
    uint32_t delay_ticks;
    uint32_t window_ticks;
    bks_save_policy save;
    bks_on_desync on_desync;
    uint32_t budget_us;
    uint32_t sync_test_ticks; ///< number of ticks of a sync test, 0: play a match instead
    uint32_t watchers;        ///< most watchers at a time, 0: nobody may watch
    uint32_t watch_delay_ms;  ///< time by which watchers see the match late
    /// Silence of a peer in ms before BKS_EVENT_SILENT. If this and drop_after_ms are 0, both have
    /// their defaults.
    uint32_t notify_after_ms;
    uint32_t drop_after_ms;
    /// Address "[ADDR:]PORT" on which `bks inspect` can connect. NULL: it cannot.
    const char *inspect;
    uint32_t figures_log_ms; ///< time between lines of figures on stderr, 0: no lines
    bool may_end_early;      ///< true: it is no failure if the user ends the match early
    bool is_recorded;
    bks_replay_detail record_detail; ///< details that the recording holds besides inputs and hashes
    /// Path of the recording. NULL: a path made of the game's name and the time.
    const char *record_path;
    /// Set-up of the view. play_run() fills in `plugin`, `has_devices` and `heard`.
    play_view_config view;
    const char *wav_path; ///< WAV file of the sound, NULL: none
    const play_view_shot *shots;
    uint32_t shot_count;

    /// Called when the match is open, before it gathers players.
    /// @param invitation  "" if no one can be invited
    /// @return TOOL_OK, or the exit status to end with
    int (*opened)(void *context, const char *invitation);
    void *context; ///< passed to `opened`
} play_config;

/// Result of a match that was played.
typedef struct play_result {
    bks_status status; ///< BKS_OVER at the end of the match, BKS_OK if the user ended it early
    bool has_started;
    bool is_complete;    ///< true: all ticks asked for were played and their hashes compared
    report_match report; ///< report of the match; its pointers point into this struct
    report_peer peer;    ///< figures of this machine's peer, part of the report
    bks_lab_count faults[PLAY_FAULTS_MAX];
    bks_repair repairs[BKS_REPAIRS_MAX];
    char reason[192];
    char record_path[1024]; ///< path of the recording, "" if there is none
    bks_roster roster;
    char scores[BKS_PLAYERS_MAX][64]; ///< score of each player; "" if the game has none
} play_result;

/// Play a match. Errors go to stderr.
/// @return TOOL_OK, TOOL_NO (not finished, or states differ), TOOL_MISUSE, TOOL_DAMAGED; the result
///         is filled in if has_started
int play_run(const play_config *config, play_result *out);

#endif
