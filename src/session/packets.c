// SPDX-License-Identifier: MIT

#include "session/packets.h"

#include "session/messages.h"
#include "session/session_internal.h"

// ---- packets that arrive ----

/// Record that a packet arrived.
/// @param route  bits of its route; 0: direct
/// @return peer that sent the packet; BKS_PEERS_MAX: the sender is not in the roster
static uint32_t note_arrival(bks_session *session, const bksi_guard_message *message,
                             uint32_t route)
{
    uint32_t peer = bksi_seats_peer(&session->common.seats, message->channel);
    if (peer != BKS_PEERS_MAX && message->is_sealed) {
        bksi_links_received(&session->common.links, peer, message, route, session->common.now_ns);
        bksi_routes_heard(&session->routes, &session->common, peer, route);
    }
    return peer;
}

/// Process a packet of another peer that came through a carrier.
static bool receive_carried_packet(bks_session *session, uint32_t carrier,
                                   const session_carriage_piece *piece)
{
    bksi_guard *guard = &session->common.guard;
    bksi_guard_verdict verdict = bksi_guard_receive_carried(
        guard, session->common.now_ns, piece->origin, carrier, piece->bytes, piece->count);
    bool is_sound = verdict != BKSI_GUARD_REFUSED;
    bksi_guard_message message;
    while (bksi_guard_take(guard, &message)) {
        uint32_t peer = note_arrival(session, &message, piece->route);
        is_sound &= bksi_messages_receive(session, peer, &message);
    }
    return is_sound;
}

/// Process a CARRIED: packets for us, packets to pass on, and the sender's own message.
static bool receive_carried(bks_session *session, uint32_t carrier,
                            const bksi_guard_message *message)
{
    session_carriage_bundle bundle;
    // Check the carrier first: anyone with the match key can send the first message of a handshake
    // in the carrier's name.
    if (!bksi_messages_may_come(session, carrier, message) ||
        !bksi_carriage_open(&bundle, message->body, message->body_bytes)) {
        return false;
    }
    // Copy the message, because the guard's bytes are overwritten with the next packet.
    bksi_guard_message own = *message;
    bool is_sound = true;
    session_carriage_piece piece;
    const uint64_t relayed = session->carriage.relayed;
    while (bksi_carriage_next(&session->carriage, &session->common, carrier, &bundle, &piece)) {
        if (piece.is_own) {
            own.type = piece.type;
            own.body = piece.bytes;
            own.body_bytes = piece.count;
            is_sound &= bksi_messages_receive(session, carrier, &own);
        } else {
            is_sound &= receive_carried_packet(session, carrier, &piece);
        }
    }
    if (session->carriage.relayed != relayed) {
        bksi_pace_carried(&session->tempo.pace, &session->common);
    }
    if (bksi_phase_is_running(&session->common.phase) &&
        bksi_common_has(&session->common, carrier)) {
        bksi_liveness_heard(&session->inputs.liveness, &session->common.events, &session->common,
                            carrier);
    }
    return is_sound && !bundle.is_bad;
}

bool bksi_packets_take(bks_session *session, const bksi_guard_message *message)
{
    bool is_others = message->type == BKSI_PACKET_CARRIED &&
                     !bksi_carriage_has_own(message->body, message->body_bytes);
    uint32_t peer = note_arrival(session, message, is_others ? BKSI_ROUTE_OF_OTHERS : 0);
    session->packets.from = peer;
    return message->type == BKSI_PACKET_CARRIED ? receive_carried(session, peer, message)
                                                : bksi_messages_receive(session, peer, message);
}

void bksi_packets_receive(bks_session *session, const bks_address *from, const void *bytes,
                          size_t count)
{
    bksi_guard_verdict verdict =
        bksi_guard_receive(&session->common.guard, session->common.now_ns, from, bytes, count);
    bool is_sound = verdict != BKSI_GUARD_REFUSED;
    bksi_guard_message message;
    session->packets.from = BKS_PEERS_MAX;
    while (bksi_guard_take(&session->common.guard, &message)) {
        is_sound &= bksi_packets_take(session, &message);
    }
    if (is_sound) {
        session->packets.received++;
    } else {
        session->packets.refused++;
    }
}

// ---- packets to send ----

/// Count the bytes of a packet against the rate of its bulk stream, or of the match's messages. A
/// packet of another peer that we only carry does not count.
static void charge(bks_session *session, const session_outgoing *message, size_t bytes)
{
    session_links *links = &session->common.links;
    const uint64_t now_ns = session->common.now_ns;
    if (message->path == BKSI_PATH_NO_ID) {
        return;
    }
    if (message->own_type == BKSI_PACKET_BULK) {
        bksi_links_sent_bulk(links, message->peer, now_ns);
    } else if (message->own_type == BKSI_PACKET_INPUT) {
        bksi_links_charge(links, message->peer, bytes, now_ns);
    } else {
        bksi_links_charge_beside(links, message->peer, bytes, now_ns);
    }
}

/// Seal a message. Before there are keys, the guard keeps the message for the handshake or drops
/// it. Messages that matter are repeated.
/// @param body  bytes of the message, may be changed
/// @return bytes of the packet; 0: none
static size_t seal(bks_session *session, const session_outgoing *message, uint8_t *body,
                   bksi_guard_place *to, uint8_t *packet)
{
    const bksi_equivocation *liar = session->common.equivocation;
    uint32_t type = message->type;
    size_t count = message->count;
    if (liar != NULL && liar->forge != NULL && message->peer != BKS_PEERS_MAX) {
        count = liar->forge(liar->context, message->peer, &type, body, count);
    }
    uint64_t number = 0;
    bool is_sealed = false;
    size_t bytes = bksi_guard_send(&session->common.guard, session->common.now_ns, message->channel,
                                   type, body, count, to, packet, &number, &is_sealed);
    if (bytes > 0 && message->peer != BKS_PEERS_MAX && is_sealed) {
        bksi_links_sent(&session->common.links, message->peer, number, bytes, message->path,
                        session->common.now_ns);
        charge(session, message, bytes);
    }
    return bytes;
}

