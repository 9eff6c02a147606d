// SPDX-License-Identifier: MIT

/// @file replay_tail.h
/// The two tail slots. They hold what is not appended yet, and are written in turn. A slot is made
/// of blocks of 512 bytes, each with its own check and the number of its write. A write that was
/// cut off leaves blocks that are right but of different writes, which distinguishes it from
/// damage. See docs/spec/replay.md.

#ifndef BKSI_REPLAY_TAIL_H
#define BKSI_REPLAY_TAIL_H

#include "backstitch/base.h"

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
