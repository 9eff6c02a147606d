// SPDX-License-Identifier: MIT

// Reads evidence of desyncs, match log, facts (answers to bks_ask()) and repairs of a recording.

#include "backstitch/toolkit/recording.h"

#include "base/memory.h"
#include "base/report.h"
#include "replay/format/replay_event.h"
#include "replay/format/replay_evidence.h"
#include "replay/read/reader.h"

/// Most evidence records of a file. A file with more counts as an attack, because few bytes could
/// cause much work.
#define EVIDENCE_MAX 256u

/// Add the place of a record of evidence or of the match log to a list.
static bool add_place(bks_replay *replay, bksi_list *list, const bksi_record *record)
{
    const bksi_evidence_place place = {.payload = record->offset + BKSI_RECORD_HEAD_BYTES,
                                       .payload_bytes = record->payload_bytes};
    replay->evidence_bytes += record->end - record->offset;
    return bksi_list_add(list, &place, &replay->allocator);
}

bool bksi_replay_take_evidence(bks_replay *replay, const bksi_record *record,
                               const char **out_wrong)
{
    bksi_evidence_head head;
    bksi_packed content;
    if (replay->evidence.count == EVIDENCE_MAX ||
        !bksi_evidence_read(&head, &content, record->payload, record->payload_bytes)) {
        *out_wrong = "an evid record has invalid contents";
        return true;
    }
    return add_place(replay, &replay->evidence, record);
}

bool bksi_replay_take_log(bks_replay *replay, const bksi_record *record, const char **out_wrong)
{
    bksi_log_cursor cursor;
    bksi_packed content;
    uint32_t count = 0;
    if (!bksi_log_read(&cursor, &count, &content, record->payload, record->payload_bytes) ||
        count > BKSI_LOG_ENTRIES_MAX - replay->log_count) {
        *out_wrong = "an mlog record has invalid contents";
        return true;
    }
    replay->log_count += count;
    return add_place(replay, &replay->logs, record);
}

static bks_status damaged(const char *call, uint64_t offset)
{
    return bksi_fail_at(NULL, BKS_ERR_DAMAGED, call, offset, "evidence of a desync is wrong");
}

// ---- reading evidence ----

/// Read the head and the packed content of an evidence record.
static const bksi_evidence_place *read_evidence(const bks_replay *replay, uint32_t index,
                                                bksi_evidence_head *head, bksi_packed *content)
{
    const bksi_evidence_place *place = bksi_list_at(&replay->evidence, index);
    (void)bksi_evidence_read(head, content, bksi_replay_bytes_at(replay, place->payload),
                             place->payload_bytes);
    return place;
}

bks_status bks_replay_evidence_at(const bks_replay *replay, uint32_t index,
                                  bks_replay_evidence *out)
{
    static const char call[] = "bks_replay_evidence_at";
    BKSI_REFUSE_NULL(NULL, replay);
    BKSI_REFUSE_NULL(NULL, out);
    const bks_status status = bksi_replay_check_index(index, replay->evidence.count, call, NULL);
    if (status != BKS_OK) {
        return status;
    }
    bksi_evidence_head head;
    bksi_packed content;
    const bksi_evidence_place *place = read_evidence(replay, index, &head, &content);
    *out = (bks_replay_evidence){.tick = head.tick,
                                 .peer = head.peer,
                                 .own_bytes = head.own_bytes,
                                 .peer_bytes = head.peer_bytes,
                                 .bytes = place->payload_bytes + BKSI_RECORD_EXTRA_BYTES};
    return BKS_OK;
}

bks_status bks_replay_evidence_parts(const bks_replay *replay, uint32_t index,
                                     bool (*visit)(void *context, const bks_evidence_part *part),
                                     void *context)
{
    static const char call[] = "bks_replay_evidence_parts";
    BKSI_REFUSE_NULL(NULL, replay);
    BKSI_REFUSE_NULL(NULL, visit);
    bks_status status = bksi_replay_check_index(index, replay->evidence.count, call, NULL);
    if (status != BKS_OK) {
        return status;
    }
    bksi_evidence_head head;
    bksi_packed content;
    const bksi_evidence_place *place = read_evidence(replay, index, &head, &content);
    uint8_t *bytes = NULL;
    status = bksi_replay_unpack(replay, &content, &bytes, call);
    if (status != BKS_OK) {
        return status == BKS_ERR_DAMAGED ? damaged(call, place->payload) : status;
    }
    bksi_evidence_cursor cursor = {.content = bksi_byte_reader_over(bytes, content.bytes)};
    bks_evidence_part part;
    while (bksi_evidence_next(&cursor, &part) && visit(context, &part)) {
    }
    bksi_free(&replay->allocator, bytes, content.bytes);
    return cursor.content.failed ? damaged(call, place->payload) : BKS_OK;
}

