// SPDX-License-Identifier: MIT

// Reads the records after the tail slots, one after the other. After damage the reader searches for
// the next valid head of a record. The first tick of the next chunk tells which ticks were lost.

#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "replay/format/replay_event.h"
#include "replay/format/replay_tail.h"
#include "replay/read/reader.h"

/// Refuse a record, with the reason in `out_wrong`.
/// @return true, because the reason is not a lack of memory
static bool wrong(const char **out_wrong, const char *what)
{
    *out_wrong = what;
    return true;
}

/// Add a damaged part of the file to the list of losses.
static bool add_lost(bks_replay *replay, uint64_t offset, uint64_t end)
{
    const bks_replay_lost lost = {.offset_bytes = offset, .bytes = end - offset};
    return bksi_list_add(&replay->lost, &lost, &replay->allocator);
}

bool bksi_replay_add_part(bks_replay *replay, const bksi_replay_part *part)
{
    const bksi_replay_part *last = bksi_list_last(&replay->parts);
    const bks_tick known = last != NULL ? last->end : replay->first;
    bks_replay_lost *lost = bksi_list_last(&replay->lost);
    if (part->begin > known && lost != NULL) {
        lost->first = known;
        lost->ticks = part->begin - known;
    }
    return bksi_list_add(&replay->parts, part, &replay->allocator);
}

/// Read the head of a chunk, in either version of the format.
static bool read_chunk(const bks_replay *replay, const bksi_record *record, bksi_chunk *chunk)
{
    if (replay->format > 1) {
        return bksi_chunk_read(record->payload, record->payload_bytes, &replay->shape, chunk);
    }
    bksi_run run;
    const bksi_tick_arrays nowhere = {0};
    if (!bksi_run_read(record->payload, record->payload_bytes, &run) || run.used != 0 ||
        run.confirmed == 0 || !bksi_run_unpack(&replay->shape, &run, &nowhere)) {
        return false;
    }
    *chunk = (bksi_chunk){.first = run.first,
                          .ticks = run.confirmed,
                          .is_restart = true,
                          .input_bytes = run.input_bytes,
                          .hash_bytes = run.hash_bytes};
    return true;
}

/// Return true if the file is undamaged up to the next record and was not fetched in pieces, so
/// that offsets in it can be checked.
static bool is_all_there(const bks_replay *replay)
{
    return replay->lost.count == 0 && replay->piece_count == 1;
}

/// Add a part of the recording for a chunk whose ticks can be decoded.
static bool add_chunk(bks_replay *replay, const bksi_record *record, const bksi_chunk *chunk,
                      const char **out_wrong)
{
    const bksi_replay_part *last = bksi_list_last(&replay->parts);
    const size_t stretch = chunk->is_restart || last == NULL ? replay->parts.count : last->stretch;
    const bksi_replay_part *start =
        stretch < replay->parts.count ? bksi_list_at(&replay->parts, stretch) : NULL;
    if (start != NULL && replay->expected - start->first > (bks_tick)BKSI_STRETCH_TICKS_MAX) {
        return wrong(out_wrong, "a TICK record makes its stretch too long");
    }
    const bksi_replay_part part = {
        .payload = record->offset + BKSI_RECORD_HEAD_BYTES,
        .payload_bytes = record->payload_bytes,
        .first = chunk->first,
        .begin = chunk->first,
        .confirmed = replay->expected,
        .end = replay->expected,
        .stretch = stretch,
        .is_lost = !chunk->is_restart && last != NULL && last->is_lost,
        .input_bytes = chunk->input_bytes,
        .hash_bytes = chunk->hash_bytes,
    };
    return bksi_replay_add_part(replay, &part);
}

