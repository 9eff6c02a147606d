// SPDX-License-Identifier: MIT

/// @file phase.h
/// Stage and outcome of the match, and its early end. The stages follow in order, but a host goes
/// back from LINKING to GATHERING when a guest leaves. The match may end or fail in any stage. Only
/// phase.c changes session_phase and session_ending.

#ifndef BKSI_PHASE_H
#define BKSI_PHASE_H

#include "rollback/engine.h"
#include "session/common/events.h"
#include "session/common/seats.h"

typedef enum session_stage {
    STAGE_GATHERING, ///< host: seats are free; guest: the roster is not complete
    STAGE_LINKING,   ///< all peers are known: make the state, reach everyone
    STAGE_STARTING,  ///< the time of the first tick is known
    STAGE_RUNNING,
} session_stage;

typedef enum session_outcome {
    OUTCOME_OPEN,
    OUTCOME_ENDED,
    OUTCOME_FAILED,
} session_outcome;

typedef struct session_phase {
    session_stage stage; ///< current stage; after the end of the match its last stage
    session_outcome outcome;
} session_phase;

/// Enter the next stage, or GATHERING again from LINKING. Do nothing if the stage is the current
/// one.
void bksi_phase_enter(session_phase *phase, session_stage stage);
void bksi_phase_end(session_phase *phase);
/// Fail the match, even if we have left it meanwhile.
void bksi_phase_fail(session_phase *phase);

/// Get the phase as the owner of the session sees it.
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
/// Return true if the match has not begun.
static inline bool bksi_phase_is_in_lobby(const session_phase *phase)
{
    return phase->stage < STAGE_RUNNING && phase->outcome == OUTCOME_OPEN;
}
static inline bool bksi_phase_is_linking(const session_phase *phase)
{
    return phase->stage == STAGE_LINKING;
}
/// Return true if all peers are known, or were known when the match ended.
static inline bool bksi_phase_has_roster(const session_phase *phase)
{
    return phase->stage >= STAGE_LINKING;
}
/// Return true if the time of the first tick is known, or was known when the match ended.
static inline bool bksi_phase_has_start(const session_phase *phase)
{
    return phase->stage >= STAGE_STARTING;
}

/// Early end of a match whose states differ. The host of the view decides it. No member steps
/// beyond the tick of this end, even if the member hears of the end late.
typedef struct session_ending {
    bks_tick tick; ///< tick before which the match ends; 0: there is no early end
} session_ending;

/// As the host, end the match at the first tick that no peer can have reached, unless the match
/// ends earlier anyway.
void bksi_ending_decide(session_ending *ending, const session_seats *seats, session_events *events,
                        bksi_rollback *engine);
/// Adopt the early end of the match that a peer names.
/// @param from  peer that names the end
/// @param tick  tick of the end; 0: the peer named none
/// @return false if that end is not possible
bool bksi_ending_take(session_ending *ending, const session_seats *seats, session_events *events,
                      bksi_rollback *engine, uint32_t from, bks_tick tick);

#endif
