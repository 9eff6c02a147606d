// SPDX-License-Identifier: MIT

// Optional details of every tick: values of the state, hashes of its pages, rollbacks, and the
// states at marks. The details are gathered until their ticks are appended. In the file they come
// before the ticks, so a reader that has the ticks has the details too.

#include <string.h>

#include "backstitch/toolkit/writer.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "base/report.h"
#include "replay/format/replay_state.h"
#include "replay/write/packed_writer.h"
#include "replay/write/writer.h"
#include "state/region.h"

#define PAGE_HASH_BYTES sizeof(uint32_t)

/// Bytes of the newest rollbacks that are kept in memory: with two players and ten rollbacks a
/// second those of two or three minutes.
#define SPARE_BYTES 65536u

/// Beginning of a rollback in memory, which packed inputs follow.
typedef struct spare_head {
    bks_tick present;
    bks_tick from;
} spare_head;

bks_status bksi_writer_samples_begin(bks_replay_writer *writer, const bks_replay_config *config,
                                     bks_error *error)
{
    const bks_allocator *allocator = &writer->allocator;
    const bks_game *game = config->game;
    const size_t state_bytes =
        config->state_bytes_max > 0 ? config->state_bytes_max : config->state_bytes;
    writer->values_bytes =
        config->detail.values ? (size_t)bksi_ranges_bytes(game->ranges, game->range_count) : 0;
    writer->pages_max = config->detail.page_hashes ? bksi_pages(state_bytes) : 0;
    bool has_memory = true;
    if (writer->values_bytes > 0) {
        writer->values =
            bksi_sample_packer_create(writer->chunk_ticks, writer->values_bytes, allocator);
        has_memory = writer->values != NULL;
    }
    if (has_memory && writer->pages_max > 0) {
        writer->pages = bksi_sample_packer_create(writer->chunk_ticks,
                                                  writer->pages_max * PAGE_HASH_BYTES, allocator);
        has_memory = writer->pages != NULL;
    }
    if (has_memory && config->detail.rollbacks) {
        has_memory = bksi_rollback_packer_create(&writer->rollbacks, &writer->shape,
                                                 writer->used_max, allocator) == BKS_OK;
    }
    return has_memory ? BKS_OK
                      : bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, "replay.create", NULL,
                                  "no memory for the rows of a tick");
}

void bksi_writer_samples_end(bks_replay_writer *writer)
{
    bksi_sample_packer_destroy(writer->values);
    bksi_sample_packer_destroy(writer->pages);
    bksi_rollback_packer_destroy(&writer->rollbacks, &writer->allocator);
    bksi_free(&writer->allocator, writer->spare, SPARE_BYTES);
}

void bksi_writer_samples_confirm(bks_replay_writer *writer)
{
    if (writer->values != NULL) {
        bksi_sample_packer_add(writer->values, writer->values_bytes);
    }
    if (writer->pages != NULL) {
        bksi_sample_packer_add(writer->pages, writer->page_bytes);
        writer->page_bytes = 0;
    }
}

static bks_status append_rollbacks(bks_replay_writer *writer)
{
    const size_t bytes = writer->rollbacks.bytes;
    writer->rollbacks.bytes = 0;
    return bytes > 0
               ? bksi_writer_append(writer, writer->rollbacks.record, BKSI_RECORD_ROLLBACKS, bytes)
               : BKS_OK;
}

/// Append the gathered samples, or leave them out if the file may not have so many.
/// @param total  bytes of all samples of this kind in the file
static bks_status append_samples(bks_replay_writer *writer, bksi_sample_packer *packer,
                                 uint32_t type, uint64_t *total)
{
    const size_t bytes = packer != NULL ? bksi_sample_packer_pack(packer, writer->first) : 0;
    if (bytes == 0) {
        return BKS_OK;
    }
    uint8_t *record = bksi_sample_packer_record(packer);
    bksi_packed_samples samples;
    (void)bksi_samples_read(&samples, record + BKSI_RECORD_HEAD_BYTES, bytes);
    if (!bksi_samples_may_have(*total + samples.deltas.bytes, writer->end)) {
        return BKS_OK; // a reader would refuse the record
    }
    *total += samples.deltas.bytes;
    return bksi_writer_append(writer, record, type, bytes);
}