static bool take_chunk(bks_replay *replay, const bksi_record *record, const char **out_wrong)
{
    bksi_chunk chunk;
    if (!read_chunk(replay, record, &chunk)) {
        return wrong(out_wrong, "a TICK record has invalid contents");
    }
    const bool is_first = replay->expected == BKS_TICK_NONE;
    if (is_first && !chunk.is_restart) {
        return true; // skip a chunk that needs an earlier one, which was not fetched
    }
    const bool is_first_of_all = replay->format > 1 && chunk.first == replay->head.first_tick;
    if ((replay->is_plain || is_first_of_all) && !chunk.is_restart) {
        return wrong(out_wrong, "a TICK record continues where no model was begun");
    }
    const bool may_be_later = replay->lost.count > replay->lost_before;
    if (!is_first && chunk.first != replay->expected &&
        !(may_be_later && chunk.first > replay->expected)) {
        return wrong(out_wrong, "a TICK record does not begin where the one before ends");
    }
    if (is_first) {
        replay->first = chunk.first;
    }
    const bool is_gap = !is_first && chunk.first != replay->expected;
    replay->is_broken = (replay->is_broken || is_gap) && !chunk.is_restart;
    replay->expected = chunk.first + (bks_tick)chunk.ticks;
    replay->lost_before = replay->lost.count;
    replay->is_plain = replay->format > 1 && !chunk.is_coded;
    if (replay->is_broken) {
        return true; // ticks of this chunk count as lost once a later chunk can be read
    }
    return add_chunk(replay, record, &chunk, out_wrong);
}

static bool take_keyframe(bks_replay *replay, const bksi_record *record, const char **out_wrong)
{
    bksi_keyframe keyframe;
    if (!bksi_keyframe_read(&keyframe, record->payload, record->payload_bytes) ||
        keyframe.start > record->offset) {
        return wrong(out_wrong, "a keyf record has invalid contents");
    }
    const bksi_replay_key *last = bksi_list_last(&replay->keys);
    if (last != NULL && keyframe.tick <= last->keyframe.tick) {
        return wrong(out_wrong, "a keyf record is not later than the one before");
    }
    const bool is_whole = keyframe.before == 0;
    const bool is_chained = last != NULL && keyframe.before == last->keyframe.offset_bytes;
    if (!is_whole && !is_chained && is_all_there(replay)) {
        return wrong(out_wrong, "a keyf record does not build on the one before");
    }
    bksi_replay_key key = {
        .keyframe = {.tick = keyframe.tick,
                     .is_whole = is_whole,
                     .is_usable = is_whole || (is_chained && last->keyframe.is_usable),
                     .offset_bytes = record->offset,
                     .bytes = record->end - record->offset,
                     .state_bytes = keyframe.state_bytes},
        .payload = record->offset + BKSI_RECORD_HEAD_BYTES,
        .payload_bytes = record->payload_bytes,
        .depth = is_whole || !is_chained ? 1 : last->depth + 1,
    };
    if (key.depth > BKSI_KEYFRAMES_PER_WHOLE) {
        return wrong(out_wrong, "a keyf record builds on too many others");
    }
    key.usable = key.keyframe.is_usable ? (uint32_t)replay->keys.count
                 : last != NULL         ? last->usable
                                        : UINT32_MAX;
    return bksi_list_add(&replay->keys, &key, &replay->allocator);
}

static bool take_event(bks_replay *replay, const bksi_record *record, const char **out_wrong)
{
    bks_replay_event event;
    switch (bksi_event_read(&event, record->payload, record->payload_bytes)) {
    case BKSI_EVENT_UNKNOWN:
        return true;
    case BKSI_EVENT_WRONG:
        return wrong(out_wrong, "an evnt record has invalid contents");
    case BKSI_EVENT_OK:
        break;
    }
    replay->has_closed = replay->has_closed || event.kind == BKS_REPLAY_CLOSED;
    return bksi_list_add(&replay->events, &event, &replay->allocator);
}

static bool take_fact(bks_replay *replay, const bksi_record *record, const char **out_wrong)
{
    bksi_fact_place fact;
    if (!bksi_fact_read(&fact, record)) {
        return wrong(out_wrong, "a FACT record has invalid contents");
    }
    const bksi_fact_place *last = bksi_list_last(&replay->facts);
    if (last != NULL && fact.tick < last->tick) {
        return wrong(out_wrong, "a FACT record is of an earlier tick than the one before");
    }
    replay->fact_bytes += record->end - record->offset;
    return bksi_list_add(&replay->facts, &fact, &replay->allocator);
}

