// SPDX-License-Identifier: MIT

/// @file line.h
/// Measurement of the queue in one direction of a link, and a sending rate that keeps it empty.
///
///     sender                                  receiver
///     bksi_line_sent(number, bytes)    ---->  stamp = bksi_line_stamp(arrival)
///     bksi_line_echoed(number, stamp)  <----  echo of the number, the stamp, how long it was held
///     bksi_line_rate_update
///
/// The receiver's stamp minus the sending time changes from packet to packet by the queue alone,
/// whatever the clocks say. So the queue is the delay of a packet beyond the fastest of the last
/// minute. A *line* measures this; a *rate* is one sender's share of the line. All messages of a
/// match share one rate, and bulk has another that gives way first.
///
/// A line has a fixed size; nothing here reads a clock or allocates. docs/link.md explains the
/// rules.

#ifndef BKSI_LINE_H
#define BKSI_LINE_H

#include "backstitch/base.h"

/// Number of sent packets that a line remembers: as many as are under way at 1000 packets per
/// second and a round trip of 1 s. A power of two.
#define BKSI_LINE_SENT_KEPT 1024u

/// Unit of a stamp, 2^18 ns. A stamp has 16 bits, so it wraps after 17 s.
#define BKSI_LINE_STAMP_SHIFT 18u

/// Number of periods of 10 s for which the fastest packet is remembered.
#define BKSI_LINE_LEAST_SPANS 7u

/// Bytes that IPv4 and UDP add to each packet. Sizes of packets on a line or stream include them.
#define BKSI_DATAGRAM_HEAD_BYTES 28u

/// Number of newest samples of the queue that a line remembers.
#define BKSI_LINE_SAMPLES 32u

/// A packet that was sent, as a line remembers it.
typedef struct bksi_line_packet {
    uint32_t number;     ///< packet number, lowest 32 bits
    uint32_t bytes;      ///< bytes of all packets up to and including this one, lowest 32 bits
    uint32_t sent_us;    ///< sending time in us, lowest 32 bits
    uint16_t sent_stamp; ///< sending time in units of stamps
    uint8_t path;        ///< number of the path that the packet took
    bool is_there;
} bksi_line_packet;

/// Measurement of the queue from one echo.
typedef struct bksi_line_sample {
    uint64_t came_ns;
    int64_t transit; ///< transit time in units of stamps, from an unknown zero
    uint32_t trip_us;
    uint32_t number; ///< lowest 32 bits of the packet's number
    uint32_t came;   ///< packets that had arrived up to this one, lowest 32 bits
} bksi_line_sample;

typedef struct bksi_line {
    bksi_line_packet sent[BKSI_LINE_SENT_KEPT];
    uint32_t bytes; ///< bytes of all packets sent, lowest 32 bits
    bool any_sent;
    uint64_t newest_sent; ///< number of the newest packet sent

    bool any_echo;
    uint64_t newest_echoed; ///< number of the newest packet echoed
    int64_t newest_transit;
    int64_t least[BKSI_LINE_LEAST_SPANS]; ///< shortest transit time in each period of 10 s
    /// Number of the newest period of 10 s in `least`.
    uint64_t least_span;
    int64_t least_transit; ///< shortest of the transit times in `least`
    bksi_line_sample samples[BKSI_LINE_SAMPLES];
    uint64_t sample_count;
    double deviation_ns;  ///< jitter: difference from one sample to the next, smoothed by 1/8
    double round_trip_ns; ///< round trip, smoothed by 1/8
    double newest_round_trip_ns;
    double least_trip_ns; ///< shortest round trip, measured here or known before; 0: none
    uint64_t queue_ns;
    uint64_t newest_queue_ns;
    uint64_t growing_queue_ns;

    bool has_train;         ///< a measurement of the line's capacity is under way, from `train` on
    bksi_line_packet train; ///< first packet of the train
    int64_t train_transit;  ///< transit time of the train's first packet
    uint64_t train_came;    ///< packets that arrived before the train
    uint64_t came;          ///< packets that arrived, as far as echoes say
    uint64_t echoed_ns;     ///< time when the newest echo arrived
    uint64_t counted_ns;    ///< time when the present count of sent and arrived packets began
    uint64_t counted_number;
    uint64_t counted_came;
    double sent_per_s; ///< packets sent per second; 0: not counted yet
    double came_per_s;
    double capacity; ///< bytes per second that the line carries; 0: not seen yet
} bksi_line;

