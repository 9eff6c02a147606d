// SPDX-License-Identifier: MIT

/// @file bulk.h
/// One reliable, ordered stream of bytes in each direction of a link. It gives way to the packets
/// of the match.
///
///     bksi_bulk_write(bulk, bytes)                bksi_bulk_receive(bulk, body)
///     if (now >= bksi_bulk_due_ns(bulk))          bksi_bulk_read(bulk, bytes)
///         bksi_bulk_send(bulk, body)
///         bksi_bulk_sent(bulk, packet's bytes)
///
/// Buffers are allocated at create; received bytes go into them or are dropped. The receiver
/// reports which bytes arrived, and the sender resends bytes that are missing although later ones
/// arrived. net/bulk_pace.h sets the pace.
///
/// A bulk stream reads no clock, and allocates nothing after create.

#ifndef BKSI_BULK_H
#define BKSI_BULK_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "net/bulk_pace.h"
#include "net/extents.h"
#include "wire/small_messages.h"

/// Return how many of `count` bytes at stream position `place` fit before the ring's end; the rest
/// goes to its beginning.
static inline size_t bksi_bulk_ring_part(size_t room, uint64_t place, size_t count)
{
    const size_t left = room - (size_t)(place % room);
    return count < left ? count : left;
}

/// Copy bytes to their place in the ring, in two parts if they go beyond its end.
/// @param count  at most `room`
static inline void bksi_bulk_ring_put(uint8_t *ring, size_t room, uint64_t place,
                                      const uint8_t *bytes, size_t count)
{
    const size_t first = bksi_bulk_ring_part(room, place, count);
    memcpy(ring + place % room, bytes, first);
    memcpy(ring, bytes + first, count - first);
}
static inline void bksi_bulk_ring_get(const uint8_t *ring, size_t room, uint64_t place,
                                      uint8_t *bytes, size_t count)
{
    const size_t first = bksi_bulk_ring_part(room, place, count);
    memcpy(bytes, ring + place % room, first);
    memcpy(bytes + first, ring, count - first);
}

/// Receiving side of a bulk stream.
typedef struct bksi_bulk_in {
    uint8_t *ring;
    size_t room;
    uint64_t read;  ///< position one past the last byte that was read
    uint64_t floor; ///< position before which all bytes arrived
    uint64_t limit; ///< position below which the sender may send bytes
    bksi_extents came;
    /// Delay of a report of arrived bytes. With a longer delay one report covers more packets.
    uint64_t report_gap_ns;
    bool owes_report;
    bool is_asked; ///< the sender asked for a report of arrived bytes
    uint64_t report_at_ns;
} bksi_bulk_in;

/// Maximum number of segments that are sent and not yet known as arrived or lost.
#define BKSI_BULK_SEGMENTS 1024u

typedef struct bksi_bulk_config {
    size_t send_bytes;    ///< maximum number of bytes written and not yet acknowledged
    size_t receive_bytes; ///< most bytes received and not yet read, at most BKSI_BULK_WINDOW_MAX
    double most;          ///< highest rate in bytes per second, headers included
    /// The stream is the lane of commands (session/inputs/lane.h): players wait for short bursts.
    bool is_lane;
    /// No player waits for packets that the stream delays: see bksi_bulk_pace_config.
    bool bears_jitter;
    double first; ///< rate at the beginning in bytes per second; 0: that of its kind
} bksi_bulk_config;

/// Range of bytes sent in one packet. Bytes that are sent again belong to a new segment.
typedef struct bksi_bulk_segment {
    bksi_extent extent;
    uint64_t sent_ns;
    bool is_settled; ///< the segment arrived, or its bytes are marked as lost
} bksi_bulk_segment;

/// Sending side of a bulk stream.
typedef struct bksi_bulk_out {
    uint8_t *ring;
    size_t room;
    uint64_t written;  ///< position one past the last byte that was written
    uint64_t sent;     ///< position one past the last byte that was sent
    uint64_t floor;    ///< position before which all bytes arrived
    uint64_t limit;    ///< position from which on the receiver accepts no byte
    bksi_extents came; ///< bytes beyond `floor` that arrived
    bksi_extents lost; ///< bytes to be sent again
    bksi_bulk_segment segments[BKSI_BULK_SEGMENTS];
    uint64_t first_segment; ///< number of the oldest segment that is remembered
    uint64_t next_segment;
    bksi_bulk_pace pace;
    bool is_lane;     ///< the stream is the lane of commands
    bool is_presumed; ///< `limit` is that of bksi_bulk_presume(): no report has arrived yet
    bool yields;
    bool is_held; ///< something else goes first
    uint64_t round_trip_ns;
    /// Time of the newest report of arrived bytes, or when we began to wait for one.
    uint64_t reported_ns;
    uint64_t asked_ns;     ///< time when a segment, with or without data, was last sent
    size_t part_most;      ///< maximum segment size in bytes: a path may drop long packets
    uint64_t part_most_ns; ///< time when `part_most` last changed
} bksi_bulk_out;

