// SPDX-License-Identifier: MIT

#include "session/common/phase.h"

#include "base/assert.h"

static void enter(session_phase *phase, session_stage from, session_stage stage)
{
    BKS_ASSERT(phase->outcome == OUTCOME_OPEN);
    BKS_ASSERT(phase->stage == from || phase->stage == stage);
    phase->stage = stage;
}

void bksi_phase_gather(session_phase *phase)
{
    enter(phase, STAGE_LINKING, STAGE_GATHERING);
}

void bksi_phase_link(session_phase *phase)
{
    enter(phase, STAGE_GATHERING, STAGE_LINKING);
}

void bksi_phase_set_start(session_phase *phase)
{
    enter(phase, STAGE_LINKING, STAGE_STARTING);
}

void bksi_phase_run(session_phase *phase)
{
    enter(phase, STAGE_STARTING, STAGE_RUNNING);
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
