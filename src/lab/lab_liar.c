// SPDX-License-Identifier: MIT

#include "lab/lab_liar.h"

#include <string.h>

static const uint8_t *lie_to(void *context, uint32_t to_peer, uint32_t player, bks_tick tick,
                             const uint8_t *truth, uint8_t *scratch)
{
    bksi_lab_liar *liar = context;
    if (to_peer != liar->to_peer || tick != liar->tick ||
        player != bksi_inspect_own_player(liar->session)) {
        return truth;
    }
    const bksi_layout *layout = bksi_inspect_layout(liar->session);
    int32_t values[BKS_FIELDS_MAX];
    bksi_layout_unpack(layout, truth, values);
    values[0] = values[0] == layout->fields[0].neutral ? values[0] + 1 : layout->fields[0].neutral;
    bksi_layout_pack_clamped(layout, values, scratch);
    if (memcmp(scratch, truth, layout->bytes) == 0) {
        values[0] -= 2;
        bksi_layout_pack_clamped(layout, values, scratch);
    }
    liar->packets++;
    return scratch;
}

void bksi_lab_lie(bksi_lab_liar *liar, bks_session *session, bks_tick tick, uint32_t to_peer)
{
    liar->session = session;
    liar->tick = tick;
    liar->to_peer = to_peer;
    liar->hook.input = lie_to;
    liar->hook.context = liar;
    liar->hook.to_peers |= 1u << to_peer;
    bksi_inspect_equivocate(session, &liar->hook);
}

bks_tick bksi_lab_lie_tick(const bksi_lab_liar *liar)
{
    return liar->session != NULL ? liar->tick : BKS_TICK_NONE;
}
