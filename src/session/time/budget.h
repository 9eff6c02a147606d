// SPDX-License-Identifier: MIT

/// @file budget.h
/// Costs of operations, and measures that are taken if a machine is too slow. Only budget.c changes
/// session_budget; other files use its functions.

#ifndef BKSI_BUDGET_H
#define BKSI_BUDGET_H

#include "base/bytes.h"
#include "session/time/cost.h"
#include "session/time/pace.h"

#define OP_KINDS (BKS_OP_CHECK + 1)

/// Demand of our machine for a longer input delay or longer ticks, so that no update takes too
/// long.
typedef struct session_ask {
    uint32_t now;
    uint32_t most;     ///< largest demand in the current period
    uint64_t since_ns; ///< time at which the current period began
} session_ask;

/// Remedy for updates that take too long, as it was last reported to the player.
typedef enum session_measure {
    MEASURE_NONE,
    MEASURE_DELAY,
    MEASURE_STRETCH,
} session_measure;

/// Stretch that a peer asks for.
typedef struct session_budget_peer {
    uint32_t stretch;
    uint64_t stretch_ns; ///< time of the peer's last SLOW
    /// Last time at which the machine of the peer, or our own machine in our own entry, needed
    /// longer ticks; 0: never.
    uint64_t slow_ns;
} session_budget_peer;

typedef struct session_budget {
    session_cost costs[OP_KINDS]; ///< cost of each kind of operation
    double guess_ns;              ///< cost of the PREDICTs before the next STEP
    double late_ns;               ///< smoothed lateness of the latest inputs
    uint64_t late_noted_ns;       ///< time at which late_ns was last updated
    session_ask asks_delay;       ///< minimum input delay that is demanded, in ticks; 0: none
    session_ask asks_stretch;     ///< stretch of ticks that is demanded, in 1 / BKSI_STRETCH_ONE
    session_measure measure;      ///< measure last reported to the player
    uint32_t stretch;             ///< stretch in force: that of the slowest peer
    uint32_t sent_stretch;        ///< newest stretch that was sent
    uint32_t repeats_left;        ///< copies of SLOW with stretch 0 still to be sent
    uint64_t repeat_ns;           ///< time of the next copy of SLOW
    uint32_t owes_slow;           ///< bits: peers that must be sent our stretch
    session_budget_peer peers[BKS_PEERS_MAX];
} session_budget;

/// Take the measured cost of an operation.
/// @param now_ns  time of the update
void bksi_budget_note(session_budget *budget, bks_op_kind kind, uint64_t cost_ns, uint64_t now_ns);
/// Note how late inputs were, after a new tick was stepped.
/// @param front  tick after the newest stepped one
void bksi_budget_note_late(session_budget *budget, const session_pace *pace,
                           const session_common *common, bks_tick front, double interval_ns);
/// Check whether updates take too long, and take measures if they do.
/// @return stretch of ticks that our machine or another peer needs
uint32_t bksi_budget_update(session_budget *budget, const session_pace *pace,
                            session_events *events, const session_common *common);
/// Get the spacing of snapshots with which the worst update is cheapest.
bks_tick bksi_budget_best_spacing(const session_budget *budget, const session_pace *pace,
                                  const session_common *common, double interval_ns);
/// Get the number of ticks by which the snapshot of save policy `one` should lie after the
/// beginning of the window. It is above 0 if stepping the whole window takes too long in every
/// update.
uint32_t bksi_budget_newer(const session_budget *budget, const session_pace *pace,
                           const session_common *common, double interval_ns);
/// Process a SLOW, which carries the stretch that its sender needs.
/// @return false if the message is malformed
bool bksi_budget_receive(session_budget *budget, session_events *events,
                         const session_common *common, uint32_t peer, bksi_byte_reader *reader);
/// Find the peers whose packets may be late because of a slow machine, as they would be on a narrow
/// line. Either the peer's machine or ours is too slow, or was so lately.
/// @return the peers, as bits
uint32_t bksi_budget_slow_ends(const session_budget *budget, const session_common *common);
void bksi_budget_write(session_budget *budget, uint32_t peer, bksi_byte_writer *writer);
/// Get the number of additional ticks that an update may step beyond its first one, 0..most.
uint32_t bksi_budget_extra(const session_budget *budget, const session_pace *pace,
                           const session_common *common, double interval_ns, uint32_t most);
/// Get the cost of the worst update, in ns.
double bksi_budget_worst_ns(const session_budget *budget, const session_pace *pace,
                            const session_common *common, double interval_ns);

#endif
