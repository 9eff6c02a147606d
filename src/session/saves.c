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
        if (saved == BKS_TICK_NONE || saved > tick) {
            continue;
        }
        if (best < 0 || saved > session->slots[best].tick) {
            best = (int32_t)i;
        }
    }
    return best;
}

void bksi_saves_reset(bks_session *session)
{
    uint32_t window = session->config.window_ticks;
    session->spacing = (bks_tick)window;
    switch (session->config.save) {
    case BKS_SAVE_EVERY:
        session->spacing = window > 0 ? 1 : 0;
        session->slot_count = window + 2;
        break;
    case BKS_SAVE_TWO:
        session->slot_count = 2;
        break;
    case BKS_SAVE_ONE:
        session->slot_count = 1;
        break;
    case BKS_SAVE_AUTO:
        session->slot_count = window + 2;
        break;
    }
    if (window == 0) {
        session->slot_count = 0;
    }
    for (uint32_t i = 0; i < BKS_SLOTS_MAX; i++) {
        session->slots[i].tick = BKS_TICK_NONE;
    }
}

uint32_t bksi_saves_nearest(const bks_session *session, bks_tick tick)
{
    int32_t slot = newest_slot_until(session, tick);
    BKS_ASSERT(slot >= 0);
    return (uint32_t)slot;
}

void bksi_saves_forget(bks_session *session, bks_tick tick)
{
    for (uint32_t i = 0; i < session->slot_count; i++) {
        if (session->slots[i].tick == tick && !bksi_mutated(BKSI_MUTANT_KEPT)) {
            session->slots[i].tick = BKS_TICK_NONE;
        }
    }
}

/// The newest certain one, those within the window, and one to fill.
uint32_t bksi_saves_slots_for(const bks_session *session, bks_tick spacing)
{
    return 2 + (session->config.window_ticks - 1) / (uint32_t)spacing;
}

/// A free slot, else the one with the oldest snapshot, but never the one that a rollback may need.
static int32_t slot_to_fill(const bks_session *session, int32_t anchor)
{
    int32_t best = -1;
    for (int32_t i = 0; i < (int32_t)session->slot_count; i++) {
        if (i != anchor && (best < 0 || session->slots[i].tick < session->slots[best].tick)) {
            best = i;
        }
    }
    return best;
}

/// A snapshot is taken so many ticks after the last; while resimulating, first at the newest
/// certain tick [INVERSUS, Rolling State Buffers]. Those after the present one are of a past that
/// may be wrong: they do not count.
int32_t bksi_saves_slot(const bks_session *session, bks_tick at)
{
    if (session->slot_count == 0) {
        return -1;
    }
    int32_t newest = newest_slot_until(session, at);
    if (newest < 0) {
        return 0;
    }
    bks_tick age = at - session->slots[newest].tick;
    if (age == 0) {
        return -1;
    }
    if (session->config.save == BKS_SAVE_ONE) {
        return at == session->one_target ? 0 : -1;
    }
    bks_tick certain = certain_tick(session);
    bks_tick until_certain = session->is_resimulating ? certain - at : -1;
    if (until_certain > 0 || (until_certain < 0 && age < session->spacing)) {
        return -1;
    }
    return slot_to_fill(session, newest_slot_until(session, certain < at ? certain : at));
}
