// SPDX-License-Identifier: MIT

/// @file evidence.h
/// Evidence of a desync in a recording, once for each peer that differed: the differing bytes, the
/// state, the machine, and the match log of the last ten seconds. All memory is allocated at
/// create; a match without a desync writes nothing.

#ifndef BKSI_EVIDENCE_H
#define BKSI_EVIDENCE_H

#include "backstitch/toolkit/writer.h"
#include "game/runner.h"
#include "peer/machine.h"
#include "peer/match_log.h"
#include "wire/compare_message.h"

/// State size above which only the differing pages are written.
#define BKSI_EVIDENCE_STATE_BYTES 65536u

/// Blocks in which our state and a peer's differ.
typedef struct bksi_evidence_look {
    uint32_t peer;
    bks_tick tick; ///< tick of both states; BKS_TICK_NONE: no states were compared yet
    uint64_t peer_bytes;
    uint32_t count;
    uint32_t firsts[BKSI_COMPARE_BLOCKS_MAX];
    /// The peer's bytes of the differing blocks.
    uint8_t blocks[BKSI_COMPARE_BLOCKS_MAX * BKSI_COMPARE_BLOCK_BYTES];
} bksi_evidence_look;

typedef struct bksi_evidence {
    bksi_match_log log;
    bksi_packer *packer; ///< packer of evidence records; NULL: no evidence is recorded
    bksi_evidence_look look;
    uint64_t events;                 ///< number of session events handled
    uint32_t differing;              ///< bits of the peers that differ and have no record yet
    bks_tick ticks[BKS_PEERS_MAX];   ///< tick at which each peer was found to differ
    uint64_t noticed[BKS_PEERS_MAX]; ///< time in the log's units at which that was found
    bks_replay_pair machine[BKSI_MACHINE_PAIRS_MAX];
    uint32_t machine_count;
    bool has_pointers; ///< the state holds raw pointers, so none of it is written
    bks_allocator allocator;
} bksi_evidence;

/// Allocate the memory in which evidence of desyncs is gathered.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_evidence_create(bksi_evidence *evidence, const bks_session *session,
                                uint32_t tick_rate_hz, const bks_allocator *allocator);
void bksi_evidence_destroy(bksi_evidence *evidence);

/// Register an operation on a kept state that was carried out. The result of NAME has the differing
/// bytes.
void bksi_evidence_show(bksi_evidence *evidence, const bks_op *op);

/// Write the evidence found, after an update.
/// @param is_last       true if no more evidence can come
/// @param has_pointers  true if the state holds raw pointers
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_evidence_settle(bksi_evidence *evidence, bks_replay_writer *writer,
                                const bks_session *session, bksi_runner *runner, bool is_last,
                                bool has_pointers);

#endif
