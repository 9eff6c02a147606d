// SPDX-License-Identifier: MIT

// Packets that go: when they are due, and what the next one holds.

#include "session/packets.h"

#include "base/mutant.h"
#include "session/session_internal.h"

bool bksi_packets_has_every_tick(const bks_session *session)
{
    bks_tick done = bksi_mutated(BKSI_MUTANT_END)
                        ? bksi_rollback_front(&session->common.engine)
                        : bksi_rollback_published(&session->common.engine);
    const bks_tick end = bksi_common_end(&session->common);
    return end > 0 && done >= end;
}

void bksi_packets_owe(bks_session *session)
{
    session_common *common = &session->common;
    if (!bksi_exchange_is_due(&session->exchange, common, session->clock.tick_passed)) {
        return;
    }
    if (bksi_phase_seen(&common->phase) == BKS_PHASE_ENDED || common->goodbyes.has_left) {
        bksi_goodbyes_repeat(&common->goodbyes, bksi_common_awaited(common));
    }
    session->packets.owed_probes = 0;
    session->packets.owed_inputs =
        bksi_phase_is_running(&common->phase)
            ? bksi_exchange_find_due(&session->exchange, common, &session->inputs.liveness,
                                     &session->ways)
            : 0;
}

static size_t send_bye(bks_session *session, uint32_t index, uint8_t *body)
{
    bksi_byte_writer writer = bksi_byte_writer_over(body, BKSI_BODY_BYTES_MAX);
    bool is_whole = bksi_phase_seen(&session->common.phase) == BKS_PHASE_ENDED &&
                    bksi_packets_has_every_tick(session) &&
                    bksi_common_has(&session->common, index);
    bksi_goodbyes_write(&session->common.goodbyes, index, is_whole, &writer);
    return writer.at;
}

/// A message on its way.
typedef struct outgoing {
    bksi_channel channel;
    uint32_t peer; ///< BKS_PEERS_MAX: none of ours
    uint32_t type;
    uint32_t own_type; ///< the same, also where packets of others ride with it
    bksi_route route;
    uint32_t path; ///< its number
    bool has_way;  ///< the two are chosen
    size_t count;  ///< bytes of its body
} outgoing;

/// By the way in use, unless another is to be tried.
static void choose_way(const bks_session *session, outgoing *message)
{
    if (!message->has_way) {
        const session_way way = bksi_ways_to(&session->ways, &session->common, message->peer);
        message->route = way.route;
        message->path = way.id;
        message->has_way = true;
    }
}

static size_t write_input(bks_session *session, uint32_t index, bool is_probe, uint8_t *body)
{
    session_common *common = &session->common;
    bksi_input_head head = {.hash = bksi_checking_fill(&session->checking, common, index,
                                                       bksi_heads_of(common, index))};
    bksi_links_fill_echo(&common->links, index, common->now_ns, is_probe, &head);
    return bksi_exchange_write(&session->exchange, &session->inputs.runs, common, index, &head,
                               body);
}

/// Our inputs, by the way in use; and once more by another that is tried.
static size_t send_input(bks_session *session, outgoing *message, uint8_t *body)
{
    const uint32_t index = message->peer;
    session_packets *packets = &session->packets;
    message->type = BKSI_PACKET_INPUT;
    if ((packets->owed_inputs & PEER_BIT(index)) != 0) {
        packets->owed_inputs &= ~PEER_BIT(index);
        packets->owed_probes |= session->ways.detours & PEER_BIT(index);
        choose_way(session, message);
        bksi_links_take_path(&session->common.links, index, message->path,
                             !bksi_route_is_direct(&message->route), session->common.now_ns);
        if (bksi_liveness_is_fine(&session->inputs.liveness, &session->common, index)) {
            bksi_pace_sent(&session->tempo.pace, index,
                           bksi_heads_own(&session->common) -
                               bksi_heads_of(&session->common, index));
        }
        return write_input(session, index, false, body);
    }
    bool is_owed = (packets->owed_probes & PEER_BIT(index)) != 0;
    packets->owed_probes &= ~PEER_BIT(index);
    if (!is_owed || !bksi_ways_probe(&session->ways, &session->common, index, &message->route,
                                     &message->path)) {
        return 0;
    }
    message->has_way = true;
    return write_input(session, index, true, body);
}

