// SPDX-License-Identifier: MIT

// For memory of a known size, taken before the match: part of the shared library all the same.
#define ZSTD_STATIC_LINKING_ONLY

#include "replay/format/replay_marks.h"

#include <string.h>
#include <zstd.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "base/report.h"
#include "replay/format/replay_chunk.h"
#include "replay/format/replay_delta.h"
#include "replay/format/replay_format.h"

/// It is done in the middle of a match.
#define PACKING_LEVEL 1

/// Three numbers of at most 5 bytes, and how it is packed.
#define FIXED_BYTES_MAX 16u

/// The length in front of a row.
#define LENGTH_BYTES_MAX 3u

/// Rows are packed when so many bytes of them are there.
#define GATHERED_BYTES (1u << 20)

/// Most bytes of a mark's name and of a note.
#define TEXT_BYTES_MAX 255u

/// What the first byte of an entry says: how its state is coded, or that it is a note.
enum { KIND_CHANGED = 0, KIND_WHOLE = 1, KIND_NOTE = 2 };

struct bksi_mark_packer {
    bks_allocator allocator;
    size_t row_bytes_max;
    uint32_t ticks;
    bool has_bytes; ///< some row has
    uint8_t *rows;
    size_t rows_bytes;
    size_t used;
    uint8_t *record;
    size_t record_bytes_max;
    uint8_t *work; ///< of zstd
    size_t work_bytes;
    ZSTD_CCtx *zstd; ///< in `work`
};

bksi_mark_packer *bksi_mark_packer_create(size_t row_bytes_max, const bks_allocator *allocator)
{
    BKS_ASSERT(row_bytes_max <= BKSI_MARK_ROW_BYTES_MAX);
    bksi_mark_packer *packer = bksi_alloc(allocator, sizeof(*packer), _Alignof(bksi_mark_packer));
    if (packer == NULL) {
        return NULL;
    }
    memset(packer, 0, sizeof(*packer));
    packer->allocator = *allocator;
    packer->row_bytes_max = row_bytes_max;
    packer->rows_bytes = GATHERED_BYTES + row_bytes_max + LENGTH_BYTES_MAX;
    packer->record_bytes_max =
        BKSI_RECORD_EXTRA_BYTES + FIXED_BYTES_MAX + ZSTD_compressBound(packer->rows_bytes);
    packer->work_bytes = ZSTD_estimateCCtxSize(PACKING_LEVEL);
    packer->rows = bksi_alloc(allocator, packer->rows_bytes, 64);
    packer->record = bksi_alloc(allocator, packer->record_bytes_max, 64);
    packer->work = bksi_alloc(allocator, packer->work_bytes, 64);
    if (packer->rows == NULL || packer->record == NULL || packer->work == NULL) {
        bksi_mark_packer_destroy(packer);
        return NULL;
    }
    packer->zstd = ZSTD_initStaticCCtx(packer->work, packer->work_bytes);
    BKS_ASSERT(packer->zstd != NULL);
    return packer;
}

void bksi_mark_packer_destroy(bksi_mark_packer *packer)
{
    if (packer == NULL) {
        return;
    }
    const bks_allocator allocator = packer->allocator;
    bksi_free(&allocator, packer->rows, packer->rows_bytes);
    bksi_free(&allocator, packer->record, packer->record_bytes_max);
    bksi_free(&allocator, packer->work, packer->work_bytes);
    bksi_free(&allocator, packer, sizeof(*packer));
}

bool bksi_mark_packer_fits(const bksi_mark_packer *packer, size_t row_bytes)
{
    return packer->ticks < BKSI_CHUNK_TICKS_MAX && packer->used < GATHERED_BYTES &&
           packer->used + LENGTH_BYTES_MAX + row_bytes <= packer->rows_bytes;
}