/// A receiver's report of the newest packet that arrived.
typedef struct bksi_line_echo {
    uint64_t number;
    uint16_t stamp;   ///< arrival time by the receiver's clock, from bksi_line_stamp()
    uint8_t came;     ///< packets that arrived so far, lowest 8 bits
    uint64_t hold_ns; ///< time from the packet's arrival to the sending of the echo
} bksi_line_echo;

/// Convert an arrival time to the stamp that an echo carries.
uint16_t bksi_line_stamp(uint64_t now_ns);

/// Reset a line, for example because new keys restart the packet numbers.
void bksi_line_init(bksi_line *line);

/// Set a round trip measured before the first packet. A short one shows that there was no queue.
void bksi_line_know_trip(bksi_line *line, double round_trip_ns);

/// Record that a packet was sent. Numbers rise.
/// @param bytes  size of the packet with all headers
/// @param path   number of the path that it takes: only echoes of one path are compared
void bksi_line_sent(bksi_line *line, uint64_t number, size_t bytes, uint32_t path, uint64_t now_ns);

/// Return the newest packet number sent whose lowest 16 bits are `low`.
uint64_t bksi_line_number(const bksi_line *line, uint16_t low);

/// Find which path a packet took.
/// @return false if no packet with this number was sent, or the packet is forgotten
bool bksi_line_path_of(const bksi_line *line, uint64_t number, uint32_t *path);

/// Process an echo. Ignore it if it is older than the newest, or if its packet was never sent or is
/// forgotten.
void bksi_line_echoed(bksi_line *line, const bksi_line_echo *echo, uint64_t now_ns);

/// Forget the fastest packet, because packets take another path from here on.
void bksi_line_path_changed(bksi_line *line);

/// Assume that the fastest packet would have arrived `queue_ns` earlier without a queue, because it
/// waited in a queue too. This holds for a minute.
void bksi_line_found_queue(bksi_line *line, uint64_t queue_ns);

/// Keep the shortest transit time as if it had just been measured, because no packet can be as fast
/// while there is a queue.
void bksi_line_keep_least(bksi_line *line);

/// Return how long a packet waits in the queue; 0 until the first echo.
static inline uint64_t bksi_line_queue_ns(const bksi_line *line)
{
    return line->queue_ns;
}

/// Return the queue measured by the newest packets alone. It shows a queue sooner than
/// bksi_line_queue_ns(), but a short stall looks like a queue.
static inline uint64_t bksi_line_newest_queue_ns(const bksi_line *line)
{
    return line->newest_queue_ns;
}

/// Return the queue by the measurement that shows a growing queue first, even before
/// bksi_line_newest_queue_ns().
static inline uint64_t bksi_line_growing_queue_ns(const bksi_line *line)
{
    return line->growing_queue_ns;
}

/// Return the jitter: the smoothed difference between the delays of successive packets.
static inline uint64_t bksi_line_deviation_ns(const bksi_line *line)
{
    return (uint64_t)line->deviation_ns;
}

/// Measurement by a train, which is a number of packets sent one after the other.
typedef struct bksi_line_train {
    uint64_t queue_ns;  ///< queue that the last packet met
    double bytes_per_s; ///< minimum rate that the line carries; 0: the train is too short to tell
} bksi_line_train;

/// Measure the speed of the train that ends with packet `last`; the echo of `last` shows the queue.
/// `last` must be a small packet, like the fastest ones. A train that begins before the queue shows
/// less than the line carries. So each packet from `first` on is tried as the beginning, and the
/// highest rate counts.
/// @return false if `last` was not echoed, or too long ago
bool bksi_line_train_of(const bksi_line *line, uint64_t first, uint64_t last, bksi_line_train *out);

/// Return the number of packets that did not arrive. It counts from an unknown zero, so only the
/// difference of two results means something.
static inline uint64_t bksi_line_missing(const bksi_line *line)
{
    return line->newest_echoed - line->came;
}

/// Return true if all packets of the last `span_ns` arrived, each in about the same transit time.
bool bksi_line_is_even(const bksi_line *line, uint64_t span_ns, uint64_t now_ns);

