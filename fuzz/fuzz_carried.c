// SPDX-License-Identifier: MIT

// Hands a carrier the bodies of CARRIED messages from hostile peers, one after the other. A body
// that the carrier accepts must come out the same when it is written again. Each packet in it goes
// to the next peer of its route at most once, whole, and in a datagram that is not too long.
//
// The input: the number of the carrier (1 byte, modulo 7), then bodies, each a length (2 bytes) and
// its bytes.

#include <stdlib.h>
#include <string.h>

#include "net/carrier.h"
#include "wire/carried_again.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

#define MEMBERS 0x7Fu ///< all peers but peer 7, as bits

static bksi_carrier carrier;
static uint64_t packets_in;
static uint64_t packets_out;

static void must(bool condition)
{
    if (!condition) {
        abort();
    }
}

static void carry(uint32_t self, const bksi_carried_piece *piece)
{
    bksi_routed routed;
    if (!bksi_routed_read(piece->route, MEMBERS, &routed)) {
        return;
    }
    must(bksi_routed_bits(&routed) == piece->route);
    uint32_t from = routed.passed == 0 ? routed.origin : routed.route.peers[routed.passed - 1];
    if (!bksi_routed_goes(&routed, from, self) || routed.target == self) {
        return;
    }
    routed.passed++;
    bksi_carrier_put(&carrier, &routed, piece->bytes, piece->count, false, packets_in++);
}

/// Hand the carrier one body, in a copy of exactly its size so that reads behind its end are found.
static void take(uint32_t self, const uint8_t *bytes, size_t count)
{
    uint8_t again[BKSI_BODY_BYTES_MAX];
    uint8_t *body = malloc(count > 0 ? count : 1);
    must(body != NULL);
    memcpy(body, bytes, count);
    if (bksi_carried_is_sound(body, count)) {
        bksi_byte_reader reader = bksi_byte_reader_over(body, count);
        bksi_carried_piece piece;
        while (bksi_carried_read(&reader, &piece)) {
            if (!piece.is_own) {
                carry(self, &piece);
            }
        }
        must(!reader.failed);
        must(carried_again(body, count, again) == count && memcmp(again, body, count) == 0);
    }
    free(body);
}

/// Fill one datagram for peer `hop`, and check every packet in it.
static void send(uint32_t self, uint32_t hop)
{
    uint8_t body[BKSI_BODY_BYTES_MAX];
    bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
    must(bksi_carrier_waits(&carrier, hop) == (bksi_carrier_since_ns(&carrier, hop) != UINT64_MAX));
    uint32_t packets = bksi_carrier_fill(&carrier, hop, &writer);
    must(packets > 0 || !bksi_carrier_waits(&carrier, hop));
    must(packets == 0 || bksi_carried_is_sound(body, writer.at));
    bksi_byte_reader reader = bksi_byte_reader_over(body, writer.at);
    bksi_carried_piece piece;
    for (uint32_t i = 0; i < packets; i++) {
        bksi_routed routed;
        must(bksi_carried_read(&reader, &piece) && !piece.is_own);
        must(bksi_routed_read(piece.route, MEMBERS, &routed));
        must(bksi_routed_goes(&routed, self, hop));
        packets_out++;
    }
    must(reader.at == writer.at);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    bksi_carrier_init(&carrier);
    packets_in = packets_out = 0;
    uint32_t self = count > 0 ? bytes[0] % 7u : 0;
    size_t at = 1;
    while (at + 2 <= count) {
        size_t body = bksi_get_u16(bytes + at) % (BKSI_BODY_BYTES_MAX + 1u);
        at += 2;
        body = body < count - at ? body : count - at;
        take(self, bytes + at, body);
        at += body;
        if (body % 3 == 0) {
            send(self, (uint32_t)body / 3 % BKS_PEERS_MAX);
        }
    }
    for (uint32_t hop = 0; hop < BKS_PEERS_MAX; hop++) {
        while (bksi_carrier_waits(&carrier, hop)) {
            send(self, hop);
        }
    }
    must(packets_out <= packets_in);
    return 0;
}
