// SPDX-License-Identifier: MIT

/// @file path_state.h
/// State of the routes to each peer. Only paths.c changes it.

#ifndef BKSI_PATH_STATE_H
#define BKSI_PATH_STATE_H

#include "net/route.h"

/// Counts of path numbers, and first number of each kind of probe. An echo names the path of its
/// packet by such a number. Each probe has its own number: the first number of its kind plus the
/// probe's index.
#define BKSI_PATH_ROUTE_IDS    16u
#define BKSI_PATH_PROBE_IDS    64u
#define BKSI_PATH_STRAIGHT_IDS BKSI_PATH_ROUTE_IDS
#define BKSI_PATH_SHORTER_IDS  (BKSI_PATH_STRAIGHT_IDS + BKSI_PATH_PROBE_IDS)
#define BKSI_PATH_IDS          (BKSI_PATH_SHORTER_IDS + BKSI_PATH_PROBE_IDS)

/// Path number in a datagram that only carries packets of other peers. Such a datagram tells
/// nothing about the paths between its own sender and receiver, and is not echoed.
#define BKSI_PATH_NO_ID 255u

/// Time between probes of the direct route while a detour is in use.
#define BKSI_PATH_PROBE_GAP_NS UINT64_C(125000000)

/// Number of failed paths to one peer that are remembered.
#define BKSI_PATHS_FAILED 16u

/// Peers that a peer hears directly.
typedef struct bksi_paths_mask {
    bool is_known;
    uint16_t number; ///< number of the report; the peer raises it with every change
    uint32_t peers;  ///< bits by peer: the peers that are heard
    uint64_t came_ns;
} bksi_paths_mask;

typedef struct bksi_paths_failed {
    bksi_route route;
    /// Time before which the failed path is not tried again; 0: the entry is unused.
    uint64_t until_ns;
    uint64_t span_ns;
} bksi_paths_failed;

/// A better path than the one in use, tried beside it.
typedef struct bksi_paths_trial {
    bool is_on;
    bksi_route route;
    uint32_t sent; ///< number of probes sent
    /// Number of the newest probe, modulo BKSI_PATH_PROBE_IDS. The next trial continues the
    /// numbers.
    uint32_t newest;
    uint64_t came; ///< bits by probe number: probes that were echoed
    uint64_t next_ns;
} bksi_paths_trial;

/// State of the route to one peer, and of the packets that come from it.
typedef struct bksi_path {
    bksi_route route;
    uint32_t id;
    uint32_t next_id;
    uint64_t since_ns;         ///< time since when `route` is in use
    uint64_t straight_from_ns; ///< time when the direct route was last taken; 0: from the beginning
    uint64_t straight_to_ns;   ///< time when the direct route was last left
    uint64_t echoed_ns;        ///< time of the newest echo for `route`; 0: none yet
    uint64_t echo_gap_ns;      ///< smoothed time between echoes
    uint64_t changes;
    /// Count `masks` (changes of reports and hints) when the route was last reconsidered.
    uint64_t seen_masks;
    bksi_paths_failed failed[BKSI_PATHS_FAILED];
    bksi_paths_trial straight; ///< trial of the direct route, made while a detour is in use
    bksi_paths_trial shorter;

    bool is_heard;          ///< packets of the peer arrive directly
    uint64_t heard_ns;      ///< time of the newest direct packet
    uint64_t excused_ns;    ///< time up to which missing direct packets count as no failure
    uint64_t gap_ns;        ///< smoothed time between direct packets
    uint64_t gap_spread_ns; ///< smoothed deviation of `gap_ns`
    double loss;            ///< share of the peer's packets that are lost
    uint32_t heard_run;     ///< number of direct packets in a row without a long gap
    uint64_t any_ns;        ///< time of the newest packet by any path
    bksi_route back;        ///< carriers of the peer's packets, the one nearest to us first
    uint64_t back_ns;       ///< time when carriers last brought a packet of the peer; 0: never
} bksi_path;

typedef struct bksi_paths {
    uint32_t self;
    uint32_t members; ///< bits by peer: the members of the match
    bool is_calm;     ///< packets are rare, as before a match
    uint64_t now_ns;
    bksi_paths_mask reports[BKS_PEERS_MAX]; ///< each peer's own report of whom it hears
    /// Hints about whom other peers hear, by the peer that sent the hint, then by the peer that
    /// hears.
    bksi_paths_mask hints[BKS_PEERS_MAX][BKS_PEERS_MAX];
    bksi_path peers[BKS_PEERS_MAX];
    uint64_t masks; ///< number of changes of `reports` and `hints`
} bksi_paths;

/// Return true if a peer's own report is recent.
bool bksi_paths_is_fresh(const bksi_paths *paths, uint32_t peer);
/// Find the best path that has not failed lately. If all have failed, take the path that failed
/// first; if all are denied, keep the path in use.
void bksi_paths_search(const bksi_paths *paths, uint32_t target, bksi_route *route);
/// Find the best path that has not failed lately and whose worst hop is surer than that of the path
/// in use. Return false if there is none.
bool bksi_paths_search_surer(const bksi_paths *paths, uint32_t target, bksi_route *route);
/// Return true if the worst hop of every other path that has not failed lately is less sure than
/// the worst hop of the path in use.
bool bksi_paths_is_surest(const bksi_paths *paths, uint32_t target);
/// Find the best detour that has fewer carriers than the path in use, and whose receivers all
/// report that they hear the sender of their hop. Return false if there is no such detour.
bool bksi_paths_search_shorter(const bksi_paths *paths, uint32_t target, bksi_route *route);
/// Return true if a hop of a route is denied by the peer that should hear it.
bool bksi_paths_is_denied(const bksi_paths *paths, uint32_t target, const bksi_route *route);

#endif
