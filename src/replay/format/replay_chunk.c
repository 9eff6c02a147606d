// SPDX-License-Identifier: MIT

#include "replay/format/replay_chunk.h"

#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"

#define ALIGNMENT 64u

static bksi_model *model_of(const bksi_models *models, uint32_t player)
{
    return (bksi_model *)(void *)(models->bytes + player * models->stride_bytes);
}

bks_status bksi_models_create(bksi_models *models, const bksi_layout *layout, uint32_t players,
                              const bks_allocator *allocator)
{
    const size_t bytes = bksi_model_bytes(layout);
    *models = (bksi_models){
        .layout = layout,
        .players = players,
        .stride_bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT,
    };
    models->bytes = bksi_alloc(allocator, players * models->stride_bytes, ALIGNMENT);
    if (models->bytes == NULL) {
        return BKS_ERR_OUT_OF_MEMORY;
    }
    bksi_models_restart(models);
    return BKS_OK;
}

void bksi_models_destroy(bksi_models *models, const bks_allocator *allocator)
{
    bksi_free(allocator, models->bytes, models->players * models->stride_bytes);
    *models = (bksi_models){0};
}

void bksi_models_restart(bksi_models *models)
{
    for (uint32_t player = 0; player < models->players; player++) {
        bksi_model_init(model_of(models, player), models->layout);
    }
}

void bksi_models_encode(bksi_models *models, bksi_range_encoder *encoder, const uint8_t *packed)
{
    for (uint32_t player = 0; player < models->players; player++) {
        bksi_model_encode(model_of(models, player), models->layout, encoder,
                          packed + (size_t)player * models->layout->bytes);
    }
}

/// Decode all players' inputs of the next tick. Check decoder->failed afterwards.
static void models_decode(bksi_models *models, bksi_range_decoder *decoder, uint8_t *packed)
{
    for (uint32_t player = 0; player < models->players; player++) {
        bksi_model_decode(model_of(models, player), models->layout, decoder,
                          packed + (size_t)player * models->layout->bytes);
    }
}

#define FLAG_CODED      1u
#define FLAG_RESTART    2u
#define FLAG_MODE_SHIFT 2u

/// Most bytes of a chunk's head: three numbers of at most 5 bytes, and the flags.
#define FIXED_BYTES_MAX 16u

size_t bksi_chunk_bytes_max(size_t input_bytes, uint32_t ticks)
{
    return FIXED_BYTES_MAX + input_bytes + (ticks + 7) / 8 + ticks * sizeof(uint64_t);
}

static bksi_hash_mode mode_of(const bool *is_hashed, uint32_t ticks)
{
    uint32_t hashed = 0;
    for (uint32_t i = 0; i < ticks; i++) {
        hashed += is_hashed[i];
    }
    return hashed == 0 ? BKSI_HASHES_NONE : hashed == ticks ? BKSI_HASHES_ALL : BKSI_HASHES_SOME;
}

/// Return the number of bits of a chunk's hashes. If only some ticks have a hash, the number
/// includes one bit for each tick that tells if the tick has a hash.
static size_t hash_bits_of(const bksi_run_shape *shape, const bksi_chunk *chunk,
                           bksi_bit_reader *hashed)
{
    size_t bits = chunk->hash_mode == BKSI_HASHES_SOME ? chunk->ticks : 0;
    for (uint32_t i = 0; chunk->hash_mode != BKSI_HASHES_NONE && i < chunk->ticks; i++) {
        if (chunk->hash_mode == BKSI_HASHES_ALL || bksi_read_bits(hashed, 1) != 0) {
            bits += bksi_run_hash_bits(shape, chunk->first + (bks_tick)i);
        }
    }
    return bits;
}

size_t bksi_chunk_write(uint8_t *out, size_t capacity, const bksi_run_shape *shape,
                        const bksi_chunk *chunk, const uint64_t *hashes, const bool *is_hashed)
{
    const bksi_hash_mode mode = mode_of(is_hashed, chunk->ticks);
    const uint32_t flags = (chunk->is_coded ? FLAG_CODED : 0) |
                           (chunk->is_restart ? FLAG_RESTART : 0) |
                           (uint32_t)mode << FLAG_MODE_SHIFT;
    bksi_byte_writer writer = bksi_byte_writer_over(out, capacity);
    bksi_write_varint(&writer, (uint32_t)chunk->first);
    bksi_write_varint(&writer, chunk->ticks);
    bksi_write_u8(&writer, (uint8_t)flags);
    bksi_bit_writer bits = bksi_bit_writer_over(out + writer.at, capacity - writer.at);
    for (uint32_t i = 0; mode == BKSI_HASHES_SOME && i < chunk->ticks; i++) {
        bksi_write_bits(&bits, is_hashed[i], 1);
    }
    for (uint32_t i = 0; mode != BKSI_HASHES_NONE && i < chunk->ticks; i++) {
        if (is_hashed[i]) {
            const bks_tick tick = chunk->first + (bks_tick)i;
            bksi_write_bits(&bits, hashes[i], bksi_run_hash_bits(shape, tick));
        }
    }
    writer.at += bksi_bit_writer_bytes(&bits);
    bksi_write_bytes(&writer, chunk->inputs, chunk->input_bytes);
    return writer.failed || bits.failed ? 0 : writer.at;
}

