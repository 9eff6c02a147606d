// SPDX-License-Identifier: MIT

// The queue is the least of the newest samples: a stall of Wi-Fi and jitter make single packets
// late, a queue all of them.
//
// Source: queues measured by one-way delay, and giving way to others, are those of LEDBAT (RFC
// 6817); a ceiling that is approached slowly is that of Binary Increase Congestion Control (Xu,
// Harfoush, Rhee, 2004); the speed of a train of packets is that of packet pairs (Keshav, 1991).

#include "net/line.h"

#include <string.h>

#define US     UINT64_C(1000)
#define MS     UINT64_C(1000000)
#define SECOND (1000 * MS)

/// A queue is the least of the newest samples: of this number, or of all within this span if they
/// are more.
#define QUEUE_SAMPLES 8u
#define QUEUE_SPAN_NS (400 * MS)

/// And of the newest alone.
#define NEWEST_SAMPLES 3u

/// Nothing longer is believed.
#define QUEUE_MAX_NS (10 * SECOND)

#define LEAST_SPAN_NS (10 * SECOND)

/// A jump of the transit that the round trip does not show is one of a clock: a machine slept. A
/// shorter one may be a queue that grew while the one of the other direction shrank.
#define CLOCK_JUMP_NS (1500 * MS)

/// The speed of a line is measured over trains of at least this length.
#define TRAIN_NS (200 * MS)
/// And where a queue stood from the train's first packet to its last.
#define TRAIN_QUEUE_NS (15 * MS)

static int64_t to_units(uint64_t ns)
{
    return (int64_t)(ns >> BKSI_LINE_STAMP_SHIFT);
}

static double units_to_ns(int64_t units)
{
    return (double)units * (double)(UINT64_C(1) << BKSI_LINE_STAMP_SHIFT);
}

uint16_t bksi_line_stamp(uint64_t now_ns)
{
    return (uint16_t)to_units(now_ns);
}

void bksi_line_init(bksi_line *line)
{
    memset(line, 0, sizeof(*line));
}

void bksi_line_sent(bksi_line *line, uint64_t number, size_t bytes, uint32_t path, uint64_t now_ns)
{
    line->bytes += (uint32_t)bytes;
    line->any_sent = true;
    line->newest_sent = number;
    line->sent[number % BKSI_LINE_SENT_KEPT] =
        (bksi_line_packet){.number = (uint32_t)number,
                           .bytes = line->bytes,
                           .sent_us = (uint32_t)(now_ns / US),
                           .sent_stamp = bksi_line_stamp(now_ns),
                           .path = (uint8_t)path,
                           .is_there = true};
}

uint64_t bksi_line_number(const bksi_line *line, uint16_t low)
{
    return line->newest_sent - (uint16_t)(line->newest_sent - low);
}

/// The packet of this number; NULL: none went, or it is forgotten.
static const bksi_line_packet *packet_of(const bksi_line *line, uint64_t number)
{
    const bksi_line_packet *packet = &line->sent[number % BKSI_LINE_SENT_KEPT];
    bool is_it = line->any_sent && number <= line->newest_sent &&
                 line->newest_sent - number < BKSI_LINE_SENT_KEPT &&
                 packet->number == (uint32_t)number && packet->is_there;
    return is_it ? packet : NULL;
}

bool bksi_line_path_of(const bksi_line *line, uint64_t number, uint32_t *path)
{
    const bksi_line_packet *packet = packet_of(line, number);
    *path = packet != NULL ? packet->path : 0;
    return packet != NULL;
}

// ---- the quickest packet ----

static void forget_least(bksi_line *line)
{
    for (uint32_t i = 0; i < BKSI_LINE_LEAST_SPANS; i++) {
        line->least[i] = INT64_MAX;
    }
    line->least_transit = INT64_MAX;
}

/// A minute passes, and the oldest span with it.
static void begin_span(bksi_line *line, uint64_t span)
{
    for (uint64_t i = 0; line->least_span < span && i < BKSI_LINE_LEAST_SPANS; i++) {
        line->least[++line->least_span % BKSI_LINE_LEAST_SPANS] = INT64_MAX;
    }
    line->least_span = span;
    line->least_transit = INT64_MAX;
    for (uint32_t i = 0; i < BKSI_LINE_LEAST_SPANS; i++) {
        line->least_transit =
            line->least[i] < line->least_transit ? line->least[i] : line->least_transit;
    }
}

static void note_least(bksi_line *line, int64_t transit, uint64_t now_ns)
{
    uint64_t span = now_ns / LEAST_SPAN_NS;
    if (span != line->least_span) {
        begin_span(line, span);
    }
    int64_t *least = &line->least[span % BKSI_LINE_LEAST_SPANS];
    *least = transit < *least ? transit : *least;
    line->least_transit = *least < line->least_transit ? *least : line->least_transit;
}

