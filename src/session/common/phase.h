// SPDX-License-Identifier: MIT

/// @file phase.h
/// Where the match stands, and where it ends. Its stages follow one another; only a host goes back
/// from LINKING to GATHERING, when a guest leaves. It may end or fail in any of them. phase.c alone
/// writes this.

#ifndef BKSI_PHASE_H
#define BKSI_PHASE_H

#include "rollback/engine.h"
#include "session/common/events.h"
#include "session/common/seats.h"

typedef enum session_stage {
    STAGE_GATHERING, ///< host: seats free; guest: no complete roster yet
    STAGE_LINKING,   ///< all are known: make the state, reach everyone
    STAGE_STARTING,  ///< the time of the first tick is known
    STAGE_RUNNING,
} session_stage;

typedef enum session_outcome {
    OUTCOME_OPEN,
    OUTCOME_ENDED,
    OUTCOME_FAILED,
} session_outcome;

typedef struct session_phase {
    session_stage stage; ///< the last one, once the match has ended
    session_outcome outcome;
} session_phase;

/// Enter a stage, the next one or from LINKING again GATHERING; or stay in it.
void bksi_phase_enter(session_phase *phase, session_stage stage);
void bksi_phase_end(session_phase *phase);
/// Also of a match that we have left meanwhile.
void bksi_phase_fail(session_phase *phase);

/// As the owner of the session sees it.
static inline bks_phase bksi_phase_seen(const session_phase *phase)
{
    return phase->outcome == OUTCOME_FAILED  ? BKS_PHASE_FAILED
           : phase->outcome == OUTCOME_ENDED ? BKS_PHASE_ENDED
           : phase->stage == STAGE_RUNNING   ? BKS_PHASE_RUNNING
                                             : BKS_PHASE_GATHERING;
}
static inline bool bksi_phase_is_running(const session_phase *phase)
{
    return phase->stage == STAGE_RUNNING && phase->outcome == OUTCOME_OPEN;
}
/// Whether the match is still to begin.
static inline bool bksi_phase_is_in_lobby(const session_phase *phase)
{
    return phase->stage < STAGE_RUNNING && phase->outcome == OUTCOME_OPEN;
}
static inline bool bksi_phase_is_linking(const session_phase *phase)
{
    return phase->stage == STAGE_LINKING;
}
/// Whether all peers are known, or were when it ended.
static inline bool bksi_phase_has_roster(const session_phase *phase)
{
    return phase->stage >= STAGE_LINKING;
}
/// Likewise the time of the first tick.
static inline bool bksi_phase_has_start(const session_phase *phase)
{
    return phase->stage >= STAGE_STARTING;
}

/// The tick at which a match ends before its time, since states differ. The host of the view
/// decides it; no member steps beyond it, however late it hears of it.
typedef struct session_ending {
    bks_tick tick; ///< the match ends before it; 0: not before its time
} session_ending;

/// We are the host: the match is to end as soon as all can, unless it ends before that anyway.
void bksi_ending_decide(session_ending *ending, const session_seats *seats, session_events *events,
                        bksi_rollback *engine);
/// One that may say so says where the match ends.
/// @param tick  0: it said nothing
/// @return false when that cannot be
bool bksi_ending_take(session_ending *ending, const session_seats *seats, session_events *events,
                      bksi_rollback *engine, uint32_t from, bks_tick tick);

#endif
