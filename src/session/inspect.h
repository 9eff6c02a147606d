// SPDX-License-Identifier: MIT

/// @file inspect.h
/// What the lab sees of a session and does to it, and no game may.

#ifndef BKSI_INSPECT_H
#define BKSI_INSPECT_H

#include "backstitch/session.h"
#include "input/layout.h"

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

/// Tell stories from now on.
/// @param equivocation  must outlive the session, may change meanwhile; NULL: only the truth
void bksi_inspect_equivocate(bks_session *session, const bksi_equivocation *equivocation);

/// The tick that is sampled next.
bks_tick bksi_inspect_own_head(const bks_session *session);

/// The first of our own players.
uint32_t bksi_inspect_own_player(const bks_session *session);

/// How inputs are packed.
const bksi_layout *bksi_inspect_layout(const bks_session *session);

#endif
