// SPDX-License-Identifier: MIT

// The queue is the least delay of the newest samples: a Wi-Fi stall or jitter delays single
// packets, but a queue delays all. Sources: LEDBAT (RFC 6817) measures queues by one-way delay and
// gives way to others. Binary Increase Congestion Control (Xu, Harfoush, Rhee, 2004) approaches a
// ceiling slowly. Packet pairs (Keshav, 1991) show the speed of a line.

#include "net/line.h"

#include <string.h>

#include "net/units.h"

/// The queue is the least delay of the newest QUEUE_SAMPLES samples or of those of the newest
/// QUEUE_SPAN_NS, whichever are more.
#define QUEUE_SAMPLES 8u
#define QUEUE_SPAN_NS (400 * MS)

/// Number of samples for the measurement of the newest packets alone.
#define NEWEST_SAMPLES 3u

/// Longest queue that a measurement may show; a longer one is cut to this.
#define QUEUE_MAX_NS (10 * SECOND)

#define LEAST_SPAN_NS (10 * SECOND)

/// Largest difference between transit times that still count as equal.
#define EVEN_NS (3 * MS)

/// Jump of the transit time that counts as a jump of a clock, because a machine slept, if the round
/// trip does not jump too. A shorter jump may be a queue that grew while the queue of the other
/// direction shrank.
#define CLOCK_JUMP_NS (1500 * MS)

/// A line counts as longer, without a queue, if its transit time jumps by STEP_NS and then stays
/// equal for EVEN_SAMPLES samples, unless the share LOST_SHARE of its packets is lost.
#define EVEN_SAMPLES 3u
#define STEP_NS      (30.0 * MS)
#define LOST_SHARE   0.25

/// Time over which arriving packets are counted, and the gap between echoes that ends the count.
#define COUNT_NS     (2 * SECOND)
#define COUNT_GAP_NS SECOND

/// Minimum length of the trains that measure the speed of a line.
#define TRAIN_NS (200 * MS)
/// Minimum length of a train whose end is a given packet (bksi_line_train_of()). Stamps are coarse,
/// so a shorter train would give a wrong speed.
#define SHORT_TRAIN_NS (4 * MS)
/// Minimum time that each packet of a train must have waited in the queue.
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