/// What goes while the match runs.
static size_t send_running(bks_session *session, outgoing *message, uint8_t *body)
{
    const uint32_t index = message->peer;
    bksi_byte_writer writer = bksi_byte_writer_over(body, BKSI_MESSAGE_BYTES_MAX);
    if (bksi_checking_owes_hashes(&session->checking, &session->common, index)) {
        message->type = BKSI_PACKET_HASHES;
        bksi_checking_write_hashes(&session->checking, &session->common, index, &writer);
        return writer.at;
    }
    if ((bksi_meeting_peers(&session->meeting, &session->common) & PEER_BIT(index)) != 0) {
        message->type = BKSI_PACKET_MEET;
        bksi_meeting_write(&session->meeting, &session->common, index, &writer);
        return writer.at;
    }
    if ((bksi_answers_peers(&session->answers) & PEER_BIT(index)) != 0) {
        message->type = BKSI_PACKET_COMPARE;
        bksi_answers_write(&session->answers, index, &writer);
        return writer.at;
    }
    if ((bksi_descent_peers(&session->descent, &session->common) & PEER_BIT(index)) != 0) {
        message->type = BKSI_PACKET_COMPARE;
        bksi_descent_write(&session->descent, &session->common, &writer);
        return writer.at;
    }
    if ((bksi_fetch_peers(&session->fetch, &session->common) & PEER_BIT(index)) != 0) {
        message->type = BKSI_PACKET_COMPARE;
        bksi_fetch_write(&session->fetch, &session->common, &writer);
        return writer.at;
    }
    if ((bksi_budget_owes(&session->tempo.budget) & PEER_BIT(index)) != 0) {
        message->type = BKSI_PACKET_SLOW;
        bksi_budget_write(&session->tempo.budget, index, &writer);
        return writer.at;
    }
    size_t count = send_input(session, message, body);
    if (count == 0) {
        message->type = BKSI_PACKET_BULK;
        count = bksi_bulk_streams_write(
            &session->bulk, &session->common.links, &session->common, index, body,
            (session->ways.detours & PEER_BIT(index)) == 0 ? BKSI_BODY_BYTES_MAX
                                                           : BKSI_MESSAGE_BYTES_MAX);
    }
    return count;
}

static size_t send_word(bks_session *session, outgoing *message, uint8_t *body)
{
    bksi_bit_writer writer = bksi_bit_writer_over(body, BKSI_MESSAGE_BYTES_MAX);
    message->type = BKSI_PACKET_WORD;
    message->has_way =
        bksi_ways_write_word(&session->ways, &session->common, message->peer, &writer);
    return bksi_bit_writer_bytes(&writer);
}

static size_t send_to_peer(bks_session *session, outgoing *message, uint8_t *body)
{
    const uint32_t index = message->peer;
    if (bksi_goodbyes_is_owed(&session->common.goodbyes, index)) {
        message->type = BKSI_PACKET_BYE;
        return send_bye(session, index, body);
    }
    if ((bksi_view_queue_peers(&session->views.queue) & PEER_BIT(index)) != 0) {
        message->type = BKSI_PACKET_VIEW;
        size_t count =
            bksi_views_send(&session->views, &session->common, &session->inputs, index, body);
        if (count > 0) {
            return count;
        }
    }
    if (bksi_ways_owe_word(&session->ways, &session->common, index)) {
        return send_word(session, message, body);
    }
    return bksi_phase_is_running(&session->common.phase) ? send_running(session, message, body) : 0;
}

/// Bits of the peers to which something may have to go now.
static uint32_t find_owed(const bks_session *session)
{
    uint32_t owed = bksi_goodbyes_owed(&session->common.goodbyes) |
                    bksi_view_queue_peers(&session->views.queue) | bksi_ways_words(&session->ways);
    if (bksi_phase_is_running(&session->common.phase)) {
        owed |= bksi_checking_peers(&session->checking) | bksi_budget_owes(&session->tempo.budget) |
                bksi_answers_peers(&session->answers) |
                bksi_descent_peers(&session->descent, &session->common) |
                bksi_meeting_peers(&session->meeting, &session->common) |
                bksi_fetch_peers(&session->fetch, &session->common) | session->packets.owed_inputs |
                session->packets.owed_probes | bksi_bulk_streams_peers(&session->bulk);
    }
    return owed & bksi_seats_others(&session->common.seats);
}

/// The next message to one of some peers.
static bool next_to_peers(bks_session *session, uint32_t peers, outgoing *message, uint8_t *body)
{
    EACH_PEER (i, peers) {
        message->peer = i;
        message->channel = session->common.seats.peers[i].channel;
        message->count = send_to_peer(session, message, body);
        if (message->count > 0) {
            choose_way(session, message);
            bksi_links_count_sent(&session->common.links, i);
            bksi_ways_went(&session->ways, i);
            return true;
        }
    }
    return false;
}

