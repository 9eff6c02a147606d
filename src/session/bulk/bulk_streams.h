// SPDX-License-Identifier: MIT

/// @file bulk_streams.h
/// Streams of bytes to and from each other peer, beside the match (net/bulk.h): those of the owner,
/// and the lanes of commands (session/inputs/lane.h). All streams are created with the session. A
/// stream is open while the match runs and the peer is in it. Only bulk_streams.c changes
/// session_bulk_streams.

#ifndef BKSI_BULK_STREAMS_H
#define BKSI_BULK_STREAMS_H

#include "session/common/common.h"

#include "net/bulk.h"

typedef struct session_bulk_streams {
    bksi_bulk *streams;              ///< array of BKS_PEERS_MAX - 1 streams; NULL: there are none
    uint32_t detours;                ///< bits: peers to which packets take a detour
    uint64_t sent_ns[BKS_PEERS_MAX]; ///< by peer: time of the last BULK to the peer
} session_bulk_streams;

/// Create the owner's streams. Nothing is allocated if tuning.bulk_bytes is 0.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY (bksi_bulk_streams_destroy() frees what is there)
bks_status bksi_bulk_streams_create(session_bulk_streams *bulk, const bks_session_config *config);
/// Create lanes of commands, with buffers of `bytes` bytes for each direction.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY (bksi_bulk_streams_destroy() frees what is there)
bks_status bksi_bulk_streams_create_lanes(session_bulk_streams *bulk, size_t bytes,
                                          const bks_allocator *allocator);
void bksi_bulk_streams_destroy(session_bulk_streams *bulk, const bks_allocator *allocator);

/// Adjust the rate of each stream to its line. Call at each update of a match that runs.
/// @param detours  bits: peers to which packets take a detour. Carriers keep few packets, so at
///                 most 60 packets per second are sent to such a peer
/// @param held     bits: peers to which other streams go first, so next to nothing is sent
void bksi_bulk_streams_update(session_bulk_streams *bulk, const session_common *common,
                              uint32_t detours, uint32_t held);

/// Find the stream with a peer.
/// @param self  our own number
/// @return the stream; NULL: there is none
static inline bksi_bulk *bksi_bulk_streams_of(const session_bulk_streams *bulk, uint32_t self,
                                              uint32_t peer)
{
    return bulk->streams == NULL || peer == self ? NULL
                                                 : &bulk->streams[peer > self ? peer - 1 : peer];
}

/// Get the time of the next message to any peer. A time up to now means at once, UINT64_MAX never.
uint64_t bksi_bulk_streams_wake(const session_bulk_streams *bulk, const session_common *common);

/// Get the peers that may be due a message, as bits.
static inline uint32_t bksi_bulk_streams_peers(const session_bulk_streams *bulk)
{
    return bulk->streams != NULL ? UINT32_MAX : 0;
}
/// Write the message that is due to a peer.
/// @param body  receives the message
/// @param room  bytes of room in `body`
/// @return bytes of the message; 0: none is due
size_t bksi_bulk_streams_write(session_bulk_streams *bulk, session_links *links,
                               const session_common *common, uint32_t peer, uint8_t *body,
                               size_t room);
/// Record that a message was sent, in a packet of `bytes` bytes, not counting the headers of IP and
/// UDP.
void bksi_bulk_streams_sent(session_bulk_streams *bulk, const session_common *common, uint32_t peer,
                            size_t bytes);

/// Process a BULK message of a peer.
/// @param out_echo  receives the echo, if the message is valid
/// @return false if the message is malformed; nothing changed then
bool bksi_bulk_streams_receive(session_bulk_streams *bulk, session_links *links,
                               const session_common *common, uint32_t peer, const uint8_t *body,
                               size_t count, bksi_echo *out_echo);

// ---- functions for the owner ----

/// Append bytes to the stream to a peer.
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (error names the argument), BKS_ERR_UNSUPPORTED (no
///   streams), BKS_OVER, BKS_ERR_PEER_LOST
bks_status bksi_bulk_streams_append(session_bulk_streams *bulk, const session_common *common,
                                    uint32_t peer, const void *bytes, size_t count,
                                    size_t *out_count);
bks_status bksi_bulk_streams_take(session_bulk_streams *bulk, const session_common *common,
                                  uint32_t peer, void *bytes, size_t capacity, size_t *out_count);
/// Get the number of appended bytes that are not known to have arrived.
uint64_t bksi_bulk_streams_pending(const session_bulk_streams *bulk, const session_common *common,
                                   uint32_t peer);

#endif
