// SPDX-License-Identifier: MIT

/// @file bulk_pace.h
/// How fast a stream goes beside a match. On a far line a rate that is too high shows a round trip
/// later, and by then it has made a queue. So a higher rate is tried for a few milliseconds only,
/// and the last packet of such a probe shows what the line carries.

#ifndef BKSI_BULK_PACE_H
#define BKSI_BULK_PACE_H

#include "net/line.h"

typedef enum bksi_bulk_probe_stage {
    BKSI_BULK_PROBE_NONE,
    BKSI_BULK_PROBE_GOES,    ///< more goes than the rate
    BKSI_BULK_PROBE_ENDS,    ///< its last packet, one without data, goes next
    BKSI_BULK_PROBE_AWAITED, ///< it went, and is not echoed yet
} bksi_bulk_probe_stage;

typedef struct bksi_bulk_probe {
    bksi_bulk_probe_stage stage;
    uint64_t first;  ///< number of its first packet
    uint64_t last;   ///< and of its last
    uint64_t end_ns; ///< until then, at least; and then when its last packet went
    uint64_t due_ns; ///< when the next may begin
} bksi_bulk_probe;

typedef struct bksi_bulk_pace {
    double most;    ///< bytes a second, with headers
    double rate;    ///< bytes a second
    double ceiling; ///< the rate at which the line's end showed; 0: not yet
    double credit;  ///< what may go at once; below 0: when that is earned
    uint64_t credit_ns;
    uint64_t next_ns; ///< when the next packet may go
    uint64_t gap_ns;  ///< packets go so far apart at least; 0: as they come
    uint64_t wait_ns; ///< they may wait on their way for so long without a queue
    uint64_t sent_ns;
    bool is_begun;          ///< a stream began, or continues, and `quiet_ns` is to be measured
    uint64_t quiet_ns;      ///< deviation of the line before that
    uint64_t hold_until_ns; ///< a cut has to show first
    uint64_t seen_samples;
    double packet_bytes; ///< smoothed, with headers
    bksi_bulk_probe probe;
    uint32_t bytes;      ///< that went, lowest 32 bits
    uint32_t line_bytes; ///< of others, as of then, lowest 32 bits
    uint64_t line_bytes_ns;
    double others; ///< bytes a second of the line's other messages
} bksi_bulk_pace;

void bksi_bulk_pace_init(bksi_bulk_pace *pace, double most, uint64_t now_ns);

/// Follow the line. Call at each update while anything is unfinished.
/// @param may_probe  more waits to be sent, and is not held back
void bksi_bulk_pace_update(bksi_bulk_pace *pace, const bksi_line *line, bool may_probe,
                           uint64_t now_ns);

/// Fall back to the least, and rise from there.
void bksi_bulk_pace_yield(bksi_bulk_pace *pace);

/// Whether a probe ends: the next packet is to be one without data, which is reported at once.
bool bksi_bulk_pace_asks(const bksi_bulk_pace *pace);
/// A packet without data goes.
void bksi_bulk_pace_asked(bksi_bulk_pace *pace);

/// The largest packet that is to go.
size_t bksi_bulk_pace_packet_bytes(const bksi_bulk_pace *pace);

/// A packet goes now.
/// @param bytes   with all headers
/// @param number  by which the line knows it
void bksi_bulk_pace_sent(bksi_bulk_pace *pace, size_t bytes, uint64_t number, uint64_t now_ns);

/// When the next may go: any time up to now is now.
static inline uint64_t bksi_bulk_pace_next_ns(const bksi_bulk_pace *pace)
{
    return pace->next_ns;
}

#endif
