// SPDX-License-Identifier: MIT

/// @file heads.h
/// How far each peer's inputs are known.

#ifndef BKSI_HEADS_H
#define BKSI_HEADS_H

#include "session/common/common.h"

/// One past the newest tick whose inputs of a peer are known; of our own peer.
static inline bks_tick bksi_heads_of(const session_common *common, uint32_t peer)
{
    return bksi_rollback_head(&common->engine, common->seats.peers[peer].first_player);
}
static inline bks_tick bksi_heads_own(const session_common *common)
{
    return bksi_heads_of(common, common->seats.self);
}

/// Whether such heads of these peers can be.
bool bksi_heads_can_be(const session_common *common, uint32_t peers, const bks_tick *heads);

#endif