bks_status bksi_writer_samples_append(bks_replay_writer *writer)
{
    bks_status status = append_rollbacks(writer);
    if (status == BKS_OK) {
        status = append_samples(writer, writer->values, BKSI_RECORD_VALUES, &writer->values_total);
    }
    return status == BKS_OK
               ? append_samples(writer, writer->pages, BKSI_RECORD_PAGES, &writer->pages_total)
               : status;
}

/// Check the arguments of a call for the tick that is confirmed next.
static bks_status check_tick(const bks_replay_writer *writer, bks_tick tick, const void *given,
                             const char *name, const char *call)
{
    const bks_status status = bksi_writer_check_open(writer, call);
    if (status != BKS_OK) {
        return status;
    }
    if (given == NULL) {
        return bksi_fail_null(NULL, call, name);
    }
    if (tick != bksi_writer_next(writer)) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "tick", "tick is %d, must be %d", tick,
                         bksi_writer_next(writer));
    }
    return BKS_OK;
}

bks_status bks_replay_writer_values(bks_replay_writer *writer, bks_tick tick, const void *values)
{
    const bks_status status =
        check_tick(writer, tick, values, "values", "bks_replay_writer_values");
    if (status == BKS_OK && writer->values != NULL) {
        memcpy(bksi_sample_packer_next(writer->values), values, writer->values_bytes);
    }
    return status;
}

static bks_status check_pages(const bks_replay_writer *writer, bks_tick tick, const void *hashes,
                              size_t count, const char *call)
{
    const bks_status status = check_tick(writer, tick, hashes, "hashes", call);
    return status != BKS_OK || writer->pages == NULL || count <= writer->pages_max
               ? status
               : bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "count",
                           "count is %zu, must be 0..%zu", count, writer->pages_max);
}

bks_status bksi_writer_page_row(bks_replay_writer *writer, bks_tick tick, const uint8_t *row,
                                size_t bytes)
{
    const bks_status status =
        check_pages(writer, tick, row, bytes / PAGE_HASH_BYTES, "bksi_writer_page_row");
    if (status != BKS_OK || writer->pages == NULL) {
        return status;
    }
    uint8_t *sample = bksi_sample_packer_next(writer->pages);
    memset(sample, 0, writer->pages_max * PAGE_HASH_BYTES);
    memcpy(sample, row, bytes);
    writer->page_bytes = bytes;
    return BKS_OK;
}

bks_status bks_replay_writer_pages(bks_replay_writer *writer, bks_tick tick, const uint64_t *hashes,
                                   size_t count)
{
    const bks_status status = check_pages(writer, tick, hashes, count, "bks_replay_writer_pages");
    if (status != BKS_OK || writer->pages == NULL) {
        return status;
    }
    uint8_t *sample = bksi_sample_packer_next(writer->pages);
    memset(sample, 0, writer->pages_max * PAGE_HASH_BYTES);
    for (size_t i = 0; i < count; i++) {
        bksi_put_u32(sample + i * PAGE_HASH_BYTES, (uint32_t)hashes[i]);
    }
    writer->page_bytes = count * PAGE_HASH_BYTES;
    return BKS_OK;
}

/// Pack a rollback whose packed inputs, from tick `from` on, begin at `packed`.
static bks_status pack_rollback(bks_replay_writer *writer, bks_tick present, bks_tick from,
                                const uint8_t *packed)
{
    if (bksi_rollback_packer_add(&writer->rollbacks, present, from, packed)) {
        return BKS_OK;
    }
    const bks_status status = append_rollbacks(writer);
    const bool fits = bksi_rollback_packer_add(&writer->rollbacks, present, from, packed);
    BKS_ASSERT(fits);
    (void)fits;
    return status;
}

