// SPDX-License-Identifier: MIT

/// @file budget.h
/// What operations cost, and what a machine that is too slow does about it. budget.c alone writes
/// this; others ask.

#ifndef BKSI_BUDGET_H
#define BKSI_BUDGET_H

#include "base/bytes.h"
#include "session/time/pace.h"

#define OP_KINDS (BKS_OP_CHECK + 1)

/// What a kind of operation costs.
typedef struct session_cost {
    double mean_ns; ///< smoothed; 0: not known
    double last_ns;
    double last_but_one_ns;
} session_cost;

/// What a machine asks for so that no update takes too long.
typedef struct session_ask {
    uint32_t now;
    uint32_t most;     ///< since then
    uint64_t since_ns; ///< when less was last given back
} session_ask;

/// What was reported to the player.
typedef enum session_measure {
    MEASURE_NONE,
    MEASURE_DELAY,
    MEASURE_STRETCH,
} session_measure;

/// What a peer needs.
typedef struct session_budget_peer {
    uint32_t stretch;
    uint64_t stretch_ns; ///< when it last said so
} session_budget_peer;

typedef struct session_budget {
    session_cost costs[OP_KINDS]; ///< by kind of operation
    double guess_ns;              ///< of the PREDICTs before the next STEP
    double late_ns;               ///< how late the last input of a tick comes, at worst
    uint64_t late_noted_ns;       ///< when that was last looked at
    session_ask asks_delay;       ///< the least input delay, in ticks; 0: any
    session_ask asks_stretch;     ///< how much longer ticks are, in 1 / BKSI_STRETCH_ONE
    session_measure measure;      ///< as it was reported to the player
    uint32_t stretch;             ///< ticks are longer by it, for the sake of the slowest
    uint32_t sent_stretch;        ///< the newest for the others
    uint32_t repeats_left;        ///< how often that there is none is still to be sent
    uint64_t repeat_ns;           ///< when it is sent again
    uint32_t owes_slow;           ///< bits: peers to which our stretch must be sent
    session_budget_peer peers[BKS_PEERS_MAX];
} session_budget;

/// Take in what an operation cost.
void bksi_budget_note(session_budget *budget, bks_op_kind kind, uint64_t cost_ns);
/// A new tick was stepped: take in how late inputs are.
/// @param front  up to here
void bksi_budget_note_late(session_budget *budget, const session_pace *pace,
                           const session_common *common, bks_tick front, double interval_ns);
/// Look whether updates take too long, and do something about it.
/// @return by how much ticks must be longer, for our sake or another's
uint32_t bksi_budget_update(session_budget *budget, const session_pace *pace,
                            session_events *events, const session_common *common);
/// The distance of snapshots with which the worst update is cheapest.
bks_tick bksi_budget_best_spacing(const session_budget *budget, const session_pace *pace,
                                  const session_common *common, double interval_ns);
/// A peer says how much longer its ticks must be.
bool bksi_budget_receive(session_budget *budget, session_events *events,
                         const session_common *common, uint32_t peer, bksi_byte_reader *reader);
void bksi_budget_write(session_budget *budget, uint32_t peer, bksi_byte_writer *writer);
/// Ticks that an update may step beyond one, 0..most.
uint32_t bksi_budget_extra(const session_budget *budget, const session_pace *pace,
                           const session_common *common, double interval_ns, uint32_t most);
/// What the worst update costs.
double bksi_budget_worst_ns(const session_budget *budget, const session_pace *pace,
                            const session_common *common, double interval_ns);

#endif
