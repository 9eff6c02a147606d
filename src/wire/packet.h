// SPDX-License-Identifier: MIT

/// @file packet.h
/// What packets there are. Every one travels sealed (net/seal.h): a byte that says its type and
/// whom at the receiver it concerns, 2 of its number, the body, 16 of tag. See docs/spec/wire.md.

#ifndef BKSI_PACKET_H
#define BKSI_PACKET_H

#include "backstitch/base.h"

/// Raised when a message changes its meaning; peers of another version are refused.
#define BKSI_PROTOCOL_VERSION 8u

#define BKSI_PACKET_HEAD_BYTES 3u
#define BKSI_PACKET_TAG_BYTES  16u

/// What a packet is longer than its body.
#define BKSI_PACKET_SEAL_BYTES (BKSI_PACKET_HEAD_BYTES + BKSI_PACKET_TAG_BYTES)
#define BKSI_BODY_BYTES_MAX    (BKS_PACKET_BYTES_MAX - BKSI_PACKET_SEAL_BYTES)

/// Four bits.
typedef enum bksi_packet_type {
    BKSI_PACKET_HANDSHAKE = 0, ///< not sealed yet: net/guard.h
    BKSI_PACKET_JOIN = 1,
    BKSI_PACKET_ROSTER = 2,
    BKSI_PACKET_REFUSE = 3,
    BKSI_PACKET_LINK = 4,
    BKSI_PACKET_LOBBY_LAST = BKSI_PACKET_LINK, ///< up to here a handshake may carry them
    BKSI_PACKET_INPUT = 5,
    BKSI_PACKET_HASHES = 6,
    BKSI_PACKET_BYE = 7,
    BKSI_PACKET_VIEW = 8,     ///< by a sub-type: wire/view_messages.h
    BKSI_PACKET_BULK = 9,     ///< wire/bulk_message.h
    BKSI_PACKET_CARRIED = 10, ///< packets on their way to or through the receiver
    BKSI_PACKET_HEARS = 11,   ///< which peers hear which
    BKSI_PACKET_COMPARE = 12, ///< in what two states differ: wire/compare_message.h
    BKSI_PACKET_MEET = 13,    ///< all are to have one state: wire/meet_message.h
    BKSI_PACKET_SLOW = 14,
    BKSI_PACKET_ADDRESS = 15, ///< is this address yours? the guards' own
} bksi_packet_type;

#endif
