// SPDX-License-Identifier: MIT

// What is not yet sealed is written anew on every tick, in turn into one of two slots: confirmed
// ticks with their hashes, then those stepped with guesses. About once a second the confirmed ones
// are sealed: appended as a record of their own, which is whole before the slots move past it. So
// at every moment of every write the file holds all ticks but the one in hand.

#include "replay/write/writer.h"

#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "base/report.h"
#include "replay/format/replay_chunk.h"
#include "replay/format/replay_event.h"
#include "replay/format/replay_tail.h"

/// What a chunk may take more than plain bits, beside a quarter.
#define CODED_MORE_BYTES 64u

/// What a tail write takes beside inputs and hashes, mostly, and a few used ticks.
#define ROOM_BYTES 32u

bks_status bksi_writer_put(bks_replay_writer *writer, uint64_t offset, const void *bytes,
                           size_t count)
{
    if (writer->sink.write(writer->sink.context, offset, bytes, count) == BKS_OK) {
        return BKS_OK;
    }
    writer->is_failed = true;
    if (writer->end == 0) {
        return BKS_ERR_IO; // there is no recording yet: create tells
    }
    return bksi_fail(NULL, BKS_ERR_IO, "replay.write", NULL,
                     "the recording ends: %zu bytes could not be written at byte %llu; what comes "
                     "before tick %d can be played",
                     count, (unsigned long long)offset, bksi_writer_next(writer));
}

bks_status bks_replay_writer_create(const bks_replay_config *config, bks_replay_writer **out,
                                    bks_error *error)
{
    static const char call[] = "bks_replay_writer_create";
    if (out == NULL) {
        return bksi_fail_null(error, call, "out");
    }
    *out = NULL;
    if (config == NULL) {
        return bksi_fail_null(error, call, "config");
    }
    bks_status status = bksi_writer_check_config(config, error);
    if (status != BKS_OK) {
        return status;
    }
    bks_replay_writer *writer =
        bksi_alloc(&config->allocator, sizeof(*writer), _Alignof(bks_replay_writer));
    if (writer == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, call, NULL, "no memory for a writer");
    }
    writer->allocator = config->allocator;
    status = bksi_writer_set_up(writer, config, error);
    if (status != BKS_OK) {
        bks_replay_writer_destroy(writer);
        return status;
    }
    *out = writer;
    return BKS_OK;
}

void bks_replay_writer_destroy(bks_replay_writer *writer)
{
    if (writer == NULL) {
        return;
    }
    const bks_allocator allocator = writer->allocator;
    bksi_writer_keyframes_end(writer);
    bksi_writer_rows_end(writer);
    bksi_free(&allocator, writer->rolled_inputs, writer->tick_bytes * writer->used_max);
    bksi_free(&allocator, writer->inputs.bytes, writer->input_bytes_max);
    bksi_free(&allocator, writer->hashes.bytes, writer->hash_bytes_max);
    bksi_free(&allocator, writer->coded.bytes, writer->input_bytes_max);
    bksi_models_destroy(&writer->models, &allocator);
    bksi_free(&allocator, writer->hash_values, writer->chunk_ticks * sizeof(uint64_t));
    bksi_free(&allocator, writer->is_hashed, writer->chunk_ticks);
    bksi_free(&allocator, writer->last, writer->tick_bytes);
    bksi_free(&allocator, writer->used_inputs, writer->tick_bytes * writer->used_max);
    bksi_free(&allocator, writer->record, writer->record_bytes_max);
    bksi_free(&allocator, writer->blocks, writer->slot_blocks * BKSI_BLOCK_BYTES);
    bksi_free(&allocator, writer->index, sizeof(*writer->index));
    bksi_free(&allocator, writer, sizeof(*writer));
}

/// Forget the bits behind `at_bits`: the writer ORs into the byte it stands in.
static void rewind_to(bksi_bit_writer *writer, size_t at_bits)
{
    if (at_bits % 8 != 0) {
        writer->bytes[at_bits / 8] &= (uint8_t)((1u << at_bits % 8) - 1);
    }
    writer->at_bits = at_bits;
}

