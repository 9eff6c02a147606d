// SPDX-License-Identifier: MIT

/// @file feed_network.h
/// A match of peers on virtual time, some of which serve watchers by lines of their own.

#ifndef TESTS_FEED_NETWORK_H
#define TESTS_FEED_NETWORK_H

#include "backstitch/replay.h"
#include "feed/feed_receiver.h"
#include "feed/feed_source.h"
#include "peer/peer_network.h"

#define FEED_WATCHERS 68
#define FEED_PACKETS  4096

typedef struct feed_packet {
    uint64_t arrives_ns;
    bool is_to_source;
    uint32_t peer; ///< peer whose source sent it or gets it
    size_t count;
    uint8_t bytes[BKS_PACKET_BYTES_MAX];
} feed_packet;

typedef struct feed_watcher {
    bksi_feed_receiver receiver;
    bool is_there;
    bool is_stopped; ///< its process does not run
    bks_status status;
    uint64_t came_ns;
    uint64_t delay_ns; ///< one way
    uint64_t jitter_ns;
    uint32_t loss_percent;
    uint64_t line_bytes_per_s; ///< rate of its line from the source, 0: no limit
    uint64_t line_free_ns;     ///< time at which that line has sent all that waits
    feed_packet *packets;
    size_t packet_count;
    uint64_t bytes_to; ///< bytes that the source sent to it, headers included
    bks_replay *replay;
    bks_tick end;           ///< end of what it has
    uint64_t behind_ns_sum; ///< how long after it was settled each tick came
    uint64_t behind_ns_most;
    uint32_t ticks;
} feed_watcher;

/// Source at one of the peers.
typedef struct feed_server {
    bool is_there;
    bksi_feed_source source;
    bool is_started;
    bool is_cut;       ///< its process is gone
    uint64_t bytes_to; ///< bytes sent to all watchers, headers included
} feed_server;

typedef struct feed_network {
    peer_network net;
    feed_server servers[NET_PEERS_MAX];
    uint32_t at; ///< peer to which watchers come first
    feed_watcher watchers[FEED_WATCHERS];
    uint64_t settled_ns[4096]; ///< when the source settled each tick
    bks_tick settled;
} feed_network;

/// A source at peer `at` of a match that was made by net_create(). Watchers come to the first one.
void feed_create(feed_network *network, uint32_t at, const bksi_feed_source_config *config);

/// The source to which watchers come first.
static inline bksi_feed_source *feed_source(feed_network *network)
{
    return &network->servers[network->at].source;
}

/// End the process of a peer, its source included.
void feed_crash(feed_network *network, uint32_t peer);
void feed_destroy(feed_network *network);

bksi_feed_source_config feed_config(uint32_t watchers);

/// Let a watcher come.
void feed_come(feed_network *network, uint32_t watcher);
void feed_come_with(feed_network *network, uint32_t watcher, const uint8_t key[BKS_KEY_BYTES]);

/// Key of the match: that of the feed is derived from it.
extern const uint8_t feed_match_key[BKS_KEY_BYTES];

/// Run until a time on the virtual clock.
void feed_run_until(feed_network *network, uint64_t now_ns);

#endif
