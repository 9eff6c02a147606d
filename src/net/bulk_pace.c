// SPDX-License-Identifier: MIT

#include "net/bulk_pace.h"

#include "net/units.h"

/// Lowest sending rate of a stream, and lowest one after a pause.
#define LEAST_BYTES_PER_S 1000.0
#define AFTER_BYTES_PER_S 3000.0

/// Factors by which a probe's rate exceeds the stream's rate: GAIN_FAR far from the ceiling or
/// while the ceiling is unknown, GAIN_NEAR near the ceiling.
#define GAIN_FAR  2.0
#define GAIN_NEAR 1.25
/// Share of the ceiling above which a rate counts as near the ceiling.
#define NEAR 0.75
/// Queue that a probe causes on a line whose capacity equals the rate before the probe.
#define PROBE_QUEUE_NS (6 * MS)
/// Minimum number of packets of a probe.
#define PROBE_PACKETS 2.0
/// Time beyond a round trip after which a probe's last packet counts as lost.
#define LOST_NS (100 * MS)

/// Share of the line's capacity that the stream and the match use together after a probe:
/// SHARE_NEAR if the rate was near the ceiling; SHARE_FAR if it was far from it, because such a
/// probe is shorter and measures less exactly.
#define SHARE_FAR  0.8
#define SHARE_NEAR 0.92
/// Minimum queue at the end of a probe that shows that the line is full.
#define END_NS (2 * MS)
/// Jitter beyond which a probe cannot show a full line: SPREAD_NS, plus the share OWN_SPREAD of the
/// time that one packet takes.
#define SPREAD_NS  (2 * MS)
#define OWN_SPREAD 0.75
/// Maximum jitter of a quiet line, measured before a stream begins over at least eight echoes. On a
/// line with more jitter, later jitter is not caused by the stream.
#define QUIET_NS      (1 * MS)
#define QUIET_SAMPLES 8u
/// Multiple of the ceiling: once the rate is above it, the ceiling is forgotten.
#define CEILING_PASSED 2.0

/// Minimum time over which the match's own bytes are counted.
#define OTHERS_NS (SECOND / 2)

/// Rules for reducing ("cutting") the rate: queue from which the rate is cut, maximum that jitter
/// adds to that queue, queue from which the cut is deeper, and the factors of both cuts.
#define QUEUE_NS (12 * MS)
#define BULGE_NS (40 * MS)
#define DEEP_NS  (30 * MS)
#define CUT      0.8
#define CUT_DEEP 0.6
/// Minimum time between two cuts of the rate, in addition to a round trip.
#define HOLD_NS (100 * MS)

/// Longest time that a packet may take to leave at the current rate; it limits the size of packets.
#define PACKET_NS (10 * MS)

/// BURST_NS: limit of the packets that may be sent at once after a pause, as the time in which they
/// would be sent at the stream's rate. PAUSE_NS: pause after which the line may have changed.
#define BURST_NS (16 * MS)
#define PAUSE_NS SECOND

/// Maximum number of packets by which a burst may exceed the rate.
#define DEBT_MAX 2.0

void bksi_bulk_pace_init(bksi_bulk_pace *pace, const bksi_bulk_pace_config *config, uint64_t now_ns)
{
    *pace = (bksi_bulk_pace){
        .config = *config, .rate = config->first, .credit_ns = now_ns, .next_ns = now_ns};
}

static void set_rate(bksi_bulk_pace *pace, double wanted)
{
    wanted = wanted < pace->config.most ? wanted : pace->config.most;
    if (pace->gap_ns > 0) {
        const double carried = BKS_PACKET_BYTES_MAX * (double)SECOND / (double)pace->gap_ns;
        wanted = wanted < carried ? wanted : carried;
    }
    pace->rate = wanted > LEAST_BYTES_PER_S ? wanted : LEAST_BYTES_PER_S;
}

// ---- credit: packets that may be sent at once ----

static bool is_near_end(const bksi_bulk_pace *pace)
{
    return pace->rate > NEAR * pace->ceiling && pace->ceiling > 0.0;
}

static double gain_of(const bksi_bulk_pace *pace)
{
    return is_near_end(pace) ? GAIN_NEAR : GAIN_FAR;
}

static double rate_now(const bksi_bulk_pace *pace)
{
    const double rate =
        pace->probe.stage == BKSI_BULK_PROBE_GOES ? gain_of(pace) * pace->rate : pace->rate;
    return rate < pace->config.most ? rate : pace->config.most;
}

static void refill(bksi_bulk_pace *pace, uint64_t now_ns)
{
    const double seconds = (double)(now_ns - pace->credit_ns) / (double)SECOND;
    const double burst = pace->rate * (double)BURST_NS / (double)SECOND;
    const double most = burst > pace->packet_bytes ? burst : pace->packet_bytes;
    pace->credit += rate_now(pace) * seconds;
    pace->credit = pace->credit < most ? pace->credit : most;
    pace->credit_ns = now_ns;
}

