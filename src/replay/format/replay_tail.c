// SPDX-License-Identifier: MIT

// Layout of a block of the tail: check of all later bytes (u32), sequence number of the write
// (u32), index of the block in the slot (u16), number of blocks of the write (u16), bytes of the
// write (u32), then the block's share of these bytes, and zeros up to the end of the block.

#include "replay/format/replay_tail.h"

#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"

size_t bksi_index_write(uint8_t *out, const bksi_index *index)
{
    bksi_byte_writer writer = bksi_byte_writer_over(out, BKSI_INDEX_BYTES_MAX);
    bksi_write_u64(&writer, index->before);
    for (uint32_t i = 0; i < index->count; i++) {
        bksi_write_u8(&writer, (uint8_t)index->entries[i].kind);
        bksi_write_u32(&writer, (uint32_t)index->entries[i].tick);
        bksi_write_u64(&writer, index->entries[i].offset);
    }
    return writer.at;
}

bool bksi_index_read(bksi_index *index, const uint8_t *bytes, size_t count)
{
    memset(index, 0, sizeof(*index));
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, count);
    index->before = bksi_read_u64(&reader);
    const size_t left = bksi_byte_reader_left(&reader);
    if (reader.failed || left % BKSI_INDEX_ENTRY_BYTES != 0 ||
        left / BKSI_INDEX_ENTRY_BYTES > BKSI_INDEX_ENTRIES_MAX) {
        return false;
    }
    index->count = (uint32_t)(left / BKSI_INDEX_ENTRY_BYTES);
    uint64_t last = index->before;
    for (uint32_t i = 0; i < index->count; i++) {
        const uint8_t kind = bksi_read_u8(&reader);
        const uint32_t tick = bksi_read_u32(&reader);
        const uint64_t offset = bksi_read_u64(&reader);
        if (kind > BKSI_INDEX_DELTA || tick > INT32_MAX || offset <= last) {
            return false;
        }
        index->entries[i] = (bksi_index_entry){(bksi_index_kind)kind, (bks_tick)tick, offset};
        last = offset;
    }
    return true;
}

typedef struct block {
    uint32_t sequence; ///< sequence number of the write; 0: the block was not written, or was wiped
    uint32_t index;
    uint32_t count;
    uint32_t payload_bytes;
} block;

static uint32_t check_of(const uint8_t *bytes, uint64_t offset)
{
    return bksi_check32(bytes + 4, BKSI_BLOCK_BYTES - 4, (uint32_t)offset);
}

size_t bksi_tail_head_write(uint8_t *out, uint64_t records_end, uint64_t start)
{
    bksi_byte_writer writer = bksi_byte_writer_over(out, BKSI_TAIL_HEAD_BYTES_MAX);
    bksi_write_varint(&writer, records_end);
    bksi_write_varint(&writer, start);
    return writer.at;
}

size_t bksi_tail_head_read(const uint8_t *bytes, size_t count, uint64_t *out_records_end,
                           uint64_t *out_start)
{
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, count);
    *out_records_end = bksi_read_varint(&reader);
    *out_start = bksi_read_varint(&reader);
    return reader.failed || *out_start > *out_records_end ? 0 : reader.at;
}

size_t bksi_tail_write(uint8_t *blocks, uint64_t slot_offset, uint32_t sequence,
                       const uint8_t *bytes, size_t count)
{
    const size_t block_count = bksi_tail_blocks(count);
    for (size_t i = 0; i < block_count; i++) {
        uint8_t *at = blocks + i * BKSI_BLOCK_BYTES;
        const size_t done = i * BKSI_BLOCK_ROOM;
        const size_t part = count - done < BKSI_BLOCK_ROOM ? count - done : BKSI_BLOCK_ROOM;
        bksi_put_u32(at + 4, sequence);
        bksi_put_u16(at + 8, (uint16_t)i);
        bksi_put_u16(at + 10, (uint16_t)block_count);
        bksi_put_u32(at + 12, (uint32_t)count);
        if (part > 0) {
            memcpy(at + BKSI_BLOCK_HEAD_BYTES, bytes + done, part);
        }
        memset(at + BKSI_BLOCK_HEAD_BYTES + part, 0, BKSI_BLOCK_ROOM - part);
        bksi_put_u32(at, check_of(at, slot_offset + i * BKSI_BLOCK_BYTES));
    }
    return block_count;
}

static bool is_zero(const uint8_t *bytes, size_t count)
{
    return count == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, count - 1) == 0);
}

