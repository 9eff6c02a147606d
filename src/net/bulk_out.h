// SPDX-License-Identifier: MIT

/// @file bulk_out.h
/// Our side of a stream of bytes: what was written, what of it went, what came.

#ifndef BKSI_BULK_OUT_H
#define BKSI_BULK_OUT_H

#include "net/bulk_pace.h"
#include "net/extents.h"
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
/// Packets go so far apart, and may wait on their way for so long without a queue; 0: neither.
void bksi_bulk_out_set_detour(bksi_bulk_out *out, uint64_t gap_ns, uint64_t wait_ns);
void bksi_bulk_out_update(bksi_bulk_out *out, const bksi_line *line, bool yields, uint64_t now_ns);
uint64_t bksi_bulk_out_due_ns(const bksi_bulk_out *out, uint64_t now_ns);
/// Choose the next part.
/// @return false when none is due
bool bksi_bulk_out_next(bksi_bulk_out *out, size_t room, uint64_t now_ns, bksi_extent *extent);
void bksi_bulk_out_copy(const bksi_bulk_out *out, bksi_extent extent, uint8_t *to);
/// A packet of it went, of this size with all headers.
/// @param number  by which the line knows it
void bksi_bulk_out_sent(bksi_bulk_out *out, size_t bytes, uint64_t number, uint64_t now_ns);
bool bksi_bulk_out_reported(bksi_bulk_out *out, const bksi_bulk_report *report, uint64_t now_ns);

#endif
