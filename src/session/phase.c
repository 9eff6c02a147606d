// SPDX-License-Identifier: MIT

#include "session/phase.h"

#include "session/session_internal.h"

void bksi_phase_enter(bks_session *session, bks_phase phase)
{
    session->common.phase = phase;
}
