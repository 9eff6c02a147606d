// SPDX-License-Identifier: MIT

/// @file equivocation.h
/// The lab's hooks in a session: what a peer sends that lies on purpose.

#ifndef BKSI_EQUIVOCATION_H
#define BKSI_EQUIVOCATION_H

#include "backstitch/base.h"

/// Other inputs of ours than the true ones, for some peers; and messages with anything in them.
typedef struct bksi_equivocation {
    /// An input of ours as a peer gets it.
    /// @param truth    the true one, packed
    /// @param scratch  BKSI_INPUT_BYTES_MAX bytes, to hold another
    /// @return either
    const uint8_t *(*input)(void *context, uint32_t to_peer, uint32_t player, bks_tick tick,
                            const uint8_t *truth, uint8_t *scratch);
    /// A message to a member, about to be sealed; NULL: all go as they are.
    /// @param type  of the message, may become another one above BKSI_PACKET_HANDSHAKE and below
    ///              BKSI_PACKET_ADDRESS
    /// @param body  room for BKSI_BODY_BYTES_MAX, may be changed
    /// @return its bytes
    size_t (*forge)(void *context, uint32_t to_peer, uint32_t *type, uint8_t *body, size_t count);
    void *context; ///< of both
    uint32_t
        to_peers; ///< bits: peers that may get other inputs, and so learn from others than we do
} bksi_equivocation;

#endif
