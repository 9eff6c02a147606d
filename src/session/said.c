// SPDX-License-Identifier: MIT

#include "session/said.h"

uint32_t bksi_said_number(const bksi_meet_message *said)
{
    return said->tick == BKS_TICK_NONE ? 0 : (uint32_t)said->stage + 1;
}

const bksi_meet_message *bksi_said_by(const session_meeting *meeting, const session_common *common,
                                      uint32_t peer)
{
    return peer == common->seats.self ? &meeting->own : &meeting->peers[peer].said;
}

bool bksi_said_are_at(const session_meeting *meeting, const session_common *common,
                      bksi_meet_stage stage)
{
    bool are = true;
    EACH_PEER (i, bksi_common_members(common)) {
        const uint32_t number = bksi_said_number(bksi_said_by(meeting, common, i));
        are &= number > (uint32_t)stage && number != BKSI_MEET_FAILED + 1;
    }
    return are;
}

bool bksi_said_has_failed(const session_meeting *meeting, const session_common *common)
{
    bool has = false;
    EACH_PEER (i, bksi_common_members(common)) {
        has |= bksi_said_number(bksi_said_by(meeting, common, i)) == BKSI_MEET_FAILED + 1;
    }
    return has;
}

bool bksi_said_by_host(const session_meeting *meeting, const session_common *common,
                       bksi_meet_stage stage)
{
    const uint32_t host = bksi_membership_host(&common->membership);
    return bksi_said_number(bksi_said_by(meeting, common, host)) == (uint32_t)stage + 1;
}

bool bksi_said_is_over(const session_meeting *meeting, const session_common *common)
{
    bool know = true;
    EACH_PEER (i, meeting->own.tick != BKS_TICK_NONE ? bksi_common_others(common) : 0) {
        know &= meeting->peers[i].said.seen == bksi_said_number(&meeting->own);
    }
    return know;
}

bksi_all_said bksi_said_all(const session_meeting *meeting, const session_common *common)
{
    bksi_all_said said;
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        said.by[i] = bksi_said_by(meeting, common, i);
    }
    return said;
}
