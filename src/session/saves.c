// SPDX-License-Identifier: MIT

// Which ticks are kept as snapshots. One rule holds under every policy: some valid snapshot always
// lies at or before the newest tick known for certain, since no rollback reaches further back.

#include "session/session_internal.h"

#include "base/assert.h"

/// The newest tick whose state is certain and has been reached.
static bks_tick certain_tick(const bks_session *session)
{
    bks_tick confirmed = bks_session_confirmed(session);
    return confirmed < session->front ? confirmed : session->front;
}

static int32_t newest_slot_until(const bks_session *session, bks_tick tick)
{
    int32_t best = -1;
    for (uint32_t i = 0; i < session->slot_count; i++) {
        bks_tick saved = session->slots[i].tick;
        if (saved == BKS_TICK_NONE || saved > tick)
            continue;
        if (best < 0 || saved > session->slots[best].tick)
            best = (int32_t)i;
    }
    return best;
}

void bksi_saves_reset(bks_session *session)
{
    uint32_t window = session->config.window_ticks;
    switch (session->config.save) {
    case BKS_SAVE_EVERY:
        session->slot_count = window + 2;
        break;
    case BKS_SAVE_TWO:
        session->slot_count = 2;
        break;
    case BKS_SAVE_ONE:
        session->slot_count = 1;
        break;
    }
    if (window == 0)
        session->slot_count = 0;
    for (uint32_t i = 0; i < BKS_SLOTS_MAX; i++)
        session->slots[i].tick = BKS_TICK_NONE;
}

uint32_t bksi_saves_nearest(const bks_session *session, bks_tick tick)
{
    int32_t slot = newest_slot_until(session, tick);
    BKS_ASSERT(slot >= 0);
    return (uint32_t)slot;
}

void bksi_saves_forget_after(bks_session *session, bks_tick tick)
{
    for (uint32_t i = 0; i < session->slot_count; i++) {
        if (session->slots[i].tick > tick)
            session->slots[i].tick = BKS_TICK_NONE;
    }
}

/// Two snapshots: while resimulating, one is moved up to the newest certain tick; at the present,
/// the older is overwritten once the newer is a window old [INVERSUS, Rolling State Buffers].
static int32_t slot_of_two(const bks_session *session, bks_tick at)
{
    bks_tick certain = certain_tick(session);
    int32_t anchor = newest_slot_until(session, certain);
    int32_t newest = newest_slot_until(session, INT32_MAX);
    bool moves_up = session->is_resimulating && at == certain;
    bool is_old = at == session->front &&
                  at - session->slots[newest].tick >= (bks_tick)session->config.window_ticks;
    if (!moves_up && !is_old)
        return -1;
    return anchor == 0 ? 1 : 0;
}

int32_t bksi_saves_slot(const bks_session *session, bks_tick at)
{
    if (session->slot_count == 0)
        return -1;
    int32_t newest = newest_slot_until(session, INT32_MAX);
    if (newest < 0)
        return 0;
    for (uint32_t i = 0; i < session->slot_count; i++) {
        if (session->slots[i].tick == at)
            return -1;
    }
    switch (session->config.save) {
    case BKS_SAVE_EVERY:
        return at % (bks_tick)session->slot_count;
    case BKS_SAVE_TWO:
        return slot_of_two(session, at);
    case BKS_SAVE_ONE:
        return at == session->one_target ? 0 : -1;
    }
    return -1;
}
