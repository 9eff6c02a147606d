// SPDX-License-Identifier: MIT

/// @file lab_internal.h
/// What the lab's files share:
///   lab.c         the network and its peers, made and run
///   lab_fault.c   planted faults
///   lab_result.c  hashes compared, how it went
/// and what runs the same match by other means, on real time, takes from them.

#ifndef BKSI_LAB_INTERNAL_H
#define BKSI_LAB_INTERNAL_H

#include "backstitch/det.h"
#include "backstitch/lab.h"
#include "lab/lab_link.h"

/// Streams of random numbers that the one seed splits into.
typedef enum lab_stream {
    LAB_STREAM_IDS = 1,     ///< the match key, the peers' nonces and secrets
    LAB_STREAM_PHASE = 2,   ///< when each peer begins
    LAB_STREAM_FLIP = 3,    ///< which byte a planted fault hits
    LAB_STREAM_LINKS = 100, ///< and one for each direction
} lab_stream;

typedef struct lab_peer {
    bks_peer *peer;
    bks_session *session; ///< the one inside
    uint64_t wake_ns;     ///< when it wants its next update
    bool is_starved;
    bool has_begun;          ///< stepped its first tick
    uint64_t first_tick_ns;  ///< when
    uint64_t allocations;    ///< since
    bks_tick hash_count;     ///< ticks from 0 on whose hashes are in `hashes`
    uint64_t *hashes;        ///< ticks + 1 of them
    bks_tick found_tick;     ///< where it stood when it found a desync, BKS_TICK_NONE
    char trouble[128];       ///< why it failed, "" when it did not
    bks_lab_peer_result end; ///< as the match ended
} lab_peer;

/// One bit changed whenever a tick is entered.
typedef struct bksi_lab_flip {
    bool is_planted;
    bks_tick tick;
    uint64_t offset_bytes; ///< modulo the bytes in use
} bksi_lab_flip;

/// Planted faults.
typedef struct bksi_lab_faults {
    bksi_lab_flip flips[BKS_PEERS_MAX]; ///< by peer
} bksi_lab_faults;

struct bks_lab {
    bks_lab_config config;
    bksi_lab_faults faults;
    uint64_t now_ns;
    uint64_t limit_ns; ///< when the match is given up
    bool has_begun;    ///< links and faults are settled
    bool is_over;      ///< the match has ended, `end` is filled in
    bool is_closed;    ///< and the peers have said what they owed each other
    uint64_t end_ns;   ///< when the match ended
    lab_peer peers[BKS_PEERS_MAX];
    bksi_lab_link *links[BKS_PEERS_MAX][BKS_PEERS_MAX]; ///< from, to
    bool is_own_link[BKS_PEERS_MAX][BKS_PEERS_MAX];     ///< its spec was for this pair alone
    uint64_t *hashes;                                   ///< the memory behind the peers' hashes
    size_t hashes_bytes;
};

/// A generator of its own for each stream.
bks_random bksi_lab_random(uint64_t seed, uint64_t stream);

/// @return BKS_OK, BKS_ERR_BAD_CONFIG
bks_status bksi_lab_config_check(const bks_lab_config *config, bks_error *error);

/// What a peer of the match is made from. Its host is at address 0 of the lab.
bks_peer_config bksi_lab_peer_config(const bks_lab_config *config, uint32_t index);

/// When virtual or real time is up for a match.
uint64_t bksi_lab_limit_ns(const bks_lab_config *config);

/// Seed of one direction's link.
uint64_t bksi_lab_link_seed(uint64_t seed, uint32_t from, uint32_t to);

/// Add the faults of a spec to those there are.
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_UNSUPPORTED
bks_status bksi_lab_faults_parse(const bks_lab_config *config, const char *spec,
                                 bksi_lab_faults *faults, bks_error *error);

/// Plant in one peer what is meant for it.
void bksi_lab_faults_plant(const bksi_lab_faults *faults, uint32_t index, bks_peer *peer);

/// Hashes of one peer, from tick 0 on.
typedef struct bksi_lab_hashes {
    const uint64_t *hashes;
    bks_tick count; ///< those that are there
} bksi_lab_hashes;

/// What comparing them showed.
typedef struct bksi_lab_comparison {
    bks_tick compared;     ///< ticks after which all hashes are there
    bks_tick desync_tick;  ///< the first that differs, BKS_TICK_NONE
    uint32_t desync_peers; ///< bits, as in bks_lab_result
} bksi_lab_comparison;

/// Compare the hashes of ticks 0 to `ticks`.
bksi_lab_comparison bksi_lab_compare(const bksi_lab_hashes *peers, uint32_t peer_count,
                                     bks_tick ticks);

/// Take over the hashes that a session has published since.
/// @param hashes  ticks + 1 of them
/// @param count   those that are there, moves on
void bksi_lab_collect_hashes(const bks_session *session, bks_tick ticks, uint64_t *hashes,
                             bks_tick *count);

/// What a peer's result is now.
void bksi_lab_collect_result(const lab_peer *peer, bks_lab_peer_result *out);

#endif
