// SPDX-License-Identifier: MIT

/// @file peer_network.h
/// Peers with the small region game of the game room, on virtual time: packets take their time, get
/// lost, and recordings go to memory.

#ifndef TESTS_PEER_NETWORK_H
#define TESTS_PEER_NETWORK_H

#include "backstitch/toolkit/peer.h"
#include "support/counting_allocator.h"

#define NET_PEERS_MAX BKS_PEERS_MAX
#define NET_NEWEST    70
#define NET_MS        1000000ull

/// A recording in memory.
typedef struct memory_sink {
    uint8_t *bytes;
    size_t count;
    size_t capacity;
    uint32_t writes;
    uint32_t fail_from; ///< this write and all after it fail; UINT32_MAX: none
} memory_sink;

typedef struct net_packet {
    uint64_t arrives_ns;
    uint32_t from, to;
    size_t count;
    uint8_t bytes[BKS_PACKET_BYTES_MAX];
} net_packet;

typedef struct net_peer {
    bks_peer *peer;
    bks_status status; ///< of the last update
    bool is_frozen;
    bool is_due; ///< a packet came: it updates at once
    uint32_t events[BKS_EVENT_SPEED + 1];
    bks_event last[BKS_EVENT_SPEED + 1];
    memory_sink record;
    bks_monkey monkey;
    uint64_t clock_ns; ///< shown by net_clock()
    counting_allocator counter;
    // As the last update left them; packets that came since may have changed the session's.
    bks_tick tick;
    bks_tick confirmed;
    bks_tick confirmed_before;                     ///< the same before its newest update
    int32_t newest[NET_NEWEST][NET_PEERS_MAX * 2]; ///< inputs of the ticks from `confirmed` on
} net_peer;

typedef struct peer_network {
    net_peer peers[NET_PEERS_MAX];
    uint32_t peer_count;
    uint64_t now_ns;
    uint64_t delay_ns; ///< default 30 ms
    uint32_t loss_percent;
    uint64_t random;
    net_packet *packets;
    size_t packet_count;
} peer_network;

/// Peers of a match over 300 ticks, each with a monkey and a recording; `tune` may change each
/// config before its peer is created, may be NULL.
void net_create(peer_network *network, uint32_t peer_count,
                void (*tune)(bks_peer_config *config, uint32_t peer));
void net_destroy(peer_network *network);

/// Run until a time on the virtual clock.
void net_run_until(peer_network *network, uint64_t now_ns);

/// Run until every peer's update says something other than BKS_OK, or the time is up.
/// @return whether all did
bool net_run_to_end(peer_network *network, uint64_t limit_ns);

/// One peer's config before any tuning.
bks_peer_config net_config(peer_network *network, uint32_t peer);

bks_session *net_session(const peer_network *network, uint32_t peer);
bks_address net_address(uint32_t peer);

/// A clock that moves on by 3 microseconds with every look; `context` is the net_peer.
uint64_t net_clock(void *context);

bks_status memory_sink_write(void *context, uint64_t offset, const void *bytes, size_t count);

#endif
