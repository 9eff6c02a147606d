// SPDX-License-Identifier: MIT

/// @file start.h
/// Whether all start from the same state. start.c alone writes this; others ask.

#ifndef BKSI_START_H
#define BKSI_START_H

#include "backstitch/session.h"

#include "wire/join.h"
#include "wire/small_messages.h"

/// Host: what a guest says of its state of tick 0.
typedef struct session_start_peer {
    bool is_ready;
    uint64_t hash;    ///< once it is ready
    bool has_parts;   ///< it explained its state
    bksi_parts parts; ///< likewise
} session_start_peer;

typedef struct session_start {
    bool is_hashed; ///< the state of tick 0
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

/// Our state of tick 0 has this hash.
void bksi_start_made(session_start *start, uint64_t hash);
/// Whether RANGES is to be carried out, and what came of it.
bool bksi_start_wants_parts(const session_start *start);
void bksi_start_take_parts(session_start *start, const uint64_t *hashes, uint32_t count);
/// Whether states are unequal is to be seen anew, or the host says that they are.
void bksi_start_compare_anew(session_start *start, bool is_unequal);
/// Host: all are ready. Compare their states of tick 0 with ours; where one differs, ask for the
/// parts, and fail once they are here.
start_verdict bksi_start_compare(bks_session *session);
/// Host: take in how far a guest is.
void bksi_start_heard(session_start *start, uint32_t peer, const bksi_join *join);
/// A peer takes the place of another, `from` BKS_PEERS_MAX: of a new one.
void bksi_start_move(session_start *start, uint32_t to, uint32_t from);
/// Guest: the host found a difference.
void bksi_start_verdict(bks_session *session, const bksi_difference *difference);
/// Name the peers that play another build.
void bksi_start_tell_builds(bks_session *session);

#endif
