// SPDX-License-Identifier: MIT

#include "replay/format/replay_evidence.h"

#include <string.h>

#include "replay/format/replay_state.h"

// For memory of a known size, taken before the match: part of the shared library all the same.
#define ZSTD_STATIC_LINKING_ONLY

#include <string.h>
#include <zstd.h>

#include "base/memory.h"
#include "base/report.h"
#include "replay/format/replay_format.h"

/// It is done in the middle of a match.
#define PACKING_LEVEL 1

/// How many bytes the content has, and how it is packed.
#define BETWEEN_BYTES_MAX 11u

struct bksi_packer {
    bks_allocator allocator;
    size_t head_bytes_max;
    uint8_t *content;
    size_t content_bytes_max;
    uint8_t *record;
    size_t record_bytes_max;
    uint8_t *work; ///< of zstd
    size_t work_bytes;
    ZSTD_CCtx *zstd; ///< in `work`
};

bksi_packer *bksi_packer_create(size_t head_bytes_max, size_t content_bytes_max,
                                const bks_allocator *allocator)
{
    bksi_packer *packer = bksi_alloc(allocator, sizeof(*packer), _Alignof(bksi_packer));
    if (packer == NULL) {
        return NULL;
    }
    packer->allocator = *allocator;
    packer->head_bytes_max = head_bytes_max;
    packer->content_bytes_max = content_bytes_max;
    packer->record_bytes_max = BKSI_RECORD_EXTRA_BYTES + head_bytes_max + BETWEEN_BYTES_MAX +
                               ZSTD_compressBound(content_bytes_max);
    packer->work_bytes = ZSTD_estimateCCtxSize(PACKING_LEVEL);
    packer->content = bksi_alloc(allocator, content_bytes_max, 64);
    packer->record = bksi_alloc(allocator, packer->record_bytes_max, 64);
    packer->work = bksi_alloc(allocator, packer->work_bytes, 64);
    if (packer->content == NULL || packer->record == NULL || packer->work == NULL) {
        bksi_packer_destroy(packer);
        return NULL;
    }
    packer->zstd = ZSTD_initStaticCCtx(packer->work, packer->work_bytes);
    BKS_ASSERT(packer->zstd != NULL);
    return packer;
}

void bksi_packer_destroy(bksi_packer *packer)
{
    if (packer == NULL) {
        return;
    }
    const bks_allocator allocator = packer->allocator;
    bksi_free(&allocator, packer->content, packer->content_bytes_max);
    bksi_free(&allocator, packer->record, packer->record_bytes_max);
    bksi_free(&allocator, packer->work, packer->work_bytes);
    bksi_free(&allocator, packer, sizeof(*packer));
}

bksi_byte_writer bksi_packer_head(bksi_packer *packer)
{
    return bksi_byte_writer_over(packer->record + BKSI_RECORD_HEAD_BYTES, packer->head_bytes_max);
}

bksi_byte_writer bksi_packer_content(bksi_packer *packer)
{
    return bksi_byte_writer_over(packer->content, packer->content_bytes_max);
}

size_t bksi_packer_pack(bksi_packer *packer, const bksi_byte_writer *head,
                        const bksi_byte_writer *content)
{
    BKS_ASSERT(!head->failed);
    BKS_ASSERT(!content->failed);
    bksi_byte_writer writer = *head;
    writer.capacity = packer->head_bytes_max + BETWEEN_BYTES_MAX;
    bksi_write_varint(&writer, content->at);
    uint8_t *packed = writer.bytes + writer.at + 1;
    const size_t room = ZSTD_compressBound(packer->content_bytes_max);
    size_t packed_bytes =
        ZSTD_compressCCtx(packer->zstd, packed, room, content->bytes, content->at, PACKING_LEVEL);
    const bool is_packed = !ZSTD_isError(packed_bytes) && packed_bytes < content->at;
    if (!is_packed) {
        packed_bytes = content->at;
        memcpy(packed, content->bytes, content->at);
    }
    bksi_write_u8(&writer, is_packed);
    BKS_ASSERT(!writer.failed);
    return writer.at + packed_bytes;
}

uint8_t *bksi_packer_record(bksi_packer *packer)
{
    return packer->record;
}

/// Read it, without unpacking: all that is left for the reader.
/// @return false when it is wrong, or has more than `most` bytes
static bool packed_read(bksi_packed *packed, bksi_byte_reader *reader, size_t most)
{
    *packed = (bksi_packed){0};
    const uint64_t bytes = bksi_read_varint(reader);
    const uint8_t packing = bksi_read_u8(reader);
    packed->packed_bytes = bksi_byte_reader_left(reader);
    packed->packed = bksi_read_bytes(reader, packed->packed_bytes);
    if (reader->failed || bytes < 1 || bytes > most || packing > 1) {
        return false;
    }
    packed->bytes = (size_t)bytes;
    packed->is_packed = packing == 1;
    return packed->is_packed
               ? ZSTD_getFrameContentSize(packed->packed, packed->packed_bytes) == bytes
               : packed->packed_bytes == bytes;
}

bool bksi_packed_unpack(const bksi_packed *packed, uint8_t *out)
{
    if (!packed->is_packed) {
        memcpy(out, packed->packed, packed->bytes);
        return true;
    }
    const size_t count = ZSTD_decompress(out, packed->bytes, packed->packed, packed->packed_bytes);
    return !ZSTD_isError(count) && count == packed->bytes;
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
        !packed_read(content, &reader, BKSI_LOG_BYTES_MAX)) {
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

// ---- write ----

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

/// A number, and room for bytes behind it.
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

// ---- read ----

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
    return packed_read(content, &reader, BKS_EVIDENCE_BYTES_MAX);
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

/// What stands in a part.
/// @return false when it is wrong
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

bool bksi_evidence_next(bksi_byte_reader *content, bks_evidence_part *part)
{
    while (!content->failed && bksi_byte_reader_left(content) > 0) {
        const uint32_t kind = bksi_read_u8(content);
        const uint64_t count = bksi_read_varint(content);
        if (content->failed || count > bksi_byte_reader_left(content)) {
            content->failed = true;
            return false;
        }
        const uint8_t *bytes = bksi_read_bytes(content, (size_t)count);
        if (kind < BKS_EVIDENCE_TEXT || kind > BKS_EVIDENCE_PAGES) {
            continue; // of a later version
        }
        *part = (bks_evidence_part){.kind = (bks_evidence_kind)kind};
        content->failed = !read_part(bytes, (size_t)count, part);
        return !content->failed;
    }
    return false;
}
