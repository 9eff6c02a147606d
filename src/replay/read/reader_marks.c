// SPDX-License-Identifier: MIT

// Reads states at marks, and notes. The first state of a tick's row may be coded against the last
// state of the previous tick. So reading a row begins at the nearest earlier tick whose first state
// is whole.

#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "base/report.h"
#include "replay/format/replay_keyframe.h"
#include "replay/read/reader.h"

bool bksi_replay_take_marks(bks_replay *replay, const bksi_record *record, const char **out_wrong)
{
    bksi_mark_list *list = &replay->marks;
    const bksi_sample_part *last = bksi_list_last(&list->parts);
    bksi_packed_marks marks;
    if (!bksi_marks_read(&marks, record->payload, record->payload_bytes) ||
        (last != NULL && marks.first < last->end)) {
        *out_wrong = "a mark record has invalid contents";
        return true;
    }
    list->record_bytes += record->end - record->offset;
    list->ticks += (bks_tick)marks.ticks;
    return bksi_sample_part_add(replay, &list->parts, record, marks.first, marks.ticks);
}

static void drop_rows(bks_replay *replay)
{
    bksi_mark_list *list = &replay->marks;
    bksi_free(&replay->allocator, list->rows, list->rows_bytes);
    list->rows = NULL;
    list->rows_bytes = 0;
}

void bksi_replay_drop_marks(bks_replay *replay)
{
    bksi_mark_list *list = &replay->marks;
    drop_rows(replay);
    bksi_free(&replay->allocator, list->state, list->state_room);
    list->state = NULL;
    list->state_room = 0;
    list->has_state = false;
}

static bks_status fail_damaged(uint64_t offset, bks_tick tick, const char *call)
{
    return bksi_fail_at(NULL, BKS_ERR_DAMAGED, call, offset,
                        "the states at the marks of tick %d cannot be read", tick);
}

/// Get the row at `next_at` and move on to the next row.
/// @return false when the bytes are wrong
static bool next_row(bksi_mark_list *list, const uint8_t **out, size_t *out_count)
{
    bksi_byte_reader reader =
        bksi_byte_reader_over(list->rows + list->next_at, list->rows_bytes - list->next_at);
    const uint64_t count = bksi_read_varint(&reader);
    if (reader.failed || count > bksi_byte_reader_left(&reader) ||
        count > BKSI_MARK_ROW_BYTES_MAX) {
        return false;
    }
    list->row_at = list->next_at;
    *out_count = (size_t)count;
    *out = bksi_read_bytes(&reader, (size_t)count);
    list->next_at += reader.at;
    list->next++;
    return true;
}

/// Count the states of a record that was just unpacked, unless they are counted.
/// @return false when the file would have more states than its size allows
static bool count_states(bks_replay *replay, bksi_sample_part *part)
{
    bksi_mark_list *list = &replay->marks;
    if (part->is_counted) {
        return true;
    }
    uint64_t bytes = list->states_bytes;
    const uint8_t *row = NULL;
    size_t count = 0;
    while (list->next < part->end && next_row(list, &row, &count)) {
        bytes += bksi_mark_row_states_bytes(row, count);
    }
    list->next = part->first;
    list->next_at = 0;
    if (!bksi_marks_may_have(bytes, bksi_replay_bytes(replay))) {
        return false;
    }
    list->states_bytes = bytes;
    part->is_counted = true;
    return true;
}

/// Unpack a record of states at marks, and move to the row of its first tick.
static bks_status unpack(bks_replay *replay, size_t index, const char *call)
{
    bksi_mark_list *list = &replay->marks;
    bksi_sample_part *part = bksi_list_at(&list->parts, index);
    bksi_packed_marks marks;
    (void)bksi_marks_read(&marks, bksi_replay_bytes_at(replay, part->payload), part->payload_bytes);
    drop_rows(replay);
    const bks_status status = bksi_replay_unpack(replay, &marks.rows, &list->rows, call);
    if (status == BKS_ERR_DAMAGED) {
        part->is_refused = true; // do not try to unpack the record again for each tick
        return fail_damaged(part->payload, part->first, call);
    }
    if (status != BKS_OK) {
        return status;
    }
    list->rows_bytes = marks.rows.bytes;
    list->unpacked = index;
    list->has_state = list->has_state && list->next == part->first;
    list->next = part->first;
    list->next_at = 0;
    if (!count_states(replay, part)) {
        drop_rows(replay);
        part->is_refused = true;
        return bksi_fail_at(NULL, BKS_ERR_DAMAGED, call, part->payload,
                            "up to tick %d the states at marks are more than a file of %llu bytes "
                            "may have",
                            part->end, (unsigned long long)bksi_replay_bytes(replay));
    }
    return BKS_OK;
}

