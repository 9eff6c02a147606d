// SPDX-License-Identifier: MIT

#include "wire/small_messages.h"

void bksi_link_message_write(bksi_byte_writer *writer, const bksi_link_message *message)
{
    bksi_write_u32(writer, message->stamp_us);
    bksi_write_u8(writer, message->has_echo ? 1 : 0);
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
    uint8_t has_echo = bksi_read_u8(reader);
    message->has_echo = has_echo == 1;
    message->echo_us = bksi_read_u32(reader);
    message->hold_us = bksi_read_u32(reader);
    message->has_roster = bksi_byte_reader_left(reader) > 0;
    message->change = message->has_roster ? bksi_read_u32(reader) : 0;
    message->roster = message->has_roster ? bksi_read_u64(reader) : 0;
    return !reader->failed && bksi_byte_reader_left(reader) == 0 && has_echo <= 1;
}

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
