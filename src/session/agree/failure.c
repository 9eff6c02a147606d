// SPDX-License-Identifier: MIT

// Operations that the owner could not carry out. A failed step of a guess ends nothing until its
// tick is certain, because the final inputs may never lead to that state. Until then ticks pass
// without the game, and a rollback that corrects the guess also removes the failure.

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

/// End the match for us. The others play on, as they do after any peer leaves.
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
    // End at once if no later input can undo the failure: a failed LOAD, RESTORE or SAMPLE depends
    // on no guess, and the state of the newest settled tick is final. Do not wait until the next
    // tick settles, because this state may be needed before.
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