/// Return true if an entry of an index matches the record at its offset.
static bool entry_is_true(const bks_replay *replay, const bksi_index_entry *entry)
{
    if (entry->kind == BKSI_INDEX_RESTART) {
        const size_t i =
            bksi_list_find_tick(&replay->parts, offsetof(bksi_replay_part, first), entry->tick);
        const bksi_replay_part *part =
            i < replay->parts.count ? bksi_list_at(&replay->parts, i) : NULL;
        return part != NULL && part->first == entry->tick && part->stretch == i &&
               part->payload == entry->offset + BKSI_RECORD_HEAD_BYTES;
    }
    const size_t i =
        bksi_list_find_tick(&replay->keys, offsetof(bksi_replay_key, keyframe.tick), entry->tick);
    const bksi_replay_key *key = i < replay->keys.count ? bksi_list_at(&replay->keys, i) : NULL;
    return key != NULL && key->keyframe.tick == entry->tick &&
           key->keyframe.offset_bytes == entry->offset &&
           key->keyframe.is_whole == (entry->kind == BKSI_INDEX_WHOLE);
}

/// Count the keyframes and restarts that are in no index yet.
static size_t count_unindexed(const bks_replay *replay)
{
    size_t count = replay->keys.count - replay->indexed_keys;
    for (size_t i = replay->indexed_parts; i < replay->parts.count; i++) {
        const bksi_replay_part *part = bksi_list_at(&replay->parts, i);
        count += part->stretch == i;
    }
    return count;
}

/// Check an index against the records that were read, if the whole file is there. The entries of an
/// index are never trusted.
static bool take_index(bks_replay *replay, const bksi_record *record, const char **out_wrong)
{
    bksi_index index;
    if (!bksi_index_read(&index, record->payload, record->payload_bytes)) {
        return wrong(out_wrong, "an indx record has invalid contents");
    }
    const bool must_be = is_all_there(replay);
    bool is_true =
        !must_be || (index.before == replay->last_index && index.count == count_unindexed(replay));
    for (uint32_t i = 0; must_be && is_true && i < index.count; i++) {
        is_true = entry_is_true(replay, &index.entries[i]);
    }
    replay->last_index = record->offset;
    replay->indexed_parts = replay->parts.count;
    replay->indexed_keys = replay->keys.count;
    if (!is_true) {
        *out_wrong = "an indx record does not match the records before it";
    }
    return true;
}

static bool take_done(bks_replay *replay, const bksi_record *record, const char **out_wrong)
{
    const bool has_index = replay->format > 1;
    if (record->payload_bytes != (has_index ? BKSI_DONE_BYTES : BKSI_DONE_BYTES_1) ||
        record->payload[4] > 1 ||
        (record->payload[4] == 0 && bksi_get_u64(record->payload + 5) != 0)) {
        return wrong(out_wrong, "the DONE record has invalid contents");
    }
    const bool is_exact = replay->lost.count == replay->lost_before;
    const uint32_t ticks = bksi_get_u32(record->payload);
    if (ticks > INT32_MAX ||
        (replay->expected != BKS_TICK_NONE &&
         (is_exact ? (bks_tick)ticks != replay->expected : (bks_tick)ticks < replay->expected))) {
        return wrong(out_wrong, "the DONE record has another number of ticks than the file");
    }
    if (has_index && is_all_there(replay) &&
        bksi_get_u64(record->payload + 13) != replay->last_index) {
        return wrong(out_wrong, "the DONE record does not lead to the last index");
    }
    const bksi_replay_part *last = bksi_list_last(&replay->parts);
    const bks_tick known = last != NULL ? last->end : replay->first;
    bks_replay_lost *lost = bksi_list_last(&replay->lost);
    if (lost != NULL && (bks_tick)ticks > known) {
        lost->first = known;
        lost->ticks = (bks_tick)ticks - known;
    } else {
        replay->has_final_hash = record->payload[4] == 1;
        replay->final_hash = bksi_get_u64(record->payload + 5);
    }
    replay->has_done = true;
    replay->is_over = true;
    const bks_replay_piece *piece = bksi_replay_piece_at(replay, record->offset);
    if (record->end < piece->offset_bytes + piece->count) {
        bksi_replay_note_damage(replay, BKS_ERR_DAMAGED, record->end,
                                "bytes follow the DONE record");
    }
    return true;
}

