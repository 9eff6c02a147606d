// SPDX-License-Identifier: MIT

#include "session/inputs.h"

#include "session/heads.h"

bool bksi_inputs_read_of(session_inputs *inputs, session_common *common, bksi_bit_reader *reader,
                         uint32_t peers, const bks_tick *limits)
{
    EACH_PEER (i, common->seats.all) {
        if ((peers & PEER_BIT(i)) == 0) {
            continue;
        }
        bks_tick known = bksi_heads_of(common, i);
        bool is_sound = bksi_runs_read(&inputs->runs, common, reader, i, limits[i]);
        if (bksi_heads_of(common, i) > known) {
            bksi_liveness_alive(&inputs->liveness, common, i);
        }
        if (!is_sound) {
            return false;
        }
    }
    return true;
}