/// What goes into the tail: all that is not sealed, and where a reader finds the rest.
static size_t write_tail_run(bks_replay_writer *writer)
{
    const size_t confirmed_bits = writer->inputs.at_bits;
    const uint8_t *before = writer->confirmed > 0 ? writer->last : NULL;
    for (uint32_t i = 0; i < writer->used; i++) {
        const uint8_t *now = writer->used_inputs + i * writer->tick_bytes;
        bksi_run_write_inputs(&writer->inputs, &writer->shape, before, now);
        before = now;
    }
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
    rewind_to(&writer->inputs, confirmed_bits);
    return head + bytes;
}

static bks_status write_tail(bks_replay_writer *writer)
{
    size_t bytes = write_tail_run(writer);
    if (bksi_tail_blocks(bytes) > writer->slot_blocks) {
        // The slots are full: they always have room for what is used once the rest is sealed.
        const bks_status status = bksi_writer_seal(writer);
        if (status != BKS_OK) {
            return status;
        }
        bytes = write_tail_run(writer);
        BKS_ASSERT(bksi_tail_blocks(bytes) <= writer->slot_blocks);
    }
    // After the greatest number, which is odd, comes an even one: slots are still taken in turn.
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

bks_status bksi_writer_append(bks_replay_writer *writer, uint8_t *record, uint32_t type,
                              size_t payload_bytes)
{
    const size_t bytes = bksi_record_seal(record, type, payload_bytes, writer->end);
    const bks_status status = bksi_writer_put(writer, writer->end, record, bytes);
    writer->end += bytes;
    return status;
}

static bks_status write_index(bks_replay_writer *writer)
{
    uint8_t record[BKSI_RECORD_EXTRA_BYTES + BKSI_INDEX_BYTES_MAX];
    const size_t bytes = bksi_index_write(record + BKSI_RECORD_HEAD_BYTES, writer->index);
    writer->index->before = writer->end;
    writer->index->count = 0;
    return bksi_writer_append(writer, record, BKSI_RECORD_INDEX, bytes);
}

bks_status bksi_writer_note(bks_replay_writer *writer, bksi_index_kind kind, bks_tick tick,
                            uint64_t offset)
{
    bksi_index *index = writer->index;
    index->entries[index->count++] = (bksi_index_entry){kind, tick, offset};
    return index->count == BKSI_INDEX_ENTRIES_MAX ? write_index(writer) : BKS_OK;
}

bks_status bksi_writer_seal(bks_replay_writer *writer)
{
    BKS_ASSERT(writer->confirmed > 0);
    const bks_status rows = bksi_writer_rows_seal(writer);
    if (rows != BKS_OK) {
        return rows;
    }
    const size_t plain_bytes = bksi_bit_writer_bytes(&writer->inputs);
    const size_t coded_bytes = bksi_range_encoder_finish(&writer->coded);
    // While little is learnt it takes more: only what will never pay is given up.
    const bool is_coded =
        !writer->coded.failed && coded_bytes <= plain_bytes + plain_bytes / 4 + CODED_MORE_BYTES;
    const bksi_chunk chunk = {
        .first = writer->first,
        .ticks = writer->confirmed,
        .is_coded = is_coded,
        .is_restart = writer->restarts || !is_coded,
        .inputs = is_coded ? writer->coded.bytes : writer->inputs.bytes,
        .input_bytes = is_coded ? coded_bytes : plain_bytes,
    };
    // A reader of plain inputs learns nothing from them.
    writer->must_restart = writer->must_restart || !is_coded;
    const size_t bytes = bksi_chunk_write(
        writer->record + BKSI_RECORD_HEAD_BYTES, writer->record_bytes_max - BKSI_RECORD_EXTRA_BYTES,
        &writer->shape, &chunk, writer->hash_values, writer->is_hashed);
    BKS_ASSERT(bytes > 0);
    const uint64_t offset = writer->end;
    writer->first += (bks_tick)writer->confirmed;
    writer->confirmed = 0;
    rewind_to(&writer->inputs, 0);
    rewind_to(&writer->hashes, 0);
    const bks_status status = bksi_writer_append(writer, writer->record, BKSI_RECORD_TICKS, bytes);
    return status == BKS_OK && chunk.is_restart
               ? bksi_writer_note(writer, BKSI_INDEX_RESTART, chunk.first, offset)
               : status;
}

bks_status bksi_writer_check_open(const bks_replay_writer *writer, const char *call)
{
    if (writer == NULL) {
        return bksi_fail_null(NULL, call, "writer");
    }
    if (writer->is_finished) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "writer",
                         "the recording is finished, no more can be added");
    }
    // Said when it failed; not again on every tick.
    return writer->is_failed ? BKS_ERR_IO : BKS_OK;
}

