// SPDX-License-Identifier: MIT

/// @file equivocation.h
/// The one hook of the lab in a session: what a peer sends that lies on purpose.

#ifndef BKSI_EQUIVOCATION_H
#define BKSI_EQUIVOCATION_H

#include "backstitch/base.h"

/// Another story of our inputs than the true one, told to some peers.
typedef struct bksi_equivocation {
    /// An input of ours as a peer is told it.
    /// @param truth    the true one, packed
    /// @param scratch  BKSI_INPUT_BYTES_MAX bytes, to hold another
    /// @return either
    const uint8_t *(*tell)(void *context, uint32_t to_peer, uint32_t player, bks_tick tick,
                           const uint8_t *truth, uint8_t *scratch);
    void *context; ///< handed to tell
    uint32_t
        to_peers; ///< bits: who may hear another story, and learns from other inputs than we do
} bksi_equivocation;

#endif