/// If a packet takes a detour, queue it: the next message to its first carrier takes it along. A
/// packet of a handshake that began by carriers goes directly if the route has become direct.
/// @return true if the packet must not be sent directly
static bool detour(bks_session *session, uint32_t peer, const bksi_route *route,
                   bksi_guard_place *to, const uint8_t *packet, size_t bytes)
{
    session_common *common = &session->common;
    if (!bksi_route_is_direct(route)) {
        bksi_carriage_put(&session->carriage, common, peer, route, packet, bytes);
        return true;
    }
    if (to->is_carried) {
        // An address that was only named gets nothing: somebody else may be there.
        to->address = bksi_guard_proven_address(&common->guard, common->seats.peers[peer].channel);
    }
    return to->address.length == 0;
}

/// Write the next packet with a message of the session.
static size_t next_sealed(bks_session *session, bksi_guard_place *to, uint8_t *packet)
{
    uint8_t body[BKSI_BODY_BYTES_MAX];
    for (session_outgoing message = {0}; bksi_messages_next(session, &message, body);
         message = (session_outgoing){0}) {
        message.own_type = message.type;
        const bool is_straight = bksi_route_is_direct(&message.route);
        if (message.peer != BKS_PEERS_MAX && is_straight && message.type > BKSI_PACKET_LOBBY_LAST &&
            bksi_carrier_waits(&session->carriage.carrier, message.peer)) {
            message.count = bksi_carriage_bundle(&session->carriage, message.peer, &message.type,
                                                 body, message.count);
            if (message.type == BKSI_PACKET_CARRIED) {
                bksi_links_carries(&session->common.links, message.peer);
            }
        }
        size_t bytes = seal(session, &message, body, to, packet);
        if (bytes > 0 && message.own_type == BKSI_PACKET_BULK) {
            bksi_bulk_streams_sent(message.is_lane ? &session->inputs.runs.lane.streams
                                                   : &session->bulk,
                                   &session->common, message.peer, bytes);
        }
        if (bytes > 0 && !detour(session, message.peer, &message.route, to, packet, bytes)) {
            session->packets.to = message.peer;
            return bytes;
        }
    }
    return 0;
}

/// Write the next packet that carries nothing but packets of other peers.
static size_t next_carried(bks_session *session, bksi_guard_place *to, uint8_t *packet)
{
    uint8_t body[BKSI_BODY_BYTES_MAX];
    uint32_t hops;
    while ((hops = bksi_carriage_due(&session->carriage, &session->common)) != 0) {
        session_outgoing message = {.peer = bksi_lowest_bit(hops), .path = BKSI_PATH_NO_ID};
        message.channel = session->common.seats.peers[message.peer].channel;
        message.count =
            bksi_carriage_bundle(&session->carriage, message.peer, &message.type, body, 0);
        size_t bytes = message.count > 0 ? seal(session, &message, body, to, packet) : 0;
        if (bytes > 0) {
            session->packets.to = message.peer;
            return bytes;
        }
    }
    return 0;
}

/// Queue a packet of a handshake for its detour, if it takes one.
/// @return true if the packet must not be sent directly
static bool detour_handshake(bks_session *session, bksi_guard_place *to, const uint8_t *packet,
                             size_t bytes)
{
    const session_route chosen = bksi_routes_to(&session->routes, &session->common, to->peer);
    return detour(session, to->peer, &chosen.route, to, packet, bytes);
}

/// Write a packet of a handshake, which may have to be carried.
/// @param next  bksi_guard_repeat or bksi_guard_flush
static inline size_t next_of_guard(bks_session *session,
                                   size_t (*next)(bksi_guard *, uint64_t, bksi_guard_place *,
                                                  uint8_t *),
                                   bksi_guard_place *to, uint8_t *packet)
{
    size_t bytes;
    do {
        bytes = next(&session->common.guard, session->common.now_ns, to, packet);
    } while (bytes > 0 && to->is_carried && detour_handshake(session, to, packet, bytes));
    return bytes;
}

size_t bksi_packets_send(bks_session *session, bks_address *to, void *bytes)
{
    bksi_guard_place place = {0};
    size_t seal_bytes = BKSI_PACKET_SEAL_BYTES;
    session->packets.to = BKS_PEERS_MAX;
    size_t count = next_of_guard(session, bksi_guard_repeat, &place, bytes);
    if (count > 0) {
        seal_bytes = count;
    } else {
        count = next_sealed(session, &place, bytes);
    }
    if (count == 0) {
        seal_bytes = count = next_of_guard(session, bksi_guard_flush, &place, bytes);
    }
    // packets for carriers come last, because the handshake above may just have queued one
    if (count == 0) {
        seal_bytes = BKSI_PACKET_SEAL_BYTES;
        count = next_carried(session, &place, bytes);
    }
    *to = place.address;
    if (count > 0 && !bksi_phase_is_in_lobby(&session->common.phase)) {
        session->packets.sent++;
        session->packets.payload_bytes += count;
        session->packets.seal_bytes += seal_bytes;
    }
    return count;
}
