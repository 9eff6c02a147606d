// SPDX-License-Identifier: MIT

/// @file evidence.h
/// What a recording holds of a desync: once for each peer that differed what the states differ in,
/// the state, where it was made, and the log of the last ten seconds. All memory is taken at
/// create; a match without a desync writes nothing.

#ifndef BKSI_EVIDENCE_H
#define BKSI_EVIDENCE_H

#include "backstitch/toolkit/writer.h"
#include "game/runner.h"
#include "peer/machine.h"
#include "peer/match_log.h"
#include "wire/compare_message.h"

/// A state of more bytes is kept by pages, those that hold what differs.
#define BKSI_EVIDENCE_STATE_BYTES 65536u

/// The blocks in which our state and that of a peer differ.
typedef struct bksi_evidence_look {
    uint32_t peer;
    bks_tick tick; ///< BKS_TICK_NONE: none yet
    uint64_t peer_bytes;
    uint32_t count;
    uint32_t firsts[BKSI_COMPARE_BLOCKS_MAX];
    uint8_t blocks[BKSI_COMPARE_BLOCKS_MAX * BKSI_COMPARE_BLOCK_BYTES]; ///< of the peer
} bksi_evidence_look;

typedef struct bksi_evidence {
    bksi_match_log log;
    bksi_packer *packer; ///< NULL: there is no recording
    bksi_evidence_look look;
    uint64_t events;               ///< of the session, seen
    uint32_t differing;            ///< bits: peers that differ, and nothing is written of them yet
    bks_tick ticks[BKS_PEERS_MAX]; ///< by peer: where they differ
    bks_replay_pair machine[BKSI_MACHINE_PAIRS_MAX];
    uint32_t machine_count;
    bool has_pointers; ///< in the state: none of it is written
    bks_allocator allocator;
} bksi_evidence;

/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_evidence_create(bksi_evidence *evidence, const bks_session *session,
                                uint32_t tick_rate_hz, const bks_allocator *allocator);
void bksi_evidence_destroy(bksi_evidence *evidence);

/// An operation that looks at a kept state was carried out: NAME shows what differs.
void bksi_evidence_show(bksi_evidence *evidence, const bks_op *op);

/// After an update: write what was found.
/// @param is_last       nothing more will be found
/// @param has_pointers  the state holds raw pointers
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_evidence_settle(bksi_evidence *evidence, bks_replay_writer *writer,
                                const bks_session *session, bksi_runner *runner, bool is_last,
                                bool has_pointers);

#endif
