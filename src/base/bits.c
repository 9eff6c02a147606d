// SPDX-License-Identifier: MIT

#include "base/bits.h"

#include "base/report.h"

void bksi_write_bits(bksi_bit_writer *writer, uint64_t value, uint32_t bits)
{
    BKS_ASSERT(bits <= 64);
    if (writer->failed || bits > writer->capacity_bits - writer->at_bits) {
        writer->failed = true;
        return;
    }
    const uint32_t used = (uint32_t)(writer->at_bits % 8);
    uint8_t *byte = &writer->bytes[writer->at_bits / 8];
    writer->at_bits += bits;
    // Clear the rest of a byte when its first bits are written, because the buffer may hold old
    // bytes.
    if (used != 0 && bits > 0) {
        const uint32_t take = bits < 8 - used ? bits : 8 - used;
        *byte = (uint8_t)(*byte | ((uint32_t)value & ((1u << take) - 1)) << used);
        value >>= take;
        bits -= take;
        byte++;
    }
    for (; bits >= 8; bits -= 8) {
        *byte++ = (uint8_t)value;
        value >>= 8;
    }
    if (bits > 0) {
        *byte = (uint8_t)((uint32_t)value & ((1u << bits) - 1));
    }
}

void bksi_copy_bits(bksi_bit_writer *writer, const uint8_t *bytes, size_t bits)
{
    bksi_bit_reader from = bksi_bit_reader_over(bytes, (bits + 7) / 8);
    while (bits > 0) {
        const uint32_t part = bits < 64 ? (uint32_t)bits : 64;
        bksi_write_bits(writer, bksi_read_bits(&from, part), part);
        bits -= part;
    }
}

size_t bksi_bit_writer_bytes(const bksi_bit_writer *writer)
{
    return writer->at_bits / 8 + (writer->at_bits % 8 != 0);
}

/// Load eight bytes, lowest first, as one load where possible.
static uint64_t load64(const uint8_t *bytes)
{
    return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 |
           (uint64_t)bytes[3] << 24 | (uint64_t)bytes[4] << 32 | (uint64_t)bytes[5] << 40 |
           (uint64_t)bytes[6] << 48 | (uint64_t)bytes[7] << 56;
}

uint64_t bksi_read_bits(bksi_bit_reader *reader, uint32_t bits)
{
    BKS_ASSERT(bits <= 64);
    if (reader->failed || bits > reader->count_bits - reader->at_bits) {
        reader->failed = true;
        return 0;
    }
    // The common case: all the bits are within eight bytes that exist in the buffer.
    const size_t first = reader->at_bits / 8;
    if (bits <= 56 && first * 8 + 64 <= reader->count_bits) {
        const uint64_t word = load64(reader->bytes + first) >> (reader->at_bits % 8);
        reader->at_bits += bits;
        return word & ((UINT64_C(1) << bits) - 1);
    }
    uint64_t value = 0;
    uint32_t done = 0;
    while (done < bits) {
        uint32_t byte = reader->bytes[reader->at_bits / 8];
        uint32_t used = (uint32_t)(reader->at_bits % 8);
        uint32_t take = bits - done < 8 - used ? bits - done : 8 - used;
        value |= (uint64_t)(byte >> used & ((1u << take) - 1)) << done;
        done += take;
        reader->at_bits += take;
    }
    return value;
}