// ---- reading the match log ----

/// Unpack the entries of a log record.
/// @param is_wanted  receives false when the visitor wants no more entries
static bks_status visit_entries(const bksi_packed *content, const uint8_t *bytes, uint32_t count,
                                bksi_log_cursor *cursor,
                                bool (*visit)(void *context, const bks_log_entry *entry),
                                void *context, bool *is_wanted)
{
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, content->bytes);
    for (uint32_t i = 0; i < count && *is_wanted; i++) {
        bks_log_entry entry;
        if (!bksi_log_next(&reader, cursor, &entry)) {
            return BKS_ERR_DAMAGED;
        }
        *is_wanted = (uint32_t)entry.kind > BKS_ENTRY_EVENT || visit(context, &entry);
    }
    return !*is_wanted || bksi_byte_reader_left(&reader) == 0 ? BKS_OK : BKS_ERR_DAMAGED;
}

bks_status bks_replay_log(const bks_replay *replay,
                          bool (*visit)(void *context, const bks_log_entry *entry), void *context)
{
    static const char call[] = "bks_replay_log";
    BKSI_REFUSE_NULL(NULL, replay);
    BKSI_REFUSE_NULL(NULL, visit);
    bool is_wanted = true;
    for (size_t i = 0; i < replay->logs.count && is_wanted; i++) {
        const bksi_evidence_place *place = bksi_list_at(&replay->logs, i);
        bksi_log_cursor cursor;
        bksi_packed content;
        uint32_t count = 0;
        uint8_t *bytes = NULL;
        (void)bksi_log_read(&cursor, &count, &content, bksi_replay_bytes_at(replay, place->payload),
                            place->payload_bytes);
        bks_status status = bksi_replay_unpack(replay, &content, &bytes, call);
        if (status == BKS_OK) {
            status = visit_entries(&content, bytes, count, &cursor, visit, context, &is_wanted);
            bksi_free(&replay->allocator, bytes, content.bytes);
        }
        if (status != BKS_OK) {
            return status == BKS_ERR_DAMAGED ? damaged(call, place->payload) : status;
        }
    }
    return BKS_OK;
}

static const bksi_fact_place *fact_at(const bks_replay *replay, size_t index)
{
    return bksi_list_at(&replay->facts, index);
}

bks_status bks_replay_fact(const bks_replay *replay, bks_tick tick, uint32_t question,
                           const void **out_bytes, size_t *out_count)
{
    BKSI_REFUSE_NULL(NULL, replay);
    BKSI_REFUSE_NULL(NULL, out_bytes);
    BKSI_REFUSE_NULL(NULL, out_count);
    *out_bytes = NULL;
    *out_count = 0;
    for (size_t i = bksi_list_find_tick(&replay->facts, offsetof(bksi_fact_place, tick), tick);
         i < replay->facts.count; i++) {
        const bksi_fact_place *fact = fact_at(replay, i);
        if (fact->tick != tick) {
            break;
        }
        if (fact->question == question) {
            *out_bytes = bksi_replay_bytes_at(replay, fact->offset);
            *out_count = fact->count;
            break;
        }
    }
    return BKS_OK;
}

// Repairs of states in this file are sorted by first tick and by last tick alike. So the first
// repair that ends after a tick is the only one that can include the tick.

static const bksi_repair_place *repair_of(const bks_replay *replay, size_t index)
{
    return bksi_list_at(&replay->repairs, index);
}

/// Return a repair of states in this file, by its index in replay->wrong.
static const bksi_repair_place *wrong_of(const bks_replay *replay, size_t index)
{
    const bksi_wrong_place *wrong = bksi_list_at(&replay->wrong, index);
    return repair_of(replay, wrong->repair);
}

