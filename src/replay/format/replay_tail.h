// SPDX-License-Identifier: MIT

/// @file replay_tail.h The two tail slots. They hold the ticks that are not appended as records
/// yet, and are written in turn. A slot is made of blocks of 512 bytes. Each block has a check and
/// the sequence number of its write. A write that was cut off leaves valid blocks of different
/// writes, so it is distinguished from damage. See docs/spec/replay.md.

#ifndef BKSI_REPLAY_TAIL_H
#define BKSI_REPLAY_TAIL_H

#include "backstitch/base.h"

// The record `indx`: places of keyframes and restarts, for readers that do not walk over all
// records. An index is written when it is full, and at the end of the recording. See
// docs/spec/replay.md.

#define BKSI_INDEX_ENTRIES_MAX 256u
#define BKSI_INDEX_ENTRY_BYTES 13u ///< size of an index entry: kind (1), tick (4), offset (8)
#define BKSI_INDEX_FIXED_BYTES 8u  ///< size of the offset of the previous index
#define BKSI_INDEX_BYTES_MAX \
    (BKSI_INDEX_FIXED_BYTES + BKSI_INDEX_ENTRIES_MAX * BKSI_INDEX_ENTRY_BYTES)

/// Kind of record to which an entry of an index points.
typedef enum bksi_index_kind {
    BKSI_INDEX_RESTART = 0, ///< chunk at which the coder restarts
    BKSI_INDEX_WHOLE = 1,   ///< keyframe that is whole, so no earlier one is needed
    BKSI_INDEX_DELTA = 2,   ///< keyframe that is coded against the previous one
} bksi_index_kind;

typedef struct bksi_index_entry {
    bksi_index_kind kind;
    bks_tick tick;   ///< tick of the keyframe, or first tick of the chunk
    uint64_t offset; ///< offset of the record in the file
} bksi_index_entry;

/// Content of an index; entries are in the order of the file.
typedef struct bksi_index {
    uint64_t before; ///< offset of the previous index, 0: none
    uint32_t count;
    bksi_index_entry entries[BKSI_INDEX_ENTRIES_MAX];
} bksi_index;

/// Write the payload of an index.
/// @param out  room for BKSI_INDEX_BYTES_MAX bytes
/// @return bytes of the payload
size_t bksi_index_write(uint8_t *out, const bksi_index *index);

/// Read the payload of an index.
/// @return false when the bytes are not those of an index
bool bksi_index_read(bksi_index *index, const uint8_t *bytes, size_t count);

#define BKSI_BLOCK_BYTES       512u
#define BKSI_BLOCK_HEAD_BYTES  16u
#define BKSI_BLOCK_ROOM        (BKSI_BLOCK_BYTES - BKSI_BLOCK_HEAD_BYTES)
#define BKSI_SLOT_BLOCKS_MIN_1 4u ///< fewest blocks of a tail slot in version 1
#define BKSI_SLOT_BLOCKS_MIN   2u
#define BKSI_SLOT_BLOCKS_MAX   65535u
#define BKSI_TAIL_OFFSET_MAX   (UINT64_C(1) << 31)

/// Return the number of blocks that `count` bytes take, at least one.
static inline size_t bksi_tail_blocks(size_t count)
{
    return count == 0 ? 1 : (count + BKSI_BLOCK_ROOM - 1) / BKSI_BLOCK_ROOM;
}

/// Return the offset of the tail slots for a STAT record that ends at `offset`.
static inline uint64_t bksi_tail_offset(uint64_t offset)
{
    return (offset + BKSI_BLOCK_BYTES - 1) / BKSI_BLOCK_BYTES * BKSI_BLOCK_BYTES;
}

/// Most bytes of a tail write before its run, since version 2: the two offsets of
/// bksi_tail_head_write().
#define BKSI_TAIL_HEAD_BYTES_MAX 20u

/// Write the head of a tail write, which comes before its run.
/// @param out          room for BKSI_TAIL_HEAD_BYTES_MAX bytes
/// @param records_end  offset of the end of the records
/// @param start        offset of the first record needed to play from the newest whole keyframe, 0:
///                     the first record of the file
/// @return bytes written
size_t bksi_tail_head_write(uint8_t *out, uint64_t records_end, uint64_t start);

/// Read the head of a tail write.
/// @return bytes read, 0 when the head is wrong
size_t bksi_tail_head_read(const uint8_t *bytes, size_t count, uint64_t *out_records_end,
                           uint64_t *out_start);

/// Put `count` bytes into blocks for a slot at `slot_offset` of the file.
/// @param sequence  sequence number of this write, from 1
/// @return the number of blocks
size_t bksi_tail_write(uint8_t *blocks, uint64_t slot_offset, uint32_t sequence,
                       const uint8_t *bytes, size_t count);

/// Content of the two tail slots.
typedef struct bksi_tail {
    bool is_damaged;        ///< true if a block of the slots is wrong
    uint64_t damage_offset; ///< offset of the first wrong block in the file
    bool is_cut;            ///< the file ends before the end of the slots
    bool is_zero;           ///< every byte is zero: nothing was written, or all ticks are appended
    uint64_t used_offset;   ///< offset in the file of the first block that is not zero
    bool has_write;         ///< a whole write was found; the next fields describe the newest one
    const uint8_t *slot;    ///< slot of the newest whole write
    uint64_t slot_offset;   ///< offset of `slot` in the file
    uint32_t sequence;      ///< sequence number of the newest whole write
    size_t payload_bytes;   ///< bytes of the newest whole write
} bksi_tail;

/// Read both tail slots.
/// @param slots        the file from `tail_offset` on
/// @param count        bytes of the file from `tail_offset` on; the slots may not be whole
/// @param slot_blocks  blocks of one slot
void bksi_tail_read(const uint8_t *slots, size_t count, uint64_t tail_offset, size_t slot_blocks,
                    bksi_tail *tail);

/// Copy the tail->payload_bytes bytes of the newest whole write into `out`.
void bksi_tail_copy(const bksi_tail *tail, uint8_t *out);

#endif