/// Return the number of a block's bytes that belong to its write. All bytes after them are zero.
static size_t used_bytes(const block *b)
{
    const size_t before = (size_t)b->index * BKSI_BLOCK_ROOM;
    const size_t left = b->payload_bytes > before ? b->payload_bytes - before : 0;
    return BKSI_BLOCK_HEAD_BYTES + (left < BKSI_BLOCK_ROOM ? left : BKSI_BLOCK_ROOM);
}

/// Read the head of a block, and check the block.
/// @return false when the block is wrong
static bool read_block(const uint8_t *at, uint64_t offset, size_t index, size_t slot_blocks,
                       block *out)
{
    *out = (block){0};
    if (is_zero(at, BKSI_BLOCK_BYTES)) {
        return true;
    }
    out->sequence = bksi_get_u32(at + 4);
    out->index = bksi_get_u16(at + 8);
    out->count = bksi_get_u16(at + 10);
    out->payload_bytes = bksi_get_u32(at + 12);
    return bksi_get_u32(at) == check_of(at, offset) && out->sequence != 0 && out->index == index &&
           out->index < out->count && out->count <= slot_blocks &&
           out->count == bksi_tail_blocks(out->payload_bytes) &&
           is_zero(at + used_bytes(out), BKSI_BLOCK_BYTES - used_bytes(out));
}

/// Read one tail slot. If the slot holds a whole write, note that write in `tail`.
/// @param number  number of the slot, 0 or 1
/// @param slot    bytes of the slot, `count` of which are in the file
static void read_slot(uint32_t number, const uint8_t *slot, size_t count, uint64_t slot_offset,
                      size_t slot_blocks, bksi_tail *tail)
{
    block first = {0};
    size_t together = 0; // number of blocks at the slot's start that belong to one write
    for (size_t i = 0; i < slot_blocks; i++) {
        const uint64_t offset = slot_offset + i * BKSI_BLOCK_BYTES;
        if (count < (i + 1) * BKSI_BLOCK_BYTES) {
            tail->is_cut = true;
            break;
        }
        block here;
        const bool is_right =
            read_block(slot + i * BKSI_BLOCK_BYTES, offset, i, slot_blocks, &here) &&
            (here.sequence == 0 || here.sequence % 2 == number);
        if ((!is_right || here.sequence != 0) && tail->is_zero) {
            tail->is_zero = false;
            tail->used_offset = offset;
        }
        if (!is_right) {
            if (!tail->is_damaged) {
                tail->is_damaged = true;
                tail->damage_offset = offset;
            }
            continue;
        }
        first = i == 0 ? here : first;
        if (together == i && here.sequence == first.sequence && here.count == first.count &&
            here.payload_bytes == first.payload_bytes) {
            together++;
        }
    }
    const bool is_whole = first.sequence != 0 && together >= first.count;
    // Compare the sequence numbers of two writes by their signed difference, because they may wrap
    // around in a very long match.
    if (is_whole && (!tail->has_write || (int32_t)(first.sequence - tail->sequence) > 0)) {
        tail->has_write = true;
        tail->slot = slot;
        tail->slot_offset = slot_offset;
        tail->sequence = first.sequence;
        tail->payload_bytes = first.payload_bytes;
    }
}

void bksi_tail_read(const uint8_t *slots, size_t count, uint64_t tail_offset, size_t slot_blocks,
                    bksi_tail *tail)
{
    memset(tail, 0, sizeof(*tail));
    tail->is_zero = true;
    const size_t slot_bytes = slot_blocks * BKSI_BLOCK_BYTES;
    const size_t first = count < slot_bytes ? count : slot_bytes;
    read_slot(0, slots, first, tail_offset, slot_blocks, tail);
    read_slot(1, slots + first, count - first, tail_offset + slot_bytes, slot_blocks, tail);
}

void bksi_tail_copy(const bksi_tail *tail, uint8_t *out)
{
    for (size_t done = 0; done < tail->payload_bytes; done += BKSI_BLOCK_ROOM) {
        const size_t left = tail->payload_bytes - done;
        const size_t part = left < BKSI_BLOCK_ROOM ? left : BKSI_BLOCK_ROOM;
        const size_t offset = done / BKSI_BLOCK_ROOM * BKSI_BLOCK_BYTES;
        memcpy(out + done, tail->slot + offset + BKSI_BLOCK_HEAD_BYTES, part);
    }
}
