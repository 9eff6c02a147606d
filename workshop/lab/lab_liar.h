// SPDX-License-Identifier: MIT

/// @file lab_liar.h
/// Peers that break the protocol on purpose. A liar sends two different inputs or commands for one
/// tick (fault `lie`); a forger sends messages with arbitrary contents (fault `forge`).

#ifndef BKSI_LAB_LIAR_H
#define BKSI_LAB_LIAR_H

#include "backstitch/det.h"
#include "session/inspect.h"
#include "wire/packet.h"

#define BKSI_LAB_FORGED_TYPES 16u

/// State of a peer that lies or forges. Start from {0}; it must outlive the peer's session.
typedef struct bksi_lab_liar {
    bksi_equivocation hook;
    const bks_session *session; ///< session of the liar; NULL: it never lied
    bks_tick tick;              ///< tick of the newest lie; BKS_TICK_NONE: there was none yet
    uint32_t to_peer;           ///< peer that gets the liar's second, different input
    uint64_t packets;           ///< number of packets sent with the second, different input
    bool is_about_commands;     ///< the lie is about the commands of its tick
    bool is_forging;
    const bks_session *forger;  ///< session of the forger, while it forges
    uint32_t ballots;           ///< number of ballots that the forger proposed
    uint32_t types_with_inputs; ///< types of messages with inputs of their sender, as bits
    uint32_t forged_types;      ///< types of messages that the forger changes, one bit for each
    uint32_t forged_every;      ///< one message in this many is forged, on average
    uint64_t forged;            ///< number of messages forged so far
    bks_tick forged_from; ///< first tick whose inputs may be forged; earlier inputs are as sampled
    bks_tick barred;      ///< first tick whose commands broke the rules; 0: none
    bks_random random;
    /// Newest message of each type that the forger sent.
    struct {
        size_t count;
        uint8_t body[BKSI_BODY_BYTES_MAX];
    } own[BKSI_LAB_FORGED_TYPES];
} bksi_lab_liar;

/// Let a peer send one other peer a different input of one tick than all others get. If called
/// again, only the last call counts.
/// @param tick     tick of the lie, not yet sampled
/// @param to_peer  peer that gets the other input, not the liar
void bksi_lab_lie(bksi_lab_liar *liar, bks_session *session, bks_tick tick, uint32_t to_peer);

/// Let a peer send one other peer different commands than all others get: those of the next tick
/// that has whole commands alone. The other commands keep all rules, too.
void bksi_lab_lie_in_commands(bksi_lab_liar *liar, bks_session *session, uint32_t to_peer);

/// Let a peer forge messages from now on. The types of these messages are drawn at random.
/// @param from  first tick whose inputs may be forged; all peers have the inputs before it
void bksi_lab_forge(bksi_lab_liar *liar, bks_session *session, bool has_commands, bks_tick from,
                    bks_random random);

/// Return true if a forger forges its own inputs, or those of peers that are gone.
bool bksi_lab_forges_inputs(const bksi_lab_liar *liar, bool is_another_gone);

/// Return true if other peers took a tick of a forger whose commands broke the rules.
/// @param end  first tick without inputs of the forger, as other peers have it
bool bksi_lab_took_barred(const bksi_lab_liar *liar, bks_tick end);

/// Return the tick of the newest lie; BKS_TICK_NONE: the peer never lied.
bks_tick bksi_lab_lie_tick(const bksi_lab_liar *liar);

#endif
