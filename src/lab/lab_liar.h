// SPDX-License-Identifier: MIT

/// @file lab_liar.h
/// A peer that equivocates: it sends two inputs for one tick. The fault `lie`.

#ifndef BKSI_LAB_LIAR_H
#define BKSI_LAB_LIAR_H

#include "session/inspect.h"

/// One peer's lies. It starts zeroed and must outlive the peer's session.
typedef struct bksi_lab_liar {
    bksi_equivocation hook;
    const bks_session *session; ///< of the liar, NULL: it never lied
    bks_tick tick;              ///< of the newest lie
    uint32_t to_peer;           ///< the peer that gets the wrong input
    uint64_t packets;           ///< packets that held a lie
} bksi_lab_liar;

/// From now on, one peer gets another input of ours for one tick than all others. The last call
/// counts.
/// @param tick     not yet sampled
/// @param to_peer  not ourselves
void bksi_lab_lie(bksi_lab_liar *liar, bks_session *session, bks_tick tick, uint32_t to_peer);

/// The tick of the lie, BKS_TICK_NONE: it never lied.
bks_tick bksi_lab_lie_tick(const bksi_lab_liar *liar);

#endif
