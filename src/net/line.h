// SPDX-License-Identifier: MIT

/// @file line.h
/// How full one direction of a link is, and how often to send so that no queue stands in it.
///
///     sender                                  receiver
///     bksi_line_sent(number, bytes)    ---->  stamp = bksi_line_stamp(arrival)
///     bksi_line_echoed(number, stamp)  <----  echo of the number, the stamp, how long it was held
///     bksi_line_rate_update
///
/// The receiver's stamp less the time of sending differs from one packet to the next by the queue
/// alone, whatever the clocks say. So the queue is what a packet takes longer than the quickest of
/// the last minute. A *line* measures this; a *rate* is one sender's share of the line. All
/// messages of a match go by one rate, bulk by another that gives way first.
///
/// Fixed size, no clock, no allocation. docs/link.md explains the rules.

#ifndef BKSI_LINE_H
#define BKSI_LINE_H

#include "backstitch/base.h"

/// Packets remembered, by number: what is under way at 1000 packets a second and a round trip of
/// 1 s. A power of two.
#define BKSI_LINE_SENT_KEPT 1024u

/// A stamp is 16 bits of this unit, so it wraps after 17 s.
#define BKSI_LINE_STAMP_SHIFT 18u

/// The quickest packet is remembered in spans of 10 s.
#define BKSI_LINE_LEAST_SPANS 7u

/// What IPv4 and UDP add to each packet. Sizes that a line or a stream counts include it.
#define BKSI_DATAGRAM_HEAD_BYTES 28u

/// Samples of the queue that are looked at.
#define BKSI_LINE_SAMPLES 32u

/// A packet that went.
typedef struct bksi_line_packet {
    uint32_t number;     ///< lowest 32 bits
    uint32_t bytes;      ///< of all packets up to and with this one, lowest 32 bits
    uint32_t sent_us;    ///< lowest 32 bits
    uint16_t sent_stamp; ///< the same time as a stamp
    uint8_t path;        ///< number of the path that it took
    bool is_there;
} bksi_line_packet;

/// What one echo says of the queue.
typedef struct bksi_line_sample {
    uint64_t came_ns;
    int64_t transit; ///< in units of stamps, from an unknown zero
    uint32_t trip_us;
    uint32_t number; ///< of the packet, lowest 32 bits
    uint32_t came;   ///< packets that had arrived with it, lowest 32 bits
} bksi_line_sample;

typedef struct bksi_line {
    bksi_line_packet sent[BKSI_LINE_SENT_KEPT];
    uint32_t bytes; ///< of all packets that went, lowest 32 bits
    bool any_sent;
    uint64_t newest_sent; ///< number

    bool any_echo;
    uint64_t newest_echoed; ///< number
    int64_t newest_transit;
    int64_t least[BKSI_LINE_LEAST_SPANS]; ///< transit, by span of time
    uint64_t least_span;                  ///< the newest of these
    int64_t least_transit;                ///< of all spans
    bksi_line_sample samples[BKSI_LINE_SAMPLES];
    uint64_t sample_count;
    double deviation_ns;  ///< of one sample to the next, smoothed by 1/8
    double round_trip_ns; ///< smoothed by 1/8
    double newest_round_trip_ns;
    double least_trip_ns; ///< the shortest one, and what was known before; 0: none
    uint64_t queue_ns;
    uint64_t newest_queue_ns;
    uint64_t growing_queue_ns;

    bool has_train;         ///< the speed of packets since one is measured:
    bksi_line_packet train; ///< that one
    int64_t train_transit;  ///< when it arrived
    uint64_t train_came;    ///< packets that arrived before it
    uint64_t came;          ///< packets that arrived, as far as echoes say
    uint64_t echoed_ns;     ///< the newest echo came
    uint64_t counted_ns;    ///< packets are counted from here on:
    uint64_t counted_number;
    uint64_t counted_came;
    double sent_per_s; ///< packets; 0: not counted yet
    double came_per_s;
    double capacity; ///< bytes a second; 0: not seen yet
} bksi_line;

/// What a receiver says of the newest packet that came.
typedef struct bksi_line_echo {
    uint64_t number;
    uint16_t stamp;   ///< when it arrived, by the receiver's clock: bksi_line_stamp()
    uint8_t came;     ///< packets that arrived so far, lowest 8 bits
    uint64_t hold_ns; ///< from its arrival until the echo went
} bksi_line_echo;

/// The time of an arrival as an echo carries it.
uint16_t bksi_line_stamp(uint64_t now_ns);

/// Nothing is known, as when numbers begin anew with new keys.
void bksi_line_init(bksi_line *line);

/// Before packets go, a round trip was measured, without a queue if it is short.
void bksi_line_know_trip(bksi_line *line, double round_trip_ns);

/// A packet goes out. Numbers rise.
/// @param bytes  with all headers
/// @param path   number of the path that it takes: only echoes of one path are to be compared
void bksi_line_sent(bksi_line *line, uint64_t number, size_t bytes, uint32_t path, uint64_t now_ns);

