// SPDX-License-Identifier: MIT

/// @file bulk.h
/// A stream of bytes in each direction of a link, beside a match: all of them, in order, once. It
/// gives way to the match's own packets.
///
///     bksi_bulk_write(bulk, bytes)                bksi_bulk_receive(bulk, body)
///     if (now >= bksi_bulk_due_ns(bulk))          bksi_bulk_read(bulk, bytes)
///         bksi_bulk_send(bulk, body)
///         bksi_bulk_sent(bulk, packet's bytes)
///
/// Buffers are made at create; what comes is taken into them or dropped. A receiver reports which
/// bytes came; of the others the sender sends again those that later ones have overtaken. The pace
/// is that of net/bulk_pace.h.
///
/// No clock, no allocation after create.

#ifndef BKSI_BULK_H
#define BKSI_BULK_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "net/bulk_pace.h"
#include "net/extents.h"
#include "wire/small_messages.h"

/// How many of some bytes from a place on lie before the ring's end; the rest at its begin.
static inline size_t bksi_bulk_ring_part(size_t room, uint64_t place, size_t count)
{
    const size_t left = room - (size_t)(place % room);
    return count < left ? count : left;
}

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

/// Their bytes.
typedef struct bksi_bulk_in {
    uint8_t *ring;
    size_t room;
    uint64_t read;  ///< one past the last byte that was read
    uint64_t floor; ///< all before this came
    uint64_t limit; ///< what was offered to the sender
    bksi_extents came;
    uint64_t report_gap_ns; ///< how long a report waits for what else comes
    bool owes_report;
    bool is_asked; ///< by a question
    uint64_t report_at_ns;
} bksi_bulk_in;

/// Packets under way whose fate is not known yet.
#define BKSI_BULK_SEGMENTS 1024u

typedef struct bksi_bulk_config {
    size_t send_bytes;    ///< written and not yet acknowledged, at most
    size_t receive_bytes; ///< came and not yet read, at most; up to BKSI_BULK_WINDOW_MAX
    double most;          ///< bytes a second, with headers
} bksi_bulk_config;

/// A part that went, once. Sent again, it is another segment.
typedef struct bksi_bulk_segment {
    bksi_extent extent;
    uint64_t sent_ns;
    bool is_settled; ///< it came, or is to be sent again
} bksi_bulk_segment;

/// Our bytes.
typedef struct bksi_bulk_out {
    uint8_t *ring;
    size_t room;
    uint64_t written;  ///< one past the last byte that is here
    uint64_t sent;     ///< one past the last that went
    uint64_t floor;    ///< all before this came
    uint64_t limit;    ///< the receiver takes none from here on
    bksi_extents came; ///< beyond the floor
    bksi_extents lost; ///< to be sent again
    bksi_bulk_segment segments[BKSI_BULK_SEGMENTS];
    uint64_t first_segment; ///< numbers of segments
    uint64_t next_segment;
    bksi_bulk_pace pace;
    bool yields;
    uint64_t round_trip_ns;
    uint64_t reported_ns;  ///< the newest report, or since when one is awaited
    uint64_t asked_ns;     ///< a part last went
    size_t part_most;      ///< bytes of a part: long packets may not arrive where short ones do
    uint64_t part_most_ns; ///< it last changed
} bksi_bulk_out;

/// @param ring  config->send_bytes bytes, the caller's
void bksi_bulk_out_init(bksi_bulk_out *out, uint8_t *ring, const bksi_bulk_config *config,
                        uint64_t now_ns);
/// Append to the stream.
/// @return bytes taken, as far as there is room
size_t bksi_bulk_out_write(bksi_bulk_out *out, const void *bytes, size_t count);
/// Choose the next part.
/// @return false when none is due
bool bksi_bulk_out_next(bksi_bulk_out *out, size_t room, uint64_t now_ns, bksi_extent *extent);
bool bksi_bulk_out_reported(bksi_bulk_out *out, const bksi_bulk_report *report, uint64_t now_ns);

typedef struct bksi_bulk {
    bksi_bulk_out out;
    bksi_bulk_in in;
    bool was_report; ///< the last message: it is not charged to our stream's rate
    bks_allocator allocator;
} bksi_bulk;

/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY (nothing is to be destroyed then)
bks_status bksi_bulk_create(bksi_bulk *bulk, const bksi_bulk_config *config,
                            const bks_allocator *allocator);
void bksi_bulk_destroy(bksi_bulk *bulk);

/// Append to the stream.
/// @return bytes taken, as far as there is room
size_t bksi_bulk_write(bksi_bulk *bulk, const void *bytes, size_t count);
/// Take the next bytes of theirs.
/// @return bytes read, 0: none are there
size_t bksi_bulk_read(bksi_bulk *bulk, void *bytes, size_t room, uint64_t now_ns);

/// Bytes written that are not known to have come.
static inline uint64_t bksi_bulk_unfinished(const bksi_bulk *bulk)
{
    return bulk->out.written - bulk->out.floor;
}

/// Whether the other side asked for a report, and none went since then.
static inline bool bksi_bulk_is_asked(const bksi_bulk *bulk)
{
    return bulk->in.is_asked;
}

/// Packets go so far apart, and may wait on their way for so long without a queue; 0: neither.
void bksi_bulk_set_detour(bksi_bulk *bulk, uint64_t gap_ns, uint64_t wait_ns);

/// Follow the line. Call at each update.
/// @param yields  the match itself is backing off: next to nothing goes
void bksi_bulk_update(bksi_bulk *bulk, const bksi_line *line, bool yields, uint64_t now_ns);

/// When the next message is to go: any time up to now is now, UINT64_MAX never.
uint64_t bksi_bulk_due_ns(const bksi_bulk *bulk, uint64_t now_ns);

/// The next message that is due.
/// @param room  for the body
/// @return bytes of the body, 0: none is due
size_t bksi_bulk_send(bksi_bulk *bulk, uint8_t *body, size_t room, uint64_t now_ns);
/// It went in a packet of this size, with all headers.
/// @param number  by which the line knows it
void bksi_bulk_sent(bksi_bulk *bulk, size_t bytes, uint64_t number, uint64_t now_ns);

/// @return false when the message makes no sense; nothing changed then
bool bksi_bulk_receive(bksi_bulk *bulk, const uint8_t *body, size_t count, uint64_t now_ns);

#endif