void bksi_mark_packer_add(bksi_mark_packer *packer, const uint8_t *row, size_t row_bytes)
{
    BKS_ASSERT(bksi_mark_packer_fits(packer, row_bytes));
    bksi_byte_writer writer =
        bksi_byte_writer_over(packer->rows + packer->used, packer->rows_bytes - packer->used);
    bksi_write_varint(&writer, row_bytes);
    if (row_bytes > 0) {
        bksi_write_bytes(&writer, row, row_bytes);
    }
    BKS_ASSERT(!writer.failed);
    packer->used += writer.at;
    packer->ticks++;
    packer->has_bytes = packer->has_bytes || row_bytes > 0;
}

uint8_t *bksi_mark_packer_record(bksi_mark_packer *packer)
{
    return packer->record;
}

size_t bksi_mark_packer_pack(bksi_mark_packer *packer, bks_tick end)
{
    const size_t used = packer->used;
    const uint32_t ticks = packer->ticks;
    const bool has_bytes = packer->has_bytes;
    packer->used = 0;
    packer->ticks = 0;
    packer->has_bytes = false;
    if (!has_bytes) {
        return 0;
    }
    bksi_byte_writer writer =
        bksi_byte_writer_over(packer->record + BKSI_RECORD_HEAD_BYTES, FIXED_BYTES_MAX);
    bksi_write_varint(&writer, (uint32_t)end - ticks);
    bksi_write_varint(&writer, ticks);
    bksi_write_varint(&writer, used);
    uint8_t *packed = packer->record + BKSI_RECORD_HEAD_BYTES + writer.at + 1;
    size_t packed_bytes =
        ZSTD_compressCCtx(packer->zstd, packed, ZSTD_compressBound(packer->rows_bytes),
                          packer->rows, used, PACKING_LEVEL);
    const bool is_packed = !ZSTD_isError(packed_bytes) && packed_bytes < used;
    if (!is_packed) {
        packed_bytes = used;
        memcpy(packed, packer->rows, used);
    }
    bksi_write_u8(&writer, is_packed);
    return writer.at + packed_bytes;
}

bool bksi_marks_read(bksi_packed_marks *marks, const uint8_t *bytes, size_t count)
{
    memset(marks, 0, sizeof(*marks));
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, count);
    const uint64_t first = bksi_read_varint(&reader);
    const uint64_t ticks = bksi_read_varint(&reader);
    const uint64_t all = bksi_read_varint(&reader);
    const uint8_t packing = bksi_read_u8(&reader);
    if (reader.failed || ticks < 1 || ticks > BKSI_CHUNK_TICKS_MAX ||
        first > (uint64_t)INT32_MAX - ticks || all < ticks || all > BKSI_MARKS_BYTES_MAX ||
        packing > 1) {
        return false;
    }
    marks->first = (bks_tick)first;
    marks->ticks = (uint32_t)ticks;
    marks->bytes = (size_t)all;
    marks->is_packed = packing == 1;
    marks->packed_bytes = bksi_byte_reader_left(&reader);
    marks->packed = bksi_read_bytes(&reader, marks->packed_bytes);
    return marks->is_packed
               ? ZSTD_getFrameContentSize(marks->packed, marks->packed_bytes) == marks->bytes
               : marks->packed_bytes == marks->bytes;
}

bool bksi_marks_unpack(const bksi_packed_marks *marks, uint8_t *out)
{
    if (!marks->is_packed) {
        memcpy(out, marks->packed, marks->bytes);
        return true;
    }
    const size_t count = ZSTD_decompress(out, marks->bytes, marks->packed, marks->packed_bytes);
    return !ZSTD_isError(count) && count == marks->bytes;
}

static bool is_printable(uint8_t byte)
{
    return byte >= 0x20 && byte <= 0x7E;
}

/// A text of a game, which may be any bytes, as a file may hold it.
/// @return its length
static size_t make_printable(const char *text, char out[TEXT_BYTES_MAX])
{
    static const char digits[] = "0123456789abcdef";
    size_t length = 0;
    for (; *text != '\0'; text++) {
        const uint8_t byte = (uint8_t)*text;
        const bool is_plain = is_printable(byte);
        if (length + (is_plain ? 1 : 4) > TEXT_BYTES_MAX) {
            break;
        }
        if (is_plain) {
            out[length++] = *text;
            continue;
        }
        out[length++] = '\\';
        out[length++] = 'x';
        out[length++] = digits[byte >> 4];
        out[length++] = digits[byte & 15];
    }
    return length;
}