/// Return the smoothed round trip; 0 until the first echo.
static inline uint64_t bksi_line_round_trip_ns(const bksi_line *line)
{
    return (uint64_t)line->round_trip_ns;
}

/// Return the number of packets sent per second, over the newest 2 s that are known; 0 before the
/// first 2 s and while echoes are missing.
static inline double bksi_line_sent_per_s(const bksi_line *line)
{
    return line->sent_per_s;
}

/// Return the number of packets that arrived per second, over the newest 2 s that are known.
static inline double bksi_line_came_per_s(const bksi_line *line)
{
    return line->came_per_s;
}

/// Return the capacity of the line, measured while there was a queue; 0 if it was never full.
static inline uint64_t bksi_line_capacity_bits_per_s(const bksi_line *line)
{
    return (uint64_t)(line->capacity * 8.0);
}

/// Rules by which a sending rate follows a line.
typedef struct bksi_line_rate_config {
    double least; ///< lowest rate, in packets per second
    double most;  ///< highest rate, in packets per second
    bool is_far;  ///< the round trips of the lobby were long
    /// Lowest rate before the first echo, in packets per second, even if packets are large.
    double first_least;
    double first; ///< rate at the beginning, in packets per second
    /// Limit of the rate in bytes per second until the first echo arrives; `first_least` packets
    /// per second are allowed in any case.
    double first_bytes;
    /// Bytes per second that a line is assumed to carry before it was measured.
    double unknown;
    uint64_t yield_ns; ///< queue from which the rate is cut on a line without jitter
    uint64_t bulge_ns; ///< maximum that jitter adds to `yield_ns`
    /// Queue from which a cut reduces the rate more than a cut from `yield_ns` on.
    uint64_t deep_ns;
    uint64_t hold_ns;    ///< time beyond a round trip until the rate may be cut again
    uint64_t echo_ns;    ///< time beyond a round trip until packets are echoed
    uint64_t late_ns;    ///< lateness up to which a packet still counts as using the whole rate
    double growth_first; ///< growth per second as a share of the rate, before the first cut
    double growth_fast;  ///< growth per second as a share of the rate, below 0.8 of the ceiling
    double growth_slow;  ///< growth per second as a share of the rate, from 0.8 of the ceiling on
} bksi_line_rate_config;

typedef struct bksi_line_rate {
    bksi_line_rate_config config;
    double rate;    ///< sending rate in packets per second
    double ceiling; ///< rate at which the queue began, in packets per second; 0: no queue seen yet
    double past_rate; ///< rate of about one round trip ago, in packets per second
    bool is_shared;   ///< a bulk stream, which gives way to this rate, uses the line too
    bool is_sparing;  ///< packets should be small
    bool was_sparing; ///< true once packets had to be small
    bool is_carrying; ///< other peers' packets are sent along with ours, so sizes differ much
    bool is_far;      ///< packets grow with the queue, because more input is unacknowledged
    /// Smoothed packet size with headers, of small packets if some were sent; 0: none was sent.
    double packet_bytes;
    double large_bytes; ///< size of the largest packets, with headers
    uint64_t full_ns;   ///< time since when the full rate is used; UINT64_MAX: the rate is below it
    uint64_t used_ns;   ///< time when the whole rate was last used
    double credit;      ///< packets that may be sent at once; negative after a burst
    uint64_t credit_ns; ///< time up to which `credit` is counted
    uint64_t sent_ns;   ///< time when a packet was last sent in its turn
    uint64_t next_ns;   ///< time when the next packet may be sent
    uint64_t updated_ns;
    uint64_t seen_samples;  ///< number of samples that the line had at the last update
    uint64_t cut_ns;        ///< time when the rate was last cut
    bool is_blind;          ///< the capacity of the line was unknown when the rate was last cut
    uint64_t hold_until_ns; ///< time before which the rate is not cut again
    bool at_least;          ///< the rate is at its lowest, and there still is a queue
    uint64_t at_least_ns;   ///< time since when `at_least` is true
    uint64_t starved_ns;    ///< time when the line last could not carry even the lowest rate
    /// Time when it was last judged whose queue this is, ours or another sender's.
    uint64_t watched_ns;
    uint64_t at_least_queue_ns;
    uint64_t at_least_missing;
    bool is_high;     ///< the queue is so long that the rate must be cut
    uint64_t high_ns; ///< time since when `is_high` is true
    /// Measured capacity in bytes per second when the queue was judged to be another sender's.
    double least_speed;
    uint64_t foreign_ns;
    uint64_t foreign_until_ns; ///< time until which the queue is ignored as another sender's
    uint64_t foreign_span_ns;
    uint64_t ours_until_ns; ///< time until which the queue is assumed to be our own
    uint64_t test_at_ns;    ///< time of the next test whether a queue causes a long round trip
    uint64_t test_span_ns;
    uint64_t test_until_ns;
    double test_rate;
} bksi_line_rate;

