// SPDX-License-Identifier: MIT

/// @file paths.h
/// By which way packets go to each peer: straight, or through others. Masks
/// say which peer hears which: a peer's own report counts, what others report of it is a hint. Both
/// are reasons to try a path; it is kept only while echoes of packets that took it come back.
///
///     came from a peer           bksi_paths_heard, bksi_paths_report, bksi_paths_echoed
///     each update                bksi_paths_update
///     before a packet to it      bksi_paths_route, and bksi_paths_probe for one beside it
///
/// Directions are apart: this decides how our packets go, the other side how its own do.
///
/// Fixed size, no clock, no allocation. docs/link.md explains the rules.

#ifndef BKSI_PATHS_H
#define BKSI_PATHS_H

#include "net/path_state.h"

/// All go straight, all are thought to hear each other.
void bksi_paths_init(bksi_paths *paths, uint32_t self, uint32_t members, uint64_t now_ns);
/// Peers joined or left.
void bksi_paths_set_members(bksi_paths *paths, uint32_t members, uint64_t now_ns);

/// Packets come seldom, as before a match: a peer is not missed soon.
void bksi_paths_set_calm(bksi_paths *paths, bool is_calm);

/// A packet of a peer came, straight or carried.
void bksi_paths_heard(bksi_paths *paths, uint32_t peer, bool is_straight, uint64_t now_ns);
/// And this one came by carriers.
void bksi_paths_came_by(bksi_paths *paths, uint32_t peer, const bksi_route *route, uint64_t now_ns);
/// A peer says whom it hears itself, or what it knows of another.
/// @param reporter  whose packet said so: known for certain
void bksi_paths_report(bksi_paths *paths, uint32_t reporter, uint32_t about, uint16_t number,
                       uint32_t peers, uint64_t now_ns);
/// A peer echoes one more packet that came by the path of this number.
void bksi_paths_echoed(bksi_paths *paths, uint32_t peer, uint32_t id, uint64_t now_ns);
/// And this echo came straight, of a packet that went then. Where that was straight too, and the
/// way was left for one that has not worked yet, it is longer than was thought, and taken again.
void bksi_paths_echoed_straight(bksi_paths *paths, uint32_t peer, uint64_t sent_ns,
                                uint64_t now_ns);

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

/// A packet that is to try another way now; the caller sends one.
/// @return false when none is due
bool bksi_paths_probe(bksi_paths *paths, uint32_t peer, uint64_t now_ns, bksi_route *route,
                      uint32_t *id);

/// What is known of whom a peer hears, to be passed on; of ourselves, what we say of us.
/// @return false when nothing is
bool bksi_paths_known(const bksi_paths *paths, uint32_t about, uint16_t *number, uint32_t *peers);

#endif
