// SPDX-License-Identifier: MIT

#include "session/relays.h"

#include <string.h>

/// The peer through which a message for one that we do not hear goes: one who hears it, else the
/// one through whom its newest heartbeat came; BKS_PEERS_MAX: none.
static uint32_t relay_for(const session_inputs *inputs, const session_common *common,
                          uint32_t index, uint32_t not_to)
{
    uint32_t ways = 0;
    EACH_PEER (i, common->seats.all) {
        if (i != index && i != common->seats.self && i != not_to && bksi_common_has(common, i) &&
            bksi_liveness_is_fine(&inputs->liveness, common, i)) {
            ways |= PEER_BIT(i);
        }
    }
    EACH_PEER (i, common->seats.all) {
        if ((ways >> i & 1) != 0 && !bksi_forwarding_is_asked(&inputs->forwarding, i, index)) {
            return i;
        }
    }
    uint32_t way = bksi_forwarding_way(&inputs->forwarding, index);
    return (ways >> way & 1) != 0 ? way : BKS_PEERS_MAX;
}

bool bksi_relays_takes(const uint8_t *view, size_t count)
{
    return count > 0 && (view[0] == BKSI_VIEW_PROPOSE || view[0] == BKSI_VIEW_ANSWER);
}

bool bksi_relays_receive(session_relays *relays, const session_common *common, uint32_t from,
                         const uint8_t *body, size_t count, session_relayed *relayed)
{
    *relayed = (session_relayed){0};
    bksi_byte_reader reader = bksi_byte_reader_over(body, count);
    bksi_relay_head head;
    if (!bksi_relay_head_read(&reader, &head) ||
        !bksi_relays_takes(body + reader.at, bksi_byte_reader_left(&reader)) ||
        !bksi_common_has(common, head.origin) || !bksi_common_has(common, head.target) ||
        head.origin == common->seats.self) {
        return false;
    }
    const uint8_t *inner = body + BKSI_RELAY_HEAD_BYTES;
    size_t inner_bytes = count - BKSI_RELAY_HEAD_BYTES;
    if (head.target == common->seats.self) {
        *relayed = (session_relayed){true, head.origin, inner, inner_bytes};
        return true;
    }
    if (head.target == from || (head.passes == 0) != (head.origin == from)) {
        return false;
    }
    // No path is longer than through all peers.
    if (++head.passes >= bksi_peers_count(common->seats.all) || relays->count == RELAYS_MAX) {
        return true;
    }
    session_relay *relay = &relays->waiting[relays->count++];
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

uint32_t bksi_relays_choose(session_relays *relays, const session_inputs *inputs,
                            const session_common *common, uint32_t index)
{
    bool *takes_relay = &relays->takes_relay[index];
    uint32_t relay = bksi_liveness_is_fine(&inputs->liveness, common, index)
                         ? BKS_PEERS_MAX
                         : relay_for(inputs, common, index, BKS_PEERS_MAX);
    *takes_relay = !*takes_relay;
    return *takes_relay ? relay : BKS_PEERS_MAX;
}

size_t bksi_relays_wrap(const bksi_relay_head *head, uint8_t *body, size_t count)
{
    memmove(body + BKSI_RELAY_HEAD_BYTES, body, count);
    return put_relay_head(head, body) + count;
}

size_t bksi_relays_write(session_relays *relays, const session_inputs *inputs,
                         const session_common *common, uint8_t *body, uint32_t *type, uint32_t *to)
{
    while (relays->count > 0) {
        const session_relay *relay = &relays->waiting[--relays->count];
        uint32_t target = relay->head.target;
        *to = bksi_liveness_is_fine(&inputs->liveness, common, target)
                  ? target
                  : relay_for(inputs, common, target, relay->from);
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
