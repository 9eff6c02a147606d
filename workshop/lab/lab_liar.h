// SPDX-License-Identifier: MIT

/// @file lab_liar.h
/// A peer that equivocates: it sends two inputs for one tick, the fault `lie`; and one that forges:
/// it sends messages with anything in them, the fault `forge`.

#ifndef BKSI_LAB_LIAR_H
#define BKSI_LAB_LIAR_H

#include "backstitch/det.h"
#include "session/inspect.h"
#include "wire/packet.h"

#define BKSI_LAB_FORGED_TYPES 16u

/// One peer's lies. It starts zeroed and must outlive the peer's session.
typedef struct bksi_lab_liar {
    bksi_equivocation hook;
    const bks_session *session; ///< of the liar, NULL: it never lied
    bks_tick tick;              ///< of the newest lie
    uint32_t to_peer;           ///< the peer that gets the wrong input
    uint64_t packets;           ///< packets that held a lie
    bool is_forging;
    const bks_session *forger; ///< while it is
    uint32_t ballots;          ///< that it proposed
    uint32_t forged_types;     ///< bits: the types of messages that it forges
    uint32_t forged_every;     ///< about one message of this many
    uint64_t forged;           ///< messages so far
    bks_tick forged_from;      ///< the ticks before are as it sampled them
    bks_random random;
    /// A message that it sent, by type.
    struct {
        size_t count;
        uint8_t body[BKSI_BODY_BYTES_MAX];
    } own[BKSI_LAB_FORGED_TYPES];
} bksi_lab_liar;

/// From now on, one peer gets another input of ours for one tick than all others. The last call
/// counts.
/// @param tick     not yet sampled
/// @param to_peer  not ourselves
void bksi_lab_lie(bksi_lab_liar *liar, bks_session *session, bks_tick tick, uint32_t to_peer);

/// Forge from now on: some types of messages, drawn.
/// @param from  all peers have the inputs of the ticks before
void bksi_lab_forge(bksi_lab_liar *liar, bks_session *session, bks_tick from, bks_random random);

/// Whether its inputs are among it, or those of peers that are gone.
bool bksi_lab_forges_inputs(const bksi_lab_liar *liar, bool is_another_gone);

/// The tick of the lie, BKS_TICK_NONE: it never lied.
bks_tick bksi_lab_lie_tick(const bksi_lab_liar *liar);

#endif
