// SPDX-License-Identifier: MIT

// Reads optional details of a recording: values of the state and hashes of its pages by tick, and
// rollbacks.

#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "base/report.h"
#include "replay/format/replay_rollback.h"
#include "replay/read/reader.h"

bool bksi_replay_take_samples(bks_replay *replay, const bksi_record *record, const char **out_wrong)
{
    const bool is_values = record->type == BKSI_RECORD_VALUES;
    bksi_sample_list *list = is_values ? &replay->values : &replay->pages;
    const bksi_sample_part *last = bksi_list_last(&list->parts);
    bksi_packed_samples samples;
    if (!bksi_samples_read(&samples, record->payload, record->payload_bytes) ||
        (last != NULL && samples.first < last->end) ||
        (is_values ? samples.sample_bytes !=
                         bksi_ranges_bytes(replay->head.ranges, replay->head.range_count)
                   : samples.sample_bytes % sizeof(uint32_t) != 0)) {
        *out_wrong = "a vals or pags record has invalid contents";
        return true;
    }
    if (!bksi_samples_may_have(list->samples_bytes + samples.deltas.bytes, record->offset)) {
        *out_wrong = "a vals or pags record has more rows than a file of this size may have";
        return true;
    }
    list->samples_bytes += samples.deltas.bytes;
    list->record_bytes += record->end - record->offset;
    list->ticks += (bks_tick)samples.ticks;
    if (samples.sample_bytes > list->sample_bytes_max) {
        list->sample_bytes_max = samples.sample_bytes;
    }
    return bksi_sample_part_add(replay, &list->parts, record, samples.first, samples.ticks);
}

bool bksi_replay_take_rollbacks(bks_replay *replay, const bksi_record *record,
                                const char **out_wrong)
{
    bksi_rollback rollback;
    size_t at = 0;
    // Check all rollbacks first, so that a record is either added completely or refused.
    for (; at < record->payload_bytes; at = rollback.end) {
        if (!bksi_rollback_read(&rollback, &replay->shape, record->payload, record->payload_bytes,
                                at)) {
            *out_wrong = "a roll record has invalid contents";
            return true;
        }
    }
    for (at = 0; at < record->payload_bytes; at = rollback.end) {
        (void)bksi_rollback_read(&rollback, &replay->shape, record->payload, record->payload_bytes,
                                 at);
        const bksi_rollback_place place = {
            .payload = record->offset + BKSI_RECORD_HEAD_BYTES,
            .payload_bytes = record->payload_bytes,
            .at = at,
            .present = rollback.present,
            .from = rollback.from,
        };
        if (!bksi_list_add(&replay->rollbacks, &place, &replay->allocator)) {
            return false;
        }
    }
    replay->rollback_bytes += record->end - record->offset;
    return true;
}

void bksi_replay_drop_samples(bks_replay *replay, bksi_sample_list *list)
{
    bksi_free(&replay->allocator, list->bytes, list->bytes_count);
    list->bytes = NULL;
    list->bytes_count = 0;
    list->unpacked = SIZE_MAX;
    list->is_refused = false;
}

/// Unpack a record of samples, unless it is already the unpacked one.
static bks_status unpack(bks_replay *replay, bksi_sample_list *list, size_t index, const char *call)
{
    if (list->unpacked == index && (list->bytes != NULL || list->is_refused)) {
        return list->is_refused ? BKS_ERR_DAMAGED
                                : BKS_OK; // the damage was logged when the record was refused
    }
    const bksi_sample_part *part = bksi_list_at(&list->parts, index);
    bksi_packed_samples samples;
    (void)bksi_samples_read(&samples, bksi_replay_bytes_at(replay, part->payload),
                            part->payload_bytes);
    bksi_replay_drop_samples(replay, list);
    list->bytes_count = samples.deltas.bytes;
    list->bytes = bksi_alloc(&replay->allocator, list->bytes_count, 16);
    if (list->bytes == NULL) {
        return bksi_fail(NULL, BKS_ERR_OUT_OF_MEMORY, call, NULL, "no memory to unpack %zu bytes",
                         list->bytes_count);
    }
    if (!bksi_samples_unpack(&samples, list->bytes)) {
        bksi_replay_drop_samples(replay, list);
        list->unpacked = index;
        list->is_refused = true;
        return bksi_fail_at(NULL, BKS_ERR_DAMAGED, call, part->payload,
                            "the rows of tick %d do not unpack", part->first);
    }
    list->unpacked = index;
    list->sample_bytes = samples.sample_bytes;
    return BKS_OK;
}

