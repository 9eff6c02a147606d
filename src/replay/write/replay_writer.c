// SPDX-License-Identifier: MIT

// Ticks that are not appended yet are in the tail (writer_tail.c). Every few seconds the confirmed
// ticks of the tail are appended as a record, called a chunk. The chunk is completely written
// before the tail drops its ticks. So at any moment, even during a write, the file holds all ticks
// but the newest.

#include "replay/write/writer.h"

#include <string.h>

#include "backstitch/toolkit/writer.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "base/report.h"
#include "replay/format/replay_chunk.h"
#include "replay/format/replay_event.h"
#include "replay/format/replay_tail.h"
#include "replay/write/packed_writer.h"

bks_status bks_replay_writer_create(const bks_replay_config *config, bks_replay_writer **out,
                                    bks_error *error)
{
    static const char call[] = "bks_replay_writer_create";
    BKSI_REFUSE_NULL(error, out);
    *out = NULL;
    BKSI_REFUSE_NULL(error, config);
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
    bksi_writer_samples_end(writer);
    bksi_writer_commands_end(writer);
    bksi_writer_marks_end(writer);
    bksi_free(&allocator, writer->rolled_inputs, writer->tick_bytes * writer->used_max);
    bksi_free(&allocator, writer->inputs.bytes, writer->input_bytes_max);
    bksi_free(&allocator, writer->hashes.bytes, writer->hash_bytes_max);
    bksi_free(&allocator, writer->coded.bytes, writer->input_bytes_max);
    bksi_models_destroy(&writer->models, &allocator);
    bksi_free(&allocator, writer->hash_values, writer->chunk_ticks * sizeof(uint64_t));
    bksi_free(&allocator, writer->is_hashed, writer->chunk_ticks);
    bksi_free(&allocator, writer->last, writer->tick_bytes);
    bksi_free(&allocator, writer->used_inputs, writer->tick_bytes * writer->used_max);
    bksi_free(&allocator, writer->used_bits, writer->used_max * sizeof(size_t));
    bksi_free(&allocator, writer->record, writer->record_bytes_max);
    bksi_free(&allocator, writer->blocks, writer->slot_blocks * BKSI_BLOCK_BYTES);
    bksi_free(&allocator, writer->index, sizeof(*writer->index));
    bksi_free(&allocator, writer, sizeof(*writer));
}

/// Write all ticks that are not appended yet into the tail.
static bks_status write_tail(bks_replay_writer *writer)
{
    size_t bytes = bksi_writer_gather_tail(writer);
    if (bksi_tail_blocks(bytes) > writer->slot_blocks) {
        // The tail slots are full, so append the confirmed ticks. A slot always has room for the
        // guessed ticks alone.
        const bks_status status = bksi_writer_append_chunk(writer);
        if (status != BKS_OK) {
            return status;
        }
        bytes = bksi_writer_gather_tail(writer);
    }
    return bksi_writer_put_tail(writer, bytes);
}

// ---- inputs of ticks that are about to be stepped ----

/// Return one past the newest used tick, or the first unconfirmed tick if none is used.
static bks_tick used_end(const bks_replay_writer *writer)
{
    return bksi_writer_next(writer) + (bks_tick)writer->used;
}

bool bksi_writer_is_used(const bks_replay_writer *writer, bks_tick tick, const uint8_t *packed)
{
    BKS_ASSERT(tick >= bksi_writer_next(writer));
    return tick < used_end(writer) &&
           memcmp(bksi_writer_used_tick(writer, (uint32_t)(tick - bksi_writer_next(writer))),
                  packed, writer->tick_bytes) == 0;
}

void bksi_writer_use(bks_replay_writer *writer, bks_tick tick, const uint8_t *packed)
{
    BKS_ASSERT(tick >= bksi_writer_next(writer));
    BKS_ASSERT(tick <= used_end(writer));
    const uint32_t index = (uint32_t)(tick - bksi_writer_next(writer));
    BKS_ASSERT(index < writer->used_max);
    if (bksi_writer_is_used(writer, tick, packed)) {
        return;
    }
    // Drop the coded inputs of later ticks, too, because each tick is coded against the one before.
    bksi_writer_keep_used_bits(writer, index);
    memcpy(bksi_writer_used_tick(writer, index), packed, writer->tick_bytes);
    writer->used = index < writer->used ? writer->used : index + 1;
    writer->is_dirty = true;
}

bks_status bksi_writer_commit(bks_replay_writer *writer)
{
    if (writer->is_failed) {
        return BKS_ERR_IO;
    }
    return writer->is_dirty ? write_tail(writer) : BKS_OK;
}

/// Check the arguments of bks_replay_writer_use().
static bks_status check_use(const bks_replay_writer *writer, bks_tick first, uint32_t count,
                            const int32_t *inputs)
{
    static const char call[] = "bks_replay_writer_use";
    const bks_status status = bksi_writer_check_open(writer, call);
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
    return inputs == NULL && count > 0 ? bksi_fail_null(NULL, call, "inputs") : BKS_OK;
}

