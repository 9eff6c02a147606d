// SPDX-License-Identifier: MIT

#include "wire/meet_message.h"

enum { STAGE_BITS = 3, STAGE_MASK = 7, SEEN_MAX = BKSI_MEET_ENDED + 1 };

static bool has_statement(bksi_meet_stage stage)
{
    return stage == BKSI_MEET_STATED || stage == BKSI_MEET_DONE || stage == BKSI_MEET_ENDED;
}

static bool has_source(bksi_meet_stage stage)
{
    return stage == BKSI_MEET_DONE || stage == BKSI_MEET_ENDED;
}

void bksi_meet_write(bksi_byte_writer *writer, const bksi_meet_message *message)
{
    bksi_write_u32(writer, (uint32_t)message->tick);
    bksi_write_u8(writer, (uint8_t)((uint32_t)message->stage | message->seen << STAGE_BITS));
    if (!has_statement(message->stage)) {
        return;
    }
    bksi_write_u64(writer, message->state);
    bksi_write_u64(writer, message->inputs);
    bksi_write_u64(writer, message->before);
    bksi_write_u32(writer, (uint32_t)message->same);
    bksi_write_u8(writer, (uint8_t)message->differing);
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        if ((message->differing >> i & 1) != 0) {
            bksi_write_u32(writer, (uint32_t)message->since[i]);
        }
    }
    if (has_source(message->stage)) {
        bksi_write_u64(writer, message->now);
        bksi_write_u8(writer, (uint8_t)message->from);
        bksi_write_u64(writer, message->bytes);
    }
}

static bool read_statement(bksi_byte_reader *reader, bksi_meet_message *message)
{
    message->state = bksi_read_u64(reader);
    message->inputs = bksi_read_u64(reader);
    message->before = bksi_read_u64(reader);
    const uint32_t same = bksi_read_u32(reader);
    if (same > (uint32_t)message->tick) {
        return false;
    }
    message->same = (bks_tick)same;
    message->differing = bksi_read_u8(reader);
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        if ((message->differing >> i & 1) == 0) {
            continue;
        }
        const uint32_t since = bksi_read_u32(reader);
        if (since > (uint32_t)message->tick) {
            return false;
        }
        message->since[i] = (bks_tick)since;
    }
    if (has_source(message->stage)) {
        message->now = bksi_read_u64(reader);
        message->from = bksi_read_u8(reader);
        message->bytes = bksi_read_u64(reader);
    }
    return message->from < BKS_PEERS_MAX;
}

bool bksi_meet_read(bksi_byte_reader *reader, bksi_meet_message *message)
{
    *message = (bksi_meet_message){0};
    const uint32_t tick = bksi_read_u32(reader);
    const uint32_t stages = bksi_read_u8(reader);
    if (reader->failed || tick > INT32_MAX || stages >> STAGE_BITS > SEEN_MAX ||
        (stages & STAGE_MASK) > BKSI_MEET_ENDED) {
        return false;
    }
    message->tick = (bks_tick)tick;
    message->stage = (bksi_meet_stage)(stages & STAGE_MASK);
    message->seen = stages >> STAGE_BITS;
    return (!has_statement(message->stage) || read_statement(reader, message)) && !reader->failed &&
           bksi_byte_reader_left(reader) == 0;
}
