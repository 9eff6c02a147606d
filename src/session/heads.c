// SPDX-License-Identifier: MIT

// How far each peer's inputs are known.

#include "base/report.h"
#include "session/session_internal.h"

bks_tick bksi_heads_of(const bks_session *session, uint32_t peer)
{
    return session->timelines[session->peers[peer].first_player].head;
}

bks_tick bksi_heads_own(const bks_session *session)
{
    return bksi_heads_of(session, session->self);
}

bks_tick bks_session_confirmed(const bks_session *session)
{
    if (session == NULL) {
        (void)bksi_fail_null(NULL, "bks_session_confirmed", "session");
    }
    if (session == NULL || session->stage == LOBBY_GATHERING) {
        return 0;
    }
    bks_tick least = INT32_MAX;
    for (uint32_t i = 0; i < session->peer_count; i++) {
        bks_tick head = bksi_heads_of(session, i);
        if (bksi_views_has(session, i) && head < least) {
            least = head;
        }
    }
    if (bksi_mutated(BKSI_MUTANT_GUESS) && least < session->front) {
        least++;
    }
    return least;
}
