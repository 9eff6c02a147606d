// SPDX-License-Identifier: MIT

/// @file replay_tail.h
/// The two tail slots. They hold what is not appended yet, and are written in turn. A slot is made
/// of blocks of 512 bytes, each with its own check and the number of its write. A write that was
/// cut off leaves blocks that are right but of different writes, which distinguishes it from
/// damage. See docs/spec/replay.md.

#ifndef BKSI_REPLAY_TAIL_H
#define BKSI_REPLAY_TAIL_H

#include "backstitch/base.h"

// The record `indx`: where keyframes and restarts stand, for readers that do not walk over all
// records. Written when it is full, and at the end. See docs/spec/replay.md.

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

#define BKSI_BLOCK_BYTES       512u
#define BKSI_BLOCK_HEAD_BYTES  16u
#define BKSI_BLOCK_ROOM        (BKSI_BLOCK_BYTES - BKSI_BLOCK_HEAD_BYTES)
#define BKSI_SLOT_BLOCKS_MIN_1 4u ///< in files of version 1
#define BKSI_SLOT_BLOCKS_MIN   2u
#define BKSI_SLOT_BLOCKS_MAX   65535u
#define BKSI_TAIL_OFFSET_MAX   (UINT64_C(1) << 31)

/// Blocks that `count` bytes take, at least one.
static inline size_t bksi_tail_blocks(size_t count)
{
    return count == 0 ? 1 : (count + BKSI_BLOCK_ROOM - 1) / BKSI_BLOCK_ROOM;
}

/// Where the slots begin behind what ends at `offset`.
static inline uint64_t bksi_tail_offset(uint64_t offset)
{
    return (offset + BKSI_BLOCK_BYTES - 1) / BKSI_BLOCK_BYTES * BKSI_BLOCK_BYTES;
}

/// What a write holds before its run, since version 2: where a reader finds the rest.
#define BKSI_TAIL_HEAD_BYTES_MAX 20u

/// @param out     BKSI_TAIL_HEAD_BYTES_MAX
/// @param records_end  offset of the end of the records
/// @param start   offset of the record from which on they are enough to play, 0: the first
/// @return bytes written
size_t bksi_tail_head_write(uint8_t *out, uint64_t records_end, uint64_t start);

/// @return bytes read, 0 when they are wrong
size_t bksi_tail_head_read(const uint8_t *bytes, size_t count, uint64_t *out_records_end,
                           uint64_t *out_start);

/// Put `count` bytes into blocks for a slot at `slot_offset` of the file.
/// @param sequence  number of this write, from 1
/// @return the number of blocks
size_t bksi_tail_write(uint8_t *blocks, uint64_t slot_offset, uint32_t sequence,
                       const uint8_t *bytes, size_t count);

/// What the two slots hold.
typedef struct bksi_tail {
    bool is_damaged;        ///< some block is wrong
    uint64_t damage_offset; ///< of the first such block
    bool is_cut;            ///< the file ends before the slots do
    bool is_zero;           ///< every block there is zero: nothing was written, or all is appended
    uint64_t used_offset;   ///< of the first block that is not zero
    bool has_write;         ///< one whole write was found; the newest:
    const uint8_t *slot;    ///< its slot
    uint64_t slot_offset;   ///< where that is in the file
    uint32_t sequence;      ///< its number
    size_t payload_bytes;   ///< what it holds
} bksi_tail;

/// Look at both slots.
/// @param slots        the file from `tail_offset` on
/// @param count        bytes there, which may end before the slots do
/// @param slot_blocks  blocks of one slot
void bksi_tail_read(const uint8_t *slots, size_t count, uint64_t tail_offset, size_t slot_blocks,
                    bksi_tail *tail);

/// Copy what the newest whole write holds: tail->payload_bytes into `out`.
void bksi_tail_copy(const bksi_tail *tail, uint8_t *out);

#endif
