// SPDX-License-Identifier: MIT

#include "session/inspect.h"

#include "session/session_internal.h"

void bksi_inspect_equivocate(bks_session *session, const bksi_equivocation *equivocation)
{
    session->equivocation = equivocation;
}

bks_tick bksi_inspect_own_head(const bks_session *session)
{
    return bksi_heads_own(session);
}

uint32_t bksi_inspect_own_player(const bks_session *session)
{
    return session->peers[session->self].first_player;
}

const bksi_layout *bksi_inspect_layout(const bks_session *session)
{
    return &session->layout;
}
