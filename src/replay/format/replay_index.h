// SPDX-License-Identifier: MIT

/// @file replay_index.h
/// The record `indx`: where keyframes and restarts stand, for readers that do not walk over all
/// records. Written when it is full, and at the end. See docs/spec/replay.md.

#ifndef BKSI_REPLAY_INDEX_H
#define BKSI_REPLAY_INDEX_H

#include "backstitch/base.h"

#define BKSI_INDEX_ENTRIES_MAX 256u
#define BKSI_INDEX_ENTRY_BYTES 13u ///< kind (1), tick (4), offset (8)
#define BKSI_INDEX_FIXED_BYTES 8u  ///< offset of the index before
#define BKSI_INDEX_BYTES_MAX \
    (BKSI_INDEX_FIXED_BYTES + BKSI_INDEX_ENTRIES_MAX * BKSI_INDEX_ENTRY_BYTES)

/// What stands there.
typedef enum bksi_index_kind {
    BKSI_INDEX_RESTART = 0, ///< a chunk that can be read without the one before
    BKSI_INDEX_WHOLE = 1,   ///< a whole keyframe
    BKSI_INDEX_DELTA = 2,   ///< another keyframe
} bksi_index_kind;

typedef struct bksi_index_entry {
    bksi_index_kind kind;
    bks_tick tick;   ///< of the keyframe, or the first of the chunk
    uint64_t offset; ///< of the record
} bksi_index_entry;

/// What a record holds; entries in the order of the file.
typedef struct bksi_index {
    uint64_t before; ///< offset of the index before this one, 0: none
    uint32_t count;
    bksi_index_entry entries[BKSI_INDEX_ENTRIES_MAX];
} bksi_index;

/// Write the payload.
/// @param out  BKSI_INDEX_BYTES_MAX
/// @return its bytes
size_t bksi_index_write(uint8_t *out, const bksi_index *index);

/// Read the payload.
/// @return false when the bytes are not those of an index
bool bksi_index_read(bksi_index *index, const uint8_t *bytes, size_t count);

#endif
