// SPDX-License-Identifier: MIT

// Reads the two tail slots, which hold ticks that are not appended yet, of a file that is in memory
// as one piece.

#include "base/memory.h"
#include "replay/format/replay_tail.h"
#include "replay/read/reader.h"

/// Read the run of ticks in the newest tail write.
/// @return false when the run is wrong
static bool read_run(bks_replay *replay, bksi_run *run)
{
    uint64_t records_end = 0;
    uint64_t start = 0;
    const bksi_tick_arrays nowhere = {0};
    if (replay->format > 1) {
        replay->tail_run =
            bksi_tail_head_read(replay->tail, replay->tail_bytes, &records_end, &start);
        if (replay->tail_run == 0) {
            return false;
        }
    }
    return bksi_run_read(replay->tail + replay->tail_run, replay->tail_bytes - replay->tail_run,
                         run) &&
           bksi_run_unpack(&replay->shape, run, &nowhere);
}

/// Add the ticks of the newest whole write of the tail slots that the records do not hold yet.
static bks_status take_tail(bks_replay *replay, const bksi_tail *tail)
{
    replay->tail = bksi_alloc(&replay->allocator, tail->payload_bytes, 1);
    if (replay->tail == NULL) {
        return BKS_ERR_OUT_OF_MEMORY;
    }
    replay->tail_bytes = tail->payload_bytes;
    bksi_tail_copy(tail, replay->tail);
    bksi_run run;
    if (!read_run(replay, &run)) {
        bksi_replay_note_damage(replay, BKS_ERR_DAMAGED, tail->slot_offset,
                                "the tail has invalid contents");
        return BKS_OK;
    }
    const bks_tick confirmed = run.first + (bks_tick)run.confirmed;
    const bks_tick end = confirmed + (bks_tick)run.used;
    const bool may_be_later = replay->lost.count > replay->lost_before;
    // Ignore a tail that begins after the last tick of an undamaged file's records, because records
    // between the two were cut off.
    if ((run.first > replay->expected && !may_be_later) || end <= replay->expected) {
        return BKS_OK;
    }
    const bks_tick begin = run.first > replay->expected ? run.first : replay->expected;
    const bksi_replay_part part = {
        .payload_bytes = replay->tail_bytes - replay->tail_run,
        .first = run.first,
        .begin = begin,
        .confirmed = confirmed > begin ? confirmed : begin,
        .end = end,
        .stretch = replay->parts.count,
        .input_bytes = run.input_bytes,
        .hash_bytes = run.hash_bytes,
    };
    return bksi_replay_add_part(replay, &part) ? BKS_OK : BKS_ERR_OUT_OF_MEMORY;
}

bks_status bksi_replay_read_tail(bks_replay *replay, uint64_t padding, uint64_t tail_offset)
{
    const bks_replay_piece *file = &replay->pieces[0];
    const uint8_t *bytes = file->bytes;
    for (uint64_t at = padding; at < tail_offset && at < file->count; at++) {
        if (bytes[at] != 0) {
            bksi_replay_note_damage(replay, BKS_ERR_DAMAGED, at,
                                    "the bytes before the tail are not zero");
            break;
        }
    }
    bksi_tail tail;
    const size_t before = tail_offset < file->count ? (size_t)tail_offset : file->count;
    bksi_tail_read(bytes + before, file->count - before, tail_offset, replay->head.slot_blocks,
                   &tail);
    if (tail.is_damaged) {
        bksi_replay_note_damage(replay, BKS_ERR_DAMAGED, tail.damage_offset,
                                "a block of the tail fails its check");
    }
    if (replay->has_done && !tail.is_zero) {
        bksi_replay_note_damage(replay, BKS_ERR_DAMAGED, tail.used_offset,
                                "the tail of a complete file is not empty");
    }
    return !replay->has_done && tail.has_write ? take_tail(replay, &tail) : BKS_OK;
}
