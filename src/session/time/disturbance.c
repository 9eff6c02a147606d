// SPDX-License-Identifier: MIT

#include "session/time/disturbance.h"

bool bksi_disturbance_is_silent(const session_pace *pace, const session_common *common,
                                uint32_t index)
{
    return common->now_ns - pace->peers[index].head_ns > FREEZE_NS &&
           !bksi_mutated(BKSI_MUTANT_SILENCE);
}

/// Return true if packets of a peer arrive but bring no new inputs, because the peer itself waits
/// for inputs.
static bool stands_still(const session_pace *pace, const session_common *common, uint32_t index)
{
    const session_pace_peer *peer = &pace->peers[index];
    return (double)(peer->head_ns - peer->moved_ns) >
               bksi_common_tick_ns(common) + (double)SEND_GAP_MAX_NS &&
           !bksi_mutated(BKSI_MUTANT_SILENCE);
}

bool bksi_disturbance_is_absent(const session_pace *pace, const session_common *common)
{
    EACH_PEER (i, bksi_common_others(common)) {
        if (bksi_disturbance_is_silent(pace, common, i) || stands_still(pace, common, i)) {
            return false;
        }
    }
    return !pace->is_recovering && !pace->is_stretched &&
           !bksi_rollback_is_held_up(&common->engine);
}

bool bksi_disturbance_is_of_others(const session_pace *pace, const session_common *common)
{
    const uint32_t others = bksi_common_others(common);
    uint32_t still = 0;
    EACH_PEER (i, others) {
        still |= stands_still(pace, common, i) ? PEER_BIT(i) : 0;
    }
    return still != 0 && (others & (others - 1)) != 0;
}

bool bksi_disturbance_is_lasting(const session_pace *pace, const session_common *common)
{
    const double least_ns = (double)FREEZE_NS + 2.0 * bksi_common_tick_ns(common);
    EACH_PEER (i, bksi_common_others(common)) {
        const session_pace_peer *peer = &pace->peers[i];
        const double still_ns = (double)(common->now_ns - peer->moved_ns);
        const double way_ns = bksi_links_round_trip_ns(&common->links, i) / 2.0;
        if (peer->moved_ns != 0 && still_ns > least_ns + way_ns) {
            return true;
        }
    }
    return pace->is_recovering || pace->is_stretched || bksi_rollback_is_held_up(&common->engine);
}

uint32_t bksi_disturbance_detours(const session_pace *pace, const session_common *common)
{
    const bool carries = pace->carried_ns != 0 && common->now_ns - pace->carried_ns <= FREEZE_NS;
    uint32_t detours = carries ? PEER_BIT(common->seats.self) : 0;
    EACH_PEER (i, bksi_common_others(common)) {
        detours |= common->now_ns - pace->peers[i].detour_ns <= FREEZE_NS ? PEER_BIT(i) : 0;
    }
    return detours;
}
