// SPDX-License-Identifier: MIT

// What operations cost, as their carrier says, and what follows for the worst update: one that
// finds an old guess wrong. It loads the nearest snapshot, steps from there to the present and
// saves again on the way, and then does what is due.

#include "session/session_internal.h"

/// Costs are smoothed by this share.
#define SMOOTHING (1.0 / 8.0)

/// One operation counts at most so many times what they cost so far, or this share of a tick where
/// that is more: what else the machine did meanwhile is no cost of the game's.
#define SURPRISE_MAX   4.0
#define SURPRISE_SHARE (1.0 / 16.0)

/// How late inputs are is smoothed by this share, and so is by how much that varies.
#define LATE_SMOOTHING (1.0 / 16.0)

/// The worst is so many mean deviations later than the mean.
#define LATE_DEVIATIONS 2.0

void bksi_budget_note(bks_session *session, bks_op_kind kind, uint64_t cost_ns)
{
    double *mean = &session->cost_ns[kind];
    double cost = (double)cost_ns;
    if (kind == BKS_OP_PREDICT)
        session->guess_ns += cost;
    if (kind == BKS_OP_PREDICT || cost_ns == 0)
        return;
    if (kind == BKS_OP_STEP) {
        cost += session->guess_ns;
        session->guess_ns = 0.0;
    }
    double tick_ns = (double)NS_PER_SECOND / session->config.tick_rate_hz;
    double most = SURPRISE_MAX * *mean;
    most = most > tick_ns * SURPRISE_SHARE ? most : tick_ns * SURPRISE_SHARE;
    cost = cost < most ? cost : most;
    *mean = *mean > 0.0 ? *mean + (cost - *mean) * SMOOTHING : cost;
}

/// An input is as late as the present was stepped ahead of it, and sampled before that.
void bksi_budget_note_late(bks_session *session)
{
    bks_tick ticks = session->front - bks_session_confirmed(session) + (bks_tick)session->delay;
    double late_ns = ticks > 0 ? ticks * session->interval_ns : 0.0;
    double off_ns = late_ns - session->late_ns;
    session->late_ns += off_ns * LATE_SMOOTHING;
    off_ns = off_ns < 0.0 ? -off_ns : off_ns;
    session->late_deviation_ns += (off_ns - session->late_deviation_ns) * LATE_SMOOTHING;
}

bks_tick bksi_budget_depth(const bks_session *session)
{
    double late_ns = session->late_ns + LATE_DEVIATIONS * session->late_deviation_ns;
    double ticks = late_ns / session->interval_ns - session->delay;
    bks_tick window = (bks_tick)session->config.window_ticks;
    if (ticks >= window)
        return window;
    bks_tick depth = ticks > 0.0 ? (bks_tick)ticks : 0;
    return depth + (ticks > depth ? 1 : 0);
}

double bksi_budget_update_ns(const bks_session *session, bks_tick depth, bks_tick spacing)
{
    const double *cost = session->cost_ns;
    double step_ns = cost[BKS_OP_STEP] + cost[BKS_OP_HASH] / session->hash_every;
    // The snapshot lies up to a spacing less one before the tick; one is taken at the newest
    // certain tick, the others at their distance.
    bks_tick saves = 1 + (depth + spacing - 1) / spacing;
    return cost[BKS_OP_LOAD] + step_ns * (depth + spacing) + cost[BKS_OP_SAVE] * saves;
}

bks_tick bksi_budget_spacing(const bks_session *session)
{
    bks_tick best = (bks_tick)session->config.window_ticks;
    bks_tick depth = bksi_budget_depth(session);
    depth = depth > 0 ? depth : 1;
    double best_ns = bksi_budget_update_ns(session, depth, best);
    for (bks_tick spacing = best - 1; spacing >= 1; spacing--) {
        if (bksi_saves_slots_for(session, spacing) > session->slot_count)
            break;
        double ns = bksi_budget_update_ns(session, depth, spacing);
        if (ns < best_ns) {
            best = spacing;
            best_ns = ns;
        }
    }
    return best;
}
