// SPDX-License-Identifier: MIT

#include "replay/format/replay_evidence.h"

#include <string.h>

#include "replay/format/replay_state.h"

/// Read a packed content that follows its length.
/// @return false when the content is wrong, or has more than `most` bytes
static bool read_sized(bksi_packed *packed, bksi_byte_reader *reader, size_t most)
{
    const uint64_t bytes = bksi_read_varint(reader);
    return bksi_packed_read(packed, reader) && bytes >= 1 && bytes <= most &&
           packed->bytes == bytes;
}

const char *bks_entry_kind_name(bks_entry_kind kind)
{
    static const char *const names[] = {
        [BKS_ENTRY_UPDATE] = "update",     [BKS_ENTRY_SAMPLED] = "sampled",
        [BKS_ENTRY_SENT] = "sent",         [BKS_ENTRY_CAME] = "came",
        [BKS_ENTRY_INPUTS] = "inputs",     [BKS_ENTRY_WRONG] = "wrong",
        [BKS_ENTRY_ROLLBACK] = "rollback", [BKS_ENTRY_LOAD] = "load",
        [BKS_ENTRY_SAVE] = "save",         [BKS_ENTRY_STEP] = "step",
        [BKS_ENTRY_HASH] = "hash",         [BKS_ENTRY_DELAY] = "delay",
        [BKS_ENTRY_EVENT] = "event",
    };
    return (uint32_t)kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "unknown";
}

void bksi_log_write_head(bksi_byte_writer *writer, uint64_t time_us, uint32_t count)
{
    bksi_write_varint(writer, time_us);
    bksi_write_varint(writer, count);
}

void bksi_log_write(bksi_byte_writer *writer, bksi_log_cursor *cursor, const bks_log_entry *entry)
{
    const uint32_t moved = (uint32_t)entry->tick - (uint32_t)cursor->tick;
    bksi_write_u8(writer, (uint8_t)entry->kind);
    bksi_write_u8(writer, (uint8_t)entry->number);
    bksi_write_u8(writer, (uint8_t)entry->reason);
    bksi_write_varint(writer, entry->time_us - cursor->time_us);
    bksi_write_varint(writer, moved >> 31 != 0 ? ~(moved << 1) : moved << 1);
    bksi_write_varint(writer, entry->value);
    *cursor = (bksi_log_cursor){entry->time_us, entry->tick};
}

bool bksi_log_read(bksi_log_cursor *cursor, uint32_t *out_count, bksi_packed *content,
                   const uint8_t *bytes, size_t count)
{
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, count);
    *cursor = (bksi_log_cursor){.time_us = bksi_read_varint(&reader)};
    const uint64_t entries = bksi_read_varint(&reader);
    if (reader.failed || entries < 1 || entries > BKSI_LOG_BYTES_MAX ||
        !read_sized(content, &reader, BKSI_LOG_BYTES_MAX)) {
        return false;
    }
    *out_count = (uint32_t)entries;
    return entries <= content->bytes / BKSI_LOG_ENTRY_BYTES_MIN;
}

bool bksi_log_next(bksi_byte_reader *content, bksi_log_cursor *cursor, bks_log_entry *entry)
{
    *entry = (bks_log_entry){.kind = (bks_entry_kind)bksi_read_u8(content)};
    entry->number = bksi_read_u8(content);
    entry->reason = bksi_read_u8(content);
    const uint64_t later_us = bksi_read_varint(content);
    const uint64_t moved = bksi_read_varint(content);
    const uint64_t value = bksi_read_varint(content);
    if (content->failed || moved > UINT32_MAX || value > UINT32_MAX ||
        later_us > UINT64_MAX - cursor->time_us) {
        return false;
    }
    const uint32_t by = (uint32_t)moved >> 1;
    const uint32_t tick = (uint32_t)cursor->tick + ((moved & 1) != 0 ? ~by : by);
    cursor->time_us += later_us;
    cursor->tick = (bks_tick)tick;
    entry->time_us = cursor->time_us;
    entry->tick = cursor->tick;
    entry->value = (uint32_t)value;
    return true;
}

