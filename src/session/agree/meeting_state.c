// SPDX-License-Identifier: MIT

#include "session/agree/meeting_state.h"

/// Smallest number of ticks from the host's head to the meeting's tick, so that a few MEETs may be
/// lost before that tick.
#define AHEAD_TICKS 3

bks_tick bksi_meeting_tick_choose(const session_common *common)
{
    const int64_t every = common->seats.hash_every;
    const bks_tick published = bksi_rollback_published(&common->engine);
    const bks_tick end = bksi_common_end(common);
    int64_t tick = (int64_t)bksi_common_own_head(common) + AHEAD_TICKS;
    tick = (tick + every - 1) / every * every;
    tick = end > 0 && tick > end ? end : tick;
    return tick > published && tick <= INT32_MAX ? (bks_tick)tick : BKS_TICK_NONE;
}

bool bksi_meeting_tick_can_be(const session_common *common, bks_tick tick)
{
    const bks_tick most = BKSI_AHEAD_TICKS_MAX + AHEAD_TICKS + (bks_tick)common->seats.hash_every;
    return bksi_rollback_has_hash(&common->engine, tick) && tick >= common->seats.first_tick &&
           tick - bksi_common_own_head(common) <= most;
}

// ---- reports of the members ----

static const bksi_meet_message *report_of(const session_meeting *meeting,
                                          const session_common *common, uint32_t peer)
{
    return peer == common->seats.self ? &meeting->own : &meeting->peers[peer].report;
}

bksi_all_reports bksi_meeting_reports(const session_meeting *meeting, const session_common *common)
{
    bksi_all_reports reports;
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        reports.by[i] = report_of(meeting, common, i);
    }
    return reports;
}

bool bksi_meeting_are_at(const session_meeting *meeting, const session_common *common,
                         bksi_meet_stage stage)
{
    const bksi_all_reports reports = bksi_meeting_reports(meeting, common);
    return bksi_reports_are_at(reports.by, bksi_common_members(common), stage);
}

bool bksi_meeting_host_is_at(const session_meeting *meeting, const session_common *common,
                             bksi_meet_stage stage)
{
    const uint32_t host = bksi_membership_host(&common->membership);
    return bksi_report_number(report_of(meeting, common, host)) == (uint32_t)stage + 1;
}

bool bksi_meeting_all_know(const session_meeting *meeting, const session_common *common)
{
    bool know = true;
    EACH_PEER (i, meeting->own.tick != BKS_TICK_NONE ? bksi_common_others(common) : 0) {
        know &= meeting->peers[i].report.seen == bksi_report_number(&meeting->own);
    }
    return know;
}

uint32_t bksi_meeting_find_ended(const session_meeting *meeting, const session_common *common)
{
    const uint32_t host = bksi_membership_host(&common->membership);
    if (host != common->seats.self) {
        return bksi_meeting_host_is_at(meeting, common, BKSI_MEET_ENDED) ? host : BKS_PEERS_MAX;
    }
    const uint32_t before = bksi_common_others(common) | PEER_BIT(meeting->first_host);
    uint32_t ended = 0;
    EACH_PEER (i, meeting->first_host != host ? before : 0) {
        ended |=
            bksi_report_number(&meeting->peers[i].report) == BKSI_MEET_ENDED + 1 ? PEER_BIT(i) : 0;
    }
    return bksi_peers_lowest(ended);
}

bksi_repair_log bksi_meeting_repair_log(const session_meeting *meeting,
                                        const session_common *common, const bksi_all_reports *all)
{
    return (bksi_repair_log){.reports = all->by,
                             .tick = meeting->own.tick,
                             .first = common->seats.first_tick,
                             .all = common->seats.all,
                             .self = common->seats.self,
                             .decided = meeting->decided,
                             .repaired = meeting->repaired,
                             .members = bksi_common_members(common),
                             .have_left = common->membership.view != meeting->first_view,
                             .before = bksi_meeting_find_ended(meeting, common)};
}
