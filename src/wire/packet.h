// SPDX-License-Identifier: MIT

/// @file packet.h
/// Types of packets. Every packet except those of a handshake is sealed (net/seal.h): 1 byte with
/// its type and the receiver's channel, the lowest 2 bytes of its number, the body, a tag of 16
/// bytes. See docs/spec/wire.md.

#ifndef BKSI_PACKET_H
#define BKSI_PACKET_H

#include "backstitch/base.h"

/// Version of the protocol, raised when a message changes. Peers of another version are refused.
#define BKSI_PROTOCOL_VERSION 10u

#define BKSI_PACKET_HEAD_BYTES 3u
#define BKSI_PACKET_TAG_BYTES  16u

/// Bytes that a packet adds to its body, and maximum number of bytes of a body.
#define BKSI_PACKET_SEAL_BYTES (BKSI_PACKET_HEAD_BYTES + BKSI_PACKET_TAG_BYTES)
#define BKSI_BODY_BYTES_MAX    (BKS_PACKET_BYTES_MAX - BKSI_PACKET_SEAL_BYTES)

/// Longest body of a packet that every path can carry. Such a packet and its 28 bytes of headers of
/// IP and UDP have 576 bytes. Longer packets are sent only before the match and for BULK, which
/// finds out how long the packets of a path may be.
#define BKSI_PATH_BODY_BYTES_MAX (576u - 28u - BKSI_PACKET_SEAL_BYTES)

/// Type of a packet, 4 bits.
typedef enum bksi_packet_type {
    BKSI_PACKET_HANDSHAKE = 0, ///< message of a handshake, not sealed yet: net/guard.h
    BKSI_PACKET_JOIN = 1,
    BKSI_PACKET_ROSTER = 2,
    BKSI_PACKET_REFUSE = 3,
    BKSI_PACKET_LINK = 4,
    /// Last type of a message that may be enclosed in a handshake.
    BKSI_PACKET_LOBBY_LAST = BKSI_PACKET_LINK,
    BKSI_PACKET_INPUT = 5,
    BKSI_PACKET_HASHES = 6,
    BKSI_PACKET_BYE = 7,
    BKSI_PACKET_VIEW = 8,     ///< message about views, with a sub-type: wire/view_messages.h
    BKSI_PACKET_BULK = 9,     ///< part of a stream of bytes beside the match: wire/small_messages.h
    BKSI_PACKET_CARRIED = 10, ///< packets of other peers, which the receiver reads or passes on
    BKSI_PACKET_HEARS = 11,   ///< report of whom the sender and others hear: wire/view_messages.h
    BKSI_PACKET_COMPARE = 12, ///< comparison of two states: wire/compare_message.h
    BKSI_PACKET_MEET = 13,    ///< agreement on one state: wire/meet_message.h
    BKSI_PACKET_SLOW = 14,
    BKSI_PACKET_ADDRESS = 15, ///< check of a peer's new address, made by the guards
} bksi_packet_type;

#endif
