// SPDX-License-Identifier: MIT

#include "input/codec.h"

#include <string.h>

#include "base/assert.h"

/// Most bits that move in one call of the bit reader.
#define CHUNK_BITS 64u

static uint32_t chunk_of(uint32_t left_bits)
{
    return left_bits < CHUNK_BITS ? left_bits : CHUNK_BITS;
}

/// Read over a packed input, placed at one group.
static bksi_bit_reader at_group(const bksi_layout *layout, const uint8_t *packed, uint32_t group)
{
    bksi_bit_reader reader = bksi_bit_reader_over(packed, layout->bytes);
    reader.at_bits = layout->group_offset_bits[group];
    return reader;
}

static bool group_changed(const bksi_layout *layout, const uint8_t *before, const uint8_t *packed,
                          uint32_t group)
{
    // Most groups have not changed, and then neither have the bytes that hold them.
    const uint32_t first = layout->group_offset_bits[group] / 8u;
    const uint32_t last = (layout->group_offset_bits[group] + layout->group_bits[group] - 1u) / 8u;
    if (memcmp(before + first, packed + first, last - first + 1) == 0) {
        return false;
    }
    bksi_bit_reader a = at_group(layout, before, group);
    bksi_bit_reader b = at_group(layout, packed, group);
    for (uint32_t left = layout->group_bits[group]; left > 0;) {
        const uint32_t bits = chunk_of(left);
        if (bksi_read_bits(&a, bits) != bksi_read_bits(&b, bits)) {
            return true;
        }
        left -= bits;
    }
    return false;
}

void bksi_codec_write(bksi_bit_writer *writer, const bksi_layout *layout, const uint8_t *before,
                      const uint8_t *packed)
{
    const bool changed = memcmp(before, packed, layout->bytes) != 0;
    bksi_write_bits(writer, changed, 1);
    if (!changed) {
        return;
    }
    bool group_is_sent[BKS_FIELDS_MAX];
    for (uint32_t group = 0; group < layout->group_count; group++) {
        group_is_sent[group] = group_changed(layout, before, packed, group);
        bksi_write_bits(writer, group_is_sent[group], 1);
    }
    for (uint32_t group = 0; group < layout->group_count; group++) {
        if (!group_is_sent[group]) {
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
    // Built aside: `packed` may be `before`, and a group may begin within a byte.
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
        // There is one way to write an input: what is told as changed has changed.
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