/// The next message of the lobby.
static bool next_of_lobby(bks_session *session, outgoing *message, uint8_t *body)
{
    if (!bksi_lobby_owes_any(&session->lobby)) {
        return false;
    }
    message->count =
        bksi_lobby_send(&session->lobby, &session->common, &message->channel, body, &message->type);
    if (message->count == 0) {
        return false;
    }
    message->peer = bksi_seats_peer(&session->common.seats, message->channel);
    if (message->type == BKSI_PACKET_LINK) {
        choose_way(session, message);
    }
    return true;
}

/// The next message of the session's own. What takes a detour goes first, so that it rides with
/// what goes to its first carrier.
static bool next_message(bks_session *session, outgoing *message, uint8_t *body)
{
    *message = (outgoing){0};
    if (next_of_lobby(session, message, body)) {
        return true;
    }
    const uint32_t owed = find_owed(session);
    const uint32_t detours = owed & session->ways.detours;
    return (detours != 0 && next_to_peers(session, detours, message, body)) ||
           (owed != detours && next_to_peers(session, owed & ~detours, message, body));
}

/// To what has room for it on the line: its stream, or the rate of the match. What is only carried
/// counts for none.
static void charge(bks_session *session, const outgoing *message, size_t bytes)
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

/// Seal a message. Without keys yet it is kept for the handshake or lost; what matters is repeated.
/// @param body  may be changed
/// @return the packet's bytes, 0: none
static size_t seal(bks_session *session, const outgoing *message, uint8_t *body,
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

/// A packet that takes a detour waits for what goes to its first carrier.
/// @return whether it was one
static bool detour(bks_session *session, uint32_t peer, const bksi_route *route,
                   const bksi_guard_place *to, const uint8_t *packet, size_t bytes)
{
    if (bksi_route_is_direct(route)) {
        return to->is_carried; // the way is straight again meanwhile
    }
    bksi_carriage_put(&session->carriage, &session->common, peer, route, packet, bytes);
    return true;
}

/// The next packet with something of the session's in it.
static size_t next_sealed(bks_session *session, bksi_guard_place *to, uint8_t *packet)
{
    uint8_t body[BKSI_BODY_BYTES_MAX];
    outgoing message;
    while (next_message(session, &message, body)) {
        message.own_type = message.type;
        const bool is_straight = bksi_route_is_direct(&message.route);
        if (message.peer != BKS_PEERS_MAX && is_straight && message.type > BKSI_PACKET_LOBBY_LAST &&
            bksi_carriage_waits(&session->carriage, message.peer)) {
            message.count = bksi_carriage_bundle(&session->carriage, message.peer, &message.type,
                                                 body, message.count);
            if (message.type == BKSI_PACKET_CARRIED) {
                bksi_links_carries(&session->common.links, message.peer);
            }
        }
        size_t bytes = seal(session, &message, body, to, packet);
        if (bytes > 0 && message.own_type == BKSI_PACKET_BULK) {
            bksi_bulk_streams_sent(&session->bulk, &session->common, message.peer, bytes);
        }
        if (bytes > 0 && !detour(session, message.peer, &message.route, to, packet, bytes)) {
            session->packets.to = message.peer;
            return bytes;
        }
    }
    return 0;
}

/// The next packet that holds nothing but what others are to get through us.
static size_t next_carried(bks_session *session, bksi_guard_place *to, uint8_t *packet)
{
    uint8_t body[BKSI_BODY_BYTES_MAX];
    uint32_t hops;
    while ((hops = bksi_carriage_due(&session->carriage, &session->common)) != 0) {
        outgoing message = {.peer = bksi_lowest_bit(hops), .path = BKSI_PATH_NO_ID};
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

/// A packet of a handshake, which may have to be carried.
/// @param next  bksi_guard_repeat or bksi_guard_flush
static size_t next_of_guard(bks_session *session,
                            size_t (*next)(bksi_guard *, uint64_t, bksi_guard_place *, uint8_t *),
                            bksi_guard_place *to, uint8_t *packet)
{
    size_t bytes;
    while ((bytes = next(&session->common.guard, session->common.now_ns, to, packet)) > 0) {
        if (!to->is_carried) {
            return bytes;
        }
        const session_way way = bksi_ways_to(&session->ways, &session->common, to->peer);
        (void)detour(session, to->peer, &way.route, to, packet, bytes);
    }
    return 0;
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
    if (count == 0) { // also what the guard has put down to be carried
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
