// SPDX-License-Identifier: MIT

/// @file feed_receiver.h
/// A watcher's side of a feed: it asks a source for the feed, and makes a growing recording of what
/// comes. If it loses its source it continues the recording with another member of the match, of
/// whom the source has told it. It has no clock and no socket. A hostile source can make it hold up
/// to `bytes_max` bytes, and nothing else: readers of recordings check what the bytes say.

#ifndef BKSI_FEED_RECEIVER_H
#define BKSI_FEED_RECEIVER_H

#include "feed/feed_link.h"
#include "feed/feed_members.h"
#include "feed/feed_opinions.h"
#include "feed/feed_progress.h"
#include "feed/feed_wire.h"
#include "replay/format/replay_event.h"

/// Defaults of a config: bks_feed_open() and the lab set them.
#define BKSI_FEED_TIMEOUT_NS UINT64_C(10000000000)
#define BKSI_FEED_BYTES_MAX  ((size_t)256 << 20)

typedef struct bksi_feed_receiver_config {
    bks_address source;
    uint8_t key[BKS_KEY_BYTES];      ///< key of the feed, from bksi_feed_key()
    uint8_t identity[BKS_KEY_BYTES]; ///< random secret
    uint8_t entropy[BKS_KEY_BYTES];  ///< random bytes used for nothing else
    uint64_t timeout_ns;             ///< time to wait for the source's first answer
    size_t bytes_max;                ///< most bytes of the recording
    bks_allocator allocator;
} bksi_feed_receiver_config;

/// Parts of the stream.
typedef enum bksi_feed_part {
    BKSI_FEED_PART_COUNT, ///< bytes of the recording's beginning
    BKSI_FEED_PART_BEGINNING,
    BKSI_FEED_PART_HEAD, ///< head of a record
    BKSI_FEED_PART_RECORD,
} bksi_feed_part;

/// Last words of a source that leaves: they belong to the recording if nobody else continues it.
typedef struct bksi_feed_closing {
    uint8_t event[BKSI_EVENT_BYTES_MAX]; ///< payload of the event, that the recording was closed
    size_t event_bytes;                  ///< 0: the source does not leave
    uint8_t done[BKSI_DONE_BYTES];       ///< payload of DONE
    bool is_done;
} bksi_feed_closing;

typedef struct bksi_feed_receiver {
    bks_allocator allocator;
    uint64_t timeout_ns;
    size_t bytes_max;
    bksi_guard guard;
    bks_address source; ///< source that is asked at present
    bksi_channel channel;
    bksi_feed_link link;
    bksi_feed_members members; ///< other members, as the source told
    bksi_feed_search search;   ///< members asked since the source was lost
    bks_status lost;           ///< status with which the feed ends if the search fails
    uint32_t lost_reason;      ///< a bksi_feed_reason, for the same
    bool continues;            ///< the source is asked to continue the recording
    bksi_feed_progress progress;
    bksi_feed_opinions opinions;
    bool must_join; ///< it is not known yet that the source played the same ticks
    size_t joint;   ///< bytes of the recording while `must_join`; those after them may be dropped
    bksi_feed_progress at_joint; ///< progress at `joint`
    size_t ticks_at;             ///< offset of the newest TICK record, 0: none yet
    bksi_feed_closing closing;
    uint64_t updated_ns; ///< time of the last update, 0: none yet
    uint64_t silent_ns;  ///< time in which we ran and heard nothing of the source
    uint64_t watched_ns; ///< time of the last WATCH
    bool has_keys;       ///< a packet could be sealed
    bool is_answered;    ///< the source has sent a packet under the keys
    bks_status status;   ///< BKS_OK while the recording may grow
    uint32_t reason;     ///< bksi_feed_reason, if the source gave one; BKSI_FEED_REASONS: none
    bksi_feed_part part; ///< part of the stream that comes next
    size_t want;         ///< bytes of this part
    size_t got;          ///< bytes of this part that have come
    uint8_t number[BKSI_FEED_COUNT_BYTES];
    uint8_t *bytes;  ///< the recording, and behind it the part that is coming
    size_t capacity; ///< size of `bytes`
    size_t count;    ///< bytes of the recording: whole records only
    size_t begun;    ///< bytes of its beginning, 0: it is not here yet
    size_t beside;   ///< bytes that a reader of the recording holds beside it
    uint64_t received_bytes;
} bksi_feed_receiver;

/// Create a receiver.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY (nothing is left to destroy)
bks_status bksi_feed_receiver_create(bksi_feed_receiver *receiver,
                                     const bksi_feed_receiver_config *config);
void bksi_feed_receiver_destroy(bksi_feed_receiver *receiver);

/// Process a packet with the mark of a feed.
void bksi_feed_receiver_receive(bksi_feed_receiver *receiver, uint64_t now_ns,
                                const bks_address *from, const uint8_t *packet, size_t count);

/// Take what has come, and check that the source is there.
/// @return BKS_OK while the recording may grow; BKS_OVER: it is complete; BKS_ERR_TIMEOUT: no
///         answer; BKS_ERR_REFUSED: the source refused us, by `reason`; BKS_ERR_PEER_LOST: the
///         source fell silent, or ended the feed by `reason`, and no other member goes on;
///         BKS_ERR_DAMAGED: the source sent nonsense, or more than bytes_max;
///         BKS_ERR_OUT_OF_MEMORY
bks_status bksi_feed_receiver_update(bksi_feed_receiver *receiver, uint64_t now_ns);

/// Return the bytes of the recording that do not change any more.
static inline size_t bksi_feed_receiver_bytes(const bksi_feed_receiver *receiver)
{
    return receiver->must_join ? receiver->joint : receiver->count;
}

/// Write the next packet that is due.
/// @param packet  room for BKS_PACKET_BYTES_MAX
/// @return bytes of the packet, 0: none is due
size_t bksi_feed_receiver_send(bksi_feed_receiver *receiver, bks_address *to, uint8_t *packet,
                               uint64_t now_ns);

/// Write a packet that says goodbye to the source.
/// @return bytes of the packet, 0: there are no keys
size_t bksi_feed_receiver_leave(bksi_feed_receiver *receiver, bks_address *to, uint8_t *packet,
                                uint64_t now_ns);

#endif