static void set_next(bksi_bulk_pace *pace)
{
    const double wait_s = pace->credit < 0.0 ? -pace->credit / rate_now(pace) : 0.0;
    pace->next_ns = pace->credit_ns + (uint64_t)(wait_s * (double)SECOND);
}

// ---- probes ----

static void end_probe(bksi_bulk_pace *pace, uint64_t next_ns)
{
    pace->probe.stage = BKSI_BULK_PROBE_NONE;
    pace->probe.due_ns = next_ns;
}

static void begin_probe(bksi_bulk_pace *pace, const bksi_line *line, uint64_t now_ns)
{
    const double extra = gain_of(pace) - 1.0;
    const double packets_ns =
        PROBE_PACKETS * pace->packet_bytes / (gain_of(pace) * pace->rate) * (double)SECOND;
    const double queue_ns = (double)PROBE_QUEUE_NS / extra;
    pace->probe.stage = BKSI_BULK_PROBE_GOES;
    pace->probe.first = line->newest_sent + 1;
    pace->probe.end_ns = now_ns + (uint64_t)(queue_ns > packets_ns ? queue_ns : packets_ns);
}

/// Return true if probes have no result, because jitter or waiting at carriers hides a short queue.
static bool is_blind(const bksi_bulk_pace *pace, const bksi_line *line)
{
    const double packet_ns = pace->packet_bytes / pace->rate * (double)SECOND;
    const double own_ns = packet_ns < (double)PACKET_NS ? packet_ns : (double)PACKET_NS;
    const uint64_t spread_ns = bksi_line_deviation_ns(line);
    return pace->wait_ns > 0 || (pace->quiet_ns > QUIET_NS && spread_ns > QUIET_NS) ||
           (double)spread_ns > (double)SPREAD_NS + OWN_SPREAD * own_ns;
}

/// Set the rate to a share of the capacity that the probe has shown.
static void judge_probe(bksi_bulk_pace *pace, const bksi_line *line, const bksi_line_train *train,
                        uint64_t now_ns)
{
    const bool is_near = is_near_end(pace);
    double most = gain_of(pace) * pace->rate;
    const double share = is_near ? SHARE_NEAR : SHARE_FAR;
    double wanted = share * train->bytes_per_s - pace->others;
    const bool is_unseen = is_blind(pace, line);
    if (train->queue_ns < END_NS || is_unseen) {
        const double passed =
            is_unseen && is_near ? pace->config.blind_growth * pace->rate : share * most;
        wanted = is_unseen || wanted < passed ? passed : wanted;
        most = pace->ceiling > pace->rate && pace->ceiling < most ? pace->ceiling : most;
    } else if (wanted < most) {
        pace->ceiling = wanted;
        pace->hold_until_ns = now_ns + bksi_line_round_trip_ns(line) + HOLD_NS;
    }
    set_rate(pace, wanted < most ? wanted : most);
    if (pace->rate > CEILING_PASSED * pace->ceiling) {
        pace->ceiling = 0.0;
    }
    end_probe(pace, is_near && is_near_end(pace) ? now_ns + pace->config.probe_every_ns : now_ns);
}

/// Measure how many bytes per second the match itself sends.
static void measure_others(bksi_bulk_pace *pace, const bksi_line *line, uint64_t now_ns)
{
    const uint64_t span_ns = now_ns - pace->line_bytes_ns;
    if (span_ns < OTHERS_NS) {
        return;
    }
    const uint32_t bytes = line->bytes - pace->bytes;
    const double most = line->capacity > 0.0 ? line->capacity : pace->config.most;
    const double others = (double)(bytes - pace->line_bytes) * (double)SECOND / (double)span_ns;
    // If the value is impossible, take 0: new keys have restarted the line's count of bytes.
    pace->others = others < most ? others : 0.0;
    pace->line_bytes = bytes;
    pace->line_bytes_ns = now_ns;
}

static void follow_probe(bksi_bulk_pace *pace, const bksi_line *line, bool may_probe,
                         uint64_t now_ns)
{
    bksi_line_train train = {0};
    switch (pace->probe.stage) {
    case BKSI_BULK_PROBE_NONE:
        if (may_probe && line->any_echo && now_ns >= pace->next_ns &&
            now_ns >= pace->probe.due_ns && now_ns >= pace->hold_until_ns) {
            begin_probe(pace, line, now_ns);
        }
        break;
    case BKSI_BULK_PROBE_GOES:
        if (!may_probe && line->newest_sent < pace->probe.first + 1) {
            end_probe(pace, now_ns);
        } else if (!may_probe) {
            // End the probe early: the packets sent so far are enough to measure the line.
            pace->probe.end_ns = 0;
        }
        break;
    case BKSI_BULK_PROBE_ENDS:
        break;
    case BKSI_BULK_PROBE_AWAITED:
        if (bksi_line_train_of(line, pace->probe.first, pace->probe.last, &train) ||
            (is_blind(pace, line) && line->newest_echoed >= pace->probe.last)) {
            judge_probe(pace, line, &train, now_ns);
        } else if (now_ns - pace->probe.end_ns > bksi_line_round_trip_ns(line) + LOST_NS) {
            end_probe(pace, now_ns);
        }
        break;
    }
}

