// SPDX-License-Identifier: MIT

// What the owner of the game could not do. What fails on a state counts once that state is certain:
// a guess may lead where the truth never goes. Until then ticks pass without the game, and the
// rollback that takes the guess back takes the failure along.

#include "session/agree/failure.h"

#include <stdio.h>
#include <string.h>

#include "base/report.h"

static void keep(session_failure *failure, const bks_op *op, const char *problem)
{
    failure->tick = op->tick;
    (void)snprintf(failure->problem, sizeof(failure->problem), "%s", problem);
    for (char *at = failure->problem; *at != '\0'; at++) {
        *at = *at >= 0x20 && *at <= 0x7e ? *at : '?';
    }
}

/// It has ended for us; the others play on without us as without any leaver.
static void end(session_failure *failure, session_common *common)
{
    failure->is_final = true;
    bksi_phase_fail(&common->phase);
    bksi_goodbyes_leave(&common->goodbyes, bksi_common_others(common), common->now_ns);
    bks_event *event =
        bksi_events_report(&common->events, BKS_EVENT_FAILED, common->seats.self, failure->tick,
                           "the game failed at tick %d: %s", (int)failure->tick, failure->problem);
    bksi_log(BKS_LOG_ERROR, "session.failed", "%s", event->text);
}

void bksi_failure_of(session_failure *failure, session_common *common, const bks_op *op,
                     const char *problem)
{
    keep(failure, op, problem);
    // These states cannot be had, whatever becomes known later. A settled tick was no guess, and
    // the state may be wanted before a later tick shows it.
    if (op->kind == BKS_OP_LOAD || op->kind == BKS_OP_RESTORE || op->kind == BKS_OP_SAMPLE ||
        bksi_rollback_is_spoilt(&common->engine, bksi_rollback_settled(&common->engine))) {
        end(failure, common);
    }
}

void bksi_failure_settle(session_failure *failure, session_common *common)
{
    if (bksi_phase_is_running(&common->phase) &&
        bksi_rollback_is_spoilt(&common->engine, bksi_rollback_settled(&common->engine))) {
        end(failure, common);
    }
}
