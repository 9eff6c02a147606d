// SPDX-License-Identifier: MIT

/// @file feed_wire.h
/// Messages between the source of a feed and a watcher. docs/spec/feed.md describes the bytes.

#ifndef BKSI_FEED_WIRE_H
#define BKSI_FEED_WIRE_H

#include "wire/packet.h"

/// First two bytes of every packet of a feed; the group of the receiver's channel and the guard's
/// packet follow. No packet of a match begins with them: a handshake message of a match has 1 to 3
/// as its second byte.
#define BKSI_FEED_MARK_0     0x00u
#define BKSI_FEED_MARK_1     0x10u
#define BKSI_FEED_MARK_BYTES 3u

/// Version of the feed, raised when a message or the stream changes.
#define BKSI_FEED_VERSION 4u

/// Most watchers of one source.
#define BKSI_FEED_WATCHERS_MAX 64u

/// Most relays one behind the other, so that they cannot form a ring.
#define BKSI_FEED_HOPS_MAX 4u

/// Channels beside those of the watchers, for those who are told that there is no place: more than
/// the BKSI_YOUNG_MAX that callers take who never finish.
#define BKSI_FEED_CHANNELS_MORE 8u

/// Bit of a WATCH besides the version: the watcher has bytes of a stream, so it cannot take another
/// one from its beginning.
#define BKSI_FEED_HAS_BEGUN 0x80u

/// Bytes of a WATCH: its first byte; and, if the watcher continues a recording that another source
/// began, the tick at which that ends (u32) and the seed of the match (u64).
#define BKSI_FEED_WATCH_BYTES      1u
#define BKSI_FEED_WATCH_BYTES_MORE 13u

/// Seconds from one checkpoint to the next: a tick whose hash every source keeps for a while, so
/// that watchers can compare those of two members.
#define BKSI_FEED_CHECKPOINT_SECONDS 10u

/// Bytes of a HASH: from a watcher the version (u8), the seed of the match (u64) and the tick
/// (u32); from a source the tick (u32) and the hash (u64).
#define BKSI_FEED_QUESTION_BYTES 13u
#define BKSI_FEED_ANSWER_BYTES   12u

/// Number at the beginning of the stream: bytes of the recording's beginning that follow.
#define BKSI_FEED_COUNT_BYTES 8u

/// Most bytes of a body: the mark takes three of a packet's bytes.
#define BKSI_FEED_BODY_BYTES_MAX (BKSI_BODY_BYTES_MAX - BKSI_FEED_MARK_BYTES)

/// Messages of a feed, in the numbers of a match's packet types.
#define BKSI_FEED_WATCH   BKSI_PACKET_JOIN   ///< watcher: its version and BKSI_FEED_HAS_BEGUN
#define BKSI_FEED_MEMBERS BKSI_PACKET_ROSTER ///< source: addresses of the other members
#define BKSI_FEED_REFUSE  BKSI_PACKET_REFUSE ///< source: a bksi_feed_reason, and members to ask
#define BKSI_FEED_ALIVE   BKSI_PACKET_LINK   ///< source: it has nothing to send at present
#define BKSI_FEED_HASH    BKSI_PACKET_HASHES ///< a question for the hash of a tick, or the answer
#define BKSI_FEED_BYE     BKSI_PACKET_BYE    ///< either side: a bksi_feed_reason; the feed ends
#define BKSI_FEED_STREAM  BKSI_PACKET_BULK   ///< an echo, and bytes of the stream or a report

/// Time between two WATCH or two ALIVE.
#define BKSI_FEED_ALIVE_NS UINT64_C(500000000)

/// Time between two MEMBERS while the list stays the same.
#define BKSI_FEED_MEMBERS_NS UINT64_C(2000000000)

/// Time to wait for the answer of a member that may serve no watchers.
#define BKSI_FEED_MEMBER_NS UINT64_C(2000000000)

/// Bytes of records that other members still hold when a watcher is given up as too slow.
#define BKSI_FEED_RESERVE_BYTES ((size_t)64 << 10)

/// Silence after which a side gives up the other.
#define BKSI_FEED_SILENCE_NS UINT64_C(5000000000)

/// Reasons why there is no feed, or no longer.
typedef enum bksi_feed_reason {
    BKSI_FEED_LEAVES = 0,    ///< the sender has closed the feed
    BKSI_FEED_FULL = 1,      ///< all places for watchers are taken
    BKSI_FEED_VERSIONS = 2,  ///< the source has another version of the feed
    BKSI_FEED_NO_STATE = 3,  ///< the source has no memory for what watchers need
    BKSI_FEED_TOO_SLOW = 4,  ///< the watcher takes the feed too slowly
    BKSI_FEED_REPAIRED = 5,  ///< the source's own state was repaired
    BKSI_FEED_OVER = 6,      ///< the match is over, and nothing of it is held any more
    BKSI_FEED_NOT_HELD = 7,  ///< the ticks with which the watcher would continue are not held
    BKSI_FEED_NOBODY = 8,    ///< this machine takes no watchers at all
    BKSI_FEED_TOO_FAR = 9,   ///< the source is more than BKSI_FEED_HOPS_MAX hops from the match
    BKSI_FEED_TOO_LONG = 10, ///< the match is watched by history, and is too long for that
    BKSI_FEED_REASONS
} bksi_feed_reason;

/// Return true if a watcher that is refused for this reason asks another member. The REFUSE then
/// names the members.
static inline bool bksi_feed_others_may_serve(bksi_feed_reason reason)
{
    return reason == BKSI_FEED_LEAVES || reason == BKSI_FEED_FULL || reason == BKSI_FEED_TOO_SLOW ||
           reason == BKSI_FEED_TOO_FAR;
}

#endif