static bool add_agreed(bks_replay *replay, const bks_replay_agreed *agreed, uint32_t count)
{
    bool has_memory = true;
    for (uint32_t i = 0; i < count && has_memory; i++) {
        has_memory = bksi_list_add(&replay->agreed, &agreed[i], &replay->allocator);
    }
    return has_memory;
}

bool bksi_replay_take_repair(bks_replay *replay, const bksi_record *record, const char **out_wrong)
{
    bksi_repair_place place = {.offset = record->offset, .agreed = replay->agreed.count};
    bks_replay_agreed agreed[BKS_REPLAY_AGREED_MAX];
    if (!bksi_repair_read(&place.repair, agreed, record->payload, record->payload_bytes)) {
        *out_wrong = "a rpar record has invalid contents";
        return true;
    }
    const bksi_wrong_place own = {place.repair.until, (uint32_t)replay->repairs.count};
    const bool is_own = place.repair.until > place.repair.since;
    if (is_own && replay->wrong.count > 0) {
        const bks_replay_repair *last = &wrong_of(replay, replay->wrong.count - 1)->repair;
        if (place.repair.since < last->since || place.repair.until < last->until) {
            *out_wrong = "a rpar record is of earlier ticks than the one before";
            return true;
        }
    }
    return add_agreed(replay, agreed, place.repair.agreed_count) &&
           bksi_list_add(&replay->repairs, &place, &replay->allocator) &&
           (!is_own || bksi_list_add(&replay->wrong, &own, &replay->allocator));
}

bks_status bks_replay_repair_at(const bks_replay *replay, uint32_t index, bks_replay_repair *out)
{
    static const char call[] = "bks_replay_repair_at";
    BKSI_REFUSE_NULL(NULL, replay);
    BKSI_REFUSE_NULL(NULL, out);
    const bks_status status = bksi_replay_check_index(index, replay->repairs.count, call, NULL);
    if (status == BKS_OK) {
        *out = repair_of(replay, index)->repair;
    }
    return status;
}

/// Return the index in replay->wrong of the first repair that ends after a tick.
static size_t find_end(const bks_replay *replay, bks_tick tick)
{
    return bksi_list_find_tick(&replay->wrong, offsetof(bksi_wrong_place, until),
                               (int64_t)tick + 1);
}

/// Find the repair of the state that this file has for a tick.
/// @return NULL when the recorded state is right
static const bksi_repair_place *find_wrong(const bks_replay *replay, bks_tick tick)
{
    const size_t index = find_end(replay, tick);
    const bksi_repair_place *place = index < replay->wrong.count ? wrong_of(replay, index) : NULL;
    return place != NULL && place->repair.since <= tick ? place : NULL;
}

/// Find the repair of the state that this file has for a tick, and return the repair's first tick.
/// @return the tick; BKS_TICK_NONE when the recorded state is right
static bks_tick replay_wrong_since(const bks_replay *replay, bks_tick tick)
{
    const bksi_repair_place *place = find_wrong(replay, tick);
    return place != NULL ? place->repair.since : BKS_TICK_NONE;
}

bks_tick bksi_replay_key_wrong_since(const bks_replay *replay, const bks_replay_keyframe *keyframe)
{
    const bks_tick tick = keyframe->tick;
    for (size_t i = find_end(replay, tick - 1); i < replay->wrong.count; i++) {
        const bksi_repair_place *place = wrong_of(replay, i);
        if (place->repair.until > tick) {
            break;
        }
        if (keyframe->offset_bytes < place->offset) {
            return place->repair.since;
        }
    }
    return replay_wrong_since(replay, tick);
}

bool bks_replay_is_repaired(const bks_replay *replay, bks_tick tick)
{
    BKSI_REFUSE_NULL_OR(false, replay);
    return find_wrong(replay, tick) != NULL;
}

bks_status bks_replay_agreed_hash(const bks_replay *replay, bks_tick tick, uint64_t *out_hash)
{
    BKSI_REFUSE_NULL(NULL, replay);
    BKSI_REFUSE_NULL(NULL, out_hash);
    const bksi_repair_place *place = find_wrong(replay, tick);
    for (uint32_t i = 0; place != NULL && i < place->repair.agreed_count; i++) {
        const bks_replay_agreed *agreed = bksi_list_at(&replay->agreed, place->agreed + i);
        if (agreed->tick == tick) {
            *out_hash = agreed->hash;
            return BKS_OK;
        }
    }
    return BKS_ERR_INCOMPLETE;
}
