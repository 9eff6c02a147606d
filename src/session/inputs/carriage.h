// SPDX-License-Identifier: MIT

/// @file carriage.h
/// Packets of others that pass through us, and our own packets that are carried by others. All wait
/// here for the next message to the next peer of their route. The routes of our own packets are
/// chosen in routes.c. Only carriage.c changes session_carriage; other files use its functions.

#ifndef BKSI_CARRIAGE_H
#define BKSI_CARRIAGE_H

#include "net/carrier.h"
#include "session/common/common.h"

typedef struct session_carriage {
    bksi_carrier carrier;
    uint64_t relayed; ///< number of packets of others that we passed on
} session_carriage;

/// Received CARRIED message, with its own copy of the bytes.
typedef struct session_carriage_bundle {
    uint8_t body[BKSI_BODY_BYTES_MAX];
    bksi_byte_reader reader;
    /// True if the CARRIED holds a packet whose route does not lead through its sender to us.
    bool is_bad;
} session_carriage_bundle;

/// Piece of a CARRIED that is for us: the sender's own message, or a packet of another peer.
typedef struct session_carriage_piece {
    bool is_own;
    uint32_t type;   ///< type of the sender's own message, a bksi_packet_type
    uint32_t origin; ///< peer that sealed the carried packet
    /// Route of the carried packet: bksi_routed_bits() with `passed` 0. It is always above 0.
    uint32_t route;
    const uint8_t *bytes;
    size_t count;
} session_carriage_piece;

/// Return true if a CARRIED begins with a message of its sender.
bool bksi_carriage_has_own(const uint8_t *body, size_t count);
/// Begin to read a CARRIED.
/// @return false if the body is malformed
bool bksi_carriage_open(session_carriage_bundle *bundle, const uint8_t *body, size_t count);
/// Get the next piece that is for us. Pieces for others are queued for them.
/// @param from  peer that sent the CARRIED
bool bksi_carriage_next(session_carriage *carriage, const session_common *common, uint32_t from,
                        session_carriage_bundle *bundle, session_carriage_piece *piece);

/// Queue a packet of ours to be carried to a peer. A packet that is too long is lost.
/// @param route  route with carriers
void bksi_carriage_put(session_carriage *carriage, const session_common *common, uint32_t peer,
                       const bksi_route *route, const uint8_t *packet, size_t count);
/// Add the packets that wait for a peer to a message to it. If there is no message, write the
/// packets alone.
/// @param type  type of the message; becomes CARRIED if packets are added
/// @param body  bytes of the message; room for BKSI_BODY_BYTES_MAX
/// @return bytes of the body
size_t bksi_carriage_bundle(session_carriage *carriage, uint32_t hop, uint32_t *type, uint8_t *body,
                            size_t count);
/// Get the peers whose queued packets are due, as bits.
uint32_t bksi_carriage_due(const session_carriage *carriage, const session_common *common);
/// Get the time at which the next queued packets are due.
uint64_t bksi_carriage_wake(const session_carriage *carriage, const session_common *common);

#endif
