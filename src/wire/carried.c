// SPDX-License-Identifier: MIT

#include "wire/carried.h"

#define SIZE_BITS 11u
#define SIZE_MASK ((1u << SIZE_BITS) - 1)
#define TYPE_MASK 15u

_Static_assert(BKSI_BODY_BYTES_MAX <= SIZE_MASK, "the own message's length takes 11 bits");

/// Return true if a sender may send a message of this type along with packets that it carries. A
/// message of a handshake and a check of an address fill a datagram of their own, so they cannot be
/// sent along.
static bool is_message(uint32_t type)
{
    return type > BKSI_PACKET_HANDSHAKE && type < BKSI_PACKET_ADDRESS &&
           type != BKSI_PACKET_CARRIED;
}

static void read_own(bksi_byte_reader *reader, bksi_carried_piece *piece)
{
    uint32_t head = bksi_read_u16(reader);
    piece->is_own = true;
    piece->type = head >> SIZE_BITS & TYPE_MASK;
    piece->count = head & SIZE_MASK;
    reader->failed |= !is_message(piece->type);
}

static void read_packet(bksi_byte_reader *reader, bksi_carried_piece *piece)
{
    uint32_t head = bksi_read_u32(reader);
    bool is_last = (head & BKSI_CARRIED_IS_SIZED) == 0;
    piece->route = head & ~BKSI_CARRIED_IS_SIZED;
    piece->count = is_last ? bksi_byte_reader_left(reader) : bksi_read_u16(reader);
    bool ends = piece->count >= bksi_byte_reader_left(reader);
    reader->failed |= piece->count > BKSI_CARRIED_PACKET_BYTES_MAX || ends != is_last;
}

bool bksi_carried_read(bksi_byte_reader *reader, bksi_carried_piece *piece)
{
    *piece = (bksi_carried_piece){0};
    bool is_first = reader->at == 0;
    if (bksi_byte_reader_left(reader) < BKSI_CARRIED_OWN_BYTES) {
        reader->failed |= is_first || bksi_byte_reader_left(reader) > 0;
        return false;
    }
    if (is_first && (bksi_get_u16(reader->bytes) & BKSI_CARRIED_IS_OWN) != 0) {
        read_own(reader, piece);
    } else {
        read_packet(reader, piece);
    }
    reader->failed |= piece->count == 0;
    piece->bytes = bksi_read_bytes(reader, reader->failed ? 0 : piece->count);
    reader->failed |= piece->is_own && bksi_byte_reader_left(reader) == 0;
    return !reader->failed;
}

bool bksi_carried_is_sound(const uint8_t *body, size_t count)
{
    bksi_byte_reader reader = bksi_byte_reader_over(body, count);
    bksi_carried_piece piece;
    while (bksi_carried_read(&reader, &piece)) {
    }
    return !reader.failed;
}

void bksi_carried_write_own(bksi_byte_writer *writer, uint32_t type, const uint8_t *body,
                            size_t bytes)
{
    bksi_write_u16(writer, (uint16_t)(BKSI_CARRIED_IS_OWN | type << SIZE_BITS | bytes));
    bksi_write_bytes(writer, body, bytes);
}

void bksi_carried_write_packet(bksi_byte_writer *writer, uint32_t route, bool is_last,
                               const uint8_t *packet, size_t bytes)
{
    bksi_write_u32(writer, route | (is_last ? 0 : BKSI_CARRIED_IS_SIZED));
    if (!is_last) {
        bksi_write_u16(writer, (uint16_t)bytes);
    }
    bksi_write_bytes(writer, packet, bytes);
}
