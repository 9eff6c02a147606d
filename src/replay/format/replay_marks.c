// SPDX-License-Identifier: MIT

#include "replay/format/replay_marks.h"

#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "base/report.h"
#include "replay/format/replay_chunk.h"
#include "replay/format/replay_keyframe.h"

/// Most bytes before the content: first tick and number of ticks.
#define HEAD_BYTES_MAX 10u

/// Most bytes of a row's length, which is written before the row.
#define LENGTH_BYTES_MAX 3u

/// Size of the gathered rows from which on they are packed into a record.
#define GATHERED_BYTES (1u << 20)

/// Most bytes of a mark's name and of a note.
#define TEXT_BYTES_MAX 255u

/// Values of the first byte of an entry, which tells how its state is coded, or that the entry is a
/// note.
enum { KIND_CHANGED = 0, KIND_WHOLE = 1, KIND_NOTE = 2 };

struct bksi_mark_packer {
    bks_allocator allocator;
    uint32_t ticks;
    bool has_bytes;        ///< true if any gathered row is not empty
    bksi_packer *packer;   ///< packer of the content, which is the rows
    bksi_byte_writer rows; ///< writer of the rows into the packer's content
};

bksi_mark_packer *bksi_mark_packer_create(size_t row_bytes_max, const bks_allocator *allocator)
{
    BKS_ASSERT(row_bytes_max <= BKSI_MARK_ROW_BYTES_MAX);
    bksi_mark_packer *packer = bksi_alloc(allocator, sizeof(*packer), _Alignof(bksi_mark_packer));
    if (packer == NULL) {
        return NULL;
    }
    packer->allocator = *allocator;
    packer->packer = bksi_packer_create(
        HEAD_BYTES_MAX, GATHERED_BYTES + row_bytes_max + LENGTH_BYTES_MAX, allocator);
    if (packer->packer == NULL) {
        bksi_mark_packer_destroy(packer);
        return NULL;
    }
    packer->rows = bksi_packer_content(packer->packer);
    return packer;
}

void bksi_mark_packer_destroy(bksi_mark_packer *packer)
{
    if (packer == NULL) {
        return;
    }
    const bks_allocator allocator = packer->allocator;
    bksi_packer_destroy(packer->packer);
    bksi_free(&allocator, packer, sizeof(*packer));
}

bool bksi_mark_packer_fits(const bksi_mark_packer *packer, size_t row_bytes)
{
    return packer->ticks < BKSI_CHUNK_TICKS_MAX && packer->rows.at < GATHERED_BYTES &&
           packer->rows.at + LENGTH_BYTES_MAX + row_bytes <= packer->rows.capacity;
}

void bksi_mark_packer_add(bksi_mark_packer *packer, const uint8_t *row, size_t row_bytes)
{
    BKS_ASSERT(bksi_mark_packer_fits(packer, row_bytes));
    bksi_write_varint(&packer->rows, row_bytes);
    bksi_write_bytes(&packer->rows, row, row_bytes);
    BKS_ASSERT(!packer->rows.failed);
    packer->ticks++;
    packer->has_bytes = packer->has_bytes || row_bytes > 0;
}

uint8_t *bksi_mark_packer_record(bksi_mark_packer *packer)
{
    return bksi_packer_record(packer->packer);
}

size_t bksi_mark_packer_pack(bksi_mark_packer *packer, bks_tick end)
{
    const bksi_byte_writer rows = packer->rows;
    const uint32_t ticks = packer->ticks;
    const bool has_bytes = packer->has_bytes;
    packer->rows = bksi_packer_content(packer->packer);
    packer->ticks = 0;
    packer->has_bytes = false;
    if (!has_bytes) {
        return 0;
    }
    bksi_byte_writer head = bksi_packer_head(packer->packer);
    bksi_write_varint(&head, (uint32_t)end - ticks);
    bksi_write_varint(&head, ticks);
    return bksi_packer_pack_sized(packer->packer, &head, &rows);
}

bool bksi_marks_read(bksi_packed_marks *marks, const uint8_t *bytes, size_t count)
{
    memset(marks, 0, sizeof(*marks));
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, count);
    const uint64_t first = bksi_read_varint(&reader);
    const uint64_t ticks = bksi_read_varint(&reader);
    const uint64_t all = bksi_read_varint(&reader);
    if (!bksi_packed_read(&marks->rows, &reader) || ticks < 1 || ticks > BKSI_CHUNK_TICKS_MAX ||
        first > (uint64_t)INT32_MAX - ticks || all < ticks || all > BKSI_MARKS_BYTES_MAX) {
        return false;
    }
    marks->first = (bks_tick)first;
    marks->ticks = (uint32_t)ticks;
    return marks->rows.bytes == all;
}

static bool is_printable(uint8_t byte)
{
    return byte >= 0x20 && byte <= 0x7E;
}

/// Copy a text of a game, writing bytes that are not printable as \xHH.
/// @return length of the copy
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

/// Read the state after the name of an entry. A note has no state.
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

uint64_t bksi_mark_row_states_bytes(const uint8_t *row, size_t count)
{
    bksi_mark_entry entry;
    uint64_t bytes = 0;
    for (size_t at = 0; bksi_mark_entry_read(row, count, &at, &entry);) {
        bytes += entry.state_bytes;
    }
    return bytes;
}

bool bksi_mark_row_is_whole(const uint8_t *row, size_t count)
{
    bksi_mark_entry entry;
    size_t at = 0;
    return bksi_mark_entry_read(row, count, &at, &entry) && entry.is_whole;
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
