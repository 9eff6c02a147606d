// SPDX-License-Identifier: MIT

#include "session/lie.h"

#include <string.h>

#include "session/session_internal.h"

void bksi_session_lie(bks_session *session, bks_tick tick, uint32_t to_peer)
{
    session->lies = true;
    session->lie_tick = tick;
    session->lie_to = to_peer;
    session->lied_to |= PEER_BIT(to_peer);
}

bks_tick bksi_session_head(const bks_session *session)
{
    return bksi_heads_own(session);
}

bks_tick bksi_session_lie_tick(const bks_session *session)
{
    return session->lie_tick;
}

uint64_t bksi_session_lies_told(const bks_session *session)
{
    return session->lies_told;
}

const uint8_t *bksi_session_told(bks_session *session, uint32_t to_peer, uint32_t player,
                                 bks_tick tick, uint8_t *scratch)
{
    const uint8_t *truth = bksi_rollback_known(&session->engine, player, tick);
    if (!session->lies || to_peer != session->lie_to || tick != session->lie_tick ||
        player != session->peers[session->self].first_player) {
        return truth;
    }
    const bksi_layout *layout = &session->layout;
    int32_t values[BKS_FIELDS_MAX];
    bksi_layout_unpack(layout, truth, values);
    values[0] = values[0] == layout->fields[0].neutral ? values[0] + 1 : layout->fields[0].neutral;
    bksi_layout_pack_clamped(layout, values, scratch);
    if (memcmp(scratch, truth, layout->bytes) == 0) {
        values[0] -= 2;
        bksi_layout_pack_clamped(layout, values, scratch);
    }
    session->lies_told++;
    return scratch;
}
