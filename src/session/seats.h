// SPDX-License-Identifier: MIT

/// @file seats.h
/// Which peers there are, and which seats each has. seats.c alone writes this; others ask.

#ifndef BKSI_SEATS_H
#define BKSI_SEATS_H

#include "backstitch/session.h"

#include "net/guard.h"
#include "session/peers.h"
#include "wire/join.h"
#include "wire/roster.h"

/// One peer. Our own entry only says which players are ours.
typedef struct session_peer {
    bksi_channel channel; ///< the way to it, 0: none yet
    uint64_t nonce;       ///< host: of the guest's life
    uint8_t identity[BKSI_IDENTITY_BYTES];
    uint32_t first_player;
    uint32_t player_count;
    uint64_t build; ///< host: the guest's; guest: peer 0's alone
} session_peer;

typedef struct session_seats {
    uint32_t peer_count;
    uint32_t self; ///< our place among them
    session_peer peers[BKS_PEERS_MAX];
    uint32_t players;
    uint64_t seed;
    bks_tick ticks; ///< 0: no end
    uint32_t hash_every;
} session_seats;

/// Bits of all peers.
static inline uint32_t bksi_seats_everyone(const session_seats *seats)
{
    return PEER_BIT(seats->peer_count) - 1;
}

/// The peer at the other end of a channel, BKS_PEERS_MAX when it is none of ours.
uint32_t bksi_seats_peer(const session_seats *seats, bksi_channel channel);
uint32_t bksi_seats_taken(const session_seats *seats);
/// First seat of a free run of `count`, or -1. `wanted` -1 takes the lowest.
int32_t bksi_seats_free(const session_seats *seats, uint32_t count, int32_t wanted);

/// Host: the match is ours. Guest: the host is known.
void bksi_seats_init(session_seats *seats, bksi_guard *guard, const bks_session_config *config);
/// Host: a guest takes seats.
/// @return its place among the peers, which stand in the order of their seats
uint32_t bksi_seats_insert(session_seats *seats, const bksi_guard *guard, uint32_t first_player,
                           bksi_channel from, const bksi_join *join);
/// Host: a guest is not to be there, its seats are free again.
void bksi_seats_remove(session_seats *seats, uint32_t index);
/// Guest: they are as the host says.
void bksi_seats_take(session_seats *seats, bksi_guard *guard, const bksi_roster_message *roster);

#endif