bool bksi_sample_part_add(bks_replay *replay, bksi_list *parts, const bksi_record *record,
                          bks_tick first, uint32_t ticks)
{
    const bksi_sample_part part = {
        .payload = record->offset + BKSI_RECORD_HEAD_BYTES,
        .payload_bytes = record->payload_bytes,
        .first = first,
        .end = first + (bks_tick)ticks,
    };
    return bksi_list_add(parts, &part, &replay->allocator);
}

size_t bksi_sample_part_find(const bksi_list *parts, bks_tick tick)
{
    const size_t i = bksi_list_find_tick(parts, offsetof(bksi_sample_part, end), (int64_t)tick + 1);
    const bksi_sample_part *part = i < parts->count ? bksi_list_at(parts, i) : NULL;
    return part != NULL && tick >= part->first ? i : SIZE_MAX;
}

bool bksi_replay_has_sample(const bksi_sample_list *list, bks_tick tick)
{
    return bksi_sample_part_find(&list->parts, tick) != SIZE_MAX;
}

bks_status bksi_replay_sample(bks_replay *replay, bksi_sample_list *list, bks_tick tick,
                              const uint8_t **out, const char *call)
{
    const size_t index = bksi_sample_part_find(&list->parts, tick);
    if (index == SIZE_MAX) {
        return bksi_fail(NULL, BKS_ERR_INCOMPLETE, call, "tick", "nothing is recorded of tick %d",
                         tick);
    }
    const bks_status status = unpack(replay, list, index, call);
    if (status != BKS_OK) {
        return status;
    }
    const bksi_sample_part *part = bksi_list_at(&list->parts, index);
    *out = list->bytes + (size_t)(tick - part->first) * list->sample_bytes;
    return BKS_OK;
}

bks_status bks_replay_values(bks_replay *replay, bks_tick tick, uint32_t range, void *out,
                             size_t capacity)
{
    static const char call[] = "bks_replay_values";
    BKSI_REFUSE_NULL(NULL, replay);
    BKSI_REFUSE_NULL(NULL, out);
    const bks_state_range *ranges = replay->head.ranges;
    if (range >= replay->head.range_count || !ranges[range].is_recorded) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "range",
                         "range is %u, must be one of the %u ranges, with is_recorded", range,
                         replay->head.range_count);
    }
    const size_t bytes = (size_t)bksi_ranges_bytes(&ranges[range], 1);
    if (capacity < bytes) {
        return bksi_fail(NULL, BKS_ERR_TOO_SMALL, call, "capacity",
                         "capacity is %zu, must be at least %zu", capacity, bytes);
    }
    const uint8_t *sample = NULL;
    const bks_status status = bksi_replay_sample(replay, &replay->values, tick, &sample, call);
    if (status == BKS_OK) {
        memcpy(out, sample + bksi_ranges_bytes(ranges, range), bytes);
    }
    return status;
}