/// The newest packet that went whose number ends in these bits.
uint64_t bksi_line_number(const bksi_line *line, uint16_t low);

/// Which path a packet took.
/// @return false when none of this number went, or it is forgotten
bool bksi_line_path_of(const bksi_line *line, uint64_t number, uint32_t *path);

/// An echo came. One older than the newest, or of a number that never went, or that is forgotten,
/// is ignored.
void bksi_line_echoed(bksi_line *line, const bksi_line_echo *echo, uint64_t now_ns);

/// Packets take another path from here on: what the quickest took counts no more.
void bksi_line_path_changed(bksi_line *line);

/// The quickest packet stood in a queue, too: it is taken for this much quicker, for a minute.
void bksi_line_found_queue(bksi_line *line, uint64_t queue_ns);

/// The queue stands, so no packet can be as quick as the quickest was: it counts as if it had come
/// now.
void bksi_line_keep_least(bksi_line *line);

/// How long a packet waits before it leaves; 0 until an echo came.
static inline uint64_t bksi_line_queue_ns(const bksi_line *line)
{
    return line->queue_ns;
}

/// The same of the newest packets alone: sooner, but a stall of a moment is taken for a queue.
static inline uint64_t bksi_line_newest_queue_ns(const bksi_line *line)
{
    return line->newest_queue_ns;
}

/// And sooner yet while it grows.
static inline uint64_t bksi_line_growing_queue_ns(const bksi_line *line)
{
    return line->growing_queue_ns;
}

/// How far single packets are off the mean.
static inline uint64_t bksi_line_deviation_ns(const bksi_line *line)
{
    return (uint64_t)line->deviation_ns;
}

/// What packets that went one after the other show.
typedef struct bksi_line_train {
    uint64_t queue_ns;  ///< in which the last one stood
    double bytes_per_s; ///< that the line carries at least; 0: the train is too short to say
} bksi_line_train;

/// Bytes by time of the train that ends with `last`, whose echo shows the queue. `last` must be a
/// small packet, as the quickest are. A train that begins before the queue shows less than the line
/// carries; so each packet from `first` on is taken for the first of one, and the greatest counts.
/// @return false when `last` was not echoed, or too long ago
bool bksi_line_train_of(const bksi_line *line, uint64_t first, uint64_t last, bksi_line_train *out);

/// Packets that did not arrive, from an unknown zero.
static inline uint64_t bksi_line_missing(const bksi_line *line)
{
    return line->newest_echoed - line->came;
}

/// Whether for so long all packets came, and each took as long as the others.
bool bksi_line_is_even(const bksi_line *line, uint64_t span_ns, uint64_t now_ns);

/// Smoothed; 0 until an echo came.
static inline uint64_t bksi_line_round_trip_ns(const bksi_line *line)
{
    return (uint64_t)line->round_trip_ns;
}

/// Packets a second that went in the newest 2 s that are known; 0 before, and where echoes lack.
static inline double bksi_line_sent_per_s(const bksi_line *line)
{
    return line->sent_per_s;
}

/// Those of them that arrived.
static inline double bksi_line_came_per_s(const bksi_line *line)
{
    return line->came_per_s;
}

/// What the line carries, seen while a queue stood in it; 0: it never was full.
static inline uint64_t bksi_line_capacity_bits_per_s(const bksi_line *line)
{
    return (uint64_t)(line->capacity * 8.0);
}

/// How the rate of a match follows a line. Amounts are packets.
typedef struct bksi_line_rate_config {
    double least;        ///< a second; never less than this goes
    double most;         ///< a second
    bool is_far;         ///< so the lobby's round trips say
    double first_least;  ///< a second, to begin with, however large they are
    double first;        ///< a second, to begin with
    double first_bytes;  ///< bytes a second until the first echo comes; packets only
    double unknown;      ///< bytes a second that a line is believed to carry without being seen to
    uint64_t yield_ns;   ///< a queue from which it is cut on an even line
    uint64_t bulge_ns;   ///< at most this more on a line whose packets spread
    uint64_t deep_ns;    ///< a queue from which it is cut deeper
    uint64_t hold_ns;    ///< beside a round trip, until a cut is seen to be too little
    uint64_t echo_ns;    ///< beside a round trip, until what goes is echoed
    uint64_t late_ns;    ///< a packet so long after its time still uses all that may go
    double growth_first; ///< a second, until it was cut for the first time
    double growth_fast;  ///< a second, below the ceiling
    double growth_slow;  ///< a second, from 0.8 of the ceiling on
} bksi_line_rate_config;

