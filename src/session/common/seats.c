// SPDX-License-Identifier: MIT

#include "session/common/seats.h"

#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/report.h"

uint32_t bksi_peers_count(uint32_t peers)
{
    uint32_t count = 0;
    for (; peers != 0; peers &= peers - 1) {
        count++;
    }
    return count;
}

uint32_t bksi_seats_peer(const session_seats *seats, bksi_channel channel)
{
    EACH_PEER (i, bksi_seats_others(seats)) {
        if (seats->peers[i].channel == channel) {
            return i;
        }
    }
    return BKS_PEERS_MAX;
}

uint32_t bksi_seats_taken(const session_seats *seats)
{
    uint32_t taken = 0;
    EACH_PEER (i, seats->all) {
        taken += seats->peers[i].player_count;
    }
    return taken;
}

int32_t bksi_seats_free(const session_seats *seats, uint32_t count, int32_t wanted)
{
    for (uint32_t first = 0; first + count <= seats->players; first++) {
        if (wanted >= 0 && first != (uint32_t)wanted) {
            continue;
        }
        bool is_free = true;
        EACH_PEER (i, seats->all) {
            const session_peer *peer = &seats->peers[i];
            if (first < peer->first_player + peer->player_count &&
                peer->first_player < first + count) {
                is_free = false;
            }
        }
        if (is_free) {
            return (int32_t)first;
        }
    }
    return -1;
}

/// Set the first tick and the end of the match.
/// @param ticks  length of the match; 0: no end
static void set_ticks(session_seats *seats, bks_tick first_tick, bks_tick ticks)
{
    seats->first_tick = first_tick;
    seats->end_tick = ticks > 0 ? first_tick + ticks : 0;
}

void bksi_seats_init(session_seats *seats, bksi_guard *guard, const bks_session_config *config)
{
    seats->all = PEER_BIT(0);
    seats->hash_every = 1;
    if (!config->is_host) {
        seats->self = 1;
        seats->peers[0].channel = bksi_guard_bind(guard, &config->host, NULL, true);
        return;
    }
    seats->self = 0;
    seats->peers[0].player_count = config->local_players;
    memcpy(seats->peers[0].identity, guard->identity, BKSI_IDENTITY_BYTES);
    seats->players = config->players;
    seats->seed = config->seed;
    set_ticks(seats, config->first_tick, config->ticks);
    uint32_t every = config->tuning.window_ticks > 0 ? 1 : config->tick_rate_hz;
    seats->hash_every =
        config->tuning.hash_every_ticks != BKS_AUTO ? config->tuning.hash_every_ticks : every;
    seats->on_desync = config->tuning.on_desync;
    seats->peers[0].window = seats->window = config->tuning.window_ticks;
    seats->guest_pauses = config->tuning.guest_pauses;
}

void bksi_seats_reserve(session_seats *seats, uint32_t first_player, uint32_t number)
{
    seats->reserved[first_player] = (uint8_t)number;
}

/// Choose a number for a new peer: the one reserved for its first seat if it is free, otherwise the
/// lowest free one.
static uint32_t free_number(const session_seats *seats, uint32_t first_player)
{
    const uint32_t reserved = seats->reserved[first_player];
    return (seats->all >> reserved & 1) == 0 ? reserved : bksi_peers_lowest(~seats->all);
}

/// Host: find the longest prediction window of all peers.
static void find_window(session_seats *seats)
{
    seats->window = 0;
    EACH_PEER (i, seats->all) {
        const uint32_t window = seats->peers[i].window;
        seats->window = window > seats->window ? window : seats->window;
    }
}

uint32_t bksi_seats_insert(session_seats *seats, const bksi_guard *guard, uint32_t first_player,
                           bksi_channel from, const bksi_join *join)
{
    const uint32_t number = free_number(seats, first_player);
    BKS_ASSERT(number < BKS_PEERS_MAX);
    seats->all |= PEER_BIT(number);
    session_peer *peer = &seats->peers[number];
    *peer = (session_peer){.channel = from,
                           .nonce = join->nonce,
                           .joined = ++seats->joined & 255,
                           .first_player = first_player,
                           .player_count = join->local_players,
                           .window = join->window,
                           .build = join->build};
    find_window(seats);
    memcpy(peer->identity, bksi_guard_identity(guard, from), BKSI_IDENTITY_BYTES);
    return number;
}

void bksi_seats_remove(session_seats *seats, uint32_t number)
{
    seats->all &= ~PEER_BIT(number);
    memset(&seats->peers[number], 0, sizeof(seats->peers[number]));
    find_window(seats);
}

