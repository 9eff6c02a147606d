// SPDX-License-Identifier: MIT

// Whose inputs there are, and how far each peer's are known.

#include "base/report.h"
#include "session/session_internal.h"

void bksi_heads_start(bks_session *session)
{
    const session_peer *own = &session->seats.peers[session->seats.self];
    bksi_rollback_match match = {
        .players = session->seats.players,
        .first_local = own->first_player,
        .local_count = own->player_count,
        .ticks = session->seats.ticks,
        .hash_every = session->seats.hash_every,
    };
    bksi_rollback_start(&session->engine, &match);
}

bool bksi_heads_can_be(const bks_session *session, uint32_t peers, const bks_tick *heads)
{
    bks_tick most = bksi_heads_own(session) + (bks_tick)session->engine.config.capacity_ticks;
    for (uint32_t i = 0; i < session->seats.peer_count; i++) {
        if ((peers & PEER_BIT(i)) != 0 && heads[i] > most) {
            return false;
        }
    }
    return true;
}

bks_tick bks_session_confirmed(const bks_session *session)
{
    if (session == NULL) {
        (void)bksi_fail_null(NULL, "bks_session_confirmed", "session");
    }
    if (session == NULL || session->lobby.stage == LOBBY_GATHERING) {
        return 0;
    }
    return bksi_rollback_confirmed(&session->engine);
}
