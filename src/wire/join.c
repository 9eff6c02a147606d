// SPDX-License-Identifier: MIT

#include "wire/join.h"

#include <string.h>

#include "wire/packet.h"

void bksi_join_write(bksi_byte_writer *writer, const bksi_join *join)
{
    bksi_write_u16(writer, (uint16_t)join->compat.protocol);
    bksi_write_u64(writer, join->nonce);
    bksi_compat_write(writer, &join->compat);
    bksi_write_u8(writer, (uint8_t)join->local_players);
    bksi_write_u8(writer, (uint8_t)(join->first_player + 1));
    bksi_write_u64(writer, join->build);
    bksi_write_u8(writer, (uint8_t)join->ready);
    if (join->ready != BKSI_NOT_READY) {
        bksi_write_u64(writer, join->start_hash);
    }
    if (join->ready != BKSI_EXPLAINS) {
        return;
    }
    bksi_write_u8(writer, (uint8_t)join->parts.count);
    for (uint32_t i = 0; i < join->parts.count; i++) {
        bksi_write_u64(writer, join->parts.hashes[i]);
    }
}

static bool read_parts(bksi_byte_reader *reader, bksi_parts *parts)
{
    parts->count = bksi_read_u8(reader);
    if (parts->count > BKSI_PARTS_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < parts->count; i++) {
        parts->hashes[i] = bksi_read_u64(reader);
    }
    return !reader->failed;
}

bool bksi_join_read(bksi_byte_reader *reader, bksi_join *join)
{
    memset(join, 0, sizeof(*join));
    join->compat.protocol = bksi_read_u16(reader);
    join->nonce = bksi_read_u64(reader);
    if (join->compat.protocol != BKSI_PROTOCOL_VERSION) {
        return !reader->failed;
    }
    bksi_compat_read(reader, &join->compat);
    join->local_players = bksi_read_u8(reader);
    join->first_player = (int32_t)bksi_read_u8(reader) - 1;
    join->build = bksi_read_u64(reader);
    uint8_t ready = bksi_read_u8(reader);
    if (ready > BKSI_EXPLAINS) {
        return false;
    }
    join->ready = (bksi_readiness)ready;
    if (join->ready != BKSI_NOT_READY) {
        join->start_hash = bksi_read_u64(reader);
    }
    if (join->ready == BKSI_EXPLAINS && !read_parts(reader, &join->parts)) {
        return false;
    }
    if (reader->failed || bksi_byte_reader_left(reader) != 0) {
        return false;
    }
    return join->local_players >= 1 && join->local_players <= BKS_PLAYERS_MAX &&
           join->first_player < BKS_PLAYERS_MAX;
}

void bksi_refuse_write(bksi_byte_writer *writer, const bksi_refuse *refuse)
{
    bksi_write_u8(writer, (uint8_t)refuse->reason);
    bksi_write_u64(writer, refuse->nonce);
    bksi_write_u16(writer, (uint16_t)refuse->compat.protocol);
    bksi_compat_write(writer, &refuse->compat);
    bksi_write_u8(writer, (uint8_t)refuse->seats_free);
    bksi_write_text(writer, refuse->text);
    if (refuse->reason != BKSI_REFUSED_UNEQUAL) {
        return;
    }
    bksi_write_u8(writer, (uint8_t)refuse->difference.peers);
    bksi_write_u8(writer, (uint8_t)refuse->difference.parts);
    bksi_write_bytes(writer, refuse->difference.differ, BKSI_PARTS_MASK_BYTES);
}

static bool read_difference(bksi_byte_reader *reader, bksi_difference *difference)
{
    difference->peers = bksi_read_u8(reader);
    difference->parts = bksi_read_u8(reader);
    const uint8_t *differ = bksi_read_bytes(reader, BKSI_PARTS_MASK_BYTES);
    if (differ == NULL || difference->peers == 0 || (difference->peers & 1) != 0 ||
        difference->parts > BKSI_PARTS_MAX) {
        return false;
    }
    memcpy(difference->differ, differ, BKSI_PARTS_MASK_BYTES);
    for (uint32_t i = difference->parts; i < BKSI_PARTS_MAX; i++) {
        if (bksi_difference_has(difference, i)) {
            return false;
        }
    }
    return true;
}

bool bksi_difference_has(const bksi_difference *difference, uint32_t part)
{
    return (difference->differ[part / 8] >> part % 8 & 1) != 0;
}

bool bksi_refuse_read(bksi_byte_reader *reader, bksi_refuse *refuse)
{
    memset(refuse, 0, sizeof(*refuse));
    refuse->reason = bksi_read_u8(reader);
    refuse->nonce = bksi_read_u64(reader);
    refuse->compat.protocol = bksi_read_u16(reader);
    if (refuse->compat.protocol != BKSI_PROTOCOL_VERSION) {
        return !reader->failed && refuse->reason == BKSI_MISMATCH_PROTOCOL;
    }
    bksi_compat_read(reader, &refuse->compat);
    refuse->seats_free = bksi_read_u8(reader);
    bksi_read_text(reader, refuse->text, sizeof(refuse->text));
    if (refuse->reason == BKSI_REFUSED_UNEQUAL && !read_difference(reader, &refuse->difference)) {
        return false;
    }
    if (reader->failed || bksi_byte_reader_left(reader) != 0) {
        return false;
    }
    return refuse->reason >= BKSI_MISMATCH_PROTOCOL && refuse->reason <= BKSI_REFUSED_UNEQUAL &&
           refuse->seats_free <= BKS_PLAYERS_MAX;
}
