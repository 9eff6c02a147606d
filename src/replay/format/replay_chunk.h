// SPDX-License-Identifier: MIT

/// @file replay_chunk.h
/// A chunk: ticks that are appended together, the payload of a TICK record since version 2. See
/// docs/spec/replay.md.

#ifndef BKSI_REPLAY_CHUNK_H
#define BKSI_REPLAY_CHUNK_H

#include "input/model.h"
#include "replay/format/replay_run.h"

typedef struct bksi_models {
    const bksi_layout *layout;
    uint32_t players;
    size_t stride_bytes;
    uint8_t *bytes; ///< one model for each player, stride_bytes apart
} bksi_models;

/// Create the models that code the inputs of a match.
/// @param layout  must outlive the models
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_models_create(bksi_models *models, const bksi_layout *layout, uint32_t players,
                              const bks_allocator *allocator);
void bksi_models_destroy(bksi_models *models, const bks_allocator *allocator);

/// Forget all that the models have learnt.
void bksi_models_restart(bksi_models *models);

/// Encode all players' inputs of the next tick, players * layout->bytes.
void bksi_models_encode(bksi_models *models, bksi_range_encoder *encoder, const uint8_t *packed);

#define BKSI_CHUNK_TICKS_MAX 1024u

/// Most ticks from one restart of the coder to the next. To reach the last of these ticks, a reader
/// unpacks all of them.
#define BKSI_STRETCH_TICKS_MAX 16384u

/// Way to tell which ticks of a chunk have a hash.
typedef enum bksi_hash_mode {
    BKSI_HASHES_NONE = 0,
    BKSI_HASHES_ALL = 1,
    /// One bit for each tick comes before the hashes: 1 if the tick has a hash.
    BKSI_HASHES_SOME = 2,
} bksi_hash_mode;

/// A chunk as stored in a file. Its pointers point into the file's bytes.
typedef struct bksi_chunk {
    bks_tick first;
    uint32_t ticks;
    bool is_coded;   ///< true: the models code the inputs; false: the input codec does
    bool is_restart; ///< the models restart at this chunk, so no earlier chunk is needed
    bksi_hash_mode hash_mode;
    const uint8_t *hashes;
    size_t hash_bytes;
    const uint8_t *inputs; ///< bytes of the inputs: the rest of the payload
    size_t input_bytes;
} bksi_chunk;

/// Return the most bytes of a chunk's payload that has `input_bytes` bytes of inputs.
size_t bksi_chunk_bytes_max(size_t input_bytes, uint32_t ticks);

/// Write the payload of a chunk.
/// @param chunk      chunk to write; hash_mode, hashes and hash_bytes are ignored
/// @param hashes     hash of each tick
/// @param is_hashed  for each tick: true if it has a hash
/// @return bytes of the payload, 0 when they do not fit
size_t bksi_chunk_write(uint8_t *out, size_t capacity, const bksi_run_shape *shape,
                        const bksi_chunk *chunk, const uint64_t *hashes, const bool *is_hashed);

/// Read the head of a chunk and find its parts, without unpacking them.
/// @return false when the bytes are not those of a chunk
bool bksi_chunk_read(const uint8_t *bytes, size_t count, const bksi_run_shape *shape,
                     bksi_chunk *chunk);

/// Unpack the inputs and hashes of a chunk.
/// @param models  models in their state after the previous chunk
/// @return false when the bytes are wrong
bool bksi_chunk_unpack(const bksi_run_shape *shape, const bksi_chunk *chunk, bksi_models *models,
                       const bksi_tick_arrays *arrays);

#endif
