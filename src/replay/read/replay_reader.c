// SPDX-License-Identifier: MIT

// Opens a file: verifies all checks and notes the places of all records. The contents of records
// are unpacked later (reader_ticks.c, reader_keyframes.c).

#include "replay/format/replay_commands.h"
#include "replay/read/reader.h"

#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "base/memory.h"
#include "base/report.h"
#include "replay/format/replay_event.h"
#include "replay/format/replay_tail.h"

static const char id[] = "replay.open";

static bks_status no_memory(bks_error *error)
{
    return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, id, NULL, "no memory to read a replay");
}

/// Read the STAT record.
/// @param out_end  receives the offset of the end of the record
/// @return false when the file ends in the record, or cannot be read further
static bool read_state(bks_replay *replay, uint64_t offset, uint64_t *out_end)
{
    bksi_record record;
    bksi_replay_state state;
    const char *wrong = NULL;
    switch (bksi_record_read(&replay->pieces[0], offset, &record)) {
    case BKSI_RECORD_OK:
        if (record.type != BKSI_RECORD_STATE) {
            wrong = "a STAT record must follow the HEAD record";
        } else if (bksi_replay_state_read(&state, record.payload, record.payload_bytes,
                                          offset + BKSI_RECORD_HEAD_BYTES, NULL) != BKS_OK) {
            wrong = "the STAT record has invalid contents";
        } else if (replay->format > 1 && bksi_tail_offset(record.end) != replay->head.tail_offset) {
            wrong = "the STAT record does not end where the slots begin";
        }
        break;
    case BKSI_RECORD_END:
    case BKSI_RECORD_CUT:
        return false;
    case BKSI_RECORD_BAD_HEAD:
    case BKSI_RECORD_BAD_PAYLOAD:
        wrong = "the STAT record fails its check";
        break;
    }
    if (wrong == NULL) {
        replay->has_state = true;
        replay->state_payload = offset + BKSI_RECORD_HEAD_BYTES;
        replay->state_payload_bytes = record.payload_bytes;
        replay->state_bytes = state.state_bytes;
        replay->is_state_left_out = state.is_left_out;
        *out_end = record.end;
        return true;
    }
    bksi_replay_note_damage(replay, BKS_ERR_DAMAGED, offset, wrong);
    *out_end = replay->head.tail_offset;
    return replay->format > 1; // since version 2 HEAD has the offset of the slots: read on there
}

/// Read everything after the HEAD record of a file that is one piece.
static bks_status read_rest(bks_replay *replay, uint64_t offset)
{
    uint64_t padding = 0;
    if (!read_state(replay, offset, &padding)) {
        return BKS_OK;
    }
    const uint64_t tail_offset = bksi_tail_offset(padding);
    replay->next = tail_offset + 2 * (uint64_t)replay->head.slot_blocks * BKSI_BLOCK_BYTES;
    if (replay->pieces[0].count <= tail_offset && !replay->has_state) {
        return BKS_OK;
    }
    const bks_status status =
        replay->next < replay->pieces[0].count ? bksi_replay_read_records(replay) : BKS_OK;
    return status == BKS_OK && !replay->is_growing
               ? bksi_replay_read_tail(replay, padding, tail_offset)
               : status;
}

/// Read the HEAD record, without which nothing can be read.
static bks_status read_head(bks_replay *replay, uint64_t *out_end, bks_error *error)
{
    const bks_replay_piece *front = &replay->pieces[0];
    bks_status status =
        bksi_replay_find_head(front, replay->format, &replay->head, out_end, id, error);
    if (status == BKS_ERR_INCOMPLETE) {
        return bksi_fail_at(error, status, id, front->count,
                            "the file ends in its HEAD record, before it says what it is,");
    }
    if (status == BKS_OK) {
        status =
            bksi_layout_init(&replay->layout, replay->head.fields, replay->head.field_count, error);
    }
    return status;
}

