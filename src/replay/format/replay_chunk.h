// SPDX-License-Identifier: MIT

/// @file replay_chunk.h
/// Ticks that are appended together: the payload of a TICK record since version 2. See
/// docs/spec/replay.md.

#ifndef BKSI_REPLAY_CHUNK_H
#define BKSI_REPLAY_CHUNK_H

#include "input/model.h"
#include "replay/format/replay_run.h"

typedef struct bksi_models {
    const bksi_layout *layout;
    uint32_t players;
    size_t stride_bytes;
    uint8_t *bytes; ///< a model each stride
} bksi_models;

/// @param layout  must outlive the models
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_models_create(bksi_models *models, const bksi_layout *layout, uint32_t players,
                              const bks_allocator *allocator);
void bksi_models_destroy(bksi_models *models, const bks_allocator *allocator);

/// Nothing is learnt.
void bksi_models_restart(bksi_models *models);

/// Encode all players' inputs of the next tick, players * layout->bytes.
void bksi_models_encode(bksi_models *models, bksi_range_encoder *encoder, const uint8_t *packed);

#define BKSI_CHUNK_TICKS_MAX 1024u

/// Most ticks that hang together: at least that often the coder begins anew.
#define BKSI_STRETCH_TICKS_MAX 16384u

/// Which ticks of a chunk were hashed.
typedef enum bksi_hash_mode {
    BKSI_HASHES_NONE = 0,
    BKSI_HASHES_ALL = 1,
    BKSI_HASHES_SOME = 2, ///< a bit for each tick stands before them
} bksi_hash_mode;

/// A chunk as it lies in a file. Pointers go into its bytes.
typedef struct bksi_chunk {
    bks_tick first;
    uint32_t ticks;
    bool is_coded;   ///< inputs as a learnt stream, else as plain bits
    bool is_restart; ///< can be read without the chunk before it, and nothing is learnt yet
    bksi_hash_mode hash_mode;
    const uint8_t *hashes;
    size_t hash_bytes;
    const uint8_t *inputs; ///< all that is left
    size_t input_bytes;
} bksi_chunk;

/// Most bytes of the payload besides inputs that take `input_bytes`.
size_t bksi_chunk_bytes_max(size_t input_bytes, uint32_t ticks);

/// Put a chunk together.
/// @param chunk      its inputs; hash_mode, hashes and hash_bytes are worked out
/// @param hashes     of its ticks
/// @param is_hashed  by tick
/// @return its bytes, 0 when they do not fit
size_t bksi_chunk_write(uint8_t *out, size_t capacity, const bksi_run_shape *shape,
                        const bksi_chunk *chunk, const uint64_t *hashes, const bool *is_hashed);

/// Find the parts of a chunk.
/// @return false when the bytes are not those of a chunk
bool bksi_chunk_read(const uint8_t *bytes, size_t count, const bksi_run_shape *shape,
                     bksi_chunk *chunk);

/// Unpack all of a chunk.
/// @param models  as they were behind the chunk before it
/// @return false when the bytes are wrong
bool bksi_chunk_unpack(const bksi_run_shape *shape, const bksi_chunk *chunk, bksi_models *models,
                       const bksi_tick_arrays *arrays);

#endif
