// SPDX-License-Identifier: MIT

#include "session/agree/meeting_tick.h"

/// From the host's head to the tick: MEET may get lost a few times before it comes too late.
#define AHEAD_TICKS 3

bks_tick bksi_meeting_tick_choose(const session_common *common)
{
    const int64_t every = common->seats.hash_every;
    const bks_tick published = bksi_rollback_published(&common->engine);
    const bks_tick end = bksi_common_end(common);
    int64_t tick = (int64_t)bksi_heads_own(common) + AHEAD_TICKS;
    tick = (tick + every - 1) / every * every;
    tick = end > 0 && tick > end ? end : tick;
    return tick > published && tick <= INT32_MAX ? (bks_tick)tick : BKS_TICK_NONE;
}

bool bksi_meeting_tick_can_be(const session_common *common, bks_tick tick)
{
    const bks_tick most = BKSI_AHEAD_TICKS_MAX + AHEAD_TICKS + (bks_tick)common->seats.hash_every;
    return bksi_rollback_has_hash(&common->engine, tick) && tick >= common->seats.first_tick &&
           tick - bksi_heads_own(common) <= most;
}
