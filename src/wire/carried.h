// SPDX-License-Identifier: MIT

/// @file carried.h
/// CARRIED: packets of other peers that the sender passes on, on their way to their targets. A
/// message of the sender itself may come first, so a carrier needs no additional datagram.
///
///     own message   2 bytes: length of the body (11 bits), type (4 bits), a 1 (1 bit); the body
///     packet        4 bytes: its route; 2 bytes: its length, absent for the last; the packet

#ifndef BKSI_CARRIED_H
#define BKSI_CARRIED_H

#include "base/bytes.h"
#include "wire/packet.h"

/// Sizes of headers in bytes: before the sender's own message, before the last packet, and before
/// any other packet.
#define BKSI_CARRIED_OWN_BYTES  2u
#define BKSI_CARRIED_LAST_BYTES 4u
#define BKSI_CARRIED_NEXT_BYTES 6u

/// Longest packet that can be carried.
#define BKSI_CARRIED_PACKET_BYTES_MAX (BKSI_BODY_BYTES_MAX - BKSI_CARRIED_LAST_BYTES)

/// Longest body of a packet that can be carried.
#define BKSI_CARRIED_BODY_BYTES_MAX (BKSI_CARRIED_PACKET_BYTES_MAX - BKSI_PACKET_SEAL_BYTES)

/// Longest body of a message of the match, which every path carries, also within a CARRIED.
#define BKSI_MESSAGE_BYTES_MAX \
    (BKSI_PATH_BODY_BYTES_MAX - BKSI_CARRIED_LAST_BYTES - BKSI_PACKET_SEAL_BYTES)

/// Flags in the header of a piece, in bits that a route leaves 0. IS_OWN: the piece is the sender's
/// own message. IS_SIZED: the length of the packet follows its route.
#define BKSI_CARRIED_IS_OWN   0x00008000u
#define BKSI_CARRIED_IS_SIZED 0x80000000u

/// Piece of a CARRIED: the sender's own message, or a carried packet.
typedef struct bksi_carried_piece {
    bool is_own;
    uint32_t type;  ///< type of the sender's own message, a bksi_packet_type
    uint32_t route; ///< route of a carried packet, read by net/route.h
    const uint8_t *bytes;
    size_t count;
} bksi_carried_piece;

/// Return true if a body is valid: at least one packet, and no bytes after the last packet.
bool bksi_carried_is_sound(const uint8_t *body, size_t count);

/// Read the next piece of a valid body.
/// @return false at the end
bool bksi_carried_read(bksi_byte_reader *reader, bksi_carried_piece *piece);

/// Write the sender's own message, which must be the first piece.
/// @param bytes  at most BKSI_BODY_BYTES_MAX
void bksi_carried_write_own(bksi_byte_writer *writer, uint32_t type, const uint8_t *body,
                            size_t bytes);
/// Write a carried packet as the next piece.
/// @param route    without BKSI_CARRIED_IS_OWN and BKSI_CARRIED_IS_SIZED
/// @param is_last  true if no packet follows
void bksi_carried_write_packet(bksi_byte_writer *writer, uint32_t route, bool is_last,
                               const uint8_t *packet, size_t bytes);

#endif