bool bksi_mark_entry_write(uint8_t *row, size_t capacity, size_t *count,
                           const bksi_mark_entry *entry)
{
    bksi_byte_writer writer = bksi_byte_writer_over(row, capacity);
    writer.at = *count;
    char name[TEXT_BYTES_MAX];
    const size_t length = make_printable(entry->name, name);
    bksi_write_u8(&writer, entry->is_note    ? KIND_NOTE
                           : entry->is_whole ? KIND_WHOLE
                                             : KIND_CHANGED);
    bksi_write_u8(&writer, (uint8_t)length);
    bksi_write_bytes(&writer, name, length);
    if (!entry->is_note) {
        bksi_write_varint(&writer, entry->state_bytes);
        bksi_write_varint(&writer, entry->delta_bytes);
        bksi_write_bytes(&writer, entry->delta, entry->delta_bytes);
    }
    if (writer.failed) {
        return false;
    }
    *count = writer.at;
    return true;
}

static bool read_name(bksi_byte_reader *reader, char out[TEXT_BYTES_MAX + 1])
{
    const uint8_t length = bksi_read_u8(reader);
    const uint8_t *name = bksi_read_bytes(reader, length);
    if (reader->failed || name == NULL) {
        return false;
    }
    for (uint8_t i = 0; i < length; i++) {
        if (!is_printable(name[i])) {
            return false;
        }
    }
    memcpy(out, name, length);
    out[length] = '\0';
    return true;
}

/// What stands behind the name; nothing of a note.
static bool read_state(bksi_byte_reader *reader, bksi_mark_entry *out)
{
    const uint64_t state_bytes = out->is_note ? 0 : bksi_read_varint(reader);
    const uint64_t delta_bytes = out->is_note ? 0 : bksi_read_varint(reader);
    if (reader->failed || (state_bytes < 1 && !out->is_note) ||
        state_bytes > BKSI_MARK_STATE_BYTES_MAX || delta_bytes > bksi_byte_reader_left(reader)) {
        return false;
    }
    out->state_bytes = (size_t)state_bytes;
    out->delta_bytes = (size_t)delta_bytes;
    out->delta = out->is_note ? NULL : bksi_read_bytes(reader, out->delta_bytes);
    return true;
}

bool bksi_mark_entry_read(const uint8_t *row, size_t count, size_t *at, bksi_mark_entry *out)
{
    if (*at >= count) {
        return false;
    }
    bksi_byte_reader reader = bksi_byte_reader_over(row + *at, count - *at);
    const uint8_t kind = bksi_read_u8(&reader);
    if (kind > KIND_NOTE || !read_name(&reader, out->name)) {
        return false;
    }
    out->is_note = kind == KIND_NOTE;
    out->is_whole = kind == KIND_WHOLE;
    if (!read_state(&reader, out)) {
        return false;
    }
    *at = count - bksi_byte_reader_left(&reader);
    return true;
}

bool bksi_mark_row_is_right(const uint8_t *row, size_t count)
{
    bksi_mark_entry entry;
    size_t at = 0;
    uint64_t states_bytes = 0;
    for (bool is_first = true; bksi_mark_entry_read(row, count, &at, &entry); is_first = false) {
        states_bytes += entry.state_bytes;
        if (entry.is_note) {
            if (is_first) {
                return false;
            }
            continue;
        }
        if ((entry.is_whole && !is_first) || states_bytes > BKSI_MARK_STATES_BYTES_MAX ||
            !bksi_delta_is_right(entry.delta, entry.delta_bytes, entry.state_bytes)) {
            return false;
        }
    }
    return at == count;
}
