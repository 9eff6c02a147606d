// SPDX-License-Identifier: MIT

#include "replay/format/replay_run.h"

#include <string.h>

#include "base/bytes.h"
#include "input/codec.h"

/// Most bits of a tick's hash, with the bit before it that tells if there is a hash.
#define HASH_BITS_MAX 65u

void bksi_run_write_inputs(bksi_bit_writer *writer, const bksi_run_shape *shape,
                           const uint8_t *before, const uint8_t *packed)
{
    const size_t bytes = shape->layout->bytes;
    for (uint32_t player = 0; player < shape->players; player++) {
        const uint8_t *last = before != NULL ? before + player * bytes : shape->layout->neutral;
        bksi_codec_write(writer, shape->layout, last, packed + player * bytes);
    }
}

bksi_tick_arrays bksi_tick_arrays_behind(const bksi_tick_arrays *arrays,
                                         const bksi_run_shape *shape, size_t count)
{
    return (bksi_tick_arrays){
        .inputs =
            arrays->inputs != NULL ? arrays->inputs + count * bksi_run_tick_bytes(shape) : NULL,
        .hashes = arrays->hashes != NULL ? arrays->hashes + count : NULL,
        .hash_bits = arrays->hash_bits != NULL ? arrays->hash_bits + count : NULL,
    };
}

void bksi_run_write_hash(bksi_bit_writer *writer, const bksi_run_shape *shape, bks_tick tick,
                         const uint64_t *hash)
{
    bksi_write_bits(writer, hash != NULL, 1);
    if (hash != NULL) {
        bksi_write_bits(writer, *hash, bksi_run_hash_bits(shape, tick));
    }
}

size_t bksi_run_bytes_max(const bksi_run_shape *shape, uint32_t confirmed, uint32_t used)
{
    const size_t tick_bits = (size_t)shape->players * bksi_codec_bits_max(shape->layout);
    const size_t input_bits = tick_bits * ((size_t)confirmed + used);
    const size_t hash_bits = (size_t)confirmed * HASH_BITS_MAX;
    return BKSI_RUN_HEAD_BYTES_MAX + (input_bits + 7) / 8 + (hash_bits + 7) / 8;
}

size_t bksi_run_write(uint8_t *out, size_t capacity, const bksi_run *run)
{
    bksi_byte_writer writer = bksi_byte_writer_over(out, capacity);
    bksi_write_varint(&writer, (uint32_t)run->first);
    bksi_write_varint(&writer, run->confirmed);
    bksi_write_varint(&writer, run->used);
    bksi_write_varint(&writer, run->input_bytes);
    bksi_write_bytes(&writer, run->inputs, run->input_bytes);
    bksi_write_bytes(&writer, run->hashes, run->hash_bytes);
    return writer.failed ? 0 : writer.at;
}

bool bksi_run_read(const uint8_t *bytes, size_t count, bksi_run *run)
{
    memset(run, 0, sizeof(*run));
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, count);
    const uint64_t first = bksi_read_varint(&reader);
    const uint64_t confirmed = bksi_read_varint(&reader);
    const uint64_t used = bksi_read_varint(&reader);
    const uint64_t input_bytes = bksi_read_varint(&reader);
    if (reader.failed || first > INT32_MAX || confirmed > BKSI_RUN_TICKS_MAX ||
        used > BKSI_RUN_TICKS_MAX - confirmed || first + confirmed + used > INT32_MAX ||
        input_bytes > bksi_byte_reader_left(&reader)) {
        return false;
    }
    run->first = (bks_tick)first;
    run->confirmed = (uint32_t)confirmed;
    run->used = (uint32_t)used;
    run->input_bytes = (size_t)input_bytes;
    run->inputs = bksi_read_bytes(&reader, run->input_bytes);
    run->hash_bytes = bksi_byte_reader_left(&reader);
    run->hashes = bksi_read_bytes(&reader, run->hash_bytes);
    return !reader.failed;
}

void bksi_run_begin(bksi_run_cursor *cursor, const bksi_run_shape *shape, const bksi_run *run)
{
    memset(cursor, 0, sizeof(*cursor));
    cursor->shape = *shape;
    cursor->inputs = bksi_bit_reader_over(run->inputs, run->input_bytes);
    cursor->hashes = bksi_bit_reader_over(run->hashes, run->hash_bytes);
    cursor->tick = run->first;
    cursor->confirmed_end = run->first + (bks_tick)run->confirmed;
    cursor->end = cursor->confirmed_end + (bks_tick)run->used;
    for (uint32_t player = 0; player < shape->players; player++) {
        memcpy(cursor->before + (size_t)player * shape->layout->bytes, shape->layout->neutral,
               shape->layout->bytes);
    }
}

bool bksi_run_next(bksi_run_cursor *cursor, uint8_t *packed, uint64_t *hash, uint32_t *hash_bits)
{
    const bksi_layout *layout = cursor->shape.layout;
    if (cursor->tick >= cursor->end) {
        return false;
    }
    for (uint32_t player = 0; player < cursor->shape.players; player++) {
        uint8_t *last = cursor->before + (size_t)player * layout->bytes;
        bksi_codec_read(&cursor->inputs, layout, last, last);
    }
    *hash = 0;
    *hash_bits = 0;
    if (cursor->tick < cursor->confirmed_end && bksi_read_bits(&cursor->hashes, 1) != 0) {
        *hash_bits = bksi_run_hash_bits(&cursor->shape, cursor->tick);
        *hash = bksi_read_bits(&cursor->hashes, *hash_bits);
    }
    if (packed != NULL) {
        memcpy(packed, cursor->before, bksi_run_tick_bytes(&cursor->shape));
    }
    cursor->tick++;
    return !cursor->inputs.failed && !cursor->hashes.failed;
}

bool bksi_run_has_zeros_left(bksi_bit_reader reader)
{
    const size_t left = reader.count_bits - reader.at_bits;
    return !reader.failed && left < 8 && bksi_read_bits(&reader, (uint32_t)left) == 0;
}

bool bksi_run_is_used_up(const bksi_run_cursor *cursor)
{
    return cursor->tick == cursor->end && bksi_run_has_zeros_left(cursor->inputs) &&
           bksi_run_has_zeros_left(cursor->hashes);
}

bool bksi_run_unpack(const bksi_run_shape *shape, const bksi_run *run,
                     const bksi_tick_arrays *arrays)
{
    bksi_run_cursor cursor;
    bksi_run_begin(&cursor, shape, run);
    const uint32_t ticks = run->confirmed + run->used;
    for (uint32_t i = 0; i < ticks; i++) {
        const bksi_tick_arrays here = bksi_tick_arrays_behind(arrays, shape, i);
        uint64_t hash = 0;
        uint32_t bits = 0;
        if (!bksi_run_next(&cursor, here.inputs, &hash, &bits)) {
            return false;
        }
        if (here.hashes != NULL) {
            *here.hashes = hash;
            *here.hash_bits = (uint8_t)bits;
        }
    }
    return bksi_run_is_used_up(&cursor);
}
