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
/// is that of net/line.h, with a queue of 12 ms as the most.
///
/// No clock, no allocation after create.

#ifndef BKSI_BULK_H
#define BKSI_BULK_H

#include "net/extents.h"
#include "net/line.h"
#include "wire/bulk_message.h"

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

/// Our bytes. bulk_out.c alone writes this.
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
    bksi_line_rate rate;
    bool yields;
    uint64_t round_trip_ns;
    uint64_t reported_ns; ///< the newest report, or since when one is awaited
    uint64_t asked_ns;    ///< a part last went
    uint64_t resent_bytes;
} bksi_bulk_out;

/// Their bytes. bulk_in.c alone writes this.
typedef struct bksi_bulk_in {
    uint8_t *ring;
    size_t room;
    uint64_t read;  ///< one past the last byte that was read
    uint64_t floor; ///< all before this came
    uint64_t limit; ///< what was offered to the sender
    bksi_extents came;
    bool owes_report;
    uint64_t report_at_ns;
    uint64_t dropped; ///< messages for which there was no room
} bksi_bulk_in;

typedef struct bksi_bulk {
    bksi_bulk_out out;
    bksi_bulk_in in;
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

/// Follow the line. Call at each update.
/// @param yields  the match itself is backing off: next to nothing goes
void bksi_bulk_update(bksi_bulk *bulk, bksi_line *line, bool yields, uint64_t now_ns);

/// When the next message is to go: any time up to now is now, UINT64_MAX never.
uint64_t bksi_bulk_due_ns(const bksi_bulk *bulk, uint64_t now_ns);

/// The next message that is due.
/// @param room  for the body
/// @return bytes of the body, 0: none is due
size_t bksi_bulk_send(bksi_bulk *bulk, uint8_t *body, size_t room, uint64_t now_ns);
/// It went in a packet of this size, with all headers.
void bksi_bulk_sent(bksi_bulk *bulk, size_t bytes, uint64_t now_ns);

/// @return false when the message makes no sense; nothing changed then
bool bksi_bulk_receive(bksi_bulk *bulk, const uint8_t *body, size_t count, uint64_t now_ns);

// ---- bulk_out.c, for bulk.c ----

void bksi_bulk_out_init(bksi_bulk_out *out, const bksi_bulk_config *config, uint64_t now_ns);
void bksi_bulk_out_update(bksi_bulk_out *out, bksi_line *line, bool yields, uint64_t now_ns);
uint64_t bksi_bulk_out_due_ns(const bksi_bulk_out *out, uint64_t now_ns);
/// Choose the next part.
/// @return false when none is due
bool bksi_bulk_out_next(bksi_bulk_out *out, size_t room, uint64_t now_ns, bksi_extent *extent);
void bksi_bulk_out_copy(const bksi_bulk_out *out, bksi_extent extent, uint8_t *to);
bool bksi_bulk_out_reported(bksi_bulk_out *out, const bksi_bulk_report *report, uint64_t now_ns);

// ---- bulk_in.c, for bulk.c ----

void bksi_bulk_in_fill(bksi_bulk_in *in, bksi_bulk_report *report);
bool bksi_bulk_in_check(const bksi_bulk_in *in, const bksi_bulk_message *message);
void bksi_bulk_in_take(bksi_bulk_in *in, const bksi_bulk_message *message, uint64_t now_ns);

#endif
