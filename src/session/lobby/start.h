// SPDX-License-Identifier: MIT

/// @file start.h
/// The state of the first tick: what it is made from, and whether all made the same. start.c alone
/// writes this; others ask.

#ifndef BKSI_START_H
#define BKSI_START_H

#include "session/common/common.h"
#include "wire/join.h"

/// Host: what a guest says of its state of the first tick.
typedef struct session_start_peer {
    bool is_ready;
    uint64_t hash;    ///< once it is ready
    bool has_parts;   ///< it explained its state
    bksi_parts parts; ///< likewise
} session_start_peer;

typedef struct session_start {
    uint8_t setup[BKS_SETUP_BYTES_MAX];
    size_t setup_bytes;
    bool is_made;   ///< START has been carried out
    bool is_hashed; ///< and HASH
    uint64_t hash;
    bool is_unequal;     ///< not all start from the same state, and their parts are compared
    uint64_t unequal_ns; ///< host: since when
    bool has_parts;      ///< RANGES has been carried out
    bksi_parts parts;
    bksi_difference difference; ///< what the match failed for; no peers: it did not
    session_start_peer peers[BKS_PEERS_MAX];
} session_start;

typedef enum start_verdict {
    START_UNKNOWN,
    START_EQUAL,
    START_FAILED,
} start_verdict;

/// What the state is made from: as the host's config, or its roster says.
void bksi_start_set_up(session_start *start, const void *setup, size_t bytes);
/// Before the match: seats have changed, or what the state is made from.
void bksi_start_begin_view(const session_start *start, const session_seats *seats,
                           session_membership *membership);
/// Our state of the first tick is made; has this hash.
void bksi_start_made(session_start *start);
void bksi_start_hashed(session_start *start, uint64_t hash);
/// Whether RANGES must be carried out, and its result.
bool bksi_start_wants_parts(const session_start *start);
void bksi_start_take_parts(session_start *start, const uint64_t *hashes, uint32_t count);
/// All are known: they are to make the state, or to say again that they have.
void bksi_start_wait_for_all(session_start *start);
/// Take the host's word whether they differ.
void bksi_start_take_word(session_start *start, bool is_unequal);
/// Host: all are ready. Compare their states of the first tick with ours; where one differs, ask
/// for the parts, and fail once they are here.
/// @param difference  receives what differs, with START_FAILED
start_verdict bksi_start_compare(session_start *start, const session_common *common,
                                 bksi_difference *difference);
/// Host: take in how far a guest is.
void bksi_start_heard(session_start *start, uint32_t peer, const bksi_join *join);
/// No peer starts, for the host found a difference. Nothing changes if none of the peers is there.
void bksi_start_fail(session_start *start, session_phase *phase, session_events *events,
                     const session_common *common, const bksi_difference *difference);
/// Name the peers that play another build.
void bksi_start_report_builds(session_events *events, const session_common *common);

#endif
