// SPDX-License-Identifier: MIT

/// @file routes.h
/// By which way packets go to each peer: what net/paths is fed with and asked, and HEARS, by which
/// peers say to each other whom they hear straight. routes.c alone writes this; others ask.

#ifndef BKSI_ROUTES_H
#define BKSI_ROUTES_H

#include "net/paths.h"
#include "session/common/common.h"
#include "wire/small_messages.h"
#include "wire/view_messages.h"

/// A way that a packet takes, and the number by which an echo of the packet names it.
typedef struct session_route {
    bksi_route route;
    uint32_t id;
} session_route;

typedef struct session_routes_peer {
    bksi_channel channel; ///< to it, by which a number that is given again is seen
    uint32_t hears_owed;  ///< HEARS that are still to go to it
    uint64_t hears_ns;    ///< when one last went
    bool hears_is_straight;
    uint32_t path;     ///< number of the way in use when they were last owed
    uint32_t turn;     ///< of a peer that is out: which way the next message to it takes
    uint64_t heard_ns; ///< straight, on our time awake
} session_routes_peer;

typedef struct session_routes {
    bksi_paths paths;
    bool is_known;        ///< we know which peer we are
    uint32_t detours;     ///< bits: the members to which packets take a detour
    uint32_t owes_hears;  ///< bits: the members to which HEARS are still to go
    uint64_t awake_ns;    ///< the time of paths: it stands still while we are not updated
    uint64_t updated_ns;  ///< the last update
    uint64_t checked_ns;  ///< when ways were last looked at, on our time awake
    uint64_t sent_digest; ///< of all masks when they were last sent
    session_routes_peer peers[BKS_PEERS_MAX];
} session_routes;

/// Leave ways that do not work, and owe HEARS.
/// @return whether a peer has a new channel, or packets to one take a detour or no longer do
bool bksi_routes_update(session_routes *routes, const session_common *common);
/// A sealed packet of a peer came.
/// @param way  its route, 0: straight; or BKSI_ROUTE_OF_OTHERS
void bksi_routes_heard(session_routes *routes, const session_common *common, uint32_t peer,
                       uint32_t route);
/// A peer echoes a packet that took the way of this number.
void bksi_routes_echoed(session_routes *routes, const session_common *common, uint32_t peer,
                        uint32_t id);
/// Before the match: a LINK echoes one of ours.
/// @param is_straight  it came straight
void bksi_routes_linked(session_routes *routes, const session_common *common, uint32_t peer,
                        const bksi_link_message *message, bool is_straight);
/// @return false when it is no HEARS
bool bksi_routes_receive_hears(session_routes *routes, const session_common *common, uint32_t peer,
                               bksi_bit_reader *reader);

/// Which way the next message to a peer takes. What is not echoed goes by all ways in turn: to a
/// peer that is out of the view, and to any after the match.
session_route bksi_routes_to(const session_routes *routes, const session_common *common,
                             uint32_t peer);
/// The message went.
static inline void bksi_routes_went(session_routes *routes, uint32_t peer)
{
    bool is_member = (routes->paths.members >> peer & 1) != 0;
    routes->peers[peer].turn = is_member ? 0 : routes->peers[peer].turn + 1;
}
/// Whether a packet is to try another way now.
bool bksi_routes_probe(session_routes *routes, const session_common *common, uint32_t peer,
                       bksi_route *route, uint32_t *id);
/// Return true if a HEARS must go to a peer now.
bool bksi_routes_owe_hears(const session_routes *routes, const session_common *common,
                           uint32_t peer);
/// @return whether it is to go straight, whatever the way in use, as every other does: what it says
///         may be why that way fails
bool bksi_routes_write_hears(session_routes *routes, const session_common *common, uint32_t peer,
                             bksi_bit_writer *writer);

/// Bits of the peers that another member is known to hear: they are there.
uint32_t bksi_routes_heard_by_others(const session_routes *routes, const session_common *common);

#endif
