// SPDX-License-Identifier: MIT

#include "input/codec.h"

#include <string.h>

#include "base/report.h"

/// Most bits that one call of the bit reader reads.
#define CHUNK_BITS 64u

static uint32_t chunk_of(uint32_t left_bits)
{
    return left_bits < CHUNK_BITS ? left_bits : CHUNK_BITS;
}

/// Return a reader of a packed input, positioned at the first bit of a group.
static bksi_bit_reader at_group(const bksi_layout *layout, const uint8_t *packed, uint32_t group)
{
    bksi_bit_reader reader = bksi_bit_reader_over(packed, layout->bytes);
    reader.at_bits = layout->group_offset_bits[group];
    return reader;
}

/// Return the groups in which two inputs of more than 64 bits differ, one bit for each group.
static uint64_t changed_of_many(const bksi_layout *layout, const uint8_t *before,
                                const uint8_t *packed)
{
    uint8_t difference[BKSI_INPUT_BYTES_MAX];
    for (uint32_t i = 0; i < layout->bytes; i++) {
        difference[i] = before[i] ^ packed[i];
    }
    uint64_t changed = 0;
    bksi_bit_reader reader = bksi_bit_reader_over(difference, layout->bytes);
    for (uint32_t group = 0; group < layout->group_count; group++) {
        uint64_t bits_set = 0;
        for (uint32_t left = layout->group_bits[group]; left > 0;) {
            const uint32_t bits = chunk_of(left);
            bits_set |= bksi_read_bits(&reader, bits);
            left -= bits;
        }
        changed |= (uint64_t)(bits_set != 0) << group;
    }
    return changed;
}

uint64_t bksi_codec_changed(const bksi_layout *layout, const uint8_t *before, const uint8_t *packed)
{
    if (layout->bits > 64) {
        return changed_of_many(layout, before, packed);
    }
    uint64_t difference = 0;
    for (uint32_t i = 0; i < layout->bytes; i++) {
        difference |= (uint64_t)(before[i] ^ packed[i]) << 8 * i;
    }
    uint64_t changed = 0;
    for (uint32_t group = 0; difference != 0; group++) {
        const uint32_t bits = layout->group_bits[group];
        const uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
        changed |= (uint64_t)((difference & mask) != 0) << group;
        difference = bits < 64 ? difference >> bits : 0;
    }
    return changed;
}

void bksi_codec_write(bksi_bit_writer *writer, const bksi_layout *layout, const uint8_t *before,
                      const uint8_t *packed)
{
    const bool is_changed = memcmp(before, packed, layout->bytes) != 0;
    bksi_write_bits(writer, is_changed, 1);
    if (!is_changed) {
        return;
    }
    uint64_t changed = bksi_codec_changed(layout, before, packed);
    bksi_write_bits(writer, changed, layout->group_count);
    for (uint32_t group = 0; changed != 0; group++, changed >>= 1) {
        if ((changed & 1) == 0) {
            continue;
        }
        bksi_bit_reader values = at_group(layout, packed, group);
        for (uint32_t left = layout->group_bits[group]; left > 0;) {
            const uint32_t bits = chunk_of(left);
            bksi_write_bits(writer, bksi_read_bits(&values, bits), bits);
            left -= bits;
        }
    }
}

void bksi_codec_read(bksi_bit_reader *reader, const bksi_layout *layout, const uint8_t *before,
                     uint8_t *packed)
{
    if (bksi_read_bits(reader, 1) == 0) {
        memmove(packed, before, layout->bytes);
        return;
    }
    bool group_is_sent[BKS_FIELDS_MAX];
    for (uint32_t group = 0; group < layout->group_count; group++) {
        group_is_sent[group] = bksi_read_bits(reader, 1) != 0;
    }
    // Build the input in a buffer of its own, because `packed` may be `before`, and a group may
    // begin within a byte.
    uint8_t built[BKSI_INPUT_BYTES_MAX] = {0};
    bksi_bit_writer writer = bksi_bit_writer_over(built, layout->bytes);
    bksi_bit_reader old = bksi_bit_reader_over(before, layout->bytes);
    bool is_same = true;
    for (uint32_t group = 0; group < layout->group_count; group++) {
        bool group_is_same = true;
        for (uint32_t left = layout->group_bits[group]; left > 0;) {
            const uint32_t bits = chunk_of(left);
            const uint64_t was = bksi_read_bits(&old, bits);
            const uint64_t is = group_is_sent[group] ? bksi_read_bits(reader, bits) : was;
            group_is_same = group_is_same && is == was;
            bksi_write_bits(&writer, is, bits);
            left -= bits;
        }
        // Refuse a group that is coded as changed but has not changed, because each input has only
        // one valid code.
        if (group_is_sent[group] && group_is_same) {
            reader->failed = true;
        }
        is_same = is_same && group_is_same;
    }
    if (is_same) {
        reader->failed = true;
    }
    BKS_ASSERT(!writer.failed);
    memmove(packed, reader->failed ? before : built, layout->bytes);
}

uint32_t bksi_codec_bits_max(const bksi_layout *layout)
{
    return 1 + layout->group_count + layout->bits;
}
