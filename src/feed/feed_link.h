// SPDX-License-Identifier: MIT

/// @file feed_link.h
/// One end of a feed's connection: a stream of bytes each way over a channel of a guard, paced by
/// measurements of the line. Source and watcher use the same.

#ifndef BKSI_FEED_LINK_H
#define BKSI_FEED_LINK_H

#include "feed/feed_wire.h"
#include "net/bulk.h"
#include "net/guard.h"
#include "net/line.h"
#include "net/link.h"

typedef struct bksi_feed_link {
    bksi_bulk bulk;
    bksi_link link;
    bksi_line line;
    uint64_t heard_ns; ///< time of the last packet under the channel's keys
} bksi_feed_link;

/// Room for a packet of a feed, its mark included.
#define BKSI_FEED_PACKET_BYTES_MAX BKS_PACKET_BYTES_MAX

/// Derive the key by which a match is watched from the key by which it is played. The way back is
/// not known.
void bksi_feed_key(const uint8_t match_key[BKS_KEY_BYTES], uint8_t out[BKS_KEY_BYTES]);

/// Return true if a packet is one of a feed, by its mark.
static inline bool bksi_feed_is_packet(const uint8_t *packet, size_t count)
{
    return count >= BKSI_FEED_MARK_BYTES && packet[0] == BKSI_FEED_MARK_0 &&
           packet[1] == BKSI_FEED_MARK_1;
}

/// Have a guard check and open a packet of a feed.
void bksi_feed_receive(bksi_guard *guard, uint64_t now_ns, const bks_address *from,
                       const uint8_t *packet, size_t count);

/// Create a link.
/// @param send_bytes, receive_bytes  sizes of the streams' buffers
/// @param most  highest rate in bytes per second
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY (nothing is left to destroy)
bks_status bksi_feed_link_create(bksi_feed_link *link, size_t send_bytes, size_t receive_bytes,
                                 double most, const bks_allocator *allocator);
void bksi_feed_link_destroy(bksi_feed_link *link);

/// Begin anew with another peer, in the same memory.
void bksi_feed_link_begin(bksi_feed_link *link, uint64_t now_ns);

/// Count a sealed message that arrived.
void bksi_feed_link_came(bksi_feed_link *link, const bksi_guard_message *message, uint64_t now_ns);

/// Process the body of a STREAM.
/// @return false if it is invalid; the stream is unchanged then
bool bksi_feed_link_take(bksi_feed_link *link, const bksi_guard_message *message, uint64_t now_ns);

/// Write the next packet of the stream, its mark included, if one is due.
/// @return bytes of the packet, 0: none is due
size_t bksi_feed_link_send(bksi_feed_link *link, bksi_guard *guard, bksi_channel channel,
                           bks_address *to, uint8_t *packet, uint64_t now_ns);

/// Write a packet with a message that is not part of the stream.
/// @param link  may be NULL
/// @return bytes of the packet, 0: there are no keys yet
size_t bksi_feed_send(bksi_feed_link *link, bksi_guard *guard, bksi_channel channel, uint32_t type,
                      const uint8_t *body, size_t body_bytes, bks_address *to, uint8_t *packet,
                      uint64_t now_ns);

/// Write one of the guard's own packets, its mark included.
/// @return bytes of the packet, 0: there is none
size_t bksi_feed_flush(bksi_guard *guard, bks_address *to, uint8_t *packet, uint64_t now_ns);

#endif