void bksi_line_know_trip(bksi_line *line, double round_trip_ns)
{
    line->least_trip_ns = round_trip_ns;
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

/// Return the sent packet with a number. Return NULL if there was none or it is forgotten.
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

/// Begin a new period in which the fastest packet is remembered, and forget the oldest period.
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

void bksi_line_found_queue(bksi_line *line, uint64_t queue_ns)
{
    if (line->any_echo) {
        line->least_transit = line->newest_transit - to_units(queue_ns);
        bksi_line_keep_least(line);
        double trip_ns = line->newest_round_trip_ns - (double)queue_ns;
        line->least_trip_ns = trip_ns < line->least_trip_ns ? trip_ns : line->least_trip_ns;
        line->sent_per_s = 0.0;
    }
}

void bksi_line_keep_least(bksi_line *line)
{
    line->least[line->least_span % BKSI_LINE_LEAST_SPANS] = line->least_transit;
}

/// Shift every time measured by the receiver's clock, because that clock jumped.
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

/// Return the delay of a packet compared with the fastest packet, at most the excess of its round
/// trip over the shortest. The limit is needed because clocks drift apart, which makes transit
/// times alone seem longer.
static uint64_t queue_of(const bksi_line *line, int64_t transit, uint32_t trip_us)
{
    double queue_ns = units_to_ns(transit - line->least_transit);
    double most_ns = (double)trip_us * (double)US - line->least_trip_ns;
    queue_ns = queue_ns < most_ns ? queue_ns : most_ns;
    queue_ns = queue_ns > 0.0 ? queue_ns : 0.0;
    return queue_ns < (double)QUEUE_MAX_NS ? (uint64_t)queue_ns : QUEUE_MAX_NS;
}

/// Return the sample that is `back` samples older than the newest.
static const bksi_line_sample *sample_of(const bksi_line *line, uint64_t back)
{
    return &line->samples[(line->sample_count - 1 - back) % BKSI_LINE_SAMPLES];
}

/// Return true if the line itself became longer: the transit time rose in one step and has stayed
/// equal since, and few packets were lost. A queue that filled so quickly would lose many.
static bool has_become_longer(const bksi_line *line)
{
    if (line->sample_count <= EVEN_SAMPLES) {
        return false;
    }
    const bksi_line_sample *newest = sample_of(line, 0);
    const bksi_line_sample *before = sample_of(line, EVEN_SAMPLES);
    int64_t low = newest->transit;
    int64_t high = newest->transit;
    for (uint64_t back = 1; back < EVEN_SAMPLES; back++) {
        int64_t transit = sample_of(line, back)->transit;
        low = transit < low ? transit : low;
        high = transit > high ? transit : high;
    }
    double step = (double)(low - before->transit);
    double lost = (double)(newest->number - before->number) - (newest->came - before->came);
    return units_to_ns(low - before->transit) >= STEP_NS && (double)(high - low) < step / 4.0 &&
           (double)(before->transit - line->least_transit) < step / 2.0 &&
           lost < LOST_SHARE * (double)(newest->number - before->number);
}

bool bksi_line_is_even(const bksi_line *line, uint64_t span_ns, uint64_t now_ns)
{
    int64_t low = INT64_MAX;
    int64_t high = INT64_MIN;
    uint64_t back = 0;
    for (; back < BKSI_LINE_SAMPLES && back < line->sample_count; back++) {
        const bksi_line_sample *sample = sample_of(line, back);
        if (now_ns - sample->came_ns > span_ns) {
            break;
        }
        low = sample->transit < low ? sample->transit : low;
        high = sample->transit > high ? sample->transit : high;
        if (sample->number - sample->came != (uint32_t)bksi_line_missing(line)) {
            return false;
        }
    }
    bool is_whole = back < BKSI_LINE_SAMPLES && back >= QUEUE_SAMPLES;
    return is_whole && units_to_ns(high - low) < (double)EVEN_NS;
}

/// Measure a growing queue. If each of the newest three samples has a longer delay than the
/// previous one, use the second newest: the minimum of many samples would show the queue later. A
/// single late packet does not count.
static void measure_growth(bksi_line *line)
{
    bool grows = line->sample_count >= 3 &&
                 sample_of(line, 0)->transit > sample_of(line, 1)->transit &&
                 sample_of(line, 1)->transit > sample_of(line, 2)->transit;
    line->growing_queue_ns =
        grows ? queue_of(line, sample_of(line, 1)->transit, sample_of(line, 1)->trip_us)
              : line->newest_queue_ns;
}

/// Set the queue to the least delay of the newest samples.
static void measure_queue(bksi_line *line, uint64_t now_ns)
{
    int64_t low = INT64_MAX;
    uint32_t short_us = UINT32_MAX;
    for (uint64_t back = 0; back < BKSI_LINE_SAMPLES && back < line->sample_count; back++) {
        const bksi_line_sample *sample = sample_of(line, back);
        if (back >= QUEUE_SAMPLES && now_ns - sample->came_ns > QUEUE_SPAN_NS) {
            break;
        }
        low = sample->transit < low ? sample->transit : low;
        short_us = sample->trip_us < short_us ? sample->trip_us : short_us;
        if (back < NEWEST_SAMPLES) {
            line->newest_queue_ns = queue_of(line, low, short_us);
        }
    }
    line->queue_ns = queue_of(line, low, short_us);
    measure_growth(line);
}

static const bksi_line_sample *sample_with(const bksi_line *line, uint32_t number)
{
    for (uint64_t back = 0; back < BKSI_LINE_SAMPLES && back < line->sample_count; back++) {
        if (sample_of(line, back)->number == number) {
            return sample_of(line, back);
        }
    }
    return NULL;
}

bool bksi_line_train_of(const bksi_line *line, uint64_t first, uint64_t last, bksi_line_train *out)
{
    const bksi_line_packet *end = packet_of(line, last);
    const bksi_line_packet *before_end = packet_of(line, last - 1);
    const bksi_line_sample *sample = sample_with(line, (uint32_t)last);
    if (end == NULL || before_end == NULL || sample == NULL) {
        return false;
    }
    *out = (bksi_line_train){.queue_ns = queue_of(line, sample->transit, sample->trip_us)};
    for (uint64_t i = first; i < last; i++) {
        const bksi_line_packet *before = packet_of(line, i - 1);
        const bksi_line_packet *begin = packet_of(line, i);
        if (before == NULL || begin == NULL) {
            continue;
        }
        const double took_ns =
            (double)(end->sent_us - begin->sent_us) * (double)US + (double)out->queue_ns;
        const double speed = (before_end->bytes - before->bytes) * (double)SECOND / took_ns;
        if (took_ns >= (double)SHORT_TRAIN_NS && speed > out->bytes_per_s) {
            out->bytes_per_s = speed;
        }
    }
    return true;
}

/// Smooth the deviation by the difference between successive packets, so that a growing queue does
/// not count as jitter.
static void smooth(bksi_line *line, double step_ns, double round_trip_ns)
{
    if (line->sample_count == 1) {
        line->round_trip_ns = round_trip_ns;
        return;
    }
    line->deviation_ns += ((step_ns < 0.0 ? -step_ns : step_ns) - line->deviation_ns) / 8.0;
    line->round_trip_ns += (round_trip_ns - line->round_trip_ns) / 8.0;
}

/// Measure the speed of arriving bytes while there is a queue: that speed is the line's capacity.
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

/// Count sent and arrived packets. The counts show a full line even without a queue.
static void count_packets(bksi_line *line, uint64_t number, uint64_t now_ns)
{
    bool has_gap = !line->any_echo || now_ns - line->echoed_ns > COUNT_GAP_NS;
    uint64_t span_ns = now_ns - line->counted_ns;
    line->echoed_ns = now_ns;
    // The first count comes early, because a queue may have stood from the beginning.
    if (!has_gap && span_ns < (line->sent_per_s > 0.0 ? COUNT_NS : COUNT_NS * 5 / 8)) {
        return;
    }
    double seconds = (double)span_ns / (double)SECOND;
    line->sent_per_s = has_gap ? 0.0 : (double)(number - line->counted_number) / seconds;
    line->came_per_s = has_gap ? 0.0 : (double)(line->came - line->counted_came) / seconds;
    line->counted_ns = now_ns;
    line->counted_number = number;
    line->counted_came = line->came;
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
    count_packets(line, echo->number, now_ns);
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
    if (line->least_trip_ns == 0.0 || round_trip_ns < line->least_trip_ns) {
        line->least_trip_ns = round_trip_ns;
    }
    note_least(line, transit, now_ns);
    line->samples[line->sample_count++ % BKSI_LINE_SAMPLES] =
        (bksi_line_sample){.came_ns = now_ns,
                           .transit = transit,
                           .trip_us = (uint32_t)(round_trip_ns / (double)US),
                           .number = (uint32_t)echo->number,
                           .came = (uint32_t)line->came};
    smooth(line, units_to_ns(transit - before), round_trip_ns);
    if (has_become_longer(line)) {
        forget_least(line);
        note_least(line, transit, now_ns);
        line->least_trip_ns = round_trip_ns;
    }
    measure_queue(line, now_ns);
    measure_capacity(line, packet, transit);
}