void bksi_seats_let_go(session_seats *seats, uint32_t number)
{
    seats->left[number] = seats->peers[number].nonce;
}

bool bksi_seats_has_left(const session_seats *seats, uint64_t nonce)
{
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        if (nonce != 0 && seats->left[i] == nonce) {
            return true;
        }
    }
    return false;
}

uint64_t bksi_seats_hash(const session_seats *seats, const void *setup, size_t setup_bytes)
{
    uint8_t bytes[32 + BKS_PEERS_MAX * (3 + BKSI_IDENTITY_BYTES) + BKS_SETUP_BYTES_MAX];
    bksi_byte_writer writer = bksi_byte_writer_over(bytes, sizeof(bytes));
    bksi_write_u8(&writer, (uint8_t)seats->all);
    bksi_write_u8(&writer, (uint8_t)seats->players);
    bksi_write_u64(&writer, seats->seed);
    bksi_write_u32(&writer, (uint32_t)seats->first_tick);
    bksi_write_u32(&writer, (uint32_t)bksi_seats_ticks(seats));
    bksi_write_u16(&writer, (uint16_t)seats->hash_every);
    bksi_write_u8(&writer, (uint8_t)seats->on_desync);
    bksi_write_u8(&writer, (uint8_t)bksi_roster_half_window(seats->window));
    bksi_write_u8(&writer, (uint8_t)seats->guest_pauses);
    EACH_PEER (i, seats->all) {
        const session_peer *peer = &seats->peers[i];
        bksi_write_u8(&writer, (uint8_t)peer->joined);
        bksi_write_u8(&writer, (uint8_t)peer->first_player);
        bksi_write_u8(&writer, (uint8_t)peer->player_count);
        bksi_write_bytes(&writer, peer->identity, BKSI_IDENTITY_BYTES);
    }
    bksi_write_bytes(&writer, setup, setup_bytes);
    BKS_ASSERT(!writer.failed);
    return bksi_hash64(bytes, writer.at, 0);
}

uint32_t bksi_seats_find_new(const session_seats *seats, const bksi_roster_message *roster)
{
    uint32_t found = 0;
    EACH_PEER (i, roster->members & ~PEER_BIT(0)) {
        const session_peer *before = &seats->peers[i];
        const bksi_roster_peer *peer = &roster->peers[i];
        const bool is_same = before->joined == peer->joined &&
                             memcmp(before->identity, peer->identity, BKSI_IDENTITY_BYTES) == 0;
        found |= is_same ? 0 : PEER_BIT(i);
    }
    return found;
}

/// Add a peer from a roster. Of two guests the one with the lower number calls the other.
static void take_seat(session_seats *seats, bksi_guard *guard, const bksi_roster_peer *seat,
                      uint32_t number)
{
    session_peer *peer = &seats->peers[number];
    memcpy(peer->identity, seat->identity, BKSI_IDENTITY_BYTES);
    if (number > 0 && number != seats->self) {
        peer->channel =
            bksi_guard_bind(guard, &seat->address, seat->identity, seats->self < number);
    }
    peer->joined = seat->joined;
    peer->first_player = seat->first_player;
    peer->player_count = seat->player_count;
}

/// Release the channels of peers that are no longer in the roster.
static void release_gone(session_seats *seats, bksi_guard *guard, const bksi_roster_message *roster)
{
    EACH_PEER (i, bksi_seats_others(seats) & ~PEER_BIT(0)) {
        bool is_gone = true;
        EACH_PEER (k, roster->members & ~PEER_BIT(0)) {
            is_gone &= memcmp(roster->peers[k].identity, seats->peers[i].identity,
                              BKSI_IDENTITY_BYTES) != 0;
        }
        if (is_gone) {
            bksi_guard_release(guard, seats->peers[i].channel);
        }
    }
}

void bksi_seats_take(session_seats *seats, bksi_guard *guard, const bksi_roster_message *roster)
{
    release_gone(seats, guard, roster);
    EACH_PEER (i, bksi_seats_find_new(seats, roster) | (seats->all & ~roster->members)) {
        memset(&seats->peers[i], 0, sizeof(seats->peers[i]));
    }
    seats->self = roster->self;
    seats->peers[0].build = roster->build;
    seats->all = roster->members;
    seats->players = roster->players;
    seats->seed = roster->seed;
    set_ticks(seats, roster->first_tick, roster->ticks);
    seats->hash_every = roster->hash_every_ticks;
    seats->on_desync = roster->on_desync;
    seats->window = roster->window;
    seats->guest_pauses = roster->guest_pauses;
    EACH_PEER (i, seats->all) {
        take_seat(seats, guard, &roster->peers[i], i);
    }
}
