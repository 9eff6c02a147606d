// SPDX-License-Identifier: MIT

#include "session/agree/said.h"

#include "session/common/seats.h"

uint32_t bksi_said_number(const bksi_meet_message *said)
{
    return said->tick == BKS_TICK_NONE ? 0 : (uint32_t)said->stage + 1;
}

static bool is_at(const bksi_meet_message *said, bksi_meet_stage stage)
{
    return bksi_said_number(said) == (uint32_t)stage + 1;
}

bool bksi_said_has_it(const bksi_meet_message *said)
{
    return said->stage == BKSI_MEET_DONE || said->stage == BKSI_MEET_ENDED;
}

bool bksi_said_are_at(const bksi_meet_message *const *said, uint32_t members, bksi_meet_stage stage)
{
    bool are = true;
    EACH_PEER (i, members) {
        are &= bksi_said_number(said[i]) > (uint32_t)stage && !is_at(said[i], BKSI_MEET_FAILED);
    }
    return are;
}

bool bksi_said_agree(const bksi_meet_message *const *said, uint32_t members)
{
    bool agree = true;
    uint64_t now = 0;
    bool is_first = true;
    EACH_PEER (i, members) {
        agree &= is_first || said[i]->now == now;
        now = said[i]->now;
        is_first = false;
    }
    return agree;
}

bool bksi_said_has_failed(const bksi_meet_message *const *said, uint32_t members)
{
    bool has = false;
    EACH_PEER (i, members) {
        has |= is_at(said[i], BKSI_MEET_FAILED);
    }
    return has;
}