static bool take_misplaced(bks_replay *replay, const bksi_record *record, const char **out_wrong)
{
    (void)replay;
    (void)record;
    return wrong(out_wrong, "a record is where it must not be");
}

/// Add the content of a record to the replay, by the type of the record.
/// @param out_wrong  points to NULL; receives what is wrong with the record, if anything is
/// @return false when there is no memory
static bool take_record(bks_replay *replay, const bksi_record *record, const char **out_wrong)
{
    static const struct {
        uint32_t type;
        uint32_t format; ///< first version of the format that has records of this type
        bool (*take)(bks_replay *replay, const bksi_record *record, const char **out_wrong);
    } types[] = {
        {BKSI_RECORD_TICKS, 1, take_chunk},
        {BKSI_RECORD_DONE, 1, take_done},
        {BKSI_RECORD_HEAD, 1, take_misplaced},
        {BKSI_RECORD_STATE, 1, take_misplaced},
        {BKSI_RECORD_KEYFRAME, 2, take_keyframe},
        {BKSI_RECORD_EVENT, 2, take_event},
        {BKSI_RECORD_FACT, 2, take_fact},
        {BKSI_RECORD_COMMANDS, 2, bksi_replay_take_commands},
        {BKSI_RECORD_INDEX, 2, take_index},
        {BKSI_RECORD_VALUES, 2, bksi_replay_take_samples},
        {BKSI_RECORD_PAGES, 2, bksi_replay_take_samples},
        {BKSI_RECORD_MARKS, 2, bksi_replay_take_marks},
        {BKSI_RECORD_REPAIR, 2, bksi_replay_take_repair},
        {BKSI_RECORD_ROLLBACKS, 2, bksi_replay_take_rollbacks},
        {BKSI_RECORD_EVIDENCE, 2, bksi_replay_take_evidence},
        {BKSI_RECORD_LOG, 2, bksi_replay_take_log},
    };
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (types[i].type == record->type && replay->format >= types[i].format) {
            return types[i].take(replay, record, out_wrong);
        }
    }
    if (!bksi_record_may_be_passed(record->type)) {
        bksi_replay_note_damage(replay, BKS_ERR_UNSUPPORTED, record->offset,
                                "a record of a later version cannot be skipped");
        replay->is_over = true;
    }
    return true;
}

/// Skip the damaged bytes up to `end`, and note them as lost.
static bool pass_over(bks_replay *replay, uint64_t end, const char *what)
{
    bksi_replay_note_damage(replay, BKS_ERR_DAMAGED, replay->next, what);
    const bool is_added = add_lost(replay, replay->next, end);
    replay->next = end;
    return is_added;
}

bks_status bksi_replay_read_records(bks_replay *replay)
{
    const bks_replay_piece *piece = bksi_replay_piece_at(replay, replay->next);
    const uint64_t count = piece->offset_bytes + piece->count;
    bool has_memory = true;
    while (has_memory && !replay->is_over) {
        bksi_record record;
        const char *what = NULL;
        uint64_t end = 0;
        switch (bksi_record_read(piece, replay->next, &record)) {
        case BKSI_RECORD_END:
        case BKSI_RECORD_CUT:
            return BKS_OK;
        case BKSI_RECORD_BAD_HEAD:
            what = "a record's type and length fail their check";
            // Continue the search at the place where an earlier search met the end of the file.
            end = bksi_record_find(piece, replay->searched > replay->next ? replay->searched
                                                                          : replay->next);
            break;
        case BKSI_RECORD_BAD_PAYLOAD:
            what = "a record fails its check";
            end = record.end;
            break;
        case BKSI_RECORD_OK:
            if (!take_record(replay, &record, &what)) {
                return BKS_ERR_OUT_OF_MEMORY;
            }
            end = record.end;
            break;
        }
        if (what == NULL) {
            replay->next = end;
        } else if (replay->is_growing && end == count) {
            replay->searched = count > BKSI_RECORD_HEAD_BYTES ? count - BKSI_RECORD_HEAD_BYTES : 0;
            return BKS_OK; // the writer may not have written the whole record yet
        } else {
            has_memory = pass_over(replay, end, what);
        }
    }
    return has_memory ? BKS_OK : BKS_ERR_OUT_OF_MEMORY;
}
