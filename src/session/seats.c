// SPDX-License-Identifier: MIT

#include "session/seats.h"

#include <string.h>

uint32_t bksi_seats_peer(const session_seats *seats, bksi_channel channel)
{
    for (uint32_t i = 0; i < seats->peer_count; i++) {
        if (i != seats->self && seats->peers[i].channel == channel) {
            return i;
        }
    }
    return BKS_PEERS_MAX;
}

uint32_t bksi_seats_taken(const session_seats *seats)
{
    uint32_t taken = 0;
    for (uint32_t i = 0; i < seats->peer_count; i++) {
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
        for (uint32_t i = 0; i < seats->peer_count; i++) {
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

void bksi_seats_init(session_seats *seats, bksi_guard *guard, const bks_session_config *config)
{
    seats->peer_count = 1;
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
    seats->ticks = config->ticks;
    uint32_t every = config->tuning.window_ticks > 0 ? 1 : config->tick_rate_hz;
    seats->hash_every =
        config->tuning.hash_every_ticks != BKS_AUTO ? config->tuning.hash_every_ticks : every;
}

uint32_t bksi_seats_insert(session_seats *seats, const bksi_guard *guard, uint32_t first_player,
                           bksi_channel from, const bksi_join *join)
{
    uint32_t place = seats->peer_count;
    while (place > 1 && seats->peers[place - 1].first_player > first_player) {
        seats->peers[place] = seats->peers[place - 1];
        place--;
    }
    seats->peer_count++;
    session_peer *peer = &seats->peers[place];
    *peer = (session_peer){.channel = from,
                           .nonce = join->nonce,
                           .first_player = first_player,
                           .player_count = join->local_players,
                           .build = join->build};
    memcpy(peer->identity, bksi_guard_identity(guard, from), BKSI_IDENTITY_BYTES);
    return place;
}

void bksi_seats_remove(session_seats *seats, uint32_t index)
{
    for (uint32_t k = index; k + 1 < seats->peer_count; k++) {
        seats->peers[k] = seats->peers[k + 1];
    }
    seats->peer_count--;
}

/// The lower of two guests calls the other.
static void take_seat(session_seats *seats, bksi_guard *guard, const bksi_roster_peer *seat,
                      uint32_t index)
{
    session_peer *peer = &seats->peers[index];
    if (index > 0 && memcmp(peer->identity, seat->identity, BKSI_IDENTITY_BYTES) != 0) {
        memset(peer, 0, sizeof(*peer));
    }
    memcpy(peer->identity, seat->identity, BKSI_IDENTITY_BYTES);
    if (index > 0 && index != seats->self) {
        peer->channel = bksi_guard_bind(guard, &seat->address, seat->identity, seats->self < index);
    }
    peer->first_player = seat->first_player;
    peer->player_count = seat->player_count;
}

/// Give up the channels to those who are in the roster no more.
static void release_gone(session_seats *seats, bksi_guard *guard, const bksi_roster_message *roster)
{
    for (uint32_t i = 1; i < seats->peer_count; i++) {
        bool is_gone = i != seats->self;
        for (uint32_t k = 1; k < roster->peer_count && is_gone; k++) {
            is_gone = memcmp(roster->peers[k].identity, seats->peers[i].identity,
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
    seats->self = roster->self;
    seats->peers[0].build = roster->build;
    seats->peer_count = roster->peer_count;
    seats->players = roster->players;
    seats->seed = roster->seed;
    seats->ticks = roster->ticks;
    seats->hash_every = roster->hash_every_ticks;
    for (uint32_t i = 0; i < roster->peer_count; i++) {
        take_seat(seats, guard, &roster->peers[i], i);
    }
}