bks_status bksi_replay_mark_row(bks_replay *replay, bks_tick tick, const uint8_t **out,
                                size_t *out_count, const char *call)
{
    bksi_mark_list *list = &replay->marks;
    const size_t index = bksi_sample_part_find(&list->parts, tick);
    bksi_sample_part *part = index != SIZE_MAX ? bksi_list_at(&list->parts, index) : NULL;
    if (part == NULL || part->is_refused) {
        return part == NULL ? BKS_ERR_INCOMPLETE
                            : BKS_ERR_DAMAGED; // no log line: the damage was already logged
    }
    if (list->rows == NULL || list->unpacked != index || list->next > tick) {
        const bks_status status = unpack(replay, index, call);
        if (status != BKS_OK) {
            return status;
        }
    }
    while (list->next <= tick) {
        list->has_state = list->has_state && list->next == tick;
        if (!next_row(list, out, out_count)) {
            drop_rows(replay);
            part->is_refused = true;
            return fail_damaged(part->payload, tick, call);
        }
    }
    return *out_count > 0 ? BKS_OK : BKS_ERR_INCOMPLETE;
}

static bool make_room(bks_replay *replay, size_t bytes)
{
    bksi_mark_list *list = &replay->marks;
    if (bytes <= list->state_room) {
        return true;
    }
    const size_t room = bytes + bytes / 2;
    uint8_t *state = bksi_alloc(&replay->allocator, room, 64);
    if (state == NULL) {
        return false;
    }
    if (list->state_bytes > 0 && list->state != NULL) {
        memcpy(state, list->state, list->state_bytes);
    }
    bksi_free(&replay->allocator, list->state, list->state_room);
    list->state = state;
    list->state_room = room;
    return true;
}

typedef bool (*visit_state)(void *context, const char *mark, const void *state, size_t count);

/// Unpack the states of a row one after the other.
/// @param visit  called for each state; NULL: only unpack the last one
static bks_status walk_row(bks_replay *replay, const uint8_t *row, size_t count, visit_state visit,
                           void *context)
{
    bksi_mark_list *list = &replay->marks;
    bksi_mark_entry entry;
    size_t at = 0;
    bool is_wanted = visit != NULL;
    if (!bksi_mark_row_is_right(row, count)) {
        return BKS_ERR_DAMAGED;
    }
    while (bksi_mark_entry_read(row, count, &at, &entry)) {
        if (entry.is_note) {
            continue;
        }
        if (entry.is_whole) {
            list->state_bytes = 0;
        } else if (!list->has_state) {
            return BKS_ERR_INCOMPLETE;
        }
        if (entry.state_bytes > replay->state_bytes_max) {
            return BKS_ERR_DAMAGED;
        }
        if (!make_room(replay, entry.state_bytes)) {
            return BKS_ERR_OUT_OF_MEMORY;
        }
        list->has_state = bksi_delta_apply(entry.delta, entry.delta_bytes, list->state,
                                           list->state_bytes, entry.state_bytes, list->state_room);
        if (!list->has_state) {
            return BKS_ERR_DAMAGED;
        }
        list->state_bytes = entry.state_bytes;
        is_wanted = is_wanted && visit(context, entry.name, list->state, list->state_bytes);
    }
    return BKS_OK;
}

/// Unpack the last state of each tick from `from` to before `tick`, as far as the states against
/// which they are coded are there.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
static bks_status go_through(bks_replay *replay, bks_tick from, bks_tick tick, const char *call)
{
    bksi_mark_list *list = &replay->marks;
    for (; from < tick; from++) {
        const uint8_t *row = NULL;
        size_t count = 0;
        bks_status status = bksi_replay_mark_row(replay, from, &row, &count, call);
        if (status == BKS_OK && (list->has_state || bksi_mark_row_is_whole(row, count))) {
            status = walk_row(replay, row, count, NULL, NULL);
        }
        if (status == BKS_ERR_OUT_OF_MEMORY) {
            return status;
        }
        list->has_state = list->has_state && status == BKS_OK;
    }
    return BKS_OK;
}

