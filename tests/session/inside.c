// SPDX-License-Identifier: MIT

#include "session/inside.h"

#include <stdlib.h>
#include <string.h>

uint32_t inside_read(const bks_session *to, const uint8_t *packet, size_t count, uint8_t *body,
                     size_t *body_bytes)
{
    if (count < BKSI_PACKET_SEAL_BYTES || packet[0] >> 4 == BKSI_PACKET_HANDSHAKE ||
        packet[0] >> 4 == BKSI_PACKET_ADDRESS) {
        return 0;
    }
    const bksi_guard_channel *channel = &to->common.guard.channels[packet[0] & 15];
    bksi_seal seal = channel->seal;
    uint64_t number = 0;
    if (!channel->is_open ||
        bksi_seal_open(&seal, packet, count, body, &number) != BKSI_SEAL_TAKEN) {
        return 0;
    }
    *body_bytes = count - BKSI_PACKET_SEAL_BYTES;
    return packet[0] >> 4;
}

static bksi_channel channel_to(const bks_session *session, const bks_session *other)
{
    EACH_PEER (i, other != NULL ? bksi_seats_others(&session->common.seats) : 0) {
        const session_peer *peer = &session->common.seats.peers[i];
        bool is_it = memcmp(peer->identity, other->common.guard.identity, BKSI_IDENTITY_BYTES) == 0;
        // A guest learns by the first answer who the host is.
        if (is_it || (i == 0 && other->common.config.is_host)) {
            return peer->channel;
        }
    }
    return UINT32_MAX;
}

void inside_say(bks_session *to, uint64_t now_ns, const bks_session *from, uint32_t type,
                const void *body, size_t body_bytes)
{
    // On the heap, so that a read behind the body is seen.
    uint8_t *copy = malloc(body_bytes > 0 ? body_bytes : 1);
    if (copy == NULL) {
        abort();
    }
    if (body_bytes > 0) {
        memcpy(copy, body, body_bytes);
    }
    to->common.now_ns = now_ns > to->common.now_ns ? now_ns : to->common.now_ns;
    bksi_guard_message message = {.channel = channel_to(to, from),
                                  .type = type,
                                  .body = copy,
                                  .body_bytes = body_bytes,
                                  .is_proven = true};
    if (bksi_packets_take(to, &message)) {
        to->packets.received++;
    } else {
        to->packets.refused++;
    }
    free(copy);
}

size_t inside_input(const bksi_input_head *head, uint8_t *body)
{
    static const uint8_t same[1000];
    bksi_range_encoder encoder;
    bksi_range_encoder_init(&encoder, body, BKSI_BODY_BYTES_MAX);
    bksi_input_head_write(&encoder, head);
    if (head->count > 0) {
        bksi_range_encode(&encoder, BKSI_INPUT_CODED, 1);
        bksi_input_bits_write(&encoder, same, head->count);
    }
    return bksi_range_encoder_finish(&encoder);
}