#define PAGE_HASH_BYTES sizeof(uint32_t)

// ---- writing evidence and match logs ----

void bksi_evidence_write_head(bksi_byte_writer *writer, const bksi_evidence_head *head)
{
    bksi_write_varint(writer, (uint32_t)head->tick);
    bksi_write_u8(writer, (uint8_t)head->peer);
    bksi_write_varint(writer, head->own_bytes);
    bksi_write_varint(writer, head->peer_bytes);
}

static uint32_t varint_bytes(uint64_t value)
{
    uint32_t bytes = 1;
    for (; value >= 0x80; value >>= 7) {
        bytes++;
    }
    return bytes;
}

static void begin(bksi_byte_writer *writer, bks_evidence_kind kind, size_t count)
{
    bksi_write_u8(writer, (uint8_t)kind);
    bksi_write_varint(writer, count);
}

void bksi_evidence_write_text(bksi_byte_writer *writer, const char *text)
{
    begin(writer, BKS_EVIDENCE_TEXT, 1 + strlen(text));
    bksi_write_text(writer, text);
}

void bksi_evidence_write_environment(bksi_byte_writer *writer, const bks_replay_pair *pair)
{
    begin(writer, BKS_EVIDENCE_ENVIRONMENT, 2 + strlen(pair->name) + strlen(pair->value));
    bksi_write_text(writer, pair->name);
    bksi_write_text(writer, pair->value);
}

void bksi_evidence_write_block(bksi_byte_writer *writer, uint32_t number, const uint8_t *own,
                               const uint8_t *peer)
{
    begin(writer, BKS_EVIDENCE_BLOCK, varint_bytes(number) + 2 * BKSI_EVIDENCE_BLOCK_BYTES);
    bksi_write_varint(writer, number);
    bksi_write_bytes(writer, own, BKSI_EVIDENCE_BLOCK_BYTES);
    bksi_write_bytes(writer, peer, BKSI_EVIDENCE_BLOCK_BYTES);
}

/// Begin a part of the evidence: write its kind, its size, and `number`, which is the offset of a
/// state's bytes or the tick of page hashes. Reserve `count` bytes after it.
/// @return address at which to put the bytes; NULL when they do not fit
static uint8_t *begin_bytes(bksi_byte_writer *writer, bks_evidence_kind kind, uint64_t number,
                            size_t count)
{
    begin(writer, kind, varint_bytes(number) + count);
    bksi_write_varint(writer, number);
    if (writer->failed || writer->capacity - writer->at < count) {
        writer->failed = true;
        return NULL;
    }
    uint8_t *at = writer->bytes + writer->at;
    writer->at += count;
    return at;
}

uint8_t *bksi_evidence_begin_state(bksi_byte_writer *writer, uint64_t offset, size_t count)
{
    return begin_bytes(writer, BKS_EVIDENCE_STATE, offset, count);
}

uint8_t *bksi_evidence_begin_pages(bksi_byte_writer *writer, bks_tick tick, size_t pages)
{
    return begin_bytes(writer, BKS_EVIDENCE_PAGES, (uint32_t)tick, pages * PAGE_HASH_BYTES);
}

// ---- reading evidence and match logs ----

bool bksi_evidence_read(bksi_evidence_head *head, bksi_packed *content, const uint8_t *bytes,
                        size_t count)
{
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, count);
    const uint64_t tick = bksi_read_varint(&reader);
    *head = (bksi_evidence_head){.peer = bksi_read_u8(&reader)};
    head->own_bytes = bksi_read_varint(&reader);
    head->peer_bytes = bksi_read_varint(&reader);
    if (reader.failed || tick > INT32_MAX || head->own_bytes > BKSI_STATE_BYTES_MAX) {
        return false;
    }
    head->tick = (bks_tick)tick;
    return read_sized(content, &reader, BKS_EVIDENCE_BYTES_MAX);
}