bks_status bks_replay_page_hashes(bks_replay *replay, bks_tick tick, uint32_t *out, size_t capacity,
                                  size_t *out_count)
{
    static const char call[] = "bks_replay_page_hashes";
    BKSI_REFUSE_NULL(NULL, replay);
    BKSI_REFUSE_NULL(NULL, out);
    BKSI_REFUSE_NULL(NULL, out_count);
    const uint8_t *sample = NULL;
    const bks_status status = bksi_replay_sample(replay, &replay->pages, tick, &sample, call);
    if (status != BKS_OK) {
        return status;
    }
    *out_count = replay->pages.sample_bytes / sizeof(uint32_t);
    if (capacity < *out_count) {
        return bksi_fail(NULL, BKS_ERR_TOO_SMALL, call, "capacity",
                         "capacity is %zu, must be at least %zu", capacity, *out_count);
    }
    for (size_t i = 0; i < *out_count; i++) {
        out[i] = bksi_get_u32(sample + i * sizeof(uint32_t));
    }
    return BKS_OK;
}

/// Return the inputs of a rollback, which were checked when the recording was read.
static bksi_run inputs_of(const bks_replay *replay, const bksi_rollback_place *place)
{
    bksi_rollback rollback;
    (void)bksi_rollback_read(&rollback, &replay->shape,
                             bksi_replay_bytes_at(replay, place->payload), place->payload_bytes,
                             place->at);
    return bksi_rollback_run(&rollback);
}

static void next_of_run(bksi_run_cursor *cursor, uint8_t *packed)
{
    uint64_t hash = 0;
    uint32_t bits = 0;
    (void)bksi_run_next(cursor, packed, &hash, &bits);
}

static bks_status find_rollback(const bks_replay *replay, uint32_t index, const void *out,
                                const char *name, const char *call)
{
    if (replay == NULL || out == NULL) {
        return bksi_fail_null(NULL, call, replay == NULL ? "replay" : name);
    }
    return bksi_replay_check_index(index, replay->rollbacks.count, call, NULL);
}

bks_status bks_replay_rollback_at(const bks_replay *replay, uint32_t index,
                                  bks_replay_rollback *out)
{
    const bks_status status = find_rollback(replay, index, out, "out", "bks_replay_rollback_at");
    if (status == BKS_OK) {
        const bksi_rollback_place *place = bksi_list_at(&replay->rollbacks, index);
        *out = (bks_replay_rollback){.present = place->present, .from = place->from};
    }
    return status;
}

bks_status bks_replay_rollback_inputs(const bks_replay *replay, uint32_t index, bks_tick tick,
                                      int32_t *values)
{
    static const char call[] = "bks_replay_rollback_inputs";
    const bks_status status = find_rollback(replay, index, values, "values", call);
    if (status != BKS_OK) {
        return status;
    }
    const bksi_rollback_place *place = bksi_list_at(&replay->rollbacks, index);
    if (tick < place->from || tick >= place->present) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "tick", "tick is %d, must be %d..%d",
                         tick, place->from, place->present - 1);
    }
    const bksi_run run = inputs_of(replay, place);
    uint8_t packed[BKS_PLAYERS_MAX * BKSI_INPUT_BYTES_MAX];
    bksi_run_cursor cursor;
    bksi_run_begin(&cursor, &replay->shape, &run);
    for (bks_tick t = place->from; t <= tick; t++) {
        next_of_run(&cursor, packed);
    }
    bksi_replay_unpack_inputs(replay, packed, values);
    return BKS_OK;
}

void bksi_replay_rollback_all(const bks_replay *replay, uint32_t index, int32_t *values)
{
    const bksi_rollback_place *place = bksi_list_at(&replay->rollbacks, index);
    const bksi_run run = inputs_of(replay, place);
    uint8_t packed[BKS_PLAYERS_MAX * BKSI_INPUT_BYTES_MAX];
    bksi_run_cursor cursor;
    bksi_run_begin(&cursor, &replay->shape, &run);
    for (bks_tick t = place->from; t < place->present; t++) {
        next_of_run(&cursor, packed);
        bksi_replay_unpack_inputs(replay, packed, values);
        values += (size_t)replay->info.players * replay->info.field_count;
    }
}
