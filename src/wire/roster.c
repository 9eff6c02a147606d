// SPDX-License-Identifier: MIT

#include "wire/roster.h"

#include <string.h>

#include "base/bits.h"

/// Bits of the number of players; the bits above them, in the same byte, are on_desync.
#define PLAYERS_BITS 5u

/// Bits of the stage; the bits above them, in the same byte, are half of the longest window. Bits
/// of the receiver's number; the bits above them, in the same byte, are guest_pauses.
#define STAGE_BITS 2u
#define SELF_BITS  3u
_Static_assert(BKSI_ROSTER_UNEQUAL < 1u << STAGE_BITS &&
                   BKS_WINDOW_MAX / 2 < 1u << (8 - STAGE_BITS),
               "stage and window fit");
_Static_assert(BKS_PEERS_MAX == 1u << SELF_BITS && BKS_GUEST_PAUSES_MAX < 1u << (8 - SELF_BITS),
               "number and pauses fit");
_Static_assert(BKS_PLAYERS_MAX < 1u << PLAYERS_BITS, "the number of players fits");

void bksi_roster_write(bksi_byte_writer *writer, const bksi_roster_message *roster)
{
    const uint32_t windows = bksi_roster_half_window(roster->window);
    bksi_write_u8(writer, (uint8_t)((uint32_t)roster->stage | windows << STAGE_BITS));
    bksi_write_u32(writer, roster->change);
    bksi_write_u8(writer, (uint8_t)(roster->self | roster->guest_pauses << SELF_BITS));
    bksi_write_u8(writer, (uint8_t)roster->members);
    bksi_write_u8(writer, (uint8_t)(roster->players | (uint32_t)roster->on_desync << PLAYERS_BITS));
    bksi_write_u64(writer, roster->seed);
    bksi_write_u64(writer, roster->build);
    bksi_write_u32(writer, (uint32_t)roster->first_tick);
    bksi_write_u32(writer, (uint32_t)roster->ticks);
    bksi_write_u16(writer, (uint16_t)roster->hash_every_ticks);
    bksi_write_u32(writer, roster->start_us);
    bksi_write_u32(writer, roster->go_delay_us);
    for (uint32_t left = roster->members; left != 0; left &= left - 1) {
        const bksi_roster_peer *peer = &roster->peers[bksi_lowest_bit(left)];
        bksi_write_u8(writer, (uint8_t)peer->joined);
        bksi_write_u8(writer, (uint8_t)(peer->first_player | (peer->player_count - 1) << 4));
        bksi_write_bytes(writer, peer->identity, sizeof(peer->identity));
        bksi_write_u8(writer, peer->address.length);
        bksi_write_bytes(writer, peer->address.bytes, peer->address.length);
    }
    bksi_write_u16(writer, (uint16_t)roster->setup_bytes);
    bksi_write_bytes(writer, roster->setup, roster->setup_bytes);
}

static bool read_peer(bksi_byte_reader *reader, bksi_roster_peer *peer)
{
    memset(peer, 0, sizeof(*peer));
    peer->joined = bksi_read_u8(reader);
    const uint32_t seats = bksi_read_u8(reader);
    peer->first_player = seats & 15;
    peer->player_count = 1 + (seats >> 4);
    const uint8_t *identity = bksi_read_bytes(reader, sizeof(peer->identity));
    if (identity == NULL) {
        return false;
    }
    memcpy(peer->identity, identity, sizeof(peer->identity));
    peer->address.length = bksi_read_u8(reader);
    if (peer->address.length > BKS_ADDRESS_BYTES_MAX) {
        return false;
    }
    const uint8_t *bytes = bksi_read_bytes(reader, peer->address.length);
    if (bytes == NULL && peer->address.length > 0) {
        return false;
    }
    if (bytes != NULL) {
        memcpy(peer->address.bytes, bytes, peer->address.length);
    }
    return !reader->failed;
}

/// Return true if no two peers have the same seat and, in a complete roster, every seat is taken.
static bool seats_are_sound(const bksi_roster_message *roster)
{
    uint32_t taken = 0;
    for (uint32_t left = roster->members; left != 0; left &= left - 1) {
        const bksi_roster_peer *peer = &roster->peers[bksi_lowest_bit(left)];
        if (peer->first_player + peer->player_count > roster->players) {
            return false;
        }
        const uint32_t seats = ((1u << peer->player_count) - 1) << peer->first_player;
        if ((taken & seats) != 0) {
            return false;
        }
        taken |= seats;
    }
    return roster->stage == BKSI_ROSTER_GATHERING || taken == (1u << roster->players) - 1;
}

bool bksi_roster_read(bksi_byte_reader *reader, bksi_roster_message *roster)
{
    const uint32_t stage = bksi_read_u8(reader);
    roster->change = bksi_read_u32(reader);
    const uint32_t self = bksi_read_u8(reader);
    roster->window = 2 * (stage >> STAGE_BITS);
    roster->self = self & ((1u << SELF_BITS) - 1);
    roster->guest_pauses = self >> SELF_BITS;
    roster->members = bksi_read_u8(reader);
    const uint32_t players = bksi_read_u8(reader);
    const uint32_t on_desync = players >> PLAYERS_BITS;
    roster->players = players & ((1u << PLAYERS_BITS) - 1);
    roster->seed = bksi_read_u64(reader);
    roster->build = bksi_read_u64(reader);
    uint32_t first_tick = bksi_read_u32(reader);
    uint32_t ticks = bksi_read_u32(reader);
    roster->hash_every_ticks = bksi_read_u16(reader);
    roster->start_us = bksi_read_u32(reader);
    roster->go_delay_us = bksi_read_u32(reader);
    if (reader->failed || first_tick > BKS_FIRST_TICK_MAX || ticks > INT32_MAX - first_tick ||
        on_desync > BKS_ON_DESYNC_RESYNC) {
        return false;
    }
    roster->on_desync = (bks_on_desync)on_desync;
    roster->stage = (bksi_roster_stage)(stage & ((1u << STAGE_BITS) - 1));
    roster->first_tick = (bks_tick)first_tick;
    roster->ticks = (bks_tick)ticks;
    if ((roster->members & 1) == 0 || (roster->members >> roster->self & 1) == 0 ||
        roster->players < 1 || roster->players > BKS_PLAYERS_MAX || roster->hash_every_ticks < 1 ||
        roster->hash_every_ticks > BKSI_HASH_EVERY_TICKS_MAX || roster->go_delay_us > 10000000 ||
        roster->window > BKS_WINDOW_MAX) {
        return false;
    }
    for (uint32_t left = roster->members; left != 0; left &= left - 1) {
        if (!read_peer(reader, &roster->peers[bksi_lowest_bit(left)])) {
            return false;
        }
    }
    roster->setup_bytes = bksi_read_u16(reader);
    if (roster->setup_bytes > BKS_SETUP_BYTES_MAX) {
        return false;
    }
    const uint8_t *setup = bksi_read_bytes(reader, roster->setup_bytes);
    if (reader->failed || bksi_byte_reader_left(reader) != 0) {
        return false;
    }
    if (roster->setup_bytes > 0) {
        memcpy(roster->setup, setup, roster->setup_bytes);
    }
    return seats_are_sound(roster);
}
