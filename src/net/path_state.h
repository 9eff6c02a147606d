// SPDX-License-Identifier: MIT

/// @file path_state.h
/// What is known of the ways to each peer. paths.c alone writes it.

#ifndef BKSI_PATH_STATE_H
#define BKSI_PATH_STATE_H

#include "net/route.h"

/// Numbers of paths in one direction; an echo names its path by one. Each probe has a number of its
/// own: that of a trial, from its first on, and the probe's.
#define BKSI_PATH_ROUTE_IDS    16u
#define BKSI_PATH_PROBE_IDS    64u
#define BKSI_PATH_STRAIGHT_IDS BKSI_PATH_ROUTE_IDS
#define BKSI_PATH_SHORTER_IDS  (BKSI_PATH_STRAIGHT_IDS + BKSI_PATH_PROBE_IDS)
#define BKSI_PATH_IDS          (BKSI_PATH_SHORTER_IDS + BKSI_PATH_PROBE_IDS)

/// Of a datagram that only carries for others: it takes no path of the pair's, and is not echoed.
#define BKSI_PATH_NO_ID 255u

/// On a detour, how often a packet tries the straight way.
#define BKSI_PATH_PROBE_GAP_NS UINT64_C(125000000)

/// Paths to one peer that did not work, remembered.
#define BKSI_PATHS_FAILED 16u

/// Whom a peer hears straight.
typedef struct bksi_paths_mask {
    bool is_known;
    uint16_t number; ///< raised by that peer with every change
    uint32_t peers;  ///< bits
    uint64_t came_ns;
} bksi_paths_mask;

typedef struct bksi_paths_failed {
    bksi_route route;
    uint64_t until_ns; ///< not tried before; 0: nothing is here
    uint64_t span_ns;
} bksi_paths_failed;

/// A better path than the one in use, tried beside it.
typedef struct bksi_paths_trial {
    bool is_on;
    bksi_route route;
    uint32_t sent;   ///< probes
    uint32_t newest; ///< number of the last, modulo BKSI_PATH_PROBE_IDS; trials count on
    uint64_t came;   ///< bits by number: probes that were echoed
    uint64_t next_ns;
} bksi_paths_trial;

/// How packets go to one peer, and how its own come.
typedef struct bksi_path {
    bksi_route route;
    uint32_t id;
    uint32_t next_id;
    uint64_t since_ns;         ///< on this route
    uint64_t straight_from_ns; ///< the last time that went straight began; 0: before all
    uint64_t straight_to_ns;   ///< and ended, where it did
    uint64_t echoed_ns;        ///< the newest echo by it; 0: none yet
    uint64_t echo_gap_ns;      ///< between echoes, smoothed
    uint64_t changes;
    uint64_t seen_masks; ///< masks that had changed when the route was last thought over
    bksi_paths_failed failed[BKSI_PATHS_FAILED];
    bksi_paths_trial straight; ///< while it is not the route
    bksi_paths_trial shorter;

    bool is_heard;          ///< straight
    uint64_t heard_ns;      ///< straight
    uint64_t gap_ns;        ///< between packets that come straight, smoothed
    uint64_t gap_spread_ns; ///< how far it is off
    uint32_t heard_run;     ///< of them without a long gap
    uint64_t any_ns;        ///< by any path
    bksi_route back;        ///< the carriers that bring its packets, the nearest first
    uint64_t back_ns;       ///< when they did; 0: never
} bksi_path;

typedef struct bksi_paths {
    uint32_t self;
    uint32_t members; ///< bits
    bool is_calm;     ///< packets come seldom
    uint64_t now_ns;
    bksi_paths_mask reports[BKS_PEERS_MAX];              ///< each peer's own
    bksi_paths_mask hints[BKS_PEERS_MAX][BKS_PEERS_MAX]; ///< by reporter, then by peer
    bksi_path peers[BKS_PEERS_MAX];
    uint64_t masks; ///< masks that changed
} bksi_paths;

/// Return true if a peer's own report is recent enough to count.
bool bksi_paths_is_fresh(const bksi_paths *paths, uint32_t peer);
/// The best path that has not failed of late; of those that all failed the first, and the one in
/// use where all are denied.
void bksi_paths_search(const bksi_paths *paths, uint32_t target, bksi_route *route);
/// The best path that has not failed of late and whose worst hop is surer than that of the path in
/// use.
bool bksi_paths_search_surer(const bksi_paths *paths, uint32_t target, bksi_route *route);
/// Whether all other paths that have not failed of late have a hop that is less sure than those of
/// the path in use.
bool bksi_paths_is_surest(const bksi_paths *paths, uint32_t target);
/// The best way with fewer carriers, but some, all of whose hops are certain.
bool bksi_paths_search_shorter(const bksi_paths *paths, uint32_t target, bksi_route *route);
/// Whether a hop of a way is denied by the peer that should hear it.
bool bksi_paths_is_denied(const bksi_paths *paths, uint32_t target, const bksi_route *route);

#endif
