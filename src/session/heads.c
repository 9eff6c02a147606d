// SPDX-License-Identifier: MIT

#include "session/heads.h"

/// A peer samples no more than its window and its input delay, and one tick, beyond what it has of
/// ours. What these are elsewhere we do not know.
#define AHEAD_MAX ((bks_tick)(BKS_WINDOW_MAX + BKS_DELAY_MAX + 1))

bool bksi_heads_can_be(const session_common *common, uint32_t peers, const bks_tick *heads)
{
    bks_tick most = bksi_heads_own(common) + AHEAD_MAX;
    EACH_PEER (i, common->seats.all) {
        if ((peers & PEER_BIT(i)) != 0 && heads[i] > most) {
            return false;
        }
    }
    return true;
}
