// SPDX-License-Identifier: MIT

// Packets that go: when they are due, and what the next one holds.

#include "session/packets.h"

#include "base/mutant.h"
#include "session/heads.h"
#include "session/session_internal.h"

/// Between 20 and 120 packets a second, whatever the tick rate.
#define SEND_GAP_MIN_NS (NS_PER_SECOND / 120)

/// After a second without a word from a peer only four packets a second go to it [INVERSUS].
#define THROTTLE_AFTER_NS NS_PER_SECOND
#define THROTTLE_GAP_NS   (250 * NS_PER_MS)

bool bksi_packets_has_every_tick(const bks_session *session)
{
    bks_tick done = bksi_mutated(BKSI_MUTANT_END)
                        ? bksi_rollback_front(&session->common.engine)
                        : bksi_rollback_published(&session->common.engine);
    return session->common.seats.ticks > 0 && done >= session->common.seats.ticks;
}

/// Whether a peer may be sent to now: 4 times a second when it is silent.
static bool may_send(const bks_session *session, uint32_t index)
{
    if (!bksi_common_has(&session->common, index) ||
        bksi_goodbyes_has_quit(&session->common.goodbyes, index)) {
        return false;
    }
    return bksi_liveness_unheard_ns(&session->inputs.liveness, &session->common, index) <
               THROTTLE_AFTER_NS ||
           session->common.now_ns - session->packets.peer_sent_ns[index] >= THROTTLE_GAP_NS;
}

