// SPDX-License-Identifier: MIT

#include "session/time/line_needs.h"

session_needs_model bksi_line_needs_model(const session_pace *pace, const session_common *common)
{
    session_needs_model model = {0, 0.0};
    EACH_PEER (i, bksi_common_others(common)) {
        const session_pace_peer *peer = &pace->peers[i];
        const uint64_t all_lost = bksi_link_lost(&common->links.peers[i].link);
        const uint64_t lost = all_lost > peer->silent_lost ? all_lost - peer->silent_lost : 0;
        const double growth = bksi_needs_growth(common->links.peers[i].link.received, lost,
                                                peer->gap_ns, bksi_common_tick_ns(common));
        model.growth = growth > model.growth ? growth : model.growth;
        model.lines++;
    }
    model.lines = model.lines > 0 ? model.lines : 1;
    return model;
}

uint32_t bksi_line_needs_of_tick(const session_pace *pace, const session_common *common,
                                 uint32_t ticks)
{
    const bks_tick due = bksi_rollback_front(&common->engine) + (bks_tick)ticks;
    const bool is_kept = common->config.tuning.pace == BKS_PACE_NONE;
    bks_tick need = 0;
    EACH_PEER (i, bksi_common_others(common)) {
        const bks_tick early = -pace->peers[i].remote_lag.newest;
        const double lead = pace->peers[i].ahead;
        const bks_tick of_peer = lead > 0.0 ? (bks_tick)(lead + 0.5) : 0;
        const bks_tick ahead = pace->delay.is_disturbed ? of_peer : (bks_tick)pace->ahead;
        const bks_tick lag = due + (bks_tick)pace->delay.now - bksi_common_head(common, i) -
                             (is_kept         ? 0
                              : early > ahead ? early
                                              : ahead);
        need = lag > need ? lag : need;
    }
    return (uint32_t)need;
}
