// SPDX-License-Identifier: MIT

/// @file seats.h
/// Peers of the match and their seats; masks of peers. A peer's number is the lowest free one when
/// it joins, and stays the same; the host's is 0. Only seats.c changes session_seats; other files
/// use its functions.

#ifndef BKSI_SEATS_H
#define BKSI_SEATS_H

#include "backstitch/session.h"

#include "base/bits.h"
#include "input/codec.h"
#include "net/guard.h"
#include "wire/join.h"
#include "wire/roster.h"

#define PEER_BIT(peer) (1u << (peer))

/// Loop over the peers of a mask, from the lowest on.
#define EACH_PEER(peer, mask)                                                                    \
    for (uint32_t peer##_left = (mask), peer = bksi_peers_lowest(peer##_left); peer##_left != 0; \
         peer##_left &= peer##_left - 1, peer = bksi_peers_lowest(peer##_left))

/// Get the lowest peer of a mask; BKS_PEERS_MAX: the mask is empty.
static inline uint32_t bksi_peers_lowest(uint32_t peers)
{
    return peers != 0 ? bksi_lowest_bit(peers) : BKS_PEERS_MAX;
}

/// Count the peers of a mask.
uint32_t bksi_peers_count(uint32_t peers);

/// Maximum number of ticks by which a peer's head can be beyond the inputs that it has of ours: the
/// longest window, the longest input delay and one tick. The peer's own window and delay are not
/// known here.
#define BKSI_AHEAD_TICKS_MAX ((bks_tick)(BKS_WINDOW_MAX + BKS_DELAY_MAX + 1))

/// Most bits that the inputs of one machine's players at one tick may take. Every message with
/// inputs has room for as many, so that a path of 576 bytes carries any tick.
#define BKSI_TICK_BITS_MAX 3200u

/// In a game with commands: most bits before the bytes of a player's blob in a message, and least
/// bytes of blobs of one machine's players at one tick for which a message must have room. A blob
/// whose bytes travel ahead counts as one byte: it needs seven bits more.
#define BKSI_BLOB_HEAD_BITS      11u
#define BKSI_TICK_BLOB_BYTES_MIN 64u

/// Get the most players that one machine may have in a match with other machines.
static inline uint32_t bksi_seats_most(const bksi_layout *layout, bool has_commands)
{
    const uint32_t each = bksi_codec_bits_max(layout) + (has_commands ? BKSI_BLOB_HEAD_BITS : 0);
    const uint32_t blobs = has_commands ? 8 * BKSI_TICK_BLOB_BYTES_MIN : 0;
    const uint32_t most = (BKSI_TICK_BITS_MAX - blobs) / each;
    return most < BKS_PLAYERS_MAX ? most : BKS_PLAYERS_MAX;
}

/// Get the most bytes that the blobs of one machine's players at one tick may have together, in a
/// match with other machines. So every message with inputs has room for any tick.
/// @param players  number of the machine's players, at most bksi_seats_most()
static inline uint32_t bksi_seats_blob_bytes(const bksi_layout *layout, uint32_t players)
{
    return (BKSI_TICK_BITS_MAX - players * (bksi_codec_bits_max(layout) + BKSI_BLOB_HEAD_BITS)) / 8;
}

/// Entry of one peer. Our own entry holds only our players.
typedef struct session_peer {
    bksi_channel channel; ///< channel to the peer; 0: none yet
    uint64_t nonce;       ///< host: nonce of the guest's process
    uint32_t joined;      ///< number of guests that had joined when this peer joined, lowest 8 bits
    uint8_t identity[BKSI_IDENTITY_BYTES];
    uint32_t first_player;
    uint32_t player_count;
    uint32_t window; ///< host: longest prediction window of the peer
    uint64_t build;  ///< build of the game; the host knows all, a guest only the host's
} session_peer;

typedef struct session_seats {
    uint32_t all;    ///< bits: peers of the match, also those that have left it
    uint32_t self;   ///< our number
    uint32_t joined; ///< host: number of guests that have joined, including those that left
    session_peer peers[BKS_PEERS_MAX];
    uint64_t left[BKS_PEERS_MAX]; ///< host, by number: nonce of the last guest that said goodbye
    /// Host, by first seat: number reserved for the peer of this seat; 0: any number.
    uint8_t reserved[BKS_PLAYERS_MAX];
    uint32_t players;
    uint64_t seed;
    bks_tick first_tick; ///< first tick of the match
    bks_tick end_tick;   ///< tick before which the match ends; 0: it has no end
    uint32_t hash_every;
    bks_on_desync on_desync;
    uint32_t window;       ///< longest prediction window of any peer
    uint32_t guest_pauses; ///< pauses that each guest may ask for; 0: the host decides alone
} session_seats;

/// Get all peers but us, as bits.
static inline uint32_t bksi_seats_others(const session_seats *seats)
{
    return seats->all & ~PEER_BIT(seats->self);
}
/// Get the number of ticks of the match; 0: no end.
static inline bks_tick bksi_seats_ticks(const session_seats *seats)
{
    return seats->end_tick > 0 ? seats->end_tick - seats->first_tick : 0;
}
/// Get the highest number of a peer, plus one.
static inline uint32_t bksi_seats_end(const session_seats *seats)
{
    return bksi_bit_length(seats->all);
}

/// Return true if the peer and we are both guests.
static inline bool bksi_seats_are_guests(const session_seats *seats, uint32_t peer)
{
    return seats->self != 0 && peer != 0;
}

/// Get the peer at the other end of a channel; BKS_PEERS_MAX: no peer of the roster has this
/// channel.
uint32_t bksi_seats_peer(const session_seats *seats, bksi_channel channel);
uint32_t bksi_seats_taken(const session_seats *seats);
/// Find `count` free seats in a row.
/// @param wanted  first seat that is wanted; -1: the lowest that fits
/// @return the first seat; -1: none fits
int32_t bksi_seats_free(const session_seats *seats, uint32_t count, int32_t wanted);

/// Set up the seats: a host with its own players, a guest with the host alone.
void bksi_seats_init(session_seats *seats, bksi_guard *guard, const bks_session_config *config);
/// Host: reserve a number for the peer that takes the seat `first_player`. The peer gets it if the
/// number is free at that time.
void bksi_seats_reserve(session_seats *seats, uint32_t first_player, uint32_t number);
/// Host: give a guest its seats. There must be fewer than BKS_PEERS_MAX peers.
/// @return number of the guest
uint32_t bksi_seats_insert(session_seats *seats, const bksi_guard *guard, uint32_t first_player,
                           bksi_channel from, const bksi_join *join);
/// Host: remove a guest. Its seats and its number are free again.
void bksi_seats_remove(session_seats *seats, uint32_t number);
/// Host: record that a guest said goodbye, so that its late messages are recognised.
void bksi_seats_let_go(session_seats *seats, uint32_t number);
/// Host: return true if a guest with this nonce said goodbye.
bool bksi_seats_has_left(const session_seats *seats, uint64_t nonce);
/// Guest: find the peers of a roster that are new, or that replaced another peer, as bits.
uint32_t bksi_seats_find_new(const session_seats *seats, const bksi_roster_message *roster);
/// Hash everything that a roster says about the match: peers with their identities and seats, the
/// setup of the state, the first tick and the end.
uint64_t bksi_seats_hash(const session_seats *seats, const void *setup, size_t setup_bytes);
/// Guest: set the seats from the host's roster.
void bksi_seats_take(session_seats *seats, bksi_guard *guard, const bksi_roster_message *roster);

#endif
