// SPDX-License-Identifier: MIT

#include "session/common/phase.h"

#include "base/mutant.h"
#include "base/report.h"

/// Ticks from the host's head to an early end: the longest window, plus one tick that no peer has
/// reached.
#define ROOM_TICKS ((bks_tick)BKS_WINDOW_MAX + 1)

void bksi_phase_enter(session_phase *phase, session_stage stage)
{
    BKS_ASSERT(phase->outcome == OUTCOME_OPEN);
    BKS_ASSERT(stage == phase->stage || stage == phase->stage + 1 ||
               (stage == STAGE_GATHERING && phase->stage == STAGE_LINKING));
    phase->stage = stage;
}

void bksi_phase_end(session_phase *phase)
{
    BKS_ASSERT(phase->outcome == OUTCOME_OPEN);
    phase->outcome = OUTCOME_ENDED;
}

void bksi_phase_fail(session_phase *phase)
{
    phase->outcome = OUTCOME_FAILED;
}

// ---- an early end ----
//
// No member steps beyond the tick at which a match stops early. No member is further ahead of its
// confirmed ticks than the longest window, and it confirms no tick without the host's input. Inputs
// that the host samples after its decision arrive together with the decision: the host's INPUT
// carries both, and so do the messages of a ballot, the only other messages with inputs of the
// host. So a member without these inputs is at most a window beyond the host's head at the
// decision, and the match ends one tick later.

static void set(session_ending *ending, session_events *events, bksi_rollback *engine,
                uint32_t peer, bks_tick tick)
{
    BKS_ASSERT(tick > bksi_rollback_front(engine));
    ending->tick = tick;
    bksi_rollback_end_at(engine, tick);
    const bks_event *event = bksi_events_raise(events, BKS_EVENT_STOPPING, peer, tick);
    bksi_log(BKS_LOG_WARNING, "session.stopping", "%s", event->text);
}

static bks_tick own_head(const session_seats *seats, const bksi_rollback *engine)
{
    return bksi_rollback_head(engine, seats->peers[seats->self].first_player);
}

/// Return true if a tick is so close to our own head that the host can have chosen it as the end. A
/// tick that is too far away may never be reached, and would keep later hosts from choosing another
/// end.
static bool is_near(const session_seats *seats, const bksi_rollback *engine, bks_tick tick)
{
    return tick - own_head(seats, engine) <= BKSI_AHEAD_TICKS_MAX + ROOM_TICKS;
}

/// Return true if a tick lies before the regular end of the match.
static bool is_early(const session_seats *seats, bks_tick tick)
{
    return seats->end_tick == 0 || tick < seats->end_tick;
}

void bksi_ending_decide(session_ending *ending, const session_seats *seats, session_events *events,
                        bksi_rollback *engine)
{
    const bks_tick head = own_head(seats, engine);
    const bks_tick room = bksi_mutated(BKSI_MUTANT_STOP_NEAR) ? 2 : ROOM_TICKS;
    if (ending->tick == 0 && head <= INT32_MAX - room && is_early(seats, head + room)) {
        set(ending, events, engine, seats->self, head + room);
    }
}

bool bksi_ending_take(session_ending *ending, const session_seats *seats, session_events *events,
                      bksi_rollback *engine, uint32_t from, bks_tick tick)
{
    if (tick == 0 || tick == ending->tick) {
        return true;
    }
    if (seats->on_desync == BKS_ON_DESYNC_REPORT || ending->tick != 0 ||
        tick <= bksi_rollback_front(engine) || !is_early(seats, tick) ||
        !is_near(seats, engine, tick)) {
        return false;
    }
    set(ending, events, engine, from, tick);
    return true;
}
