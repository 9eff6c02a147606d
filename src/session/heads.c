// SPDX-License-Identifier: MIT

#include "session/heads.h"

#include "session/session_internal.h"

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
