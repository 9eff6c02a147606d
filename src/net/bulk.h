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

#include "net/bulk_in.h"
#include "net/bulk_out.h"

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
