// SPDX-License-Identifier: MIT

/// @file paths.h
/// Choice of the route of packets to each peer: direct, or through other peers. Masks say which
/// peer hears which. A peer's own report counts more than the reports of others about it (hints).
/// Both are reasons to try a path; the path is kept only while packets that took it are echoed.
///
///     came from a peer           bksi_paths_heard, bksi_paths_report, bksi_paths_echoed
///     each update                bksi_paths_update
///     before a packet to a peer  bksi_paths_route, and bksi_paths_probe for a probe beside it
///
/// The two directions are independent: we choose the route of our packets, and the peer chooses the
/// route of its own.
///
/// The state has a fixed size; nothing here reads a clock or allocates. docs/link.md explains the
/// rules.

#ifndef BKSI_PATHS_H
#define BKSI_PATHS_H

#include "net/path_state.h"

/// Begin with direct routes, and as if all peers heard each other.
void bksi_paths_init(bksi_paths *paths, uint32_t self, uint32_t members, uint64_t now_ns);
/// Set the members after peers joined or left.
void bksi_paths_set_members(bksi_paths *paths, uint32_t members, uint64_t now_ns);

/// Set whether packets are rare, as before a match. While packets are rare, a peer counts as silent
/// only after a longer time.
void bksi_paths_set_calm(bksi_paths *paths, bool is_calm);

/// Record that a packet of a peer arrived, directly or carried.
void bksi_paths_heard(bksi_paths *paths, uint32_t peer, bool is_straight, uint64_t now_ns);
/// Set the share of a peer's packets that are lost.
void bksi_paths_set_loss(bksi_paths *paths, uint32_t peer, double loss);
/// Note the carriers that brought a peer's packet.
void bksi_paths_came_by(bksi_paths *paths, uint32_t peer, const bksi_route *route, uint64_t now_ns);
/// Process a peer's report of whom it hears, or of whom another peer hears.
/// @param reporter  sender of the report, which is authenticated
void bksi_paths_report(bksi_paths *paths, uint32_t reporter, uint32_t about, uint16_t number,
                       uint32_t peers, uint64_t now_ns);
/// Record that a peer echoed one more packet, which took the path with number `id`.
void bksi_paths_echoed(bksi_paths *paths, uint32_t peer, uint32_t id, uint64_t now_ns);
/// Record that an echo came directly, of a packet sent at `sent_ns`. If the packet was sent
/// directly too, the direct route works and is only longer than expected. So use it again if it was
/// left for a route that has not worked yet.
void bksi_paths_echoed_straight(bksi_paths *paths, uint32_t peer, uint64_t sent_ns,
                                uint64_t now_ns);

/// Do not count direct packets as missing for a round trip, because our process did not run for a
/// while: others may send by detours until they hear that we are back.
void bksi_paths_woke(bksi_paths *paths, const uint64_t round_trips_ns[BKS_PEERS_MAX],
                     uint64_t now_ns);
/// Leave paths that do not work.
/// @param round_trips_ns  measured round trip of each peer
void bksi_paths_update(bksi_paths *paths, const uint64_t round_trips_ns[BKS_PEERS_MAX],
                       uint64_t now_ns);

/// Return the route to a peer.
static inline const bksi_route *bksi_paths_route(const bksi_paths *paths, uint32_t peer)
{
    return &paths->peers[peer].route;
}

/// Return the path number to put into packets on the current route to a peer. The number changes
/// whenever the route changes.
static inline uint32_t bksi_paths_id(const bksi_paths *paths, uint32_t peer)
{
    return paths->peers[peer].id;
}

/// Return the route of a probe that the caller must send now.
/// @return false if no probe is due
bool bksi_paths_probe(bksi_paths *paths, uint32_t peer, uint64_t now_ns, bksi_route *route,
                      uint32_t *id);

/// Get the newest report of whom a peer hears, to pass it on; for ourselves, our own mask.
/// @return false if nothing is known
bool bksi_paths_known(const bksi_paths *paths, uint32_t about, uint16_t *number, uint32_t *peers);

#endif