/// Read the whole file. `replay` can be used if the result is BKS_OK, or if damage is noted.
static bks_status read_all(bks_replay *replay, bks_error *error)
{
    const bks_replay_piece *front = &replay->pieces[0];
    bks_status status = bksi_preamble_check(front->bytes, front->count, &replay->format, error);
    uint64_t offset = 0;
    if (status == BKS_OK) {
        status = read_head(replay, &offset, error);
    }
    if (status != BKS_OK) {
        return status;
    }
    replay->shape = (bksi_run_shape){.layout = &replay->layout,
                                     .players = replay->head.players,
                                     .hash_bits = replay->head.hash_bits,
                                     .full_hash_ticks = replay->head.full_hash_ticks};
    replay->tick_bytes = bksi_run_tick_bytes(&replay->shape);
    replay->first = replay->head.first_tick;
    replay->expected = replay->head.first_tick;
    if (replay->piece_count == 1) {
        status = read_rest(replay, offset);
    } else {
        replay->is_late = true;
        replay->expected = BKS_TICK_NONE;
        replay->next = replay->pieces[replay->piece_count - 1].offset_bytes;
        status = bksi_replay_read_records(replay);
    }
    if (status == BKS_OK && replay->format > 1) {
        status = bksi_models_create(&replay->models, &replay->layout, replay->head.players,
                                    &replay->allocator);
    }
    if (status == BKS_OK) {
        status = bksi_replay_make_room(replay);
    }
    if (status != BKS_OK) {
        return no_memory(error);
    }
    bksi_replay_fill_info(replay);
    return bksi_replay_damage(replay, error);
}

/// Check that the pieces are in order and the first one begins with the file.
static bks_status check_pieces(const bks_replay_piece *pieces, uint32_t count, const char *call,
                               bks_error *error)
{
    if (pieces == NULL) {
        return bksi_fail_null(error, call, "pieces");
    }
    if (count < 1 || count > BKS_REPLAY_PIECES_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "count", "count is %u, must be 1..%d",
                         count, BKS_REPLAY_PIECES_MAX);
    }
    for (uint32_t i = 0; i < count; i++) {
        const bks_replay_piece *piece = &pieces[i];
        if (piece->bytes == NULL && piece->count > 0) {
            return bksi_fail_null(error, call, "bytes");
        }
        if (i == 0 ? piece->offset_bytes != 0 : piece->offset_bytes <= pieces[i - 1].offset_bytes) {
            return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "pieces",
                             "piece %u begins at byte %llu, must begin %s", i,
                             (unsigned long long)piece->offset_bytes,
                             i == 0 ? "with the file" : "behind the one before");
        }
    }
    return BKS_OK;
}

/// All lists of a replay, with the size of an item.
static const struct {
    size_t offset;
    size_t item_bytes;
} lists[] = {
    {offsetof(bks_replay, parts), sizeof(bksi_replay_part)},
    {offsetof(bks_replay, keys), sizeof(bksi_replay_key)},
    {offsetof(bks_replay, events), sizeof(bks_replay_event)},
    {offsetof(bks_replay, facts), sizeof(bksi_fact_place)},
    {offsetof(bks_replay, commands), sizeof(bksi_commands_place)},
    {offsetof(bks_replay, lost), sizeof(bks_replay_lost)},
    {offsetof(bks_replay, late), sizeof(bks_replay_lost)},
    {offsetof(bks_replay, repairs), sizeof(bksi_repair_place)},
    {offsetof(bks_replay, wrong), sizeof(bksi_wrong_place)},
    {offsetof(bks_replay, agreed), sizeof(bks_replay_agreed)},
    {offsetof(bks_replay, rollbacks), sizeof(bksi_rollback_place)},
    {offsetof(bks_replay, evidence), sizeof(bksi_evidence_place)},
    {offsetof(bks_replay, logs), sizeof(bksi_evidence_place)},
    {offsetof(bks_replay, values.parts), sizeof(bksi_sample_part)},
    {offsetof(bks_replay, pages.parts), sizeof(bksi_sample_part)},
    {offsetof(bks_replay, marks.parts), sizeof(bksi_sample_part)},
};

#define LISTS (sizeof(lists) / sizeof(lists[0]))

static bksi_list *list_of(bks_replay *replay, size_t index)
{
    return (bksi_list *)(void *)((uint8_t *)replay + lists[index].offset);
}

