// SPDX-License-Identifier: MIT

// Public calls that pause the match and change its speed.

#include "base/report.h"
#include "session/session_internal.h"

static bks_status want(bks_session *session, const char *call, bksi_speed_wish_kind kind,
                       uint32_t percent)
{
    session_common *common = &session->common;
    if (bksi_phase_is_in_lobby(&common->phase)) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "session",
                         "the match has not started yet");
    }
    if (!bksi_phase_is_running(&common->phase)) {
        return BKS_OVER;
    }
    const bksi_speed_answer answer = bksi_game_speed_want(common, kind, percent);
    if (answer == BKSI_SPEED_GRANTED) {
        bksi_exchange_hurry(&session->exchange);
        return BKS_OK;
    }
    const bks_status status = answer == BKSI_SPEED_TOO_LATE ? BKS_OVER
                              : answer == BKSI_SPEED_FORBIDDEN || answer == BKSI_SPEED_NOT_OWN
                                  ? BKS_ERR_UNSUPPORTED
                                  : BKS_ERR_FULL;
    return bksi_fail(NULL, status, call, "session", "%s", bksi_speed_answer_reason(answer));
}

bks_status bks_session_pause(bks_session *session, bool is_paused)
{
    BKSI_REFUSE_NULL(NULL, session);
    return want(session, "bks_session_pause", is_paused ? BKSI_WISH_PAUSE : BKSI_WISH_RESUME, 0);
}

bks_status bks_session_speed(bks_session *session, uint32_t percent)
{
    static const char call[] = "bks_session_speed";
    BKSI_REFUSE_NULL(NULL, session);
    if (percent < BKS_SPEED_MIN || percent > BKS_SPEED_MAX) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "percent",
                         "percent is %u, must be %d..%d", (unsigned)percent, BKS_SPEED_MIN,
                         BKS_SPEED_MAX);
    }
    return want(session, call, BKSI_WISH_SPEED, percent);
}
