// SPDX-License-Identifier: MIT

// The tail holds ticks that are not appended yet: first the confirmed ticks with their hashes, then
// the ticks used with guesses. The bits of all these ticks are kept, so only changed ticks are
// coded again. If a tick is confirmed with the inputs it was used with, only an offset moves.
// Before each tick is stepped, the tail is written into one of two slots, in turn. Such a write
// costs a copy and a check. Confirmed ticks are appended as chunks.

#include <string.h>

#include "backstitch/toolkit/writer.h"
#include "base/report.h"
#include "replay/format/replay_chunk.h"
#include "replay/format/replay_tail.h"
#include "replay/write/writer.h"

/// Room for the head of a tail write and a few used ticks.
#define ROOM_BYTES 32u

/// Drop the bits from `at_bits` on. Clear them in the last byte that is kept, because the writer
/// ORs new bits into it.
static void rewind_to(bksi_bit_writer *writer, size_t at_bits)
{
    if (at_bits % 8 != 0) {
        writer->bytes[at_bits / 8] &= (uint8_t)((1u << at_bits % 8) - 1);
    }
    writer->at_bits = at_bits;
}

void bksi_writer_keep_used_bits(bks_replay_writer *writer, uint32_t count)
{
    if (count >= writer->used_coded) {
        return;
    }
    writer->used_coded = count;
    rewind_to(&writer->inputs, count > 0 ? writer->used_bits[count - 1] : writer->confirmed_bits);
}

void bksi_writer_begin_bits(bks_replay_writer *writer)
{
    writer->confirmed_bits = 0;
    writer->used_coded = 0;
    rewind_to(&writer->inputs, 0);
    rewind_to(&writer->hashes, 0);
}

/// Code the used ticks whose current bits are not in `inputs`.
static void code_used(bks_replay_writer *writer)
{
    for (uint32_t i = writer->used_coded; i < writer->used; i++) {
        const uint8_t *first = writer->confirmed > 0 ? writer->last : NULL;
        bksi_run_write_inputs(&writer->inputs, &writer->shape,
                              i > 0 ? bksi_writer_used_tick(writer, i - 1) : first,
                              bksi_writer_used_tick(writer, i));
        writer->used_bits[i] = writer->inputs.at_bits;
    }
    writer->used_coded = writer->used;
}

void bksi_writer_confirm_bits(bks_replay_writer *writer, const uint8_t *packed)
{
    if (writer->used_coded > 0 &&
        memcmp(bksi_writer_used_tick(writer, 0), packed, writer->tick_bytes) == 0) {
        writer->confirmed_bits = writer->used_bits[0];
        writer->used_coded--;
        memmove(writer->used_bits, writer->used_bits + 1, writer->used_coded * sizeof(size_t));
    } else {
        bksi_writer_keep_used_bits(writer, 0);
        bksi_run_write_inputs(&writer->inputs, &writer->shape,
                              writer->confirmed > 0 ? writer->last : NULL, packed);
        writer->confirmed_bits = writer->inputs.at_bits;
    }
    if (writer->used > 0) {
        writer->used--;
        memmove(writer->used_inputs, bksi_writer_used_tick(writer, 1),
                writer->used * writer->tick_bytes);
    }
}

bool bksi_writer_fits_slot(const bks_replay_writer *writer)
{
    // Leave some room, so that the next tail write, with its used ticks, will mostly fit.
    const size_t bytes =
        ROOM_BYTES + (writer->confirmed_bits + 7) / 8 + bksi_bit_writer_bytes(&writer->hashes);
    return bksi_tail_blocks(bytes) <= writer->slot_blocks;
}

size_t bksi_writer_gather_tail(bks_replay_writer *writer)
{
    code_used(writer);
    BKS_ASSERT(!writer->inputs.failed);
    BKS_ASSERT(!writer->hashes.failed);
    const bksi_run run = {
        .first = writer->first,
        .confirmed = writer->confirmed,
        .used = writer->used,
        .inputs = writer->inputs.bytes,
        .input_bytes = bksi_bit_writer_bytes(&writer->inputs),
        .hashes = writer->hashes.bytes,
        .hash_bytes = bksi_bit_writer_bytes(&writer->hashes),
    };
    const size_t head = bksi_tail_head_write(writer->record, writer->end, writer->keyframes.start);
    const size_t bytes =
        bksi_run_write(writer->record + head, writer->record_bytes_max - head, &run);
    BKS_ASSERT(bytes > 0);
    return head + bytes;
}