// ---- lasting queues ----

static uint64_t high_queue_ns(const bksi_bulk_pace *pace, const bksi_line *line)
{
    const uint64_t deviation_ns = bksi_line_deviation_ns(line);
    const uint64_t bulge_ns = 2 * deviation_ns < BULGE_NS ? 2 * deviation_ns : BULGE_NS;
    return QUEUE_NS + pace->wait_ns + (pace->config.bears_jitter ? 3 * deviation_ns : bulge_ns);
}

static void cut(bksi_bulk_pace *pace, const bksi_line *line, uint64_t now_ns)
{
    const bool is_deep = bksi_line_newest_queue_ns(line) > DEEP_NS + pace->wait_ns;
    double from = pace->rate;
    if (pace->config.cuts_to_capacity && line->capacity > 0.0 && line->capacity < from) {
        from = line->capacity;
    }
    pace->ceiling = from;
    set_rate(pace, from * (is_deep ? CUT_DEEP : CUT));
    pace->hold_until_ns = now_ns + bksi_line_round_trip_ns(line) + HOLD_NS;
    end_probe(pace, pace->hold_until_ns);
}

void bksi_bulk_pace_update(bksi_bulk_pace *pace, const bksi_line *line, bool may_probe,
                           uint64_t now_ns)
{
    refill(pace, now_ns);
    if (pace->is_begun && line->sample_count >= QUIET_SAMPLES) {
        pace->quiet_ns = bksi_line_deviation_ns(line);
        // On a line with jitter of its own, forget the ceiling: jitter made the line look full.
        pace->ceiling = pace->quiet_ns > QUIET_NS ? 0.0 : pace->ceiling;
        pace->is_begun = false;
    }
    const bool has_news = pace->seen_samples != line->sample_count;
    pace->seen_samples = line->sample_count;
    measure_others(pace, line, now_ns);
    follow_probe(pace, line, may_probe, now_ns);
    if (has_news && now_ns >= pace->hold_until_ns &&
        bksi_line_newest_queue_ns(line) > high_queue_ns(pace, line)) {
        cut(pace, line, now_ns);
    }
    set_next(pace);
}

void bksi_bulk_pace_yield(bksi_bulk_pace *pace)
{
    set_rate(pace, LEAST_BYTES_PER_S);
    set_next(pace);
}

bool bksi_bulk_pace_asks(const bksi_bulk_pace *pace)
{
    return pace->probe.stage == BKSI_BULK_PROBE_GOES && pace->next_ns >= pace->probe.end_ns;
}

void bksi_bulk_pace_asked(bksi_bulk_pace *pace)
{
    if (bksi_bulk_pace_asks(pace)) {
        pace->probe.stage = BKSI_BULK_PROBE_ENDS;
    }
}

size_t bksi_bulk_pace_packet_bytes(const bksi_bulk_pace *pace)
{
    const uint64_t span_ns = pace->gap_ns > PACKET_NS ? pace->gap_ns : PACKET_NS;
    return (size_t)(pace->rate * (double)span_ns / (double)SECOND);
}

void bksi_bulk_pace_sent(bksi_bulk_pace *pace, size_t bytes, uint64_t number, uint64_t now_ns)
{
    if (pace->probe.stage == BKSI_BULK_PROBE_ENDS) {
        pace->probe.stage = BKSI_BULK_PROBE_AWAITED;
        pace->probe.end_ns = now_ns;
        pace->probe.last = number;
    }
    pace->bytes += (uint32_t)bytes;
    const bool is_pause = pace->sent_ns != 0 && now_ns - pace->sent_ns > PAUSE_NS;
    pace->is_begun |= pace->sent_ns == 0 || is_pause;
    if (is_pause) {
        const double half = pace->rate / 2.0;
        const double least = pace->ceiling > 0.0 ? AFTER_BYTES_PER_S : pace->config.first;
        set_rate(pace, half > least ? half : least);
    }
    pace->sent_ns = now_ns;
    pace->packet_bytes += ((double)bytes - pace->packet_bytes) / 16.0;
    refill(pace, now_ns);
    const double debt_most = DEBT_MAX * (double)bytes;
    pace->credit -= (double)bytes;
    pace->credit = pace->credit > -debt_most ? pace->credit : -debt_most;
    set_next(pace);
}
