// SPDX-License-Identifier: MIT

/// @file seal.h
/// Sealed packets: encrypted and authenticated by ChaCha20-Poly1305, with a key for each direction.
/// A packet carries only the lowest 16 bits of its 64-bit number; the rest follows from the highest
/// authentic number so far. Each number is accepted once.

#ifndef BKSI_SEAL_H
#define BKSI_SEAL_H

#include "wire/packet.h"

#define BKSI_SEAL_KEY_BYTES 32u

/// Distance below the highest number within which numbers are still accepted, once each. A multiple
/// of 64.
#define BKSI_SEAL_WINDOW 4096u

typedef struct bksi_seal {
    uint8_t send_key[BKSI_SEAL_KEY_BYTES];
    uint8_t receive_key[BKSI_SEAL_KEY_BYTES];
    uint64_t next;    ///< number of the next packet to send
    uint64_t highest; ///< one above the highest authentic number, 0: none
    /// Received numbers as bits. The ring is one word longer than the window, because words are
    /// cleared whole.
    uint64_t seen[BKSI_SEAL_WINDOW / 64 + 1];
} bksi_seal;

/// Result of opening a packet.
typedef enum bksi_seal_result {
    BKSI_SEAL_TAKEN = 0,
    BKSI_SEAL_FORGED = 1,   ///< not sealed by the peer for us, or damaged
    BKSI_SEAL_REPEATED = 2, ///< authentic, but received before, or too old to tell
} bksi_seal_result;

/// Begin with new keys; numbers begin at 0.
void bksi_seal_begin(bksi_seal *seal, const uint8_t send_key[BKSI_SEAL_KEY_BYTES],
                     const uint8_t receive_key[BKSI_SEAL_KEY_BYTES]);

/// Seal a packet.
/// @param channel  channel number of the receiver, 0..15
/// @param body     at most BKSI_BODY_BYTES_MAX bytes; may lie at its place in `out`
/// @param out      room for the body and BKSI_PACKET_SEAL_BYTES
/// @return the packet's size
size_t bksi_seal_close(bksi_seal *seal, bksi_packet_type type, uint32_t channel, const void *body,
                       size_t body_bytes, uint8_t *out);

/// Check and open a packet. If the packet is not accepted, only `out` changes.
/// @param count   at least BKSI_PACKET_SEAL_BYTES
/// @param out     room for the body
/// @param number  receives the packet's number
bksi_seal_result bksi_seal_open(bksi_seal *seal, const uint8_t *packet, size_t count, uint8_t *out,
                                uint64_t *number);

#endif
