// SPDX-License-Identifier: MIT

/// @file phase.h
/// Where the match stands. Its stages follow one another; only a host goes back from LINKING to
/// GATHERING, when a guest leaves. It may end or fail in any of them. phase.c alone writes this.

#ifndef BKSI_PHASE_H
#define BKSI_PHASE_H

#include "backstitch/session.h"

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

void bksi_phase_gather(session_phase *phase);
void bksi_phase_link(session_phase *phase);
void bksi_phase_set_start(session_phase *phase);
void bksi_phase_run(session_phase *phase);
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

#endif