/// Unpack the last state of the previous tick, against which the row of `tick` is coded.
static bks_status go_before(bks_replay *replay, bks_tick tick, const char *call)
{
    bksi_mark_list *list = &replay->marks;
    if (list->barren ==
        tick) { // the state from which the row continues was found missing at the previous tick
        list->barren++;
        return BKS_ERR_INCOMPLETE;
    }
    list->has_state = false;
    const bks_tick from = tick > BKSI_MARK_WHOLE_TICKS ? tick - BKSI_MARK_WHOLE_TICKS : 0;
    BKSI_TRY(go_through(replay, from, tick, call));
    list->barren = list->has_state ? BKS_TICK_NONE : tick + 1;
    return list->has_state ? BKS_OK : BKS_ERR_INCOMPLETE;
}

/// Report that a tick cannot be read. Note that the next tick cannot be read either, because it is
/// coded against this one.
static bks_status fail_tick(bks_replay *replay, bks_tick tick, bks_status status, const char *call)
{
    bksi_mark_list *list = &replay->marks;
    const size_t index = bksi_sample_part_find(&list->parts, tick);
    list->has_state = false;
    if (index != SIZE_MAX && status != BKS_ERR_OUT_OF_MEMORY) {
        list->barren = tick + 1;
    }
    if (index != SIZE_MAX && status == BKS_ERR_DAMAGED) {
        const bksi_sample_part *part = bksi_list_at(&list->parts, index);
        return part->is_refused ? status : fail_damaged(part->payload, tick, call);
    }
    return bksi_fail(NULL, status, call, "tick", "the states at the marks of tick %d %s", tick,
                     status == BKS_ERR_INCOMPLETE ? "are not recorded" : "do not fit into memory");
}

/// Unpack the row of a tick without moving on: if the states of this tick were read just before,
/// the next states to read are still those of the next tick, otherwise those of this tick.
static bks_status peek_row(bks_replay *replay, bks_tick tick, const uint8_t **out,
                           size_t *out_count, const char *call)
{
    bksi_mark_list *list = &replay->marks;
    if (list->rows != NULL && list->next_at > 0 && list->next == tick + 1) {
        list->next = tick;
        list->next_at = list->row_at;
        (void)next_row(list, out, out_count);
        return *out_count > 0 ? BKS_OK : BKS_ERR_INCOMPLETE;
    }
    const bks_status status = bksi_replay_mark_row(replay, tick, out, out_count, call);
    if (status == BKS_OK) {
        list->next = tick;
        list->next_at = list->row_at;
    }
    return status;
}

bks_status bks_replay_notes(bks_replay *replay, bks_tick tick,
                            bool (*visit)(void *context, uint32_t states_before, const char *text),
                            void *context)
{
    static const char call[] = "bks_replay_notes";
    BKSI_REFUSE_NULL(NULL, replay);
    BKSI_REFUSE_NULL(NULL, visit);
    const uint8_t *row = NULL;
    size_t count = 0;
    bks_status status = peek_row(replay, tick, &row, &count, call);
    if (status == BKS_OK && !bksi_mark_row_is_right(row, count)) {
        status = BKS_ERR_DAMAGED;
    }
    if (status != BKS_OK) {
        return fail_tick(replay, tick, status, call);
    }
    bksi_mark_entry entry;
    size_t at = 0;
    uint32_t states = 0;
    bool is_wanted = true;
    while (is_wanted && bksi_mark_entry_read(row, count, &at, &entry)) {
        states += entry.is_note ? 0 : 1;
        is_wanted = !entry.is_note || visit(context, states, entry.name);
    }
    return BKS_OK;
}

bks_status bks_replay_marks(bks_replay *replay, bks_tick tick, visit_state visit, void *context)
{
    static const char call[] = "bks_replay_marks";
    BKSI_REFUSE_NULL(NULL, replay);
    BKSI_REFUSE_NULL(NULL, visit);
    const uint8_t *row = NULL;
    size_t count = 0;
    bksi_mark_list *list = &replay->marks;
    bks_status status = BKS_OK;
    // Continue after skipped ticks from where reading stands, rather than from far before.
    if (list->has_state && list->next < tick && tick - list->next < BKSI_MARK_WHOLE_TICKS) {
        status = go_through(replay, list->next, tick, call);
    }
    if (status == BKS_OK) {
        status = bksi_replay_mark_row(replay, tick, &row, &count, call);
    }
    if (status == BKS_OK && !list->has_state && !bksi_mark_row_is_whole(row, count)) {
        status = go_before(replay, tick, call);
        if (status == BKS_OK) {
            status = bksi_replay_mark_row(replay, tick, &row, &count, call);
        }
    }
    if (status == BKS_OK) {
        status = walk_row(replay, row, count, visit, context);
    }
    return status == BKS_OK ? BKS_OK : fail_tick(replay, tick, status, call);
}