void bksi_packets_owe(bks_session *session)
{
    bool is_due =
        session->clock.tick_passed && session->common.now_ns >= session->packets.send_from_ns;
    if (!is_due && session->common.now_ns < session->packets.sent_ns + SEND_GAP_MAX_NS) {
        return;
    }
    // Counted from when a packet could have gone, so that ticks a little shorter than the gap do
    // not lose every other packet; but no burst after a pause.
    uint64_t earliest_ns =
        session->common.now_ns > SEND_GAP_MIN_NS ? session->common.now_ns - SEND_GAP_MIN_NS : 0;
    uint64_t from_ns =
        session->packets.send_from_ns > earliest_ns ? session->packets.send_from_ns : earliest_ns;
    session->packets.send_from_ns = from_ns + SEND_GAP_MIN_NS;
    session->packets.sent_ns = session->common.now_ns;
    bksi_forwarding_begin_round(&session->inputs.forwarding);
    if (bksi_phase_seen(&session->common.phase) == BKS_PHASE_ENDED ||
        session->common.goodbyes.has_left) {
        bksi_goodbyes_repeat(&session->common.goodbyes, bksi_common_awaited(&session->common));
    }
    EACH_PEER (i, session->common.seats.all) {
        bksi_forwarding_owe_none(&session->inputs.forwarding, i);
        if (bksi_phase_is_running(&session->common.phase) && i != session->common.seats.self &&
            may_send(session, i)) {
            session->packets.peer_sent_ns[i] = session->common.now_ns;
            bksi_forwarding_owe(&session->inputs.forwarding, &session->inputs.liveness,
                                &session->common, i);
        }
    }
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

static size_t send_input(bks_session *session, uint32_t index, uint8_t *body)
{
    bks_tick lag = bksi_heads_own(&session->common) - bksi_heads_of(&session->common, index);
    bksi_input_hash hash = bksi_checking_fill(&session->checking, &session->common, index,
                                              bksi_heads_of(&session->common, index));
    size_t count = bksi_exchange_write(&session->exchange, &session->inputs, &session->common,
                                       index, &hash, body);
    if (bksi_liveness_is_fine(&session->inputs.liveness, &session->common, index)) {
        bksi_pace_sent(&session->tempo.pace, index, lag);
    }
    return count;
}

static size_t send_to_peer(bks_session *session, uint32_t index, uint8_t *body, uint32_t *type)
{
    if (bksi_goodbyes_is_owed(&session->common.goodbyes, index)) {
        *type = BKSI_PACKET_BYE;
        return send_bye(session, index, body);
    }
    size_t count = 0;
    if (!bksi_view_queue_is_empty(&session->views.queue, index)) {
        *type = BKSI_PACKET_VIEW;
        count = bksi_views_send(&session->views, &session->common, &session->inputs, index, body);
    }
    if (count > 0 || !bksi_phase_is_running(&session->common.phase)) {
        return count;
    }
    if (bksi_checking_owes_hashes(&session->checking, &session->common, index)) {
        bksi_byte_writer writer = bksi_byte_writer_over(body, BKSI_BODY_BYTES_MAX);
        *type = BKSI_PACKET_HASHES;
        bksi_checking_write_hashes(&session->checking, &session->common, index, &writer);
        return writer.at;
    }
    if (bksi_budget_owes(&session->tempo.budget, index)) {
        bksi_byte_writer writer = bksi_byte_writer_over(body, BKSI_BODY_BYTES_MAX);
        *type = BKSI_PACKET_SLOW;
        bksi_budget_write(&session->tempo.budget, index, &writer);
        return writer.at;
    }
    if (!bksi_forwarding_owes(&session->inputs.forwarding, index)) {
        *type = BKSI_PACKET_BULK;
        return bksi_bulk_streams_write(&session->bulk, &session->common, index, body);
    }
    uint32_t about = bksi_forwarding_next(&session->inputs.forwarding, index);
    *type = about == session->common.seats.self ? BKSI_PACKET_INPUT : BKSI_PACKET_FORWARD;
    return about == session->common.seats.self
               ? send_input(session, index, body)
               : bksi_forwarding_write(&session->inputs.forwarding, &session->common, index, about,
                                       body);
}

/// What goes to a peer by itself, or to another through it.
static size_t send_by_peer(bks_session *session, uint32_t index, uint8_t *body, uint32_t *type,
                           uint32_t *to)
{
    size_t count = send_to_peer(session, index, body, type);
    *to = index;
    if (*type == BKSI_PACKET_VIEW && bksi_relays_takes(body, count)) {
        uint32_t relay =
            bksi_relays_choose(&session->relays, &session->inputs, &session->common, index);
        if (relay != BKS_PEERS_MAX) {
            const bksi_relay_head head = {.origin = session->common.seats.self, .target = index};
            count = bksi_relays_wrap(&head, body, count);
            *type = BKSI_PACKET_RELAY;
            *to = relay;
        }
    }
    return count;
}

/// The next message of the session's own.
static size_t next_message(bks_session *session, bksi_channel *to, uint8_t *body, uint32_t *type)
{
    size_t count = bksi_lobby_send(&session->lobby, &session->common, to, body, type);
    if (count == 0 && bksi_relays_wait(&session->relays)) {
        uint32_t target = 0;
        count = bksi_relays_write(&session->relays, &session->inputs, &session->common, body, type,
                                  &target);
        if (count > 0) {
            *to = session->common.seats.peers[target].channel;
        }
    }
    EACH_PEER (i, bksi_seats_others(&session->common.seats)) {
        if (count > 0) {
            break;
        }
        uint32_t target = i;
        count = send_by_peer(session, i, body, type, &target);
        *to = session->common.seats.peers[target].channel;
        if (count > 0) {
            bksi_links_count_sent(&session->common.links, target);
        }
    }
    return count;
}

/// The next packet with something of the session's in it. A message without keys yet is kept for
/// the handshake or lost; what matters is repeated.
static size_t next_sealed(bks_session *session, bksi_guard_place *to, uint8_t *packet)
{
    uint8_t body[BKSI_BODY_BYTES_MAX];
    bksi_channel channel = 0;
    uint32_t type = 0;
    size_t count;
    while ((count = next_message(session, &channel, body, &type)) > 0) {
        uint64_t number = 0;
        bool is_sealed = false;
        size_t bytes = bksi_guard_send(&session->common.guard, session->common.now_ns, channel,
                                       type, body, count, to, packet, &number, &is_sealed);
        if (bytes == 0) {
            continue;
        }
        uint32_t peer = bksi_seats_peer(&session->common.seats, channel);
        if (peer != BKS_PEERS_MAX && is_sealed) {
            bksi_links_sent(&session->common.links, peer, number, bytes, session->common.now_ns);
            if (type == BKSI_PACKET_BULK) {
                bksi_bulk_streams_sent(&session->bulk, &session->common, peer, bytes);
            }
        }
        return bytes;
    }
    return 0;
}

size_t bksi_packets_send(bks_session *session, bks_address *to, void *bytes)
{
    bksi_guard *guard = &session->common.guard;
    size_t seal_bytes = BKSI_PACKET_SEAL_BYTES;
    bksi_guard_place place = {0};
    size_t count = bksi_guard_repeat(guard, session->common.now_ns, &place, bytes);
    if (count > 0) {
        seal_bytes = count;
    } else {
        count = next_sealed(session, &place, bytes);
        if (count == 0) {
            seal_bytes = count = bksi_guard_flush(guard, session->common.now_ns, &place, bytes);
        }
    }
    *to = place.address;
    if (count > 0 && !bksi_phase_is_in_lobby(&session->common.phase)) {
        session->packets.sent++;
        session->packets.payload_bytes += count;
        session->packets.seal_bytes += seal_bytes;
    }
    return count;
}