typedef struct bksi_line_rate {
    bksi_line_rate_config config;
    double rate;         ///< a second
    double ceiling;      ///< where the queue began; 0: not seen yet
    double past_rate;    ///< of about as long ago as it takes to see what it does
    bool is_shared;      ///< with a rate that gives way
    bool is_sparing;     ///< packets are to be small
    bool was_sparing;    ///< or were before
    bool is_carrying;    ///< packets of others ride with ours: their sizes differ much
    bool is_far;         ///< packets grow with the queue: more is not acknowledged
    double packet_bytes; ///< smoothed, with headers; of small ones if there were some; 0: none went
    double large_bytes;  ///< of the largest packets, with headers
    uint64_t full_ns;    ///< since when all goes that would; UINT64_MAX: it does not
    uint64_t used_ns;    ///< all that may go went, the last time
    double credit;       ///< what may go at once; below 0: when that is earned
    uint64_t credit_ns;  ///< as of then
    uint64_t next_ns;    ///< when the next may go
    uint64_t updated_ns;
    uint64_t seen_samples;  ///< of the line, at the last update
    uint64_t cut_ns;        ///< the last cut
    bool is_blind;          ///< and then it was not known what the line carries
    uint64_t hold_until_ns; ///< it has to show first
    bool at_least;          ///< as low as it goes, and the queue stands
    uint64_t at_least_ns;   ///< since when
    uint64_t starved_ns;    ///< the least was too much
    uint64_t watched_ns;    ///< the queue was last judged
    uint64_t at_least_queue_ns;
    uint64_t at_least_missing;
    bool is_high;       ///< the queue is too long:
    uint64_t high_ns;   ///< since when
    double least_speed; ///< bytes a second that arrived then
    uint64_t foreign_ns;
    uint64_t foreign_until_ns; ///< the queue is others': it does not concern us
    uint64_t foreign_span_ns;
    uint64_t ours_until_ns; ///< it is ours: not tried before
    uint64_t test_at_ns;    ///< when to test whether a long round trip is a queue
    uint64_t test_span_ns;
    uint64_t test_until_ns;
    double test_rate;
} bksi_line_rate;

/// The rate of a match's own messages, in packets.
/// @param most     packets a second that it would send
/// @param trip_ns  a round trip of the lobby's packets, 0: none is known
bksi_line_rate_config bksi_line_match_config(double most, double trip_ns);

void bksi_line_rate_init(bksi_line_rate *rate, const bksi_line_rate_config *config,
                         uint64_t now_ns);

/// Follow the line. Call before every question, at each update.
void bksi_line_rate_update(bksi_line_rate *rate, bksi_line *line, uint64_t now_ns);

/// Whether the line has no room beside this rate: it does not even get what it wants itself.
bool bksi_line_rate_is_cramped(const bksi_line_rate *rate, const bksi_line *line);

/// Whether another rate, which gives way, uses the line, too: only a queue that stays is looked at.
void bksi_line_rate_share(bksi_line_rate *rate, bool is_shared);

/// From now on packets of others ride with ours: the rate is of bytes.
void bksi_line_rate_carries(bksi_line_rate *rate);

/// One of the packets goes that the rate is there for.
/// @param bytes  with all headers
void bksi_line_rate_sent(bksi_line_rate *rate, size_t bytes, uint64_t now_ns);

/// Another one goes, which does not wait for its turn. It takes the place of one; where the rate is
/// of bytes it does not make those rarer that follow it, once there was an echo.
/// @param bytes  with all headers
void bksi_line_rate_sent_beside(bksi_line_rate *rate, size_t bytes, uint64_t now_ns);

/// When the next may go: any time up to now is now.
static inline uint64_t bksi_line_rate_next_ns(const bksi_line_rate *rate)
{
    return rate->next_ns;
}

/// Whether all goes that would, and the line says nothing new: there is nothing to update.
static inline bool bksi_line_rate_is_steady(const bksi_line_rate *rate, const bksi_line *line)
{
    return rate->rate >= rate->config.most && rate->seen_samples == line->sample_count &&
           rate->credit_ns >= rate->test_until_ns;
}

/// What the least takes of a line, in bits.
static inline double bksi_line_rate_least_bits_per_s(const bksi_line_rate *rate)
{
    return rate->config.least * rate->packet_bytes * 8.0;
}

/// Whether less goes than would, because a queue was seen.
static inline bool bksi_line_rate_is_backing_off(const bksi_line_rate *rate)
{
    return rate->ceiling > 0.0 && rate->rate < 0.95 * rate->config.most;
}

/// From one packet to the next.
static inline uint64_t bksi_line_rate_gap_ns(const bksi_line_rate *rate)
{
    return (uint64_t)(1e9 / rate->rate);
}
/// How long bytes take at that rate.
static inline uint64_t bksi_line_rate_bytes_ns(const bksi_line_rate *rate, size_t bytes)
{
    return rate->packet_bytes > 0.0 ? (uint64_t)((double)bksi_line_rate_gap_ns(rate) *
                                                 (double)bytes / rate->packet_bytes)
                                    : 0;
}

/// Whether packets are to be small.
static inline bool bksi_line_rate_is_sparing(const bksi_line_rate *rate)
{
    return rate->is_sparing;
}

/// Whether the line cannot carry even the least, or could not a moment ago.
bool bksi_line_rate_is_starved(const bksi_line_rate *rate, uint64_t now_ns);

#endif
