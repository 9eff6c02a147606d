// SPDX-License-Identifier: MIT

#include "session/agree/judging.h"

bool bksi_judging_next(session_judging *judging, const session_common *common, bks_op *op)
{
    static const bks_look nothing = {0};
    const bks_tick tick = common->engine.settled.held;
    if (bksi_rollback_waiting(&common->engine) == NULL || judging->tick == tick ||
        bksi_rollback_is_spoilt(&common->engine, tick)) {
        return false;
    }
    const uint32_t keep = bksi_rollback_find_kept(&common->engine, tick);
    if (keep == BKS_KEEP_NONE) {
        return false;
    }
    judging->is_working = true;
    *op = (bks_op){.kind = BKS_OP_CHECK, .tick = tick, .keep = keep, .look = &nothing};
    return true;
}

void bksi_judging_done(session_judging *judging, const bks_op *op, const bks_op_result *result)
{
    judging->is_working = false;
    judging->tick = op->tick;
    judging->has_refused = result == NULL || result->state_bytes == 0;
}
