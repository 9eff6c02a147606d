// SPDX-License-Identifier: MIT

#include "base/bytes.h"

#include <string.h>

void bksi_put_u16(uint8_t *at, uint16_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

void bksi_put_u32(uint8_t *at, uint32_t value)
{
    bksi_put_u16(at, (uint16_t)value);
    bksi_put_u16(at + 2, (uint16_t)(value >> 16));
}

void bksi_put_u64(uint8_t *at, uint64_t value)
{
    bksi_put_u32(at, (uint32_t)value);
    bksi_put_u32(at + 4, (uint32_t)(value >> 32));
}

uint16_t bksi_get_u16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

uint32_t bksi_get_u32(const uint8_t *at)
{
    return (uint32_t)bksi_get_u16(at) | (uint32_t)bksi_get_u16(at + 2) << 16;
}

uint64_t bksi_get_u64(const uint8_t *at)
{
    return (uint64_t)bksi_get_u32(at) | (uint64_t)bksi_get_u32(at + 4) << 32;
}

/// Return memory for the next `count` bytes, above 0. If they do not fit, set `failed` and return
/// NULL.
static uint8_t *take_room(bksi_byte_writer *writer, size_t count)
{
    if (writer->failed || count > writer->capacity - writer->at) {
        writer->failed = true;
        return NULL;
    }
    uint8_t *at = writer->bytes + writer->at;
    writer->at += count;
    return at;
}

void bksi_write_u8(bksi_byte_writer *writer, uint8_t value)
{
    uint8_t *at = take_room(writer, 1);
    if (at != NULL) {
        *at = value;
    }
}

void bksi_write_u16(bksi_byte_writer *writer, uint16_t value)
{
    uint8_t *at = take_room(writer, 2);
    if (at != NULL) {
        bksi_put_u16(at, value);
    }
}

void bksi_write_u32(bksi_byte_writer *writer, uint32_t value)
{
    uint8_t *at = take_room(writer, 4);
    if (at != NULL) {
        bksi_put_u32(at, value);
    }
}

void bksi_write_u64(bksi_byte_writer *writer, uint64_t value)
{
    uint8_t *at = take_room(writer, 8);
    if (at != NULL) {
        bksi_put_u64(at, value);
    }
}

void bksi_write_bytes(bksi_byte_writer *writer, const void *bytes, size_t count)
{
    if (count == 0) {
        return;
    }
    uint8_t *at = take_room(writer, count);
    if (at != NULL) {
        memcpy(at, bytes, count);
    }
}

void bksi_write_varint(bksi_byte_writer *writer, uint64_t value)
{
    for (; value >= 0x80; value >>= 7) {
        bksi_write_u8(writer, (uint8_t)(value | 0x80));
    }
    bksi_write_u8(writer, (uint8_t)value);
}

void bksi_write_text(bksi_byte_writer *writer, const char *text)
{
    size_t count = strlen(text);
    if (count > 255 || writer->failed || count + 1 > writer->capacity - writer->at) {
        writer->failed = true;
        return;
    }
    bksi_write_u8(writer, (uint8_t)count);
    bksi_write_bytes(writer, text, count);
}

size_t bksi_byte_reader_left(const bksi_byte_reader *reader)
{
    return reader->failed ? 0 : reader->count - reader->at;
}

const uint8_t *bksi_read_bytes(bksi_byte_reader *reader, size_t count)
{
    // Return a pointer that is not NULL, because reading zero bytes of an empty buffer succeeds.
    static const uint8_t nothing[1];
    if (reader->failed || count > reader->count - reader->at) {
        reader->failed = true;
        return NULL;
    }
    if (reader->bytes == NULL) {
        return nothing;
    }
    const uint8_t *at = reader->bytes + reader->at;
    reader->at += count;
    return at;
}

uint8_t bksi_read_u8(bksi_byte_reader *reader)
{
    const uint8_t *at = bksi_read_bytes(reader, 1);
    return at != NULL ? *at : 0;
}

uint16_t bksi_read_u16(bksi_byte_reader *reader)
{
    const uint8_t *at = bksi_read_bytes(reader, 2);
    return at != NULL ? bksi_get_u16(at) : 0;
}

uint32_t bksi_read_u32(bksi_byte_reader *reader)
{
    const uint8_t *at = bksi_read_bytes(reader, 4);
    return at != NULL ? bksi_get_u32(at) : 0;
}

uint64_t bksi_read_u64(bksi_byte_reader *reader)
{
    const uint8_t *at = bksi_read_bytes(reader, 8);
    return at != NULL ? bksi_get_u64(at) : 0;
}

uint64_t bksi_read_varint(bksi_byte_reader *reader)
{
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 70; shift += 7) {
        uint8_t byte = bksi_read_u8(reader);
        if (reader->failed || (shift == 63 && byte > 1)) {
            break;
        }
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            return value;
        }
    }
    reader->failed = true;
    return 0;
}

void bksi_read_text(bksi_byte_reader *reader, char *out, size_t capacity)
{
    out[0] = '\0';
    size_t count = bksi_read_u8(reader);
    const uint8_t *bytes = bksi_read_bytes(reader, count);
    if (bytes == NULL) {
        return;
    }
    bool is_ok = count < capacity;
    for (size_t i = 0; is_ok && i < count; i++) {
        is_ok = bytes[i] >= 0x20 && bytes[i] <= 0x7e;
    }
    if (!is_ok) {
        reader->failed = true;
        return;
    }
    memcpy(out, bytes, count);
    out[count] = '\0';
}
