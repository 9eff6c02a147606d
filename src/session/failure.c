// SPDX-License-Identifier: MIT

// What the owner of the game could not do. What fails on a state counts once that state is certain:
// a guess may lead where the truth never goes. Until then ticks pass without the game, and the
// rollback that takes the guess back takes the failure along.

#include "session/session_internal.h"

#include <stdio.h>
#include <string.h>

#include "base/report.h"

static void keep(bks_session *session, const bks_op *op, const char *problem)
{
    session_failure *failure = &session->failure;
    failure->tick = op->tick;
    (void)snprintf(failure->problem, sizeof(failure->problem), "%s", problem);
    for (char *at = failure->problem; *at != '\0'; at++) {
        *at = *at >= 0x20 && *at <= 0x7e ? *at : '?';
    }
}

/// Over for us; the others go on without us as without any leaver.
static void end(bks_session *session)
{
    session_failure *failure = &session->failure;
    failure->is_final = true;
    bksi_phase_fail(&session->common.phase);
    bksi_goodbyes_leave(&session->common.goodbyes, bksi_common_others(&session->common),
                        session->common.now_ns, true);
    bks_event *event = bksi_events_raise(&session->common.events, BKS_EVENT_FAILED,
                                         session->common.seats.self, failure->tick);
    (void)snprintf(event->text, sizeof(event->text), "the game failed at tick %d: %s",
                   (int)failure->tick, failure->problem);
    bksi_log(BKS_LOG_ERROR, "session.failed", "%s", event->text);
}

void bksi_failure_of(bks_session *session, const bks_op *op, const char *problem)
{
    keep(session, op, problem);
    // Of these no state is to be had, whatever becomes known later. What is settled was no guess,
    // and no later tick may come to say so before the state is wanted.
    if (op->kind == BKS_OP_LOAD || op->kind == BKS_OP_SAMPLE ||
        bksi_rollback_is_spoilt(&session->common.engine,
                                bksi_rollback_settled(&session->common.engine))) {
        end(session);
    }
}

void bksi_failure_settle(bks_session *session)
{
    if (bksi_phase_is_running(&session->common.phase) &&
        bksi_rollback_is_spoilt(&session->common.engine,
                                bksi_rollback_settled(&session->common.engine))) {
        end(session);
    }
}

bks_status bks_session_status(const bks_session *session)
{
    if (session == NULL) {
        return bksi_fail_null(NULL, "bks_session_status", "session");
    }
    switch (bksi_phase_seen(&session->common.phase)) {
    case BKS_PHASE_GATHERING:
    case BKS_PHASE_RUNNING:
        return BKS_OK;
    case BKS_PHASE_ENDED:
        return session->checking.has_desynced ? BKS_ERR_DESYNC : BKS_OVER;
    case BKS_PHASE_FAILED:
        break;
    }
    if (session->failure.is_final) {
        return BKS_ERR_GAME;
    }
    return bksi_rollback_published(&session->common.engine) != BKS_TICK_NONE ? BKS_ERR_PEER_LOST
                                                                             : BKS_ERR_REFUSED;
}
