// SPDX-License-Identifier: MIT

/// @file sweep_case.h
/// One match of `bks sweep`: drawn from a seed, written as the arguments of `bks lab`, run and
/// judged, and made smaller while it still fails. What is run is always what the text says.

#ifndef BKS_TOOL_SWEEP_CASE_H
#define BKS_TOOL_SWEEP_CASE_H

#include "backstitch/toolkit/links.h"
#include "backstitch/toolkit/oracle.h"
#include "base/args.h"
#include "game/game_variant.h"

enum { SWEEP_FAULTS_MAX = 24, SWEEP_FLIPS_MAX = 3, SWEEP_BULKS_MAX = 3, SWEEP_TEXT_BYTES = 12288 };

/// What is the same for all matches of a sweep.
typedef struct sweep_frame {
    const bks_game *game;
    const bks_state_map *map;  ///< of its state; NULL: there is none
    const char *game_name;     ///< as typed
    bks_option_values options; ///< of the game
    args_list given_options;   ///< as typed
    args_list inputs;          ///< as typed
    int64_t ticks;             ///< 0: drawn
    const char *plant;         ///< a mutant by its name, NULL: none
    bool is_irreparable;       ///< the game is none for BKS_ON_DESYNC_RESYNC
    bool has_policy;           ///< every match has this one, and bits that flip
    bks_on_desync on_desync;
} sweep_frame;

/// A bit of a peer's state that changes.
typedef struct sweep_flip {
    uint32_t peer;
    bks_tick tick; ///< after the first one
    bool is_once;  ///< as a fault of the memory, not whenever the tick is entered
} sweep_flip;

/// One match. Plain data.
typedef struct sweep_case {
    uint64_t seed;
    uint32_t peers;
    uint32_t players_on[BKS_PEERS_MAX];
    bks_tick ticks;                       ///< length of the match
    bks_tick first_tick;                  ///< it begins with this one
    uint32_t rate_hz;                     ///< 0: the game's
    uint32_t variant;                     ///< what the game does by itself, as in game_variant.h
    uint32_t drop_after_ms;               ///< 5000 is the default
    uint32_t window_ticks[BKS_PEERS_MAX]; ///< by peer; 0: lockstep
    uint32_t delay_ticks[BKS_PEERS_MAX];  ///< or BKS_AUTO
    uint32_t frames_hz[BKS_PEERS_MAX];    ///< of each peer's loop, or 0
    bks_save_policy save;
    bks_pace pace;
    bks_on_desync on_desync;
    bks_lab_link_spec links[BKS_PEERS_MAX][BKS_PEERS_MAX]; ///< from, to
    uint32_t fault_count;
    bks_lab_timed faults[SWEEP_FAULTS_MAX];
    uint32_t bulk_count;
    bks_lab_bulk_spec bulk[SWEEP_BULKS_MAX]; ///< streams beside the match
    uint32_t flip_count;
    sweep_flip flips[SWEEP_FLIPS_MAX]; ///< each of another peer
    bool is_twice;                     ///< also check that it is the same match again
} sweep_case;

/// Ticks a second.
static inline uint32_t sweep_case_rate_hz(const sweep_frame *frame, const sweep_case *c)
{
    return c->rate_hz != 0 ? c->rate_hz : frame->game->tick_rate_hz;
}

/// Whether no peer predicts.
bool sweep_case_is_lockstep(const sweep_case *c);

/// Whether a stream goes from one peer to another.
static inline bool sweep_case_has_bulk(const sweep_case *c, uint32_t from, uint32_t to)
{
    bool has = false;
    for (uint32_t i = 0; i < c->bulk_count; i++) {
        has |= c->bulk[i].from == from && c->bulk[i].to == to;
    }
    return has;
}

/// Whether the states of a game, with its options, can be repaired.
bool sweep_case_may_repair(const sweep_frame *frame);

/// Draw the match of a seed.
void sweep_case_draw(const sweep_frame *frame, uint64_t seed, sweep_case *out);

/// The one line that shows it again.
void sweep_case_line(const sweep_frame *frame, const sweep_case *drawn, char *out, size_t capacity);

/// Run it and judge it, in this process.
/// @return TOOL_OK, or an exit status, with an error on stderr
int sweep_case_run(const sweep_frame *frame, const sweep_case *drawn, bks_oracle_verdict *out);

/// The same in a process of its own, so that it may crash or hang.
/// @return TOOL_OK, or an exit status, with an error on stderr
int sweep_case_try(const sweep_frame *frame, const sweep_case *drawn, bks_oracle_verdict *out);

/// Make a match that fails smaller, as long as it fails in the same way.
/// @param verdict    of `failed`; receives that of the smaller one
/// @param budget_ns  time that it may take
void sweep_case_shrink(const sweep_frame *frame, sweep_case *failed, bks_oracle_verdict *verdict,
                       uint64_t budget_ns);

#endif
