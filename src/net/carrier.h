// SPDX-License-Identifier: MIT

/// @file carrier.h
/// Packets that wait to be forwarded to their next peer: those of other peers that pass through us,
/// and our own that take a detour. The newest two INPUTs of a route wait: two may arrive between
/// two ticks of ours, and each may hold an echo that is sent once. For other types the first two
/// packets of a route wait.
///
/// The only thing known for sure about a packet is which peer handed it over. So each peer that
/// hands over packets has room of its own. These peers take turns towards each next peer and get
/// the same share of bytes: no peer can take another's share by false claims about the packets'
/// origin.
///
/// The queues have a fixed size; nothing here reads a clock or allocates. wire/carried.h defines
/// the packets. Only the two ends of a route can read more of a packet than its type.

#ifndef BKSI_CARRIER_H
#define BKSI_CARRIER_H

#include "net/route.h"
#include "wire/carried.h"

/// Maximum number of waiting INPUT packets of one route, and of its other waiting packets.
#define BKSI_CARRIER_INPUTS_OF_ROUTE 2u
#define BKSI_CARRIER_OTHERS_OF_ROUTE 2u

/// Maximum number of bytes of waiting packets that one peer handed over. A packet shorter than
/// SHORT_BYTES counts as SHORT_BYTES.
#define BKSI_CARRIER_BYTES       6400u
#define BKSI_CARRIER_SHORT_BYTES 200u

/// Maximum number of packets in a queue, and maximum sum of their bytes. Both include the packet
/// that is just being added.
#define BKSI_CARRIER_PACKETS    (BKSI_CARRIER_BYTES / BKSI_CARRIER_SHORT_BYTES + 1)
#define BKSI_CARRIER_ROOM_BYTES (BKSI_CARRIER_BYTES + BKSI_CARRIED_PACKET_BYTES_MAX)

/// A packet that waits to be sent to the next peer on its route.
typedef struct bksi_carrier_packet {
    uint64_t since_ns;
    uint32_t count; ///< size of the packet in bytes
    uint32_t hop;   ///< peer that gets the packet next
    bksi_routed routed;
    uint32_t bits; ///< bits of the packet's route, as on the wire
    bool is_input;
    bool is_taken; ///< selected for the message that is being written
} bksi_carrier_packet;

/// Packets that one peer handed over, in the order of arrival.
typedef struct bksi_carrier_queue {
    uint32_t count; ///< number of packets in the queue
    uint32_t used;  ///< used part of `bytes`, in bytes
    uint32_t cost;  ///< bytes charged: short packets count as SHORT_BYTES
    bksi_carrier_packet packets[BKSI_CARRIER_PACKETS];
    uint8_t bytes[BKSI_CARRIER_ROOM_BYTES]; ///< bytes of all packets, without gaps
} bksi_carrier_queue;

/// Turns of the peers whose packets wait for one next peer. The next turn is that of the peer with
/// the fewest bytes sent. The count of a peer that had nothing waiting starts at `now_bytes` or
/// above.
typedef struct bksi_carrier_turns {
    uint32_t waiting; ///< number of packets that wait for this next peer
    uint64_t bytes[BKS_PEERS_MAX];
    uint64_t now_bytes; ///< byte count of the peer that had the last turn, before that turn
} bksi_carrier_turns;

typedef struct bksi_carrier {
    /// Queue of each peer that handed packets over, by peer. Our own entry holds our own packets.
    bksi_carrier_queue queues[BKS_PEERS_MAX];
    bksi_carrier_turns turns[BKS_PEERS_MAX]; ///< turns for each next peer, by number of that peer
    uint32_t waiting;                        ///< next peers for which packets wait, as bits
    uint64_t dropped;                        ///< packets dropped because there was no room
} bksi_carrier;

void bksi_carrier_init(bksi_carrier *carrier);

/// Queue a packet for the next peer on its route.
/// @param routed     route as the next peer reads it
/// @param count      1..BKSI_CARRIED_PACKET_BYTES_MAX
/// @param is_narrow  the line to the next peer is narrow: keep only the newest INPUT of each route
void bksi_carrier_put(bksi_carrier *carrier, const bksi_routed *routed, const uint8_t *packet,
                      size_t count, bool is_narrow, uint64_t now_ns);

/// Return the next peers for which packets wait, as bits.
static inline uint32_t bksi_carrier_hops(const bksi_carrier *carrier)
{
    return carrier->waiting;
}
static inline bool bksi_carrier_waits(const bksi_carrier *carrier, uint32_t hop)
{
    return (carrier->waiting >> hop & 1) != 0;
}

/// Return the time since which the oldest packet for a peer has waited; UINT64_MAX if none waits.
uint64_t bksi_carrier_since_ns(const bksi_carrier *carrier, uint32_t hop);

/// Append the waiting packets for a peer, as many as fit, to the body of a CARRIED.
/// @param writer  writes the body; our own message, if there is one, is in it already
/// @return number of packets
uint32_t bksi_carrier_fill(bksi_carrier *carrier, uint32_t hop, bksi_byte_writer *writer);

#endif
