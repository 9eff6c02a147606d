// SPDX-License-Identifier: MIT

/// @file carried.h
/// CARRIED: packets of one peer to another on their way through the sender of this one, and first,
/// if it had something to say itself, a message of its own. So a carrier needs no datagram of its
/// own for what it carries.
///
///     own message   2 bytes: bytes 11 bits, type 4, a 1; the body
///     packet        4 bytes: its route; 2 of length, unless it is the last; the packet

#ifndef BKSI_CARRIED_H
#define BKSI_CARRIED_H

#include "base/bytes.h"
#include "wire/packet.h"

/// Bytes before the own message, and before a packet that is the last and one that is not.
#define BKSI_CARRIED_OWN_BYTES  2u
#define BKSI_CARRIED_LAST_BYTES 4u
#define BKSI_CARRIED_NEXT_BYTES 6u

/// The longest packet that can be carried.
#define BKSI_CARRIED_PACKET_BYTES_MAX (BKSI_BODY_BYTES_MAX - BKSI_CARRIED_LAST_BYTES)

/// The longest body of a packet that may have to be carried.
#define BKSI_MESSAGE_BYTES_MAX (BKSI_CARRIED_PACKET_BYTES_MAX - BKSI_PACKET_SEAL_BYTES)

/// Bits of the first four bytes that belong to no route: this is the own message; a length follows.
#define BKSI_CARRIED_IS_OWN   0x00008000u
#define BKSI_CARRIED_IS_SIZED 0x80000000u

/// The own message, or a packet.
typedef struct bksi_carried_piece {
    bool is_own;
    uint32_t type;  ///< own: bksi_packet_type
    uint32_t route; ///< else: net/route.h reads it
    const uint8_t *bytes;
    size_t count;
} bksi_carried_piece;

/// Whether a body is whole: at least one packet, with nothing behind the last.
bool bksi_carried_is_sound(const uint8_t *body, size_t count);

/// The next piece of a sound body.
/// @return false at the end
bool bksi_carried_read(bksi_byte_reader *reader, bksi_carried_piece *piece);

/// @param bytes  at most BKSI_BODY_BYTES_MAX
void bksi_carried_write_own(bksi_byte_writer *writer, uint32_t type, const uint8_t *body,
                            size_t bytes);
/// @param route    without BKSI_CARRIED_IS_OWN and BKSI_CARRIED_IS_SIZED
/// @param is_last  nothing follows
void bksi_carried_write_packet(bksi_byte_writer *writer, uint32_t route, bool is_last,
                               const uint8_t *packet, size_t bytes);

#endif
