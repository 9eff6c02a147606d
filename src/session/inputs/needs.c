// SPDX-License-Identifier: MIT

#include "session/inputs/needs.h"

#include "session/inputs/runs.h"

void bksi_needs_note(session_needs *needs, uint32_t peer, uint32_t leaver, bks_tick head)
{
    bks_tick *first = &needs->first[peer][leaver];
    *first = head > *first ? head : *first;
}

void bksi_needs_write_runs(const session_needs *needs, const session_common *common,
                           bksi_bit_writer *writer, uint32_t to, uint32_t leavers,
                           const bks_tick *ends)
{
    for (uint32_t left = leavers; left != 0; left &= left - 1) {
        const uint32_t i = bksi_lowest_bit(left);
        bksi_runs_write(common, writer, i, needs->first[to][i], ends[i]);
    }
}
