// SPDX-License-Identifier: MIT

/// @file needs.h
/// Which inputs of leavers a peer lacks, as it said itself in a ballot. needs.c alone writes this.

#ifndef BKSI_NEEDS_H
#define BKSI_NEEDS_H

#include "base/bits.h"
#include "session/common/common.h"

typedef struct session_needs {
    bks_tick first[BKS_PEERS_MAX][BKS_PEERS_MAX]; ///< by peer, by leaver: the first tick it lacks
} session_needs;

/// A peer has a leaver's inputs before a tick.
void bksi_needs_note(session_needs *needs, uint32_t peer, uint32_t leaver, bks_tick head);
/// Write a run of each leaver of a mask: what one peer lacks of it, up to its end.
void bksi_needs_write_runs(const session_needs *needs, const session_common *common,
                           bksi_bit_writer *writer, uint32_t to, uint32_t leavers,
                           const bks_tick *ends);

#endif