static bks_status open_pieces(const bks_replay_piece *pieces, uint32_t count, bool is_growing,
                              const bks_allocator *allocator, bks_replay **out, const char *call,
                              bks_error *error)
{
    if (out == NULL) {
        return bksi_fail_null(error, call, "out");
    }
    *out = NULL;
    bks_status status = check_pieces(pieces, count, call, error);
    if (status != BKS_OK) {
        return status;
    }
    const bks_allocator none = {0};
    const bks_allocator *hooks = allocator != NULL ? allocator : &none;
    if (!bksi_allocator_ok(hooks)) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "allocator",
                         "allocator has one of alloc and release, must have both or neither");
    }
    bks_replay *replay = bksi_alloc(hooks, sizeof(*replay), _Alignof(bks_replay));
    if (replay == NULL) {
        return no_memory(error);
    }
    replay->allocator = *hooks;
    replay->is_growing = is_growing;
    replay->state_bytes_max = BKSI_STATE_BYTES_MAX;
    replay->piece_count = count;
    memcpy(replay->pieces, pieces, count * sizeof(*pieces));
    for (size_t i = 0; i < LISTS; i++) {
        list_of(replay, i)->item_bytes = lists[i].item_bytes;
    }
    status = read_all(replay, error);
    if (status == BKS_OK || (replay->damage.code != BKS_OK && status != BKS_ERR_OUT_OF_MEMORY)) {
        *out = replay;
    } else {
        bks_replay_close(replay);
    }
    return status;
}

bks_status bks_replay_open(const void *bytes, size_t count, const bks_allocator *allocator,
                           bks_replay **out, bks_error *error)
{
    const bks_replay_piece file = {.bytes = bytes, .count = count};
    return open_pieces(&file, 1, false, allocator, out, "bks_replay_open", error);
}

bks_status bks_replay_open_growing(const bks_replay_piece *pieces, uint32_t count,
                                   const bks_allocator *allocator, bks_replay **out,
                                   bks_error *error)
{
    return open_pieces(pieces, count, true, allocator, out, "bks_replay_open_growing", error);
}

bks_status bks_replay_refresh(bks_replay *replay, const bks_replay_piece *pieces, uint32_t count,
                              bks_error *error)
{
    static const char call[] = "bks_replay_refresh";
    BKSI_REFUSE_NULL(error, replay);
    bks_status status = check_pieces(pieces, count, call, error);
    if (status != BKS_OK) {
        return status;
    }
    bool is_same = replay->is_growing && count == replay->piece_count;
    for (uint32_t i = 0; is_same && i < count; i++) {
        is_same = pieces[i].offset_bytes == replay->pieces[i].offset_bytes &&
                  pieces[i].count >= replay->pieces[i].count;
    }
    if (!is_same) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "pieces",
                         "the pieces are not those of this growing replay with more bytes");
    }
    memcpy(replay->pieces, pieces, count * sizeof(*pieces));
    if (replay->next == 0) {
        // The file was too short before, so its HEAD record was not read yet.
        uint64_t end = 0;
        status = read_head(replay, &end, error);
        status = status == BKS_OK ? read_rest(replay, end) : status;
    } else if (replay->next < bksi_replay_bytes(replay)) {
        status = bksi_replay_read_records(replay);
    }
    if (status == BKS_OK) {
        status = bksi_replay_make_room(replay);
    }
    if (status == BKS_ERR_OUT_OF_MEMORY) {
        return no_memory(error);
    }
    bksi_replay_fill_info(replay);
    return bksi_replay_damage(replay, error);
}

void bks_replay_close(bks_replay *replay)
{
    if (replay == NULL) {
        return;
    }
    const bks_allocator allocator = replay->allocator;
    bksi_replay_drop_unpacked(replay);
    bksi_models_destroy(&replay->models, &allocator);
    bksi_free(&allocator, replay->tail, replay->tail_bytes);
    bksi_free(&allocator, replay->command_room, replay->command_room_bytes);
    bksi_replay_drop_samples(replay, &replay->values);
    bksi_replay_drop_samples(replay, &replay->pages);
    bksi_replay_drop_marks(replay);
    for (size_t i = 0; i < LISTS; i++) {
        bksi_list_free(list_of(replay, i), &allocator);
    }
    bksi_free(&allocator, replay, sizeof(*replay));
}
