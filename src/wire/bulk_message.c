// SPDX-License-Identifier: MIT

#include "wire/bulk_message.h"

#define HAS_REPORT 1u
#define HAS_DATA   2u

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
    bksi_write_u8(writer, (uint8_t)((message->has_report ? HAS_REPORT : 0) |
                                    (message->has_data ? HAS_DATA : 0)));
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

bool bksi_bulk_message_read(bksi_byte_reader *reader, bksi_bulk_message *message)
{
    uint8_t has = bksi_read_u8(reader);
    message->has_report = (has & HAS_REPORT) != 0;
    message->has_data = (has & HAS_DATA) != 0;
    if (reader->failed || has == 0 || has > (HAS_REPORT | HAS_DATA) ||
        (message->has_report && !read_report(reader, &message->report))) {
        return false;
    }
    message->place = message->has_data ? bksi_read_u32(reader) : 0;
    message->bytes = reader->failed ? 0 : bksi_byte_reader_left(reader);
    message->data = bksi_read_bytes(reader, message->bytes);
    return !reader->failed && (message->has_data || message->bytes == 0);
}
