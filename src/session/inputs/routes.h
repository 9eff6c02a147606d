// SPDX-License-Identifier: MIT

/// @file routes.h
/// Routes of packets to each peer, which net/paths chooses, and HEARS, in which peers report whom
/// they hear directly. Only routes.c changes session_routes; other files use its functions.

#ifndef BKSI_ROUTES_H
#define BKSI_ROUTES_H

#include "net/paths.h"
#include "session/common/common.h"
#include "wire/small_messages.h"
#include "wire/view_messages.h"

/// Route of a packet, and the number by which the echo of the packet finds the route.
typedef struct session_route {
    bksi_route route;
    uint32_t id;
} session_route;

typedef struct session_routes_peer {
    bksi_channel channel; ///< channel to the peer; if it changes, another peer has got the number
    uint32_t hears_owed;  ///< number of HEARS that must still be sent to the peer
    uint64_t hears_ns;    ///< time of the last HEARS to the peer
    bool hears_is_straight;
    uint32_t path; ///< number of the route in use when HEARS was last scheduled
    /// For a peer that is out of the view: number of messages sent to it, which chooses the next
    /// route.
    uint32_t turn;
    uint64_t heard_ns; ///< time of the peer's newest direct packet, in awake time
} session_routes_peer;

typedef struct session_routes {
    bksi_paths paths;
    bool is_known;       ///< our own number is known
    uint32_t detours;    ///< bits: members to which packets take a detour
    uint32_t owes_hears; ///< bits: members that must be sent HEARS
    uint64_t awake_ns;   ///< awake time, used by paths; it stops while our process is frozen
    uint64_t updated_ns; ///< time of the last update
    uint64_t checked_ns; ///< time of the last check, in awake time
    /// Digest of all reports at the last check; when it changes, HEARS is scheduled.
    uint64_t sent_digest;
    session_routes_peer peers[BKS_PEERS_MAX];
} session_routes;

/// Replace routes that do not work, and schedule HEARS.
/// @return true if a peer has a new channel, or a detour was begun or left
bool bksi_routes_update(session_routes *routes, const session_common *common);
/// Record that a sealed packet of a peer came.
/// @param route  bits of the packet's route; 0: direct; BKSI_ROUTE_OF_OTHERS: the packet only
///               carried packets of other peers
void bksi_routes_heard(session_routes *routes, const session_common *common, uint32_t peer,
                       uint32_t route);
/// Process the echo of a packet of ours that took the route with number `id`.
void bksi_routes_echoed(session_routes *routes, const session_common *common, uint32_t peer,
                        uint32_t id);
/// Process a LINK that echoes a LINK of ours, before the match.
/// @param is_straight  true if the LINK came directly
void bksi_routes_linked(session_routes *routes, const session_common *common, uint32_t peer,
                        const bksi_link_message *message, bool is_straight);
/// Process a HEARS of a peer.
/// @return false if the message is malformed
bool bksi_routes_receive_hears(session_routes *routes, const session_common *common, uint32_t peer,
                               bksi_bit_reader *reader);

/// Choose the route of the next message to a peer. No echoes come from a peer out of the view, or
/// from any peer after the match, so messages to such peers take all routes in turn.
session_route bksi_routes_to(const session_routes *routes, const session_common *common,
                             uint32_t peer);
/// Record that a message was sent to a peer.
static inline void bksi_routes_went(session_routes *routes, uint32_t peer)
{
    bool is_member = (routes->paths.members >> peer & 1) != 0;
    routes->peers[peer].turn = is_member ? 0 : routes->peers[peer].turn + 1;
}
/// Return true if a packet must try another route now.
bool bksi_routes_probe(session_routes *routes, const session_common *common, uint32_t peer,
                       bksi_route *route, uint32_t *id);
/// Return true if HEARS must be sent to a peer now.
bool bksi_routes_owe_hears(const session_routes *routes, const session_common *common,
                           uint32_t peer);
/// Write HEARS to a peer.
/// @return true if this HEARS must be sent directly, whatever the route in use. Every other HEARS
///   is sent directly, because it may report why that route fails
bool bksi_routes_write_hears(session_routes *routes, const session_common *common, uint32_t peer,
                             bksi_bit_writer *writer);

/// Get the peers that another member is known to hear, as bits. Such peers are alive.
uint32_t bksi_routes_heard_by_others(const session_routes *routes, const session_common *common);

#endif
