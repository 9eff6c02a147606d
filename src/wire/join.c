// SPDX-License-Identifier: MIT

#include "wire/join.h"

void bksi_join_write(bksi_byte_writer *writer, const bksi_join *join)
{
    bksi_write_u16(writer, (uint16_t)join->facts.protocol);
    bksi_write_u64(writer, join->facts.game);
    bksi_write_u32(writer, join->facts.game_version);
    bksi_write_u64(writer, join->facts.layout);
    bksi_write_u16(writer, (uint16_t)join->facts.tick_rate_hz);
    bksi_write_u64(writer, join->nonce);
    bksi_write_u8(writer, (uint8_t)join->local_players);
    bksi_write_u8(writer, (uint8_t)(join->first_player + 1));
    bksi_write_u8(writer, join->is_ready ? 1 : 0);
}

bool bksi_join_read(bksi_byte_reader *reader, bksi_join *join)
{
    join->facts.protocol = bksi_read_u16(reader);
    join->facts.game = bksi_read_u64(reader);
    join->facts.game_version = bksi_read_u32(reader);
    join->facts.layout = bksi_read_u64(reader);
    join->facts.tick_rate_hz = bksi_read_u16(reader);
    join->nonce = bksi_read_u64(reader);
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
    bksi_write_u64(writer, refuse->host);
    bksi_write_u64(writer, refuse->guest);
}

bool bksi_refuse_read(bksi_byte_reader *reader, bksi_refuse *refuse)
{
    uint8_t reason = bksi_read_u8(reader);
    refuse->nonce = bksi_read_u64(reader);
    refuse->host = bksi_read_u64(reader);
    refuse->guest = bksi_read_u64(reader);
    if (reader->failed || bksi_byte_reader_left(reader) != 0)
        return false;
    if (reason < BKSI_REFUSED_PROTOCOL || reason > BKSI_REFUSED_RUNNING)
        return false;
    refuse->reason = (bksi_refusal)reason;
    return true;
}

bksi_refusal bksi_facts_compare(const bksi_facts *host, const bksi_facts *guest,
                                bksi_refuse *refuse)
{
    const struct {
        bksi_refusal reason;
        uint64_t host, guest;
    } pairs[] = {
        {BKSI_REFUSED_PROTOCOL, host->protocol, guest->protocol},
        {BKSI_REFUSED_GAME, host->game, guest->game},
        {BKSI_REFUSED_VERSION, host->game_version, guest->game_version},
        {BKSI_REFUSED_LAYOUT, host->layout, guest->layout},
        {BKSI_REFUSED_TICK_RATE, host->tick_rate_hz, guest->tick_rate_hz},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        if (pairs[i].host == pairs[i].guest)
            continue;
        refuse->reason = pairs[i].reason;
        refuse->host = pairs[i].host;
        refuse->guest = pairs[i].guest;
        return pairs[i].reason;
    }
    return (bksi_refusal)0;
}

const char *bksi_refusal_text(bksi_refusal reason)
{
    switch (reason) {
    case BKSI_REFUSED_PROTOCOL:
        return "protocol version";
    case BKSI_REFUSED_GAME:
        return "game";
    case BKSI_REFUSED_VERSION:
        return "game version";
    case BKSI_REFUSED_LAYOUT:
        return "input layout";
    case BKSI_REFUSED_TICK_RATE:
        return "tick rate";
    case BKSI_REFUSED_SEATS:
        return "free seats";
    case BKSI_REFUSED_RUNNING:
        return "match already running";
    }
    return "unknown reason";
}