/// Return the rules for the sending rate of a match's own messages.
/// @param most     packets per second that the match wants to send
/// @param trip_ns  round trip of the lobby's packets, 0 if unknown
bksi_line_rate_config bksi_line_match_config(double most, double trip_ns);

void bksi_line_rate_init(bksi_line_rate *rate, const bksi_line_rate_config *config,
                         uint64_t now_ns);

/// Adapt the rate to the measurements of the line. Call this at each update, before asking for the
/// rate.
void bksi_line_rate_update(bksi_line_rate *rate, bksi_line *line, uint64_t now_ns);

/// Return true if the line has no room for other streams beside this rate: the rate is reduced
/// because of a queue, and the capacity is not far above what the match wants to send.
bool bksi_line_rate_is_cramped(const bksi_line_rate *rate, const bksi_line *line);

/// Set whether a bulk stream, which gives way to this rate, uses the line too. If so, only a
/// lasting queue counts.
void bksi_line_rate_share(bksi_line_rate *rate, bool is_shared);

/// Count bytes instead of packets from now on, because packets of other peers are sent along with
/// ours.
void bksi_line_rate_carries(bksi_line_rate *rate);

/// Record that a packet governed by this rate was sent.
/// @param bytes  size of the packet with all headers
void bksi_line_rate_sent(bksi_line_rate *rate, size_t bytes, uint64_t now_ns);

/// Note that a packet was sent without waiting for its turn. It counts against the rate, but hardly
/// delays the packets that wait for their turn: the next of these may be sent at most three times
/// bksi_line_rate_gap_ns() after the one before. If the rate counts bytes and an echo has arrived,
/// the packet counts as one of average size.
/// @param bytes  size of the packet with all headers
void bksi_line_rate_sent_beside(bksi_line_rate *rate, size_t bytes, uint64_t now_ns);

/// Return when the next packet may be sent; `now_ns` or earlier means now.
static inline uint64_t bksi_line_rate_next_ns(const bksi_line_rate *rate)
{
    return rate->next_ns;
}

/// Return true if the rate needs no update: it is the highest, no test of a long round trip is
/// under way, and the line has no new sample.
static inline bool bksi_line_rate_is_steady(const bksi_line_rate *rate, const bksi_line *line)
{
    return rate->rate >= rate->config.most && rate->seen_samples == line->sample_count &&
           rate->credit_ns >= rate->test_until_ns;
}

/// Return how many bits per second the lowest rate sends.
static inline double bksi_line_rate_least_bits_per_s(const bksi_line_rate *rate)
{
    return rate->config.least * rate->packet_bytes * 8.0;
}

/// Return true if the rate is reduced because a queue was seen.
static inline bool bksi_line_rate_is_backing_off(const bksi_line_rate *rate)
{
    return rate->ceiling > 0.0 && rate->rate < 0.95 * rate->config.most;
}

/// Return the time from one packet to the next.
static inline uint64_t bksi_line_rate_gap_ns(const bksi_line_rate *rate)
{
    return (uint64_t)(1e9 / rate->rate);
}
/// Return how long it takes to send `bytes` at the current rate.
static inline uint64_t bksi_line_rate_bytes_ns(const bksi_line_rate *rate, size_t bytes)
{
    return rate->packet_bytes > 0.0 ? (uint64_t)((double)bksi_line_rate_gap_ns(rate) *
                                                 (double)bytes / rate->packet_bytes)
                                    : 0;
}

/// Return true if packets should be small.
static inline bool bksi_line_rate_is_sparing(const bksi_line_rate *rate)
{
    return rate->is_sparing;
}

/// Return true if the line cannot carry even the lowest rate, or could not a moment ago.
bool bksi_line_rate_is_starved(const bksi_line_rate *rate, uint64_t now_ns);

#endif