static size_t spare_bytes(const bks_replay_writer *writer, const spare_head *head)
{
    return sizeof(*head) + (size_t)(head->present - head->from) * writer->tick_bytes;
}

/// Drop the older half of the rollbacks in memory.
static void drop_older(bks_replay_writer *writer)
{
    size_t at = 0;
    while (at < writer->spare_bytes / 2) {
        spare_head head;
        memcpy(&head, writer->spare + at, sizeof(head));
        at += spare_bytes(writer, &head);
    }
    writer->spare_bytes -= at;
    memmove(writer->spare, writer->spare + at, writer->spare_bytes);
}

/// Keep a rollback in memory, uncoded, because few matches ever need it. Leave out one that would
/// take more than half of the memory.
static void spare_rollback(bks_replay_writer *writer, bks_tick present, bks_tick from,
                           const uint8_t *packed)
{
    const spare_head head = {.present = present, .from = from};
    const size_t bytes = spare_bytes(writer, &head);
    if (bytes > SPARE_BYTES / 2) {
        return;
    }
    if (bytes > SPARE_BYTES - writer->spare_bytes) {
        drop_older(writer);
    }
    uint8_t *at = writer->spare + writer->spare_bytes;
    memcpy(at, &head, sizeof(head));
    memcpy(at + sizeof(head), packed, bytes - sizeof(head));
    writer->spare_bytes += bytes;
}

/// Record a rollback, or keep it in memory until rollbacks are wanted.
static bks_status keep_rollback(bks_replay_writer *writer, bks_tick present, bks_tick from,
                                const uint8_t *packed)
{
    if (writer->spare != NULL && !writer->wants_rollbacks) {
        spare_rollback(writer, present, from, packed);
        return BKS_OK;
    }
    return pack_rollback(writer, present, from, packed);
}

bks_status bksi_writer_keep_rollback(bks_replay_writer *writer, bks_tick present, bks_tick from)
{
    const bks_tick first = bksi_writer_next(writer);
    BKS_ASSERT(from >= first);
    BKS_ASSERT(from < present);
    BKS_ASSERT(present - first <= (bks_tick)writer->used);
    if (writer->is_failed) {
        return BKS_ERR_IO;
    }
    return writer->rollbacks.record == NULL
               ? BKS_OK
               : keep_rollback(writer, present, from,
                               writer->used_inputs + (size_t)(from - first) * writer->tick_bytes);
}

bks_status bksi_writer_spare_rollbacks(bks_replay_writer *writer)
{
    if (writer->rollbacks.record != NULL) {
        return BKS_OK;
    }
    writer->spare = bksi_alloc(&writer->allocator, SPARE_BYTES, 16);
    return writer->spare == NULL
               ? BKS_ERR_OUT_OF_MEMORY
               : bksi_rollback_packer_create(&writer->rollbacks, &writer->shape, writer->used_max,
                                             &writer->allocator);
}

bks_status bksi_writer_want_rollbacks(bks_replay_writer *writer)
{
    bks_status status = writer->is_failed ? BKS_ERR_IO : BKS_OK;
    for (size_t at = 0; status == BKS_OK && at < writer->spare_bytes;) {
        spare_head head;
        memcpy(&head, writer->spare + at, sizeof(head));
        status = pack_rollback(writer, head.present, head.from, writer->spare + at + sizeof(head));
        at += spare_bytes(writer, &head);
    }
    writer->spare_bytes = 0;
    writer->wants_rollbacks = true;
    return status == BKS_OK ? append_rollbacks(writer) : status;
}