bks_status bks_replay_writer_use(bks_replay_writer *writer, bks_tick first, uint32_t count,
                                 const int32_t *inputs)
{
    bks_status status = check_use(writer, first, count, inputs);
    if (status != BKS_OK) {
        return status;
    }
    const size_t values = (size_t)writer->shape.players * writer->layout.field_count;
    uint8_t packed[BKS_PLAYERS_MAX * BKSI_INPUT_BYTES_MAX];
    uint32_t taken = 0;
    for (; taken < count; taken++) {
        status = bksi_writer_pack_tick(writer, inputs + taken * values, packed);
        if (status != BKS_OK) {
            break;
        }
        bksi_writer_use(writer, first + (bks_tick)taken, packed);
    }
    bksi_writer_keep_used_bits(writer, taken);
    writer->used = taken;
    return status == BKS_OK ? write_tail(writer) : status;
}

// ---- ticks that are confirmed ----

/// Code a tick's inputs for the chunk to which it belongs.
static void code_tick(bks_replay_writer *writer, const uint8_t *packed)
{
    if (writer->is_plain) {
        return;
    }
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

void bksi_writer_code_plainly(bks_replay_writer *writer)
{
    BKS_ASSERT(writer->confirmed == 0);
    writer->is_plain = true;
}

bks_status bksi_writer_confirm(bks_replay_writer *writer, const uint8_t *packed,
                               const uint64_t *hash)
{
    if (writer->is_failed) {
        return BKS_ERR_IO;
    }
    const bks_tick tick = bksi_writer_next(writer);
    bks_status status = bksi_writer_marks_confirm(writer, tick);
    code_tick(writer, packed);
    bksi_writer_confirm_bits(writer, packed);
    bksi_run_write_hash(&writer->hashes, &writer->shape, tick, hash);
    writer->hash_values[writer->confirmed] = hash != NULL ? *hash : 0;
    writer->is_hashed[writer->confirmed] = hash != NULL;
    memcpy(writer->last, packed, writer->tick_bytes);
    bksi_writer_samples_confirm(writer);
    writer->confirmed++;
    writer->is_dirty = true;
    if (status == BKS_OK &&
        (writer->confirmed == writer->chunk_ticks || !bksi_writer_fits_slot(writer))) {
        status = bksi_writer_append_chunk(writer);
    }
    return status == BKS_OK ? bksi_writer_keyframes_confirm(writer) : status;
}

bks_status bks_replay_writer_confirm(bks_replay_writer *writer, bks_tick tick,
                                     const int32_t *inputs, const uint64_t *hash)
{
    static const char call[] = "bks_replay_writer_confirm";
    bks_status status = bksi_writer_check_open(writer, call);
    if (status != BKS_OK) {
        return status;
    }
    BKSI_REFUSE_NULL(NULL, inputs);
    if (tick != bksi_writer_next(writer) || tick == INT32_MAX) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "tick", "tick is %d, must be %d", tick,
                         bksi_writer_next(writer));
    }
    uint8_t packed[BKS_PLAYERS_MAX * BKSI_INPUT_BYTES_MAX];
    status = bksi_writer_pack_tick(writer, inputs, packed);
    return status == BKS_OK ? bksi_writer_confirm(writer, packed, hash) : status;
}

bks_status bksi_writer_end_chunk(bks_replay_writer *writer)
{
    if (writer->is_failed) {
        return BKS_ERR_IO;
    }
    return writer->confirmed > 0 ? bksi_writer_append_chunk(writer) : BKS_OK;
}

bks_status bks_replay_writer_flush(bks_replay_writer *writer)
{
    const bks_status status = bksi_writer_check_open(writer, "bks_replay_writer_flush");
    return status == BKS_OK && writer->is_dirty ? write_tail(writer) : status;
}

bks_status bks_replay_writer_finish(bks_replay_writer *writer, const uint64_t *final_hash)
{
    bks_status status = bksi_writer_check_open(writer, "bks_replay_writer_finish");
    if (status != BKS_OK) {
        return status;
    }
    writer->is_finished = true;
    const bks_tick ticks = bksi_writer_next(writer);
    // Keep this order: chunk, index, empty slots, DONE record. Then a kill at any moment leaves all
    // ticks readable. A file with a DONE record has empty slots, so a byte in a slot that is not
    // zero is damage.
    status = writer->confirmed > 0 ? bksi_writer_append_chunk(writer) : BKS_OK;
    if (status == BKS_OK && writer->index->count > 0) {
        status = bksi_writer_write_index(writer);
    }
    if (status == BKS_OK) {
        status = bksi_writer_wipe_tail(writer);
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
