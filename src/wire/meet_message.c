// SPDX-License-Identifier: MIT

#include "wire/meet_message.h"

enum {
    STAGE_BITS = 3,
    STAGE_MASK = 7,
    SEEN_MAX = BKSI_MEET_ENDED + 1,
    IS_REFUSED = 1 << 6, ///< flag `is_refused`, in the same byte as `stage` and `seen`
};

static bool has_statement(bksi_meet_stage stage)
{
    return stage == BKSI_MEET_STATED || stage == BKSI_MEET_DONE || stage == BKSI_MEET_ENDED;
}

static bool has_source(bksi_meet_stage stage)
{
    return stage == BKSI_MEET_DONE || stage == BKSI_MEET_ENDED;
}

static void write_ticks(bksi_byte_writer *writer, uint32_t peers, const bks_tick *ticks)
{
    bksi_write_u8(writer, (uint8_t)peers);
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        if ((peers >> i & 1) != 0) {
            bksi_write_u32(writer, (uint32_t)ticks[i]);
        }
    }
}

static void write_repairs(bksi_byte_writer *writer, const bksi_meet_message *message)
{
    bksi_write_u8(writer, (uint8_t)message->repaired);
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        if ((message->repaired >> i & 1) != 0) {
            const bksi_meet_repair *repair = &message->repairs[i];
            bksi_write_u32(writer, (uint32_t)repair->since);
            bksi_write_u8(writer, (uint8_t)repair->from);
            bksi_write_u64(writer, repair->bytes);
        }
    }
}

void bksi_meet_write(bksi_byte_writer *writer, const bksi_meet_message *message)
{
    bksi_write_u32(writer, (uint32_t)message->tick);
    const uint32_t refused = message->is_refused && has_statement(message->stage) ? IS_REFUSED : 0;
    bksi_write_u8(writer,
                  (uint8_t)((uint32_t)message->stage | message->seen << STAGE_BITS | refused));
    if (!has_statement(message->stage)) {
        return;
    }
    bksi_write_u64(writer, message->state);
    bksi_write_u64(writer, message->inputs);
    bksi_write_u64(writer, message->before);
    write_ticks(writer, message->known, message->same);
    write_ticks(writer, message->differing, message->since);
    if (has_source(message->stage)) {
        bksi_write_u64(writer, message->now);
        bksi_write_u8(writer, (uint8_t)message->from);
        bksi_write_u64(writer, message->bytes);
    }
    if (message->stage == BKSI_MEET_ENDED) {
        write_repairs(writer, message);
    }
}

/// Read a mask of peers and a tick for each peer in it.
/// @return false when a tick is above `most`
static bool read_ticks(bksi_byte_reader *reader, bks_tick most, uint32_t *peers, bks_tick *ticks)
{
    *peers = bksi_read_u8(reader);
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        const uint32_t tick = (*peers >> i & 1) != 0 ? bksi_read_u32(reader) : 0;
        if (tick > (uint32_t)most) {
            return false;
        }
        ticks[i] = (bks_tick)tick;
    }
    return true;
}

/// Read the mask of repaired peers and the repair of each.
/// @return false when a repair is out of range
static bool read_repairs(bksi_byte_reader *reader, bksi_meet_message *message)
{
    bool can_be = true;
    message->repaired = bksi_read_u8(reader);
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        if ((message->repaired >> i & 1) != 0) {
            const uint32_t since = bksi_read_u32(reader);
            can_be &= since <= (uint32_t)message->tick;
            message->repairs[i].since = can_be ? (bks_tick)since : 0;
            message->repairs[i].from = bksi_read_u8(reader);
            can_be &= message->repairs[i].from < BKS_PEERS_MAX;
            message->repairs[i].bytes = bksi_read_u64(reader);
        }
    }
    return can_be;
}

static bool read_statement(bksi_byte_reader *reader, bksi_meet_message *message)
{
    message->state = bksi_read_u64(reader);
    message->inputs = bksi_read_u64(reader);
    message->before = bksi_read_u64(reader);
    if (!read_ticks(reader, message->tick, &message->known, message->same) ||
        !read_ticks(reader, message->tick, &message->differing, message->since)) {
        return false;
    }
    if (has_source(message->stage)) {
        message->now = bksi_read_u64(reader);
        message->from = bksi_read_u8(reader);
        message->bytes = bksi_read_u64(reader);
    }
    return message->from < BKS_PEERS_MAX &&
           (message->stage != BKSI_MEET_ENDED || read_repairs(reader, message));
}

bool bksi_meet_read(bksi_byte_reader *reader, bksi_meet_message *message)
{
    *message = (bksi_meet_message){0};
    const uint32_t tick = bksi_read_u32(reader);
    const uint32_t first = bksi_read_u8(reader);
    const uint32_t stages = first & ~(uint32_t)IS_REFUSED;
    if (reader->failed || tick > INT32_MAX || stages >> STAGE_BITS > SEEN_MAX ||
        (stages & STAGE_MASK) > BKSI_MEET_ENDED) {
        return false;
    }
    message->tick = (bks_tick)tick;
    message->stage = (bksi_meet_stage)(stages & STAGE_MASK);
    message->seen = stages >> STAGE_BITS;
    message->is_refused = first != stages;
    if (message->is_refused && !has_statement(message->stage)) {
        return false;
    }
    return (!has_statement(message->stage) || read_statement(reader, message)) && !reader->failed &&
           bksi_byte_reader_left(reader) == 0;
}
