// SPDX-License-Identifier: MIT

#include "wire/join.h"

#include <string.h>

#include "wire/packet.h"

void bksi_join_write(bksi_byte_writer *writer, const bksi_join *join)
{
    bksi_write_u16(writer, (uint16_t)join->facts.protocol);
    bksi_write_u64(writer, join->nonce);
    bksi_facts_write(writer, &join->facts);
    bksi_write_u8(writer, (uint8_t)join->local_players);
    bksi_write_u8(writer, (uint8_t)(join->first_player + 1));
    bksi_write_u8(writer, join->is_ready ? 1 : 0);
}

bool bksi_join_read(bksi_byte_reader *reader, bksi_join *join)
{
    memset(join, 0, sizeof(*join));
    join->facts.protocol = bksi_read_u16(reader);
    join->nonce = bksi_read_u64(reader);
    if (join->facts.protocol != BKSI_PROTOCOL_VERSION)
        return !reader->failed;
    bksi_facts_read(reader, &join->facts);
    join->local_players = bksi_read_u8(reader);
    join->first_player = (int32_t)bksi_read_u8(reader) - 1;
    uint8_t ready = bksi_read_u8(reader);
    join->is_ready = ready == 1;
    if (reader->failed || bksi_byte_reader_left(reader) != 0 || ready > 1)
        return false;
    return join->local_players >= 1 && join->local_players <= BKS_PLAYERS_MAX &&
           join->first_player < BKS_PLAYERS_MAX;
}

void bksi_refuse_write(bksi_byte_writer *writer, const bksi_refuse *refuse)
{
    bksi_write_u8(writer, (uint8_t)refuse->reason);
    bksi_write_u64(writer, refuse->nonce);
    bksi_write_u16(writer, (uint16_t)refuse->facts.protocol);
    bksi_facts_write(writer, &refuse->facts);
    bksi_write_u8(writer, (uint8_t)refuse->seats_free);
    bksi_write_text(writer, refuse->text);
}

bool bksi_refuse_read(bksi_byte_reader *reader, bksi_refuse *refuse)
{
    memset(refuse, 0, sizeof(*refuse));
    refuse->reason = bksi_read_u8(reader);
    refuse->nonce = bksi_read_u64(reader);
    refuse->facts.protocol = bksi_read_u16(reader);
    if (refuse->facts.protocol != BKSI_PROTOCOL_VERSION)
        return !reader->failed && refuse->reason == BKSI_FACT_PROTOCOL;
    bksi_facts_read(reader, &refuse->facts);
    refuse->seats_free = bksi_read_u8(reader);
    bksi_read_text(reader, refuse->text, sizeof(refuse->text));
    if (reader->failed || bksi_byte_reader_left(reader) != 0)
        return false;
    return refuse->reason >= BKSI_FACT_PROTOCOL && refuse->reason <= BKSI_REFUSED_START &&
           refuse->seats_free <= BKS_PLAYERS_MAX;
}
