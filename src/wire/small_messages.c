// SPDX-License-Identifier: MIT

#include "wire/small_messages.h"

#include "wire/carried.h"

void bksi_echo_write(bksi_byte_writer *writer, const bksi_echo *echo)
{
    bksi_write_u16(writer, echo->number);
    bksi_write_u16(writer, echo->stamp);
    bksi_write_u8(writer, echo->came);
    bksi_write_u8(writer, echo->hold);
}

bksi_echo bksi_echo_read(bksi_byte_reader *reader)
{
    bksi_echo echo = {0};
    echo.number = bksi_read_u16(reader);
    echo.stamp = bksi_read_u16(reader);
    echo.came = bksi_read_u8(reader);
    echo.hold = bksi_read_u8(reader);
    return echo;
}

void bksi_link_message_write(bksi_byte_writer *writer, const bksi_link_message *message)
{
    bksi_write_u32(writer, message->stamp_us);
    bksi_write_u8(writer, (message->has_echo ? 1 : 0) | (message->is_loading ? 2 : 0));
    bksi_write_u32(writer, message->echo_us);
    bksi_write_u32(writer, message->hold_us);
    if (message->has_roster) {
        bksi_write_u32(writer, message->change);
        bksi_write_u64(writer, message->roster);
    }
}

bool bksi_link_message_read(bksi_byte_reader *reader, bksi_link_message *message)
{
    message->stamp_us = bksi_read_u32(reader);
    const uint8_t flags = bksi_read_u8(reader);
    message->has_echo = (flags & 1) != 0;
    message->is_loading = (flags & 2) != 0;
    message->echo_us = bksi_read_u32(reader);
    message->hold_us = bksi_read_u32(reader);
    message->has_roster = bksi_byte_reader_left(reader) > 0;
    message->change = message->has_roster ? bksi_read_u32(reader) : 0;
    message->roster = message->has_roster ? bksi_read_u64(reader) : 0;
    return !reader->failed && bksi_byte_reader_left(reader) == 0 && flags <= 3;
}

_Static_assert(7 + 16 * BKSI_HASHES_MAX <= BKSI_MESSAGE_BYTES_MAX, "a message has room for them");

void bksi_hashes_write(bksi_byte_writer *writer, const bksi_hashes_message *message)
{
    bksi_write_u32(writer, (uint32_t)message->first);
    bksi_write_u16(writer, (uint16_t)message->step_ticks);
    bksi_write_u8(writer, (uint8_t)message->count);
    for (uint32_t i = 0; i < message->count; i++) {
        bksi_write_u64(writer, message->state[i]);
        bksi_write_u64(writer, message->inputs[i]);
    }
}

bool bksi_hashes_read(bksi_byte_reader *reader, bksi_hashes_message *message)
{
    uint32_t first = bksi_read_u32(reader);
    message->step_ticks = bksi_read_u16(reader);
    message->count = bksi_read_u8(reader);
    if (reader->failed || message->step_ticks < 1 || message->count < 1 ||
        message->count > BKSI_HASHES_MAX ||
        first > INT32_MAX - message->count * message->step_ticks) {
        return false;
    }
    message->first = (bks_tick)first;
    for (uint32_t i = 0; i < message->count; i++) {
        message->state[i] = bksi_read_u64(reader);
        message->inputs[i] = bksi_read_u64(reader);
    }
    return !reader->failed && bksi_byte_reader_left(reader) == 0;
}

void bksi_bye_write(bksi_byte_writer *writer, bksi_bye bye)
{
    bksi_write_u8(writer, (uint8_t)bye);
}

bool bksi_bye_read(bksi_byte_reader *reader, bksi_bye *bye)
{
    uint8_t value = bksi_read_u8(reader);
    *bye = (bksi_bye)value;
    return !reader->failed && bksi_byte_reader_left(reader) == 0 && value <= BKSI_BYE_HEARD;
}

void bksi_slow_write(bksi_byte_writer *writer, uint32_t stretch)
{
    bksi_write_u8(writer, (uint8_t)stretch);
}

bool bksi_slow_read(bksi_byte_reader *reader, uint32_t *stretch)
{
    *stretch = bksi_read_u8(reader);
    return !reader->failed && bksi_byte_reader_left(reader) == 0 && *stretch <= BKSI_STRETCH_MAX;
}

#define HAS_REPORT 1u
#define HAS_DATA   2u
#define IS_LANE    4u

static void write_report(bksi_byte_writer *writer, const bksi_bulk_report *report)
{
    bksi_write_u32(writer, report->floor);
    bksi_write_varint(writer, report->window);
    bksi_write_u8(writer, (uint8_t)report->count);
    uint32_t at = 0;
    for (uint32_t i = 0; i < report->count; i++) {
        bksi_write_varint(writer, report->parts[i].begin - at);
        bksi_write_varint(writer, report->parts[i].end - report->parts[i].begin);
        at = report->parts[i].end;
    }
}

void bksi_bulk_message_write(bksi_byte_writer *writer, const bksi_bulk_message *message)
{
    bksi_write_u8(writer,
                  (uint8_t)((message->has_report ? HAS_REPORT : 0) |
                            (message->has_data ? HAS_DATA : 0) | (message->is_lane ? IS_LANE : 0)));
    if (message->has_report) {
        write_report(writer, &message->report);
    }
    if (message->has_data) {
        bksi_write_u32(writer, message->place);
        bksi_write_bytes(writer, message->data, message->bytes);
    }
}

static bool read_report(bksi_byte_reader *reader, bksi_bulk_report *report)
{
    report->floor = bksi_read_u32(reader);
    uint64_t window = bksi_read_varint(reader);
    report->count = bksi_read_u8(reader);
    if (reader->failed || window > BKSI_BULK_WINDOW_MAX || report->count > BKSI_BULK_PARTS_MAX) {
        return false;
    }
    report->window = (uint32_t)window;
    uint64_t at = 0;
    for (uint32_t i = 0; i < report->count; i++) {
        uint64_t gap = bksi_read_varint(reader);
        uint64_t length = bksi_read_varint(reader);
        if (reader->failed || gap == 0 || gap > window || length == 0 || length > window ||
            at + gap + length > window) {
            return false;
        }
        report->parts[i].begin = (uint32_t)(at + gap);
        at += gap + length;
        report->parts[i].end = (uint32_t)at;
    }
    return true;
}

bool bksi_bulk_message_is_lane(const uint8_t *body, size_t count)
{
    return count > 0 && (body[0] & IS_LANE) != 0;
}

bool bksi_bulk_message_read(bksi_byte_reader *reader, bksi_bulk_message *message)
{
    uint8_t has = bksi_read_u8(reader);
    message->is_lane = (has & IS_LANE) != 0;
    message->has_report = (has & HAS_REPORT) != 0;
    message->has_data = (has & HAS_DATA) != 0;
    if (reader->failed || (has & (HAS_REPORT | HAS_DATA)) == 0 ||
        has > (HAS_REPORT | HAS_DATA | IS_LANE) ||
        (message->has_report && !read_report(reader, &message->report))) {
        return false;
    }
    message->place = message->has_data ? bksi_read_u32(reader) : 0;
    message->bytes = reader->failed ? 0 : bksi_byte_reader_left(reader);
    message->data = bksi_read_bytes(reader, message->bytes);
    return !reader->failed && (message->has_data || message->bytes == 0);
}