bks_status bksi_writer_put_tail(bks_replay_writer *writer, size_t bytes)
{
    BKS_ASSERT(bksi_tail_blocks(bytes) <= writer->slot_blocks);
    // The greatest sequence number of a write is odd, so the number after it must be even for the
    // tail slots to alternate.
    writer->sequence = writer->sequence == UINT32_MAX ? 2 : writer->sequence + 1;
    const uint32_t slot = writer->sequence % 2;
    const uint64_t offset = writer->tail_offset + slot * writer->slot_blocks * BKSI_BLOCK_BYTES;
    const size_t blocks =
        bksi_tail_write(writer->blocks, offset, writer->sequence, writer->record, bytes);
    if (blocks > writer->slot_high[slot]) {
        writer->slot_high[slot] = blocks;
    }
    writer->is_dirty = false;
    return bksi_writer_put(writer, offset, writer->blocks, blocks * BKSI_BLOCK_BYTES);
}

bks_status bksi_writer_wipe_tail(bks_replay_writer *writer)
{
    memset(writer->blocks, 0, writer->slot_blocks * BKSI_BLOCK_BYTES);
    bks_status status = BKS_OK;
    for (size_t slot = 0; slot < 2 && status == BKS_OK; slot++) {
        const uint64_t offset = writer->tail_offset + slot * writer->slot_blocks * BKSI_BLOCK_BYTES;
        if (writer->slot_high[slot] > 0) {
            status = bksi_writer_put(writer, offset, writer->blocks,
                                     writer->slot_high[slot] * BKSI_BLOCK_BYTES);
        }
    }
    return status;
}

/// Bytes by which a coded chunk may exceed five quarters of its plain size.
#define CODED_MORE_BYTES 64u

bks_status bksi_writer_append_chunk(bks_replay_writer *writer)
{
    BKS_ASSERT(writer->confirmed > 0);
    bks_status status = bksi_writer_samples_append(writer);
    if (status == BKS_OK) {
        status = bksi_writer_marks_append(writer);
    }
    if (status != BKS_OK) {
        return status;
    }
    bksi_writer_keep_used_bits(writer, 0);
    const size_t plain_bytes = bksi_bit_writer_bytes(&writer->inputs);
    const size_t coded_bytes = writer->is_plain ? 0 : bksi_range_encoder_finish(&writer->coded);
    // Coded inputs are larger than plain ones at first, and smaller once the models have learnt. So
    // give up coding only if it would never save bytes.
    const bool is_coded = !writer->is_plain && !writer->coded.failed &&
                          coded_bytes <= plain_bytes + plain_bytes / 4 + CODED_MORE_BYTES;
    const bksi_chunk chunk = {
        .first = writer->first,
        .ticks = writer->confirmed,
        .is_coded = is_coded,
        .is_restart = writer->restarts || !is_coded,
        .inputs = is_coded ? writer->coded.bytes : writer->inputs.bytes,
        .input_bytes = is_coded ? coded_bytes : plain_bytes,
    };
    // The coder learns nothing from plain inputs, so it must restart after them.
    writer->must_restart = writer->must_restart || !is_coded;
    const size_t bytes = bksi_chunk_write(
        writer->record + BKSI_RECORD_HEAD_BYTES, writer->record_bytes_max - BKSI_RECORD_EXTRA_BYTES,
        &writer->shape, &chunk, writer->hash_values, writer->is_hashed);
    BKS_ASSERT(bytes > 0);
    const uint64_t offset = writer->end;
    writer->first += (bks_tick)writer->confirmed;
    writer->confirmed = 0;
    bksi_writer_begin_bits(writer);
    status = bksi_writer_append(writer, writer->record, BKSI_RECORD_TICKS, bytes);
    return status == BKS_OK && chunk.is_restart
               ? bksi_writer_note(writer, BKSI_INDEX_RESTART, chunk.first, offset)
               : status;
}
