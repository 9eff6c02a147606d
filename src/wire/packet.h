// SPDX-License-Identifier: MIT

/// @file packet.h
/// What every packet looks like: 4 bytes of check, 1 of type, the body. The check is over type and
/// body and is seeded with the session's number, so that packets of other matches fall out with the
/// damaged ones. It keeps accidents out, not attackers. See docs/spec/wire.md.

#ifndef BKSI_PACKET_H
#define BKSI_PACKET_H

#include "backstitch/base.h"

/// Raised when a message changes its meaning; peers of another version are refused.
#define BKSI_PROTOCOL_VERSION 2u

#define BKSI_PACKET_HEAD_BYTES 5u
#define BKSI_BODY_BYTES_MAX    (BKS_PACKET_BYTES_MAX - BKSI_PACKET_HEAD_BYTES)

typedef enum bksi_packet_type {
    BKSI_PACKET_JOIN = 1,
    BKSI_PACKET_ROSTER = 2,
    BKSI_PACKET_REFUSE = 3,
    BKSI_PACKET_LINK = 4,
    BKSI_PACKET_INPUT = 5,
    BKSI_PACKET_HASHES = 6,
    BKSI_PACKET_BYE = 7,
    BKSI_PACKET_FORWARD = 8,
    BKSI_PACKET_RELAY = 9,
    BKSI_PACKET_PROPOSE = 10,
    BKSI_PACKET_ANSWER = 11,
    BKSI_PACKET_COMMIT = 12,
    BKSI_PACKET_GONE = 13,
} bksi_packet_type;

/// Finish a packet whose body already stands at bytes + BKSI_PACKET_HEAD_BYTES.
/// @return the packet's size
size_t bksi_packet_close(uint8_t *bytes, size_t body_bytes, bksi_packet_type type,
                         uint64_t session_id);

/// Check a packet that came.
/// @return its type, 0 when it is damaged, foreign or no packet at all
uint32_t bksi_packet_open(const uint8_t *bytes, size_t count, uint64_t session_id);

#endif
