// SPDX-License-Identifier: MIT

#include "session/time/behind.h"

/// Return true if a peer's head is moving. A head may stand still for a tick, because not every
/// packet has a new head if ticks are longer than the gaps between packets.
static bool is_moving(const session_pace *pace, const session_common *common, uint32_t index)
{
    const session_pace_peer *peer = &pace->peers[index];
    return (double)(peer->head_ns - peer->moved_ns) <= bksi_common_tick_ns(common);
}

/// Estimate a peer's current head: its newest known head plus the ticks since then at its rate. A
/// peer that has used up its window waits until our first packet after the freeze arrives. So the
/// estimate is at most the head at which the peer waits, minus the ticks until that packet arrives:
/// we step as many ticks before the peer moves on.
static double estimated_head(const session_pace *pace, const session_exchange *exchange,
                             const session_common *common, uint32_t index, double interval_ns)
{
    double way_ns = bksi_links_round_trip_ns(&common->links, index) / 2.0;
    bks_tick need = exchange->peers[index].first_missing;
    double left_ns = way_ns - (double)(common->now_ns - pace->woke_ns);
    double left = (left_ns < -way_ns ? -way_ns : left_ns) / interval_ns;
    bks_tick known = need > pace->woke_head ? need : pace->woke_head;
    double stop = (double)known + common->config.tuning.window_ticks + pace->delay.now + 1 - left;
    double head = bksi_common_head(common, index);
    if (is_moving(pace, common, index)) {
        head += ((double)(common->now_ns - pace->peers[index].moved_ns) + way_ns) / interval_ns;
    } else {
        head -= left;
    }
    return head < stop ? head : stop;
}

double bksi_ticks_behind(const session_pace *pace, const session_exchange *exchange,
                         const session_common *common, double interval_ns, uint32_t due)
{
    double head = (double)bksi_common_own_head(common) + due;
    double behind = pace->forgotten_ticks;
    bool heard_any = false;
    EACH_PEER (i, bksi_common_others(common)) {
        uint64_t heard_ns = pace->peers[i].head_ns + (uint64_t)interval_ns;
        if (heard_ns < pace->woke_ns) {
            continue;
        }
        double ahead = estimated_head(pace, exchange, common, i, interval_ns) - head;
        ahead = ahead < 0.0 ? 0.0 : ahead;
        behind = ahead < behind ? ahead : behind;
        heard_any = true;
    }
    return heard_any ? behind : -1.0;
}
