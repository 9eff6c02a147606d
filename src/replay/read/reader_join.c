// SPDX-License-Identifier: MIT

// Finds the pieces of a growing file that a latecomer must fetch: the front up to HEAD, the tail
// slots, and everything from the newest whole keyframe on. The tail slots say where that keyframe
// is. Gives access to the bytes of pieces.

#include "backstitch/toolkit/recording.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "base/report.h"
#include "replay/format/replay_format.h"
#include "replay/format/replay_head.h"
#include "replay/format/replay_tail.h"
#include "replay/read/reader.h"

const bks_replay_piece *bksi_replay_piece_at(const bks_replay *replay, uint64_t offset)
{
    uint32_t index = replay->piece_count - 1;
    while (index > 0 && replay->pieces[index].offset_bytes > offset) {
        index--;
    }
    return &replay->pieces[index];
}

uint64_t bksi_replay_bytes(const bks_replay *replay)
{
    const bks_replay_piece *last = &replay->pieces[replay->piece_count - 1];
    return last->offset_bytes + last->count;
}

const uint8_t *bksi_replay_bytes_at(const bks_replay *replay, uint64_t offset)
{
    const bks_replay_piece *piece = bksi_replay_piece_at(replay, offset);
    BKS_ASSERT(offset - piece->offset_bytes <= piece->count);
    return (const uint8_t *)piece->bytes + (offset - piece->offset_bytes);
}

bks_status bksi_replay_unpack(const bks_replay *replay, const bksi_packed *content, uint8_t **out,
                              const char *call)
{
    *out = bksi_alloc(&replay->allocator, content->bytes, 16);
    if (*out == NULL) {
        return bksi_fail(NULL, BKS_ERR_OUT_OF_MEMORY, call, NULL, "no memory to unpack %zu bytes",
                         content->bytes);
    }
    if (!bksi_packed_unpack(content, *out)) {
        bksi_free(&replay->allocator, *out, content->bytes);
        *out = NULL;
        return BKS_ERR_DAMAGED;
    }
    return BKS_OK;
}

bks_status bksi_replay_find_head(const bks_replay_piece *front, uint32_t format,
                                 bksi_replay_head *head, uint64_t *out_end, const char *id,
                                 bks_error *error)
{
    bksi_record record;
    const uint64_t offset = BKSI_PREAMBLE_BYTES;
    switch (bksi_record_read(front, offset, &record)) {
    case BKSI_RECORD_OK:
        break;
    case BKSI_RECORD_END:
    case BKSI_RECORD_CUT:
        return BKS_ERR_INCOMPLETE;
    case BKSI_RECORD_BAD_HEAD:
    case BKSI_RECORD_BAD_PAYLOAD:
        return bksi_fail_at(error, BKS_ERR_DAMAGED, id, offset, "the HEAD record fails its check");
    }
    if (record.type != BKSI_RECORD_HEAD) {
        return bksi_fail_at(error, BKS_ERR_DAMAGED, id, offset,
                            "the first record must be the HEAD record");
    }
    *out_end = record.end;
    return bksi_replay_head_read(head, format, record.payload, record.payload_bytes,
                                 offset + BKSI_RECORD_HEAD_BYTES, error);
}

/// Bytes of the front to fetch first: enough for most HEAD records.
#define FRONT_BYTES 4096u

static const char call[] = "bks_replay_plan";

static bks_status want(bks_replay_range *out, uint64_t offset, uint64_t count, bks_error *error)
{
    *out = (bks_replay_range){offset, count};
    // Do not log: that bytes are missing is a usual result of bks_replay_plan().
    if (error != NULL) {
        *error = (bks_error){.code = BKS_ERR_INCOMPLETE, .offset_bytes = offset};
    }
    return BKS_ERR_INCOMPLETE;
}

