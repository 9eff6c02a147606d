// SPDX-License-Identifier: MIT

#include "session/common/heads.h"

bool bksi_heads_can_be(const session_common *common, uint32_t peers, const bks_tick *heads)
{
    bks_tick most = bksi_heads_own(common) + BKSI_AHEAD_TICKS_MAX;
    EACH_PEER (i, common->seats.all) {
        if ((peers & PEER_BIT(i)) != 0 && heads[i] > most) {
            return false;
        }
    }
    return true;
}
