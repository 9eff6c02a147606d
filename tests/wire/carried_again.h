// SPDX-License-Identifier: MIT

/// @file carried_again.h
/// Reads a body of CARRIED and writes it again, with the same bytes. The fuzz target uses it too.

#ifndef TESTS_CARRIED_AGAIN_H
#define TESTS_CARRIED_AGAIN_H

#include "wire/carried.h"

/// @param body   a sound body
/// @param again  room for BKSI_BODY_BYTES_MAX
/// @return bytes written
static inline size_t carried_again(const uint8_t *body, size_t count, uint8_t *again)
{
    bksi_byte_reader reader = bksi_byte_reader_over(body, count);
    bksi_byte_writer writer = bksi_byte_writer_over(again, BKSI_BODY_BYTES_MAX);
    bksi_carried_piece piece;
    while (bksi_carried_read(&reader, &piece)) {
        if (piece.is_own) {
            bksi_carried_write_own(&writer, piece.type, piece.bytes, piece.count);
        } else {
            bksi_carried_write_packet(&writer, piece.route, reader.at == count, piece.bytes,
                                      piece.count);
        }
    }
    return writer.failed ? 0 : writer.at;
}

#endif