/// Set up the sending side of a bulk stream.
/// @param ring  `config->send_bytes` bytes, owned by the caller
void bksi_bulk_out_init(bksi_bulk_out *out, uint8_t *ring, const bksi_bulk_config *config,
                        uint64_t now_ns);
/// Append bytes to the stream.
/// @return bytes taken; fewer than `count` if the ring is full
size_t bksi_bulk_out_write(bksi_bulk_out *out, const void *bytes, size_t count);
/// Choose the next bytes to send in the stream.
/// @return false if nothing is due
bool bksi_bulk_out_next(bksi_bulk_out *out, size_t room, uint64_t now_ns, bksi_extent *extent);
bool bksi_bulk_out_reported(bksi_bulk_out *out, const bksi_bulk_report *report, uint64_t now_ns);

typedef struct bksi_bulk {
    bksi_bulk_out out;
    bksi_bulk_in in;
    bool was_report; ///< the last message was a report, which is not charged to our stream's rate
    bks_allocator allocator;
} bksi_bulk;

/// Create both sides of a bulk stream.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY (nothing is left to destroy)
bks_status bksi_bulk_create(bksi_bulk *bulk, const bksi_bulk_config *config,
                            const bks_allocator *allocator);
void bksi_bulk_destroy(bksi_bulk *bulk);
/// Begin both sides anew in the same memory, with another peer.
void bksi_bulk_restart(bksi_bulk *bulk, uint64_t now_ns);

/// Append bytes to the stream.
/// @return bytes taken; fewer than `count` if the ring is full
size_t bksi_bulk_write(bksi_bulk *bulk, const void *bytes, size_t count);
/// Read the next received bytes of the stream.
/// @return bytes read, 0 if there are none
size_t bksi_bulk_read(bksi_bulk *bulk, void *bytes, size_t room, uint64_t now_ns);

/// Return the number of written bytes that are not acknowledged yet.
static inline uint64_t bksi_bulk_unfinished(const bksi_bulk *bulk)
{
    return bulk->out.written - bulk->out.floor;
}

/// Return the number of received bytes that are not read yet.
static inline uint64_t bksi_bulk_unread(const bksi_bulk *bulk)
{
    return bulk->in.floor - bulk->in.read;
}

/// Return true if the peer asked for a report of arrived bytes and none was sent since.
static inline bool bksi_bulk_is_asked(const bksi_bulk *bulk)
{
    return bulk->in.is_asked;
}

/// Set the minimum time between packets on a detour, and the waiting time at carriers that does not
/// count as a queue; 0: none.
void bksi_bulk_set_detour(bksi_bulk *bulk, uint64_t gap_ns, uint64_t wait_ns);

/// Send next to nothing while something else to the peer goes first.
static inline void bksi_bulk_hold(bksi_bulk *bulk, bool is_held)
{
    bulk->out.is_held = is_held;
}

/// Send up to `window` bytes before the first report of the peer, which must be known to take them.
/// Without this the stream asks for a report first, and waits a round trip for it.
static inline void bksi_bulk_presume(bksi_bulk *bulk, uint64_t window, uint64_t now_ns)
{
    bulk->out.limit = window;
    bulk->out.is_presumed = true;
    bulk->out.reported_ns = now_ns;
}

/// Follow the measurements of the line. Call this at each update.
/// @param yields  the match reduces its own rate, so the stream must send next to nothing
void bksi_bulk_update(bksi_bulk *bulk, const bksi_line *line, bool yields, uint64_t now_ns);

/// Return when the next message is due; `now_ns` or earlier means now, UINT64_MAX never.
uint64_t bksi_bulk_due_ns(const bksi_bulk *bulk, uint64_t now_ns);

/// Write the body of the next message that is due.
/// @param room  size of `body`
/// @return bytes of the body, 0 if none is due
size_t bksi_bulk_send(bksi_bulk *bulk, uint8_t *body, size_t room, uint64_t now_ns);
/// Record that the message of bksi_bulk_send() was sent in a packet of `bytes` bytes, headers
/// included.
/// @param number  the packet's number on the line
void bksi_bulk_sent(bksi_bulk *bulk, size_t bytes, uint64_t number, uint64_t now_ns);

/// Process a received BULK message.
/// @return false if the message is invalid; the stream is unchanged then
bool bksi_bulk_receive(bksi_bulk *bulk, const uint8_t *body, size_t count, uint64_t now_ns);

#endif