/// The receiver's clock jumped by so much: all that was measured by it moves along.
static void move_clock(bksi_line *line, int64_t by)
{
    for (uint32_t i = 0; i < BKSI_LINE_LEAST_SPANS; i++) {
        line->least[i] += line->least[i] == INT64_MAX ? 0 : by;
    }
    line->least_transit += line->least_transit == INT64_MAX ? 0 : by;
    for (uint32_t i = 0; i < BKSI_LINE_SAMPLES; i++) {
        line->samples[i].transit += by;
    }
    line->has_train = false;
}

void bksi_line_path_changed(bksi_line *line)
{
    line->any_echo = false;
    line->has_train = false;
    line->queue_ns = 0;
    line->deviation_ns = 0.0;
}

// ---- samples ----

static uint64_t queue_of(const bksi_line *line, int64_t transit)
{
    double queue_ns = units_to_ns(transit - line->least_transit);
    return queue_ns < (double)QUEUE_MAX_NS ? (uint64_t)queue_ns : QUEUE_MAX_NS;
}

/// The least of the newest samples.
static void measure_queue(bksi_line *line, uint64_t now_ns)
{
    int64_t low = INT64_MAX;
    for (uint64_t back = 1; back <= BKSI_LINE_SAMPLES && back <= line->sample_count; back++) {
        const bksi_line_sample *sample =
            &line->samples[(line->sample_count - back) % BKSI_LINE_SAMPLES];
        if (back > QUEUE_SAMPLES && now_ns - sample->came_ns > QUEUE_SPAN_NS) {
            break;
        }
        low = sample->transit < low ? sample->transit : low;
        if (back <= NEWEST_SAMPLES) {
            line->newest_queue_ns = queue_of(line, low);
        }
    }
    line->queue_ns = queue_of(line, low);
}

/// Packets spread by as much as one differs from the next: a queue that builds up is no spread.
static void smooth(bksi_line *line, double step_ns, double round_trip_ns)
{
    if (line->sample_count == 1) {
        line->round_trip_ns = round_trip_ns;
        return;
    }
    line->deviation_ns += ((step_ns < 0.0 ? -step_ns : step_ns) - line->deviation_ns) / 8.0;
    line->round_trip_ns += (round_trip_ns - line->round_trip_ns) / 8.0;
}

/// While a queue stands, bytes arrive as fast as the line is.
static void measure_capacity(bksi_line *line, const bksi_line_packet *packet, int64_t transit)
{
    bool stands = units_to_ns(transit - line->least_transit) >= (double)TRAIN_QUEUE_NS;
    if (!stands) {
        line->has_train = false;
        return;
    }
    if (line->has_train) {
        double span_ns = (double)(packet->sent_us - line->train.sent_us) * (double)US +
                         units_to_ns(transit - line->train_transit);
        if (span_ns < (double)TRAIN_NS) {
            return;
        }
        double sent = packet->number - line->train.number;
        double came = (double)(line->came - line->train_came);
        double bytes = packet->bytes - line->train.bytes;
        double speed = bytes * (came < sent ? came / sent : 1.0) * (double)SECOND / span_ns;
        line->capacity += line->capacity > 0.0 ? (speed - line->capacity) / 4.0 : speed;
    }
    line->has_train = true;
    line->train = *packet;
    line->train_transit = transit;
    line->train_came = line->came;
}

void bksi_line_echoed(bksi_line *line, const bksi_line_echo *echo, uint64_t now_ns)
{
    const bksi_line_packet *packet = packet_of(line, echo->number);
    if (packet == NULL || (line->any_echo && echo->number <= line->newest_echoed)) {
        return;
    }
    uint64_t since_ns = ((uint32_t)(now_ns / US) - packet->sent_us) * US;
    if (since_ns < echo->hold_ns) {
        return;
    }
    line->came += (uint8_t)(echo->came - (uint8_t)line->came);
    double round_trip_ns = (double)(since_ns - echo->hold_ns);
    uint16_t short_transit = (uint16_t)(echo->stamp - packet->sent_stamp);
    int64_t before = line->newest_transit;
    int64_t transit = before + (int16_t)(short_transit - (uint16_t)before);
    if (!line->any_echo) {
        forget_least(line);
        line->sample_count = 0;
        line->least_span = now_ns / LEAST_SPAN_NS;
    } else {
        double jump_ns = units_to_ns(transit - before);
        double shown_ns = round_trip_ns - line->newest_round_trip_ns;
        if (jump_ns > (double)CLOCK_JUMP_NS && shown_ns < jump_ns / 2.0) {
            move_clock(line, transit - before);
            before = transit;
        }
    }
    line->any_echo = true;
    line->newest_echoed = echo->number;
    line->newest_transit = transit;
    line->newest_round_trip_ns = round_trip_ns;
    note_least(line, transit, now_ns);
    line->samples[line->sample_count++ % BKSI_LINE_SAMPLES] =
        (bksi_line_sample){.came_ns = now_ns, .transit = transit};
    smooth(line, units_to_ns(transit - before), round_trip_ns);
    measure_queue(line, now_ns);
    measure_capacity(line, packet, transit);
}
