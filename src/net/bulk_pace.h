// SPDX-License-Identifier: MIT

/// @file bulk_pace.h
/// Sending rate of a bulk stream beside a match. The effect of a rate that is too high shows only a
/// round trip later, when there is already a queue. So a higher rate is tried for a few
/// milliseconds only, and the last packet of such a probe shows what the line carries.

#ifndef BKSI_BULK_PACE_H
#define BKSI_BULK_PACE_H

#include "net/line.h"

typedef enum bksi_bulk_probe_stage {
    BKSI_BULK_PROBE_NONE,
    BKSI_BULK_PROBE_GOES,    ///< packets are sent faster than the stream's rate
    BKSI_BULK_PROBE_ENDS,    ///< the probe's last packet, which has no data, is sent next
    BKSI_BULK_PROBE_AWAITED, ///< the probe's last packet was sent and not echoed yet
} bksi_bulk_probe_stage;

typedef struct bksi_bulk_probe {
    bksi_bulk_probe_stage stage;
    uint64_t first; ///< number of the probe's first packet
    uint64_t last;  ///< number of the probe's last packet

    /// Earliest end of the probe; after the end, the time when the last packet was sent.
    uint64_t end_ns;
    uint64_t due_ns; ///< earliest start of the next probe
} bksi_bulk_probe;

/// How fast a stream may become. Rates are in bytes per second, headers included.
typedef struct bksi_bulk_pace_config {
    double most;  ///< highest rate
    double first; ///< rate at the beginning, and after a pause if no ceiling is known
    /// Factor by which the rate grows near the ceiling if jitter or waiting at carriers hides the
    /// result of probes.
    double blind_growth;
    uint64_t probe_every_ns; ///< time until the next probe after one near the ceiling
    /// Cut the rate from the line's capacity where that is less. Jitter can make the capacity seem
    /// far too low, so a stream that players wait for does not.
    bool cuts_to_capacity;
    /// No player waits for packets that the stream delays. So jitter of any size may hide a queue:
    /// else a line with much jitter looks full at every rate.
    bool bears_jitter;
} bksi_bulk_pace_config;

typedef struct bksi_bulk_pace {
    bksi_bulk_pace_config config;
    double rate;    ///< sending rate in bytes per second
    double ceiling; ///< rate at which the line was full, in bytes per second; 0: not seen yet
    double credit;  ///< packets that may be sent at once; negative after a burst
    uint64_t credit_ns;
    uint64_t next_ns; ///< time when the next packet may be sent
    uint64_t gap_ns;  ///< minimum time between packets; 0: none
    uint64_t wait_ns; ///< delay of packets that carriers cause, which does not count as a queue
    uint64_t sent_ns;
    bool is_begun;     ///< a stream has begun or resumed, and `quiet_ns` must be measured
    uint64_t quiet_ns; ///< jitter of the line before the stream began

    /// Time before which the rate is not cut again, so that the effect of the last cut can show.
    uint64_t hold_until_ns;
    uint64_t seen_samples;
    double packet_bytes; ///< smoothed size of a packet, headers included
    bksi_bulk_probe probe;
    uint32_t bytes; ///< bytes that the stream has sent, lowest 32 bits
    /// Bytes of the match's own messages up to the last measurement, lowest 32 bits.
    uint32_t line_bytes;
    uint64_t line_bytes_ns;
    double others; ///< bytes per second of the match's own messages
} bksi_bulk_pace;

void bksi_bulk_pace_init(bksi_bulk_pace *pace, const bksi_bulk_pace_config *config,
                         uint64_t now_ns);

/// Follow the measurements of the line. Call this at each update while bytes are unacknowledged.
/// @param may_probe  more bytes wait to be sent, and nothing holds them back
void bksi_bulk_pace_update(bksi_bulk_pace *pace, const bksi_line *line, bool may_probe,
                           uint64_t now_ns);

/// Fall back to the lowest rate; the rate rises again by probes.
void bksi_bulk_pace_yield(bksi_bulk_pace *pace);

/// Return true if the next packet ends a probe. Such a packet has no data, and the receiver reports
/// its arrival at once.
bool bksi_bulk_pace_asks(const bksi_bulk_pace *pace);
/// Record that a packet without data was sent.
void bksi_bulk_pace_asked(bksi_bulk_pace *pace);

/// Return the size of the largest packet to send.
size_t bksi_bulk_pace_packet_bytes(const bksi_bulk_pace *pace);

/// Record that a packet was sent.
/// @param bytes   size of the packet with all headers
/// @param number  the packet's number on the line
void bksi_bulk_pace_sent(bksi_bulk_pace *pace, size_t bytes, uint64_t number, uint64_t now_ns);

/// Return when the next packet may be sent; `now_ns` or earlier means now.
static inline uint64_t bksi_bulk_pace_next_ns(const bksi_bulk_pace *pace)
{
    return pace->next_ns;
}

#endif