/// Read the HEAD record. If the fetched bytes do not hold all of it, ask for the bytes that do.
static bks_status read_head(const bks_replay_piece *front, bksi_replay_head *head,
                            bks_replay_range *out, bks_error *error)
{
    if (front->count < BKSI_PREAMBLE_BYTES + BKSI_RECORD_HEAD_BYTES) {
        return want(out, 0, FRONT_BYTES, error);
    }
    uint32_t format = 0;
    bks_status status = bksi_preamble_check(front->bytes, front->count, &format, error);
    if (status != BKS_OK) {
        return status;
    }
    if (format < 2) {
        return bksi_fail_at(error, BKS_ERR_UNSUPPORTED, call, 8,
                            "the format version is 1, which cannot be joined late,");
    }
    uint64_t end = 0;
    status = bksi_replay_find_head(front, format, head, &end, call, error);
    if (status != BKS_ERR_INCOMPLETE) {
        return status;
    }
    const uint32_t length = bksi_get_u32((const uint8_t *)front->bytes + BKSI_PREAMBLE_BYTES + 4);
    return want(out, 0, (uint64_t)BKSI_PREAMBLE_BYTES + BKSI_RECORD_EXTRA_BYTES + length, error);
}

/// Find where the needed records start, by the newest whole write of the tail slots.
/// @return false when no write is whole: the slots are empty, wiped, or were fetched during a write
static bool read_start(const uint8_t *slots, uint64_t offset, uint32_t slot_blocks,
                       bool *out_is_zero, uint64_t *out_start)
{
    const size_t count = 2 * (size_t)slot_blocks * BKSI_BLOCK_BYTES;
    bksi_tail tail;
    bksi_tail_read(slots, count, offset, slot_blocks, &tail);
    *out_is_zero = tail.is_zero;
    *out_start = 0;
    if (!tail.has_write) {
        return false;
    }
    uint8_t head[BKSI_BLOCK_ROOM];
    bksi_tail first = tail;
    first.payload_bytes = tail.payload_bytes < sizeof(head) ? tail.payload_bytes : sizeof(head);
    bksi_tail_copy(&first, head);
    uint64_t records_end = 0;
    return bksi_tail_head_read(head, first.payload_bytes, &records_end, out_start) > 0;
}

bks_status bks_replay_plan(const bks_replay_piece *pieces, uint32_t count, bks_replay_range *out,
                           bks_error *error)
{
    if (out == NULL || (pieces == NULL && count > 0)) {
        return bksi_fail_null(error, call, out == NULL ? "out" : "pieces");
    }
    if (count > BKS_REPLAY_PIECES_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "count", "count is %u, must be 0..%d",
                         count, BKS_REPLAY_PIECES_MAX);
    }
    *out = (bks_replay_range){0};
    if (count == 0 || pieces[0].offset_bytes != 0) {
        return want(out, 0, FRONT_BYTES, error);
    }
    bksi_replay_head head;
    const bks_status status = read_head(&pieces[0], &head, out, error);
    if (status != BKS_OK) {
        return status;
    }
    const uint64_t slots_bytes = 2 * (uint64_t)head.slot_blocks * BKSI_BLOCK_BYTES;
    for (uint32_t i = 0; i < count; i++) {
        const bks_replay_piece *piece = &pieces[i];
        if (piece->offset_bytes > head.tail_offset ||
            piece->count < head.tail_offset - piece->offset_bytes + slots_bytes) {
            continue;
        }
        bool is_zero = false;
        uint64_t start = 0;
        const uint8_t *slots =
            (const uint8_t *)piece->bytes + (head.tail_offset - piece->offset_bytes);
        if (!read_start(slots, head.tail_offset, head.slot_blocks, &is_zero, &start) && !is_zero) {
            break; // the slots were fetched during a write, so fetch them again
        }
        *out = (bks_replay_range){.offset_bytes = start};
        return BKS_OK;
    }
    return want(out, head.tail_offset, slots_bytes, error);
}
