// SPDX-License-Identifier: MIT

/// @file paths.h
/// By which way packets go to each peer: straight, or through others. Masks
/// say which peer hears which: a peer's own word counts, what others report of it is a hint. Both
/// are reasons to try a path; it is kept only while echoes of packets that took it come back.
///
///     came from a peer           bksi_paths_heard, bksi_paths_word, bksi_paths_echoed
///     each update                bksi_paths_update
///     before a packet to it      bksi_paths_route, and bksi_paths_probe for one beside it
///
/// Directions are apart: this decides how our packets go, the other side how its own do.
///
/// Fixed size, no clock, no allocation. docs/link.md explains the rules.

#ifndef BKSI_PATHS_H
#define BKSI_PATHS_H

#include "net/route.h"

/// Numbers of paths in one direction; an echo names its path by one.
#define BKSI_PATH_IDS 16u

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
    uint32_t id;
    uint32_t sent; ///< probes
    uint32_t came;
    uint32_t tries; ///< in vain, before this one
    uint64_t next_ns;
} bksi_paths_trial;

/// How packets go to one peer, and how its own come.
typedef struct bksi_path {
    bksi_route route;
    uint32_t id;
    uint32_t next_id;
    uint64_t since_ns;    ///< on this route
    uint64_t echoed_ns;   ///< the newest echo by it; 0: none yet
    uint64_t echo_gap_ns; ///< between echoes, smoothed
    uint64_t changes;
    bksi_paths_failed failed[BKSI_PATHS_FAILED];
    bksi_paths_trial straight; ///< while it is not the route
    bksi_paths_trial shorter;

    bool is_heard;          ///< straight
    uint64_t heard_ns;      ///< straight
    uint64_t gap_ns;        ///< between packets that come straight, smoothed
    uint64_t gap_spread_ns; ///< how far it is off
    uint32_t heard_run;     ///< of them without a long gap
    uint64_t any_ns;        ///< by any path
} bksi_path;

typedef struct bksi_paths {
    uint32_t self;
    uint32_t members; ///< bits
    uint64_t now_ns;
    bksi_paths_mask words[BKS_PEERS_MAX];                ///< each peer's own
    bksi_paths_mask hints[BKS_PEERS_MAX][BKS_PEERS_MAX]; ///< by reporter, then by peer
    bksi_path peers[BKS_PEERS_MAX];
} bksi_paths;

/// All go straight, all are thought to hear each other.
void bksi_paths_init(bksi_paths *paths, uint32_t self, uint32_t members, uint64_t now_ns);
/// Peers joined or left.
void bksi_paths_set_members(bksi_paths *paths, uint32_t members);

/// A packet of a peer came, straight or carried.
void bksi_paths_heard(bksi_paths *paths, uint32_t peer, bool is_straight, uint64_t now_ns);
/// A peer says whom it hears itself, or what it knows of another.
/// @param reporter  whose packet said so: known for certain
void bksi_paths_word(bksi_paths *paths, uint32_t reporter, uint32_t about, uint16_t number,
                     uint32_t peers, uint64_t now_ns);
/// A peer echoes one more packet that came by the path of this number.
void bksi_paths_echoed(bksi_paths *paths, uint32_t peer, uint32_t id, uint64_t now_ns);

/// Leave paths that do not work.
/// @param round_trips_ns  by peer, as measured so far
void bksi_paths_update(bksi_paths *paths, const uint64_t round_trips_ns[BKS_PEERS_MAX],
                       uint64_t now_ns);

/// The way to a peer.
static inline const bksi_route *bksi_paths_route(const bksi_paths *paths, uint32_t peer)
{
    return &paths->peers[peer].route;
}

/// Its number, for the packets that go by it; another number, another way.
static inline uint32_t bksi_paths_id(const bksi_paths *paths, uint32_t peer)
{
    return paths->peers[peer].id;
}

/// Whether echoes have come back by the way in use.
static inline bool bksi_paths_works(const bksi_paths *paths, uint32_t peer)
{
    return paths->peers[peer].echoed_ns > 0;
}

/// A packet that is to try another way now; the caller sends one.
/// @return false when none is due
bool bksi_paths_probe(bksi_paths *paths, uint32_t peer, uint64_t now_ns, bksi_route *route,
                      uint32_t *id);

/// What is known of whom a peer hears, to be passed on; of ourselves, what we say of us.
/// @return false when nothing is
bool bksi_paths_known(const bksi_paths *paths, uint32_t about, uint16_t *number, uint32_t *peers);

// ---- path_search.c, for paths.c ----

/// The best path that has not failed of late.
void bksi_paths_search(const bksi_paths *paths, uint32_t target, bksi_route *route);
/// The best way with fewer carriers, but some, all of whose hops are certain.
bool bksi_paths_search_shorter(const bksi_paths *paths, uint32_t target, bksi_route *route);
/// Whether a hop of a way is denied by the peer that should hear it.
bool bksi_paths_is_denied(const bksi_paths *paths, uint32_t target, const bksi_route *route);

#endif
