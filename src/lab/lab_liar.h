// SPDX-License-Identifier: MIT

/// @file lab_liar.h
/// A peer that tells two stories about one of its inputs: the fault `lie`.

#ifndef BKSI_LAB_LIAR_H
#define BKSI_LAB_LIAR_H

#include "session/inspect.h"

/// One peer's lies. It starts zeroed and must outlive the peer's session.
typedef struct bksi_lab_liar {
    bksi_equivocation hook;
    const bks_session *session; ///< of the liar, NULL: it never lied
    bks_tick tick;              ///< of the newest lie
    uint32_t to_peer;           ///< who hears it
    uint64_t told;              ///< packets that held a lie
} bksi_lab_liar;

/// From now on, one peer is told another input of ours for one tick than everybody else. The last
/// call counts.
/// @param tick     not yet sampled
/// @param to_peer  not ourselves
void bksi_lab_lie(bksi_lab_liar *liar, bks_session *session, bks_tick tick, uint32_t to_peer);

/// The tick of the lie, BKS_TICK_NONE: it never lied.
bks_tick bksi_lab_lie_tick(const bksi_lab_liar *liar);

#endif
