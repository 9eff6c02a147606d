// SPDX-License-Identifier: MIT

#include "wire/join.h"

#include <stdio.h>
#include <string.h>

#include "backstitch/match.h"

#include "wire/packet.h"

/// Write a compat without the protocol version, which comes before it.
static void compat_write(bksi_byte_writer *writer, const bksi_compat *compat)
{
    bksi_write_text(writer, compat->game);
    bksi_write_u32(writer, compat->game_version);
    bksi_write_u64(writer, compat->layout);
    bksi_write_u64(writer, compat->setup_form);
    bksi_write_u16(writer, (uint16_t)compat->tick_rate_hz);
    for (uint32_t op = 0; op < BKSI_ARITHMETIC_OPS; op++) {
        bksi_write_u16(writer, compat->arithmetic.sums[op]);
    }
    bksi_write_u16(writer, (uint16_t)compat->game_arithmetic);
}

/// Read a compat without the protocol version. The reader fails if the bytes are wrong.
static void compat_read(bksi_byte_reader *reader, bksi_compat *compat)
{
    bksi_read_text(reader, compat->game, sizeof(compat->game));
    compat->game_version = bksi_read_u32(reader);
    compat->layout = bksi_read_u64(reader);
    compat->setup_form = bksi_read_u64(reader);
    compat->tick_rate_hz = bksi_read_u16(reader);
    for (uint32_t op = 0; op < BKSI_ARITHMETIC_OPS; op++) {
        compat->arithmetic.sums[op] = bksi_read_u16(reader);
    }
    compat->game_arithmetic = bksi_read_u16(reader);
    reader->failed |= compat->game[0] == '\0';
}

bksi_mismatch bksi_compat_compare(const bksi_compat *ours, const bksi_compat *theirs)
{
    if (ours->protocol != theirs->protocol) {
        return BKSI_MISMATCH_PROTOCOL;
    }
    if (strcmp(ours->game, theirs->game) != 0) {
        return BKSI_MISMATCH_GAME;
    }
    if (ours->game_version != theirs->game_version) {
        return BKSI_MISMATCH_VERSION;
    }
    if (ours->layout != theirs->layout) {
        return BKSI_MISMATCH_LAYOUT;
    }
    if (ours->setup_form != theirs->setup_form) {
        return BKSI_MISMATCH_SETUP;
    }
    if (ours->tick_rate_hz != theirs->tick_rate_hz) {
        return BKSI_MISMATCH_TICK_RATE;
    }
    uint32_t op = bksi_arithmetic_compare(&ours->arithmetic, &theirs->arithmetic);
    return op < BKSI_ARITHMETIC_OPS || ours->game_arithmetic != theirs->game_arithmetic
               ? BKSI_MISMATCH_ARITHMETIC
               : BKSI_MISMATCH_NONE;
}

static void describe_arithmetic(const bksi_compat *ours, const bksi_compat *theirs, char *text,
                                size_t capacity)
{
    uint32_t op = bksi_arithmetic_compare(&ours->arithmetic, &theirs->arithmetic);
    if (op == BKSI_ARITHMETIC_OPS && ours->game_arithmetic != theirs->game_arithmetic) {
        bool is_theirs = (theirs->game_arithmetic & ~ours->game_arithmetic) != 0;
        (void)snprintf(
            text, capacity, "another arithmetic: %s game %s", is_theirs ? "their" : "our",
            bks_arithmetic_text(is_theirs ? theirs->game_arithmetic & ~ours->game_arithmetic
                                          : ours->game_arithmetic & ~theirs->game_arithmetic));
        return;
    }
    // Our own comparison finds no difference, only the other peer's did.
    if (op == BKSI_ARITHMETIC_OPS) {
        (void)snprintf(text, capacity, "another arithmetic");
        return;
    }
    uint16_t right = bksi_arithmetic_right.sums[op];
    const char *whose = ours->arithmetic.sums[op] == right     ? "their machine"
                        : theirs->arithmetic.sums[op] == right ? "our machine"
                                                               : "both machines";
    (void)snprintf(text, capacity, "another arithmetic: %s is not as IEEE 754 has it on %s",
                   bksi_arithmetic_name(op), whose);
}

void bksi_compat_describe(bksi_mismatch mismatch, const bksi_compat *ours,
                          const bksi_compat *theirs, char *text, size_t capacity)
{
    switch (mismatch) {
    case BKSI_MISMATCH_NONE:
        (void)snprintf(text, capacity, "nothing differs");
        break;
    case BKSI_MISMATCH_PROTOCOL:
        (void)snprintf(text, capacity, "another Backstitch: theirs speaks protocol %u, ours %u",
                       theirs->protocol, ours->protocol);
        break;
    case BKSI_MISMATCH_GAME:
        (void)snprintf(text, capacity, "another game: theirs is `%s`, ours `%s`", theirs->game,
                       ours->game);
        break;
    case BKSI_MISMATCH_VERSION:
        (void)snprintf(text, capacity, "another version of `%s`: theirs %u, ours %u", ours->game,
                       theirs->game_version, ours->game_version);
        break;
    case BKSI_MISMATCH_LAYOUT:
        (void)snprintf(text, capacity, "another build of `%s`: its input layout is %08x, ours %08x",
                       ours->game, (uint32_t)(theirs->layout >> 32),
                       (uint32_t)(ours->layout >> 32));
        break;
    case BKSI_MISMATCH_SETUP:
        // One number stands for all of these.
        (void)snprintf(text, capacity,
                       "another `%s`: its options, command_bytes_max or command_room_bytes differ",
                       ours->game);
        break;
    case BKSI_MISMATCH_TICK_RATE:
        (void)snprintf(text, capacity, "another tick rate: theirs %u a second, ours %u",
                       theirs->tick_rate_hz, ours->tick_rate_hz);
        break;
    case BKSI_MISMATCH_ARITHMETIC:
        describe_arithmetic(ours, theirs, text, capacity);
        break;
    }
}

void bksi_join_write(bksi_byte_writer *writer, const bksi_join *join)
{
    bksi_write_u16(writer, (uint16_t)join->compat.protocol);
    bksi_write_u64(writer, join->nonce);
    compat_write(writer, &join->compat);
    bksi_write_u8(writer, (uint8_t)join->local_players);
    bksi_write_u8(writer, (uint8_t)(join->first_player + 1));
    bksi_write_u8(writer, (uint8_t)join->window);
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
    compat_read(reader, &join->compat);
    join->local_players = bksi_read_u8(reader);
    join->first_player = (int32_t)bksi_read_u8(reader) - 1;
    join->window = bksi_read_u8(reader);
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
           join->first_player < BKS_PLAYERS_MAX && join->window <= BKS_WINDOW_MAX;
}

void bksi_refuse_write(bksi_byte_writer *writer, const bksi_refuse *refuse)
{
    bksi_write_u8(writer, (uint8_t)refuse->reason);
    bksi_write_u64(writer, refuse->nonce);
    bksi_write_u16(writer, (uint16_t)refuse->compat.protocol);
    compat_write(writer, &refuse->compat);
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
    compat_read(reader, &refuse->compat);
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
