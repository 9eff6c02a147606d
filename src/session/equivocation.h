// SPDX-License-Identifier: MIT

/// @file equivocation.h
/// The one hook of the lab in a session: what a peer sends that lies on purpose.

#ifndef BKSI_EQUIVOCATION_H
#define BKSI_EQUIVOCATION_H

#include "backstitch/base.h"

/// Other inputs of ours than the true ones, for some peers.
typedef struct bksi_equivocation {
    /// An input of ours as a peer gets it.
    /// @param truth    the true one, packed
    /// @param scratch  BKSI_INPUT_BYTES_MAX bytes, to hold another
    /// @return either
    const uint8_t *(*input)(void *context, uint32_t to_peer, uint32_t player, bks_tick tick,
                            const uint8_t *truth, uint8_t *scratch);
    void *context; ///< of `input`
    uint32_t
        to_peers; ///< bits: peers that may get other inputs, and so learn from others than we do
} bksi_equivocation;

#endif