bool bksi_chunk_read(const uint8_t *bytes, size_t count, const bksi_run_shape *shape,
                     bksi_chunk *chunk)
{
    memset(chunk, 0, sizeof(*chunk));
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, count);
    const uint64_t first = bksi_read_varint(&reader);
    const uint64_t ticks = bksi_read_varint(&reader);
    const uint32_t flags = bksi_read_u8(&reader);
    if (reader.failed || ticks < 1 || ticks > BKSI_CHUNK_TICKS_MAX ||
        first > (uint64_t)INT32_MAX - ticks || flags >> FLAG_MODE_SHIFT > BKSI_HASHES_SOME ||
        (flags & (FLAG_CODED | FLAG_RESTART)) == 0) {
        return false;
    }
    chunk->first = (bks_tick)first;
    chunk->ticks = (uint32_t)ticks;
    chunk->is_coded = (flags & FLAG_CODED) != 0;
    chunk->is_restart = (flags & FLAG_RESTART) != 0;
    chunk->hash_mode = (bksi_hash_mode)(flags >> FLAG_MODE_SHIFT);
    const size_t left = bksi_byte_reader_left(&reader);
    bksi_bit_reader hashed = bksi_bit_reader_over(bytes + reader.at, left);
    const size_t hash_bits = hash_bits_of(shape, chunk, &hashed);
    chunk->hash_bytes = (hash_bits + 7) / 8;
    if (hashed.failed || chunk->hash_bytes > left) {
        return false;
    }
    chunk->hashes = bksi_read_bytes(&reader, chunk->hash_bytes);
    chunk->input_bytes = bksi_byte_reader_left(&reader);
    chunk->inputs = bksi_read_bytes(&reader, chunk->input_bytes);
    return true;
}

static bool unpack_hashes(const bksi_run_shape *shape, const bksi_chunk *chunk,
                          const bksi_tick_arrays *arrays)
{
    bksi_bit_reader marks = bksi_bit_reader_over(chunk->hashes, chunk->hash_bytes);
    bksi_bit_reader values = marks;
    values.at_bits = chunk->hash_mode == BKSI_HASHES_SOME ? chunk->ticks : 0;
    for (uint32_t i = 0; i < chunk->ticks; i++) {
        uint32_t bits = 0;
        if (chunk->hash_mode == BKSI_HASHES_ALL ||
            (chunk->hash_mode == BKSI_HASHES_SOME && bksi_read_bits(&marks, 1) != 0)) {
            bits = bksi_run_hash_bits(shape, chunk->first + (bks_tick)i);
        }
        const uint64_t hash = bksi_read_bits(&values, bits);
        if (arrays->hashes != NULL) {
            arrays->hashes[i] = hash;
            arrays->hash_bits[i] = (uint8_t)bits;
        }
    }
    return bksi_run_has_zeros_left(values);
}

static bool unpack_coded(const bksi_run_shape *shape, const bksi_chunk *chunk, bksi_models *models,
                         const bksi_tick_arrays *arrays)
{
    uint8_t nowhere[BKS_PLAYERS_MAX * BKSI_INPUT_BYTES_MAX];
    const size_t tick_bytes = bksi_run_tick_bytes(shape);
    bksi_range_decoder decoder;
    bksi_range_decoder_init(&decoder, chunk->inputs, chunk->input_bytes);
    if (chunk->is_restart) {
        bksi_models_restart(models);
    }
    for (uint32_t i = 0; i < chunk->ticks && !decoder.failed; i++) {
        uint8_t *packed = arrays->inputs != NULL ? arrays->inputs + i * tick_bytes : nowhere;
        models_decode(models, &decoder, packed);
    }
    return bksi_range_decoder_is_done(&decoder);
}

static bool unpack_plain(const bksi_run_shape *shape, const bksi_chunk *chunk,
                         const bksi_tick_arrays *arrays)
{
    const bksi_run inputs = {
        .first = chunk->first,
        // Pass the ticks as guessed ones: in a run only confirmed ticks have hashes, and a chunk
        // stores its hashes apart from the run.
        .used = chunk->ticks,
        .inputs = chunk->inputs,
        .input_bytes = chunk->input_bytes,
    };
    const bksi_tick_arrays inputs_only = {.inputs = arrays->inputs};
    return bksi_run_unpack(shape, &inputs, &inputs_only);
}

bool bksi_chunk_unpack(const bksi_run_shape *shape, const bksi_chunk *chunk, bksi_models *models,
                       const bksi_tick_arrays *arrays)
{
    return (chunk->is_coded ? unpack_coded(shape, chunk, models, arrays)
                            : unpack_plain(shape, chunk, arrays)) &&
           unpack_hashes(shape, chunk, arrays);
}
