// SPDX-License-Identifier: MIT

/// @file sweep_case.h
/// One match of `bks sweep`. It is drawn from a seed, written as arguments of `bks lab`, run and
/// judged. If it fails, it is shrunk. The match that runs is always the one that its arguments
/// describe.

#ifndef BKS_TOOL_SWEEP_CASE_H
#define BKS_TOOL_SWEEP_CASE_H

#include "backstitch/toolkit/links.h"
#include "backstitch/toolkit/oracle.h"
#include "base/args.h"
#include "game/game_variant.h"

enum {
    SWEEP_FAULTS_MAX = 24,
    SWEEP_FLIPS_MAX = 3,
    SWEEP_BULKS_MAX = 3,
    SWEEP_WATCHERS_MAX = 5,
    SWEEP_TEXT_BYTES = 12288
};

/// Seconds of processor time after which a match counts as hung. This is several times what the
/// longest match takes on an idle machine, because a busy machine needs more processor time for the
/// same work.
enum { SWEEP_MATCH_S_MAX = 600 };

/// Settings that all matches of a sweep share.
typedef struct sweep_settings {
    const bks_game *game;
    const bks_state_map *map;  ///< map of the game's state; NULL: none
    const char *game_name;     ///< name of the game as typed
    bks_option_values options; ///< options of the game
    args_list given_options;   ///< options of the game as typed
    args_list inputs;          ///< sources of the inputs as typed
    int64_t ticks;             ///< length of each match in ticks; 0: drawn from the seed
    const char *plant;         ///< name of the mutant to plant; NULL: none
    bool is_irreparable;       ///< true: the game's states, with these options, cannot be repaired
    bool has_policy; ///< true: all matches have the policy `on_desync`, and most have flips
    bks_on_desync on_desync;
    bool is_watched; ///< true: watchers come to every match
} sweep_settings;

/// A bit that flips in a peer's state.
typedef struct sweep_flip {
    uint32_t peer;
    bks_tick tick; ///< tick of the flip, counted from the match's first tick
    /// True: the bit flips once, as by a memory error. False: it flips each time that the peer
    /// makes the state of `tick`.
    bool is_once;
} sweep_flip;

/// One match of a sweep. Plain data.
typedef struct sweep_case {
    uint64_t seed;
    uint32_t peers;
    uint32_t players_on[BKS_PEERS_MAX];
    bks_tick ticks;         ///< length of the match
    bks_tick first_tick;    ///< tick that the match begins with
    uint32_t rate_hz;       ///< tick rate; 0: that of the game
    uint32_t variant;       ///< variant of the game, see game_variant.h
    uint32_t drop_after_ms; ///< silence after which a peer is dropped, in ms; usually 5000
    uint32_t window_ticks[BKS_PEERS_MAX]; ///< prediction window of each peer; 0: lockstep
    uint32_t delay_ticks[BKS_PEERS_MAX];  ///< input delay of each peer, or BKS_AUTO
    uint32_t frames_hz[BKS_PEERS_MAX];    ///< frame rate of each peer's loop; 0: no frames
    bks_save_policy save;
    bks_pace pace;
    bks_on_desync on_desync;
    /// Specs of links by sender and receiver.
    bks_lab_link_spec links[BKS_PEERS_MAX][BKS_PEERS_MAX];
    uint32_t fault_count;
    bks_lab_timed faults[SWEEP_FAULTS_MAX];
    uint32_t bulk_count;
    bks_lab_bulk_spec bulk[SWEEP_BULKS_MAX]; ///< streams of bytes beside the match
    uint32_t places;                         ///< most watchers at each peer
    uint32_t watcher_count;
    bks_lab_watch_spec watchers[SWEEP_WATCHERS_MAX];
    uint32_t flip_count;
    sweep_flip flips[SWEEP_FLIPS_MAX]; ///< flips of bits in states, at most one for each peer
    bool is_twice;                     ///< true: run the match twice, and compare both runs
} sweep_case;

/// Usual number of places for watchers at each peer.
enum { SWEEP_PLACES = 8 };

/// Return the tick rate of a match.
static inline uint32_t sweep_case_rate_hz(const sweep_settings *settings, const sweep_case *c)
{
    return c->rate_hz != 0 ? c->rate_hz : settings->game->tick_rate_hz;
}

/// Return true if no peer predicts.
bool sweep_case_is_lockstep(const sweep_case *c);

/// Return true if the match has a stream of bytes from the peer `from` to the peer `to`.
static inline bool sweep_case_has_bulk(const sweep_case *c, uint32_t from, uint32_t to)
{
    bool has = false;
    for (uint32_t i = 0; i < c->bulk_count; i++) {
        has |= c->bulk[i].from == from && c->bulk[i].to == to;
    }
    return has;
}

/// Return true if states of the game, with its options, can be repaired.
bool sweep_case_may_repair(const sweep_settings *settings);

/// Draw the match of a seed.
void sweep_case_draw(const sweep_settings *settings, uint64_t seed, sweep_case *out);

/// Write the command line of `bks lab` that reproduces a match.
void sweep_case_line(const sweep_settings *settings, const sweep_case *drawn, char *out,
                     size_t capacity);

/// Run and judge a match in this process.
/// @return TOOL_OK, or an exit status, with an error on stderr
int sweep_case_run(const sweep_settings *settings, const sweep_case *drawn,
                   bks_oracle_verdict *out);

/// Run and judge a match in a process of its own, so that it may crash or hang.
/// @param limit_s  seconds of processor time after which the process is ended
/// @return TOOL_OK, or an exit status, with an error on stderr
int sweep_case_try(const sweep_settings *settings, const sweep_case *drawn, uint32_t limit_s,
                   bks_oracle_verdict *out);

/// Shrink a match that fails, as long as it still fails in the same way.
/// @param verdict    verdict on `failed`; receives the verdict on the smaller match
/// @param budget_ns  longest time to spend
void sweep_case_shrink(const sweep_settings *settings, sweep_case *failed,
                       bks_oracle_verdict *verdict, uint64_t budget_ns);

#endif