bks_status bksi_writer_pack_tick(const bks_replay_writer *writer, const int32_t *values,
                                 uint8_t *packed)
{
    const bksi_layout *layout = &writer->layout;
    for (uint32_t player = 0; player < writer->shape.players; player++) {
        const bks_status status =
            bksi_layout_pack(layout, values + (size_t)player * layout->field_count,
                             packed + (size_t)player * layout->bytes, NULL);
        if (status != BKS_OK) {
            return status;
        }
    }
    return BKS_OK;
}

bks_status bks_replay_writer_use(bks_replay_writer *writer, bks_tick first, uint32_t count,
                                 const int32_t *inputs)
{
    static const char call[] = "bks_replay_writer_use";
    bks_status status = bksi_writer_check_open(writer, call);
    if (status != BKS_OK) {
        return status;
    }
    if (first != bksi_writer_next(writer)) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "first",
                         "first is %d, must be %d, the first unconfirmed tick", first,
                         bksi_writer_next(writer));
    }
    if (count > writer->used_max) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "count", "count is %u, must be 0..%u",
                         count, writer->used_max);
    }
    if (inputs == NULL && count > 0) {
        return bksi_fail_null(NULL, call, "inputs");
    }
    const size_t values = (size_t)writer->shape.players * writer->layout.field_count;
    writer->used = 0;
    for (uint32_t i = 0; i < count; i++) {
        status = bksi_writer_pack_tick(writer, inputs + i * values,
                                       writer->used_inputs + i * writer->tick_bytes);
        if (status != BKS_OK) {
            return status;
        }
    }
    writer->used = count;
    return write_tail(writer);
}

/// Whether a slot holds all that is confirmed, and so whatever else is not sealed after that.
static bool fits_slot(const bks_replay_writer *writer)
{
    // A little room, so that the used ticks of the next write will mostly fit as well.
    const size_t bytes = ROOM_BYTES + bksi_bit_writer_bytes(&writer->inputs) +
                         bksi_bit_writer_bytes(&writer->hashes);
    return bksi_tail_blocks(bytes) <= writer->slot_blocks;
}

/// Code a tick's inputs as they will be sealed.
static void code_tick(bks_replay_writer *writer, const uint8_t *packed)
{
    if (writer->confirmed == 0) {
        bksi_range_encoder_init(&writer->coded, writer->coded.bytes, writer->coded.capacity);
        const uint32_t ticks = (uint32_t)(writer->first - writer->stretch) + writer->chunk_ticks;
        writer->restarts = writer->must_restart || ticks > BKSI_STRETCH_TICKS_MAX;
        writer->must_restart = false;
        if (writer->restarts) {
            bksi_models_restart(&writer->models);
            writer->stretch = writer->first;
        }
    }
    bksi_models_encode(&writer->models, &writer->coded, packed);
}