static void read_block(bksi_byte_reader *reader, bks_evidence_part *part)
{
    const uint64_t number = bksi_read_varint(reader);
    reader->failed |= number > BKSI_STATE_BYTES_MAX / BKSI_EVIDENCE_BLOCK_BYTES;
    part->offset_bytes = number * BKSI_EVIDENCE_BLOCK_BYTES;
    part->own = bksi_read_bytes(reader, BKSI_EVIDENCE_BLOCK_BYTES);
    part->peer = bksi_read_bytes(reader, BKSI_EVIDENCE_BLOCK_BYTES);
    part->count = BKSI_EVIDENCE_BLOCK_BYTES;
}

static void read_state(bksi_byte_reader *reader, bks_evidence_part *part)
{
    part->offset_bytes = bksi_read_varint(reader);
    part->count = bksi_byte_reader_left(reader);
    part->own = bksi_read_bytes(reader, part->count);
    reader->failed |= part->count == 0 || part->offset_bytes > BKSI_STATE_BYTES_MAX - part->count;
}

static void read_pages(bksi_byte_reader *reader, bks_evidence_part *part)
{
    const uint64_t tick = bksi_read_varint(reader);
    const size_t bytes = bksi_byte_reader_left(reader);
    part->hashes = bksi_read_bytes(reader, bytes);
    part->count = bytes / PAGE_HASH_BYTES;
    reader->failed |= tick > INT32_MAX || bytes % PAGE_HASH_BYTES != 0;
    part->tick = (bks_tick)tick;
}

/// Read the content of a part of evidence, by the kind of the part.
/// @return false when the content is wrong
static bool read_part(const uint8_t *bytes, size_t count, bks_evidence_part *part)
{
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, count);
    switch (part->kind) {
    case BKS_EVIDENCE_TEXT:
        bksi_read_text(&reader, part->text, sizeof(part->text));
        break;
    case BKS_EVIDENCE_ENVIRONMENT:
        bksi_read_text(&reader, part->name, sizeof(part->name));
        bksi_read_text(&reader, part->text, sizeof(part->text));
        break;
    case BKS_EVIDENCE_BLOCK:
        read_block(&reader, part);
        break;
    case BKS_EVIDENCE_STATE:
        read_state(&reader, part);
        break;
    case BKS_EVIDENCE_PAGES:
        read_pages(&reader, part);
        break;
    }
    return !reader.failed && bksi_byte_reader_left(&reader) == 0;
}

/// Count a part.
/// @return false if the record has too many of them
static bool count_part(bksi_evidence_cursor *cursor, uint32_t kind)
{
    cursor->parts++;
    cursor->pairs += kind == BKS_EVIDENCE_ENVIRONMENT;
    cursor->blocks += kind == BKS_EVIDENCE_BLOCK;
    return cursor->parts <= BKSI_EVIDENCE_PARTS_MAX &&
           cursor->pairs <= BKSI_EVIDENCE_PARTS_OF_KIND_MAX &&
           cursor->blocks <= BKSI_EVIDENCE_PARTS_OF_KIND_MAX;
}

bool bksi_evidence_next(bksi_evidence_cursor *cursor, bks_evidence_part *part)
{
    bksi_byte_reader *content = &cursor->content;
    while (!content->failed && bksi_byte_reader_left(content) > 0) {
        const uint32_t kind = bksi_read_u8(content);
        const uint64_t count = bksi_read_varint(content);
        if (content->failed || count > bksi_byte_reader_left(content) ||
            !count_part(cursor, kind)) {
            content->failed = true;
            return false;
        }
        const uint8_t *bytes = bksi_read_bytes(content, (size_t)count);
        if (kind < BKS_EVIDENCE_TEXT || kind > BKS_EVIDENCE_PAGES) {
            continue; // skip a kind of content that only later versions know
        }
        *part = (bks_evidence_part){.kind = (bks_evidence_kind)kind};
        content->failed = !read_part(bytes, (size_t)count, part);
        return !content->failed;
    }
    return false;
}
