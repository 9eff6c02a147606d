// SPDX-License-Identifier: MIT

#include "session/inputs/inputs.h"

bool bksi_inputs_read_of(session_inputs *inputs, session_common *common, bksi_bit_reader *reader,
                         uint32_t peers, const bks_tick *limits)
{
    EACH_PEER (i, common->seats.all) {
        if ((peers & PEER_BIT(i)) == 0) {
            continue;
        }
        if (!bksi_runs_read(&inputs->runs, common, reader, i, limits[i])) {
            return false;
        }
    }
    return true;
}