bks_status bks_replay_writer_confirm(bks_replay_writer *writer, bks_tick tick,
                                     const int32_t *inputs, const uint64_t *hash)
{
    static const char call[] = "bks_replay_writer_confirm";
    bks_status status = bksi_writer_check_open(writer, call);
    if (status != BKS_OK) {
        return status;
    }
    if (inputs == NULL) {
        return bksi_fail_null(NULL, call, "inputs");
    }
    if (tick != bksi_writer_next(writer) || tick == INT32_MAX) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "tick", "tick is %d, must be %d", tick,
                         bksi_writer_next(writer));
    }
    uint8_t packed[BKS_PLAYERS_MAX * BKSI_INPUT_BYTES_MAX];
    status = bksi_writer_pack_tick(writer, inputs, packed);
    if (status != BKS_OK) {
        return status;
    }
    code_tick(writer, packed);
    bksi_run_write_inputs(&writer->inputs, &writer->shape,
                          writer->confirmed > 0 ? writer->last : NULL, packed);
    bksi_run_write_hash(&writer->hashes, &writer->shape, tick, hash);
    writer->hash_values[writer->confirmed] = hash != NULL ? *hash : 0;
    writer->is_hashed[writer->confirmed] = hash != NULL;
    memcpy(writer->last, packed, writer->tick_bytes);
    bksi_writer_rows_confirm(writer);
    writer->confirmed++;
    writer->is_dirty = true;
    if (writer->used > 0) {
        writer->used--;
        memmove(writer->used_inputs, writer->used_inputs + writer->tick_bytes,
                writer->used * writer->tick_bytes);
    }
    if (writer->confirmed == writer->chunk_ticks || !fits_slot(writer)) {
        status = bksi_writer_seal(writer);
    }
    return status == BKS_OK ? bksi_writer_keyframes_confirm(writer) : status;
}

bks_status bks_replay_writer_flush(bks_replay_writer *writer)
{
    const bks_status status = bksi_writer_check_open(writer, "bks_replay_writer_flush");
    return status == BKS_OK && writer->is_dirty ? write_tail(writer) : status;
}

/// Wipe both slots, as far as they were ever written.
static bks_status wipe_tail(bks_replay_writer *writer)
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

bks_status bks_replay_writer_finish(bks_replay_writer *writer, const uint64_t *final_hash)
{
    bks_status status = bksi_writer_check_open(writer, "bks_replay_writer_finish");
    if (status != BKS_OK) {
        return status;
    }
    writer->is_finished = true;
    const bks_tick ticks = bksi_writer_next(writer);
    // In this order a kill at any moment leaves all ticks readable, and a file with a DONE record
    // has empty slots, so that a byte that is not zero there is damage.
    status = writer->confirmed > 0 ? bksi_writer_seal(writer) : BKS_OK;
    if (status == BKS_OK && writer->index->count > 0) {
        status = write_index(writer);
    }
    if (status == BKS_OK) {
        status = wipe_tail(writer);
    }
    if (status == BKS_OK) {
        uint8_t record[BKSI_RECORD_EXTRA_BYTES + BKSI_DONE_BYTES];
        uint8_t *payload = record + BKSI_RECORD_HEAD_BYTES;
        bksi_put_u32(payload, (uint32_t)ticks);
        payload[4] = final_hash != NULL;
        bksi_put_u64(payload + 5, final_hash != NULL ? *final_hash : 0);
        bksi_put_u64(payload + 13, writer->index->before);
        status = bksi_writer_append(writer, record, BKSI_RECORD_DONE, BKSI_DONE_BYTES);
    }
    return status;
}

bks_status bks_replay_writer_event(bks_replay_writer *writer, const bks_replay_event *event)
{
    static const char call[] = "bks_replay_writer_event";
    bks_status status = bksi_writer_check_open(writer, call);
    if (status == BKS_OK) {
        status = bksi_event_check(event, call);
    }
    if (status != BKS_OK) {
        return status;
    }
    uint8_t record[BKSI_RECORD_EXTRA_BYTES + BKSI_EVENT_BYTES_MAX];
    const size_t bytes = bksi_event_write(record + BKSI_RECORD_HEAD_BYTES, event);
    return bksi_writer_append(writer, record, BKSI_RECORD_EVENT, bytes);
}
