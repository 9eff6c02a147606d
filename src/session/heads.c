// SPDX-License-Identifier: MIT

// Whose inputs there are, and how far each peer's are known.

#include "base/report.h"
#include "session/session_internal.h"

void bksi_heads_start(bks_session *session)
{
    const session_peer *own = &session->peers[session->self];
    bksi_rollback_match match = {
        .players = session->players,
        .first_local = own->first_player,
        .local_count = own->player_count,
        .ticks = session->ticks,
        .hash_every = session->hash_every,
    };
    bksi_rollback_start(&session->engine, &match);
}

bks_tick bksi_heads_of(const bks_session *session, uint32_t peer)
{
    return bksi_rollback_head(&session->engine, session->peers[peer].first_player);
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
    return bksi_rollback_confirmed(&session->engine);
}
