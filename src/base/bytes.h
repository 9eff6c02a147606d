// SPDX-License-Identifier: MIT

/// @file bytes.h
/// Numbers as little-endian bytes, and cursors over buffers that stay within bounds. All formats on
/// wire and disk are little-endian.

#ifndef BKSI_BYTES_H
#define BKSI_BYTES_H

#include "backstitch/base.h"

void bksi_put_u16(uint8_t *at, uint16_t value);
void bksi_put_u32(uint8_t *at, uint32_t value);
void bksi_put_u64(uint8_t *at, uint64_t value);
uint16_t bksi_get_u16(const uint8_t *at);
uint32_t bksi_get_u32(const uint8_t *at);
uint64_t bksi_get_u64(const uint8_t *at);

/// Writer into a buffer. Once something did not fit, `failed` stays true and nothing more is
/// written.
typedef struct bksi_byte_writer {
    uint8_t *bytes;
    size_t capacity;
    size_t at; ///< number of bytes written so far
    bool failed;
} bksi_byte_writer;

static inline bksi_byte_writer bksi_byte_writer_over(void *bytes, size_t capacity)
{
    return (bksi_byte_writer){.bytes = (uint8_t *)bytes, .capacity = capacity};
}

void bksi_write_u8(bksi_byte_writer *writer, uint8_t value);
void bksi_write_u16(bksi_byte_writer *writer, uint16_t value);
void bksi_write_u32(bksi_byte_writer *writer, uint32_t value);
void bksi_write_u64(bksi_byte_writer *writer, uint64_t value);
void bksi_write_bytes(bksi_byte_writer *writer, const void *bytes, size_t count);

/// Write unsigned LEB128, 1 to 10 bytes.
void bksi_write_varint(bksi_byte_writer *writer, uint64_t value);

/// Write one length byte, then the bytes; `text` has under 256 bytes.
void bksi_write_text(bksi_byte_writer *writer, const char *text);

/// Reader of a buffer. Once bytes were missing or wrong, `failed` stays true and reads give zero.
typedef struct bksi_byte_reader {
    const uint8_t *bytes;
    size_t count;
    size_t at; ///< number of bytes read so far
    bool failed;
} bksi_byte_reader;

static inline bksi_byte_reader bksi_byte_reader_over(const void *bytes, size_t count)
{
    return (bksi_byte_reader){.bytes = (const uint8_t *)bytes, .count = count};
}

uint8_t bksi_read_u8(bksi_byte_reader *reader);
uint16_t bksi_read_u16(bksi_byte_reader *reader);
uint32_t bksi_read_u32(bksi_byte_reader *reader);
uint64_t bksi_read_u64(bksi_byte_reader *reader);
/// Return a pointer to `count` bytes in the buffer, NULL if there are fewer.
const uint8_t *bksi_read_bytes(bksi_byte_reader *reader, size_t count);
/// Read unsigned LEB128. More than 10 bytes, or bits beyond the 64th, fail.
uint64_t bksi_read_varint(bksi_byte_reader *reader);
/// Read a text. Set `failed` if the text with its zero exceeds `capacity` or has a byte that is not
/// printable ASCII.
void bksi_read_text(bksi_byte_reader *reader, char *out, size_t capacity);
size_t bksi_byte_reader_left(const bksi_byte_reader *reader);

#endif
