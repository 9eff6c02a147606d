// SPDX-License-Identifier: MIT

#include "replay/format/replay_commands.h"

size_t bksi_commands_pack(bksi_packer *packer, bks_tick tick, const bks_commands *commands,
                          uint32_t players, uint64_t *packed_bytes, uint64_t offset)
{
    bksi_byte_writer head = bksi_packer_head(packer);
    bksi_byte_writer content = bksi_packer_content(packer);
    bksi_write_u32(&head, (uint32_t)tick);
    for (uint32_t p = 0; p < players; p++) {
        if (commands[p].count > 0) {
            bksi_write_u8(&content, (uint8_t)p);
            bksi_write_u32(&content, commands[p].count);
            bksi_write_bytes(&content, commands[p].bytes, commands[p].count);
        }
    }
    if (!bksi_commands_may_have(*packed_bytes + content.at, offset)) {
        return bksi_packer_store(packer, &head, content.bytes, content.at);
    }
    *packed_bytes += content.at;
    return bksi_packer_pack(packer, &head, content.bytes, content.at);
}

/// Read the head and the packed content of a CMDS record.
static bool read_packed(const uint8_t *payload, size_t count, bks_tick *tick, bksi_packed *packed)
{
    bksi_byte_reader reader = bksi_byte_reader_over(payload, count);
    const uint32_t number = bksi_read_u32(&reader);
    *tick = (bks_tick)number;
    return !reader.failed && number <= INT32_MAX && bksi_packed_read(packed, &reader) &&
           packed->bytes <= BKS_PLAYERS_MAX * (size_t)BKSI_COMMANDS_PLAYER_BYTES_MAX;
}

bool bksi_commands_read_head(bksi_commands_place *place, const uint8_t *payload, size_t count)
{
    bksi_packed packed = {0};
    if (!read_packed(payload, count, &place->tick, &packed)) {
        return false;
    }
    place->content_bytes = packed.bytes;
    place->is_packed = packed.is_packed;
    return packed.bytes > 0;
}

bool bksi_commands_unpack(const uint8_t *payload, size_t count, uint8_t *content, uint32_t players,
                          bks_commands *commands)
{
    bksi_packed packed = {0};
    bks_tick tick;
    for (uint32_t p = 0; p < players; p++) {
        commands[p] = (bks_commands){0};
    }
    if (!read_packed(payload, count, &tick, &packed) || !bksi_packed_unpack(&packed, content)) {
        return false;
    }
    bksi_byte_reader reader = bksi_byte_reader_over(content, packed.bytes);
    uint32_t least = 0; // least number of the next player: players come in rising order
    while (bksi_byte_reader_left(&reader) > 0) {
        const uint32_t player = bksi_read_u8(&reader);
        const uint32_t bytes = bksi_read_u32(&reader);
        if (reader.failed || player < least || player >= players || bytes == 0 ||
            bytes > BKSI_COMMANDS_BYTES_MAX || bytes > bksi_byte_reader_left(&reader)) {
            return false;
        }
        commands[player] = (bks_commands){.bytes = content + reader.at, .count = bytes};
        reader.at += bytes;
        least = player + 1;
        if (!bksi_commands_are_framed(&commands[player], BKS_COMMAND_BYTES_MAX)) {
            return false;
        }
    }
    return true;
}