bks_status bks_replay_writer_rollback(bks_replay_writer *writer, bks_tick present, bks_tick from,
                                      const int32_t *inputs)
{
    static const char call[] = "bks_replay_writer_rollback";
    bks_status status = bksi_writer_check_open(writer, call);
    if (status != BKS_OK) {
        return status;
    }
    BKSI_REFUSE_NULL(NULL, inputs);
    if (from < 0 || from >= present || (uint32_t)(present - from) > writer->used_max) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "from",
                         "from is %d with present %d, must be 1..%u below", from, present,
                         writer->used_max);
    }
    if (writer->rollbacks.record == NULL) {
        return BKS_OK;
    }
    const size_t values = (size_t)writer->shape.players * writer->layout.field_count;
    for (bks_tick tick = from; status == BKS_OK && tick < present; tick++) {
        const size_t i = (size_t)(tick - from);
        status = bksi_writer_pack_tick(writer, inputs + i * values,
                                       writer->rolled_inputs + i * writer->tick_bytes);
    }
    return status == BKS_OK ? keep_rollback(writer, present, from, writer->rolled_inputs) : status;
}

// States at marks come as coded rows. The rows are gathered until a record is full or their ticks
// are appended.

bks_status bksi_writer_marks_begin(bks_replay_writer *writer, const bks_replay_config *config,
                                   bks_error *error)
{
    if (!config->detail.marks || config->pointers) {
        return BKS_OK;
    }
    writer->marks = bksi_mark_packer_create(BKSI_MARK_ROW_BYTES_MAX, &writer->allocator);
    return writer->marks != NULL ? BKS_OK
                                 : bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, "replay.create", NULL,
                                             "no memory for the states at marks");
}

void bksi_writer_marks_end(bks_replay_writer *writer)
{
    bksi_mark_packer_destroy(writer->marks);
}

bks_status bksi_writer_marks_append(bks_replay_writer *writer)
{
    if (writer->marks == NULL) {
        return BKS_OK;
    }
    const size_t bytes = bksi_mark_packer_pack(writer->marks, writer->marks_end);
    return bytes > 0 ? bksi_writer_append(writer, bksi_mark_packer_record(writer->marks),
                                          BKSI_RECORD_MARKS, bytes)
                     : BKS_OK;
}

/// Return true if a row may be added: the file may have so many states, and holds the state against
/// which the row is coded.
static bool may_add(bks_replay_writer *writer, const uint8_t *row, size_t count)
{
    const uint64_t bytes = writer->marks_bytes + bksi_mark_row_states_bytes(row, count);
    writer->marks_are_lost = !bksi_marks_may_have(bytes, writer->end) ||
                             (writer->marks_are_lost && !bksi_mark_row_is_whole(row, count));
    if (!writer->marks_are_lost) {
        writer->marks_bytes = bytes;
    }
    return !writer->marks_are_lost;
}

/// Add the row of states at marks of a tick. The row of a tick without states is empty.
static bks_status add_marks(bks_replay_writer *writer, bks_tick tick, const uint8_t *row,
                            size_t count)
{
    bks_status status = BKS_OK;
    if (!bksi_mark_packer_fits(writer->marks, count)) {
        status = bksi_writer_marks_append(writer);
    }
    bksi_mark_packer_add(writer->marks, row, count);
    writer->marks_end = tick + 1;
    return status;
}

bks_status bksi_writer_marks_confirm(bks_replay_writer *writer, bks_tick tick)
{
    return writer->marks != NULL && writer->marks_end <= tick ? add_marks(writer, tick, NULL, 0)
                                                              : BKS_OK;
}

bks_status bks_replay_writer_marks(bks_replay_writer *writer, bks_tick tick, const void *row,
                                   size_t count)
{
    static const char call[] = "bks_replay_writer_marks";
    const bks_status status = bksi_writer_check_open(writer, call);
    if (status != BKS_OK) {
        return status;
    }
    if (row == NULL && count > 0) {
        return bksi_fail_null(NULL, call, "row");
    }
    if (tick != bksi_writer_next(writer)) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "tick", "tick is %d, must be %d", tick,
                         bksi_writer_next(writer));
    }
    if (count > BKSI_MARK_ROW_BYTES_MAX) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "count", "count is %zu, must be 0..%u",
                         count, BKSI_MARK_ROW_BYTES_MAX);
    }
    if (writer->marks == NULL || writer->marks_end > tick) {
        return BKS_OK;
    }
    return may_add(writer, row, count) ? add_marks(writer, tick, row, count)
                                       : add_marks(writer, tick, NULL, 0);
}
