// SPDX-License-Identifier: MIT

/// @file start.h
/// State of the first tick: its setup, and the comparison of all peers' states. Only start.c
/// changes session_start; other files use its functions.

#ifndef BKSI_START_H
#define BKSI_START_H

#include "session/common/common.h"
#include "wire/join.h"

/// Host: what a guest has told about its state of the first tick.
typedef struct session_start_peer {
    bool is_ready;
    uint64_t hash;    ///< hash of the guest's state, once the guest is ready
    bool has_parts;   ///< the guest sent the hashes of its state's parts
    bksi_parts parts; ///< hashes of the parts of the guest's state
} session_start_peer;

typedef struct session_start {
    uint8_t setup[BKS_SETUP_BYTES_MAX];
    size_t setup_bytes;
    bool is_made;   ///< START was carried out: the state is made
    bool is_hashed; ///< HASH was carried out: the hash is known
    uint64_t hash;
    bool is_unequal;     ///< states differ, and their parts are being compared
    uint64_t unequal_ns; ///< host: time since when states are known to differ
    bool has_parts;      ///< RANGES was carried out: the hashes of the parts are known
    bksi_parts parts;
    /// Difference for which the match failed; its `peers` is 0 if there is none.
    bksi_difference difference;
    session_start_peer peers[BKS_PEERS_MAX];
} session_start;

typedef enum start_verdict {
    START_UNKNOWN,
    START_EQUAL,
    START_FAILED,
} start_verdict;

/// Set the setup from which the state is made: at the host that of its config, at a guest that of
/// the host's roster.
void bksi_start_set_up(session_start *start, const void *setup, size_t bytes);
/// Name view 0 by the hash of the roster. Call it after a change of the seats or of the setup.
void bksi_start_begin_view(const session_start *start, const session_seats *seats,
                           session_membership *membership);
/// Record that our state of the first tick is made.
void bksi_start_made(session_start *start);
/// Store the hash of our state of the first tick.
void bksi_start_hashed(session_start *start, uint64_t hash);
/// Return true if RANGES must be carried out.
bool bksi_start_wants_parts(const session_start *start);
/// Handle the result of RANGES: hashes of the parts of our state.
void bksi_start_take_parts(session_start *start, const uint64_t *hashes, uint32_t count);
/// Forget what all guests told about their states, so that each guest must tell it again.
void bksi_start_wait_for_all(session_start *start);
/// Guest: store whether the host reported that states differ.
void bksi_start_take_unequal(session_start *start, bool is_unequal);
/// Host: compare the states of the first tick once all guests are ready. If a state differs, ask
/// for the hashes of its parts; fail once they have come.
/// @param difference  receives the difference if the result is START_FAILED
start_verdict bksi_start_compare(session_start *start, const session_common *common,
                                 bksi_difference *difference);
/// Host: store a guest's progress from its JOIN.
void bksi_start_heard(session_start *start, uint32_t peer, const bksi_join *join);
/// Fail the start because the host found a difference. Do nothing if none of the peers that it
/// names is in the match.
void bksi_start_fail(session_start *start, session_phase *phase, session_events *events,
                     const session_common *common, const bksi_difference *difference);
/// Report the peers that play another build of the game.
void bksi_start_report_builds(session_events *events, const session_common *common);

#endif
