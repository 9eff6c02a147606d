// SPDX-License-Identifier: MIT

#include "session/relays.h"

#include <string.h>

#include "session/session_internal.h"

/// The peer through which a message for one that we do not hear goes: one who hears it, else the
/// one through whom its newest heartbeat came; BKS_PEERS_MAX: none.
static uint32_t relay_for(const bks_session *session, uint32_t index, uint32_t not_to)
{
    uint32_t ways = 0;
    for (uint32_t i = 0; i < session->common.seats.peer_count; i++) {
        if (i != index && i != session->common.seats.self && i != not_to &&
            bksi_membership_has(&session->common.membership, i) &&
            bksi_liveness_is_fine(&session->inputs.liveness, &session->common, i)) {
            ways |= PEER_BIT(i);
        }
    }
    for (uint32_t i = 0; i < session->common.seats.peer_count; i++) {
        if ((ways >> i & 1) != 0 &&
            !bksi_forwarding_is_asked(&session->inputs.forwarding, i, index)) {
            return i;
        }
    }
    uint32_t way = session->inputs.forwarding.peers[index].heartbeat_from;
    return (ways >> way & 1) != 0 ? way : BKS_PEERS_MAX;
}

bool bksi_relays_receive(bks_session *session, uint32_t from, const uint8_t *body, size_t count,
                         session_relayed *relayed)
{
    *relayed = (session_relayed){0};
    bksi_byte_reader reader = bksi_byte_reader_over(body, count);
    bksi_relay_head head;
    if (!bksi_relay_head_read(&reader, &head) ||
        (head.type != BKSI_PACKET_PROPOSE && head.type != BKSI_PACKET_ANSWER) ||
        !bksi_membership_has(&session->common.membership, head.origin) ||
        !bksi_membership_has(&session->common.membership, head.target) ||
        head.origin == session->common.seats.self) {
        return false;
    }
    const uint8_t *inner = body + BKSI_RELAY_HEAD_BYTES;
    size_t inner_bytes = count - BKSI_RELAY_HEAD_BYTES;
    if (head.target == session->common.seats.self) {
        *relayed = (session_relayed){true, head.type, head.origin, inner, inner_bytes};
        return true;
    }
    if (head.target == from || (head.passes == 0) != (head.origin == from)) {
        return false;
    }
    // No way is longer than through everybody.
    if (++head.passes >= session->common.seats.peer_count || session->relays.count == RELAYS_MAX) {
        return true;
    }
    session_relay *relay = &session->relays.waiting[session->relays.count++];
    relay->head = head;
    relay->from = from;
    relay->bytes = inner_bytes;
    memcpy(relay->body, inner, inner_bytes);
    return true;
}

static size_t put_relay_head(const bksi_relay_head *head, uint8_t *body)
{
    bksi_byte_writer writer = bksi_byte_writer_over(body, BKSI_RELAY_HEAD_BYTES);
    bksi_relay_head_write(&writer, head);
    return writer.at;
}

size_t bksi_relays_reroute(bks_session *session, uint32_t index, uint8_t *body, size_t count,
                           uint32_t *type, uint32_t *to)
{
    bool *takes_relay = &session->relays.takes_relay[index];
    uint32_t relay = bksi_liveness_is_fine(&session->inputs.liveness, &session->common, index)
                         ? BKS_PEERS_MAX
                         : relay_for(session, index, BKS_PEERS_MAX);
    *takes_relay = !*takes_relay;
    if (relay == BKS_PEERS_MAX || !*takes_relay) {
        return count;
    }
    memmove(body + BKSI_RELAY_HEAD_BYTES, body, count);
    bksi_relay_head head = {.origin = session->common.seats.self, .target = index, .type = *type};
    *type = BKSI_PACKET_RELAY;
    *to = relay;
    return put_relay_head(&head, body) + count;
}

size_t bksi_relays_write(bks_session *session, uint8_t *body, uint32_t *type, uint32_t *to)
{
    while (session->relays.count > 0) {
        const session_relay *relay = &session->relays.waiting[--session->relays.count];
        uint32_t target = relay->head.target;
        *to = bksi_liveness_is_fine(&session->inputs.liveness, &session->common, target)
                  ? target
                  : relay_for(session, target, relay->from);
        if (*to == BKS_PEERS_MAX) {
            continue;
        }
        *type = BKSI_PACKET_RELAY;
        size_t head_bytes = put_relay_head(&relay->head, body);
        memcpy(body + head_bytes, relay->body, relay->bytes);
        return head_bytes + relay->bytes;
    }
    return 0;
}
