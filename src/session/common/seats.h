// SPDX-License-Identifier: MIT

/// @file seats.h
/// Which peers there are, and which seats each has; masks of peers. A peer's number is the lowest
/// that is free when it joins, and stays the same; the host's is 0. seats.c alone writes this;
/// others ask.

#ifndef BKSI_SEATS_H
#define BKSI_SEATS_H

#include "backstitch/session.h"

#include "base/bits.h"
#include "net/guard.h"
#include "wire/join.h"
#include "wire/roster.h"

#define PEER_BIT(peer) (1u << (peer))

/// The peers of a mask, from the lowest on.
#define EACH_PEER(peer, mask)                                                                    \
    for (uint32_t peer##_left = (mask), peer = bksi_peers_lowest(peer##_left); peer##_left != 0; \
         peer##_left &= peer##_left - 1, peer = bksi_peers_lowest(peer##_left))

/// The lowest peer of a mask, BKS_PEERS_MAX when it is empty.
static inline uint32_t bksi_peers_lowest(uint32_t peers)
{
    return peers != 0 ? bksi_lowest_bit(peers) : BKS_PEERS_MAX;
}

/// How many peers a mask holds.
uint32_t bksi_peers_count(uint32_t peers);

/// A peer samples no more than its window and its input delay, and one tick, beyond what it has of
/// ours. What these are elsewhere we do not know.
#define BKSI_AHEAD_TICKS_MAX ((bks_tick)(BKS_WINDOW_MAX + BKS_DELAY_MAX + 1))

/// One peer. Our own entry only says which players are ours.
typedef struct session_peer {
    bksi_channel channel; ///< the way to it, 0: none yet
    uint64_t nonce;       ///< host: of the guest's life
    uint32_t joined;      ///< how many guests had joined with it, lowest 8 bits
    uint8_t identity[BKSI_IDENTITY_BYTES];
    uint32_t first_player;
    uint32_t player_count;
    uint64_t build; ///< host: the guest's; guest: peer 0's alone
} session_peer;

typedef struct session_seats {
    uint32_t all;    ///< bits: the peers of the match, also those that have left it
    uint32_t self;   ///< our number
    uint32_t joined; ///< host: how many guests have joined, those that left counted
    session_peer peers[BKS_PEERS_MAX];
    uint64_t left[BKS_PEERS_MAX]; ///< host, by number: nonce of the last guest that said goodbye
    uint8_t reserved[BKS_PLAYERS_MAX]; ///< host, by first seat: the number of its peer, 0: any
    uint32_t players;
    uint64_t seed;
    bks_tick first_tick; ///< the match begins at its start
    bks_tick end_tick;   ///< and ends before this one; 0: no end
    uint32_t hash_every;
    bks_on_desync on_desync;
} session_seats;

/// Bits of all peers but us.
static inline uint32_t bksi_seats_others(const session_seats *seats)
{
    return seats->all & ~PEER_BIT(seats->self);
}
/// How many ticks the match has, 0: no end.
static inline bks_tick bksi_seats_ticks(const session_seats *seats)
{
    return seats->end_tick > 0 ? seats->end_tick - seats->first_tick : 0;
}
/// One past the highest number of a peer.
static inline uint32_t bksi_seats_end(const session_seats *seats)
{
    return bksi_bit_length(seats->all);
}

/// Whether neither a peer nor we are the host.
static inline bool bksi_seats_are_guests(const session_seats *seats, uint32_t peer)
{
    return seats->self != 0 && peer != 0;
}

/// The peer at the other end of a channel, BKS_PEERS_MAX when it is none of ours.
uint32_t bksi_seats_peer(const session_seats *seats, bksi_channel channel);
uint32_t bksi_seats_taken(const session_seats *seats);
/// First seat of a free run of `count`, or -1. `wanted` -1 takes the lowest.
int32_t bksi_seats_free(const session_seats *seats, uint32_t count, int32_t wanted);

/// Host: the match is ours. Guest: the host is known.
void bksi_seats_init(session_seats *seats, bksi_guard *guard, const bks_session_config *config);
/// Host: the peer that takes this first seat is to have this number, if it is free then.
void bksi_seats_reserve(session_seats *seats, uint32_t first_player, uint32_t number);
/// Host: a guest takes seats; there are fewer than BKS_PEERS_MAX peers.
/// @return its number
uint32_t bksi_seats_insert(session_seats *seats, const bksi_guard *guard, uint32_t first_player,
                           bksi_channel from, const bksi_join *join);
/// Host: a guest is not to be there, its seats and its number are free again.
void bksi_seats_remove(session_seats *seats, uint32_t number);
/// Host: a guest said that it leaves. Whether one with a nonce has: what comes of it was overtaken.
void bksi_seats_let_go(session_seats *seats, uint32_t number);
bool bksi_seats_has_left(const session_seats *seats, uint64_t nonce);
/// Guest: bits of the peers that are others in a roster than before, or new.
uint32_t bksi_seats_find_new(const session_seats *seats, const bksi_roster_message *roster);
/// All that a roster says of the match, as one number: peers with their identities and seats, what
/// the state is made from, first tick and end.
uint64_t bksi_seats_hash(const session_seats *seats, const void *setup, size_t setup_bytes);
/// Guest: they are as the host says.
void bksi_seats_take(session_seats *seats, bksi_guard *guard, const bksi_roster_message *roster);

#endif
