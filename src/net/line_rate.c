// SPDX-License-Identifier: MIT

// How often to send on a line. Cuts are by a share, as in TCP, but a share alone never drains a
// queue that stands full: so a long queue is answered by silence, too.

#include "net/line.h"

#define MS     UINT64_C(1000000)
#define SECOND (1000 * MS)

/// A cut, and how long it is given to show beside a round trip.
#define CUT          0.8
#define CUT_DEEP     0.6
#define HOLD_NS      (400 * MS)
#define DEEP_NS      (100 * MS)
#define QUIET_MAX_NS (400 * MS)

/// Below this share of the queue that is too long the rate rises.
#define LOW_SHARE 0.7
/// And fast up to this share of the ceiling; well beyond the ceiling there is none.
#define CEILING_NEAR   0.8
#define CEILING_PASSED 1.25

/// A queue that did not shrink to this share while we sent the least for so long is not ours.
#define FOREIGN_AFTER_NS (3 * SECOND)
#define FOREIGN_SHARE    0.6
#define FOREIGN_NS       (30 * SECOND)
#define FOREIGN_MAX_NS   (240 * SECOND)
/// It is ours after all if no more arrives when more is sent.
#define OURS_SPEED 1.5

/// One that does not even move is none: the line became longer, or so narrow that packets take that
/// long to leave.
#define EVEN_NS (3 * MS)

/// A line that stood full so long carries not even the least, and that is believed for so long.
#define STARVED_AFTER_NS (2 * SECOND)
#define STARVED_FOR_NS   (8 * SECOND)

/// Longer round trips are tested for a queue that stood there from the beginning.
#define TEST_TRIP_NS     (200 * MS)
#define TEST_FIRST_NS    SECOND
#define TEST_SPAN_NS     (10 * SECOND)
#define TEST_SPAN_MAX_NS (120 * SECOND)
#define TEST_NS          SECOND

bksi_line_rate_config bksi_line_match_config(double most)
{
    return (bksi_line_rate_config){.least = 10.0,
                                   .most = most,
                                   .first = 20.0,
                                   .yield_ns = 30 * MS,
                                   .bulge_ns = 60 * MS,
                                   .growth_fast = 0.5,
                                   .growth_slow = 0.02};
}

void bksi_line_rate_init(bksi_line_rate *rate, const bksi_line_rate_config *config, uint64_t now_ns)
{
    *rate = (bksi_line_rate){.config = *config,
                             .rate = config->first < config->most ? config->first : config->most,
                             .next_ns = now_ns,
                             .updated_ns = now_ns,
                             .foreign_span_ns = FOREIGN_NS,
                             .test_at_ns = now_ns + TEST_FIRST_NS,
                             .test_span_ns = TEST_SPAN_NS};
}

/// The queue from which the rate is cut: packets that spread need more room.
static uint64_t high_queue_ns(const bksi_line_rate *rate, const bksi_line *line)
{
    uint64_t bulge_ns = 2 * bksi_line_deviation_ns(line);
    uint64_t most_ns = rate->config.bulge_ns;
    return rate->config.yield_ns + (bulge_ns < most_ns ? bulge_ns : most_ns);
}

static void set_rate(bksi_line_rate *rate, double wanted)
{
    wanted = wanted > rate->config.most ? rate->config.most : wanted;
    rate->rate = wanted < rate->config.least ? rate->config.least : wanted;
}

static void cut(bksi_line_rate *rate, const bksi_line *line, uint64_t now_ns)
{
    uint64_t queue_ns = bksi_line_queue_ns(line);
    bool is_deep = queue_ns > DEEP_NS;
    double carried = line->capacity / (rate->config.counts_bytes ? 1.0 : line->packet_bytes);
    rate->ceiling = carried > 0.0 && carried < rate->rate ? carried : rate->rate;
    rate->hold_until_ns = now_ns + bksi_line_round_trip_ns(line) + HOLD_NS;
    if (is_deep) {
        rate->quiet_until_ns = now_ns + (queue_ns < QUIET_MAX_NS ? queue_ns : QUIET_MAX_NS);
    }
    set_rate(rate, rate->ceiling * (is_deep ? CUT_DEEP : CUT));
}

static void grow(bksi_line_rate *rate, double span_s)
{
    if (rate->ceiling > 0.0 && rate->rate > rate->ceiling * CEILING_PASSED) {
        rate->ceiling = 0.0;
    }
    bool is_near = rate->ceiling > 0.0 && rate->rate >= rate->ceiling * CEILING_NEAR;
    double growth = is_near ? rate->config.growth_slow : rate->config.growth_fast;
    set_rate(rate, rate->rate * (1.0 + growth * span_s));
}

/// The queue stood while the least went.
static void judge_queue(bksi_line_rate *rate, bksi_line *line, uint64_t now_ns)
{
    uint64_t queue_ns = bksi_line_queue_ns(line);
    if (queue_ns < DEEP_NS && bksi_line_deviation_ns(line) < EVEN_NS) {
        bksi_line_path_changed(line);
    } else if ((double)queue_ns > FOREIGN_SHARE * (double)rate->at_least_queue_ns &&
               now_ns >= rate->ours_until_ns) {
        rate->foreign_ns = now_ns;
        rate->foreign_until_ns = now_ns + rate->foreign_span_ns;
        rate->foreign_span_ns *= rate->foreign_span_ns < FOREIGN_MAX_NS ? 2 : 1;
        rate->least_speed = line->capacity;
        rate->at_least = false;
        set_rate(rate, rate->config.most / 2.0);
    }
}

/// A queue that stays though the least goes is another sender's.
static void watch_foreign(bksi_line_rate *rate, bksi_line *line, bool is_high, uint64_t now_ns)
{
    if (now_ns < rate->foreign_until_ns) {
        bool is_ours = line->capacity < OURS_SPEED * rate->least_speed;
        if (is_ours && now_ns - rate->foreign_ns > FOREIGN_AFTER_NS) {
            // More was sent, no more came: the line is as narrow as that.
            rate->ours_until_ns = rate->foreign_until_ns;
            rate->foreign_until_ns = now_ns;
            set_rate(rate, rate->config.least);
        }
        return;
    }
    if (!is_high || rate->rate > rate->config.least) {
        rate->at_least = false;
        return;
    }
    if (rate->at_least && now_ns - rate->at_least_ns > STARVED_AFTER_NS) {
        rate->starved_ns = now_ns;
    }
    if (!rate->at_least) {
        rate->at_least = true;
        rate->at_least_ns = now_ns;
        rate->watched_ns = now_ns;
        rate->at_least_queue_ns = bksi_line_queue_ns(line);
    } else if (now_ns - rate->watched_ns >= FOREIGN_AFTER_NS) {
        rate->watched_ns = now_ns;
        judge_queue(rate, line, now_ns);
        rate->at_least_queue_ns = bksi_line_queue_ns(line);
    }
}

/// The quickest packet may have found a queue as well. While the least goes the queue shrinks.
static void test_long_trip(bksi_line_rate *rate, const bksi_line *line, uint64_t now_ns)
{
    uint64_t known_ns = bksi_line_newest_queue_ns(line);
    if (now_ns < rate->test_at_ns || bksi_line_round_trip_ns(line) <= TEST_TRIP_NS + known_ns ||
        known_ns > rate->config.yield_ns) {
        return;
    }
    rate->test_at_ns = now_ns + rate->test_span_ns;
    rate->test_span_ns *= 2;
    if (rate->test_span_ns > TEST_SPAN_MAX_NS) {
        rate->test_span_ns = TEST_SPAN_MAX_NS;
    }
    rate->test_until_ns = now_ns + TEST_NS;
    uint64_t hold_until_ns = now_ns + TEST_NS + bksi_line_round_trip_ns(line);
    rate->hold_until_ns = rate->hold_until_ns > hold_until_ns ? rate->hold_until_ns : hold_until_ns;
}

void bksi_line_rate_update(bksi_line_rate *rate, bksi_line *line, uint64_t now_ns)
{
    double span_s = (double)(now_ns - rate->updated_ns) / (double)SECOND;
    rate->updated_ns = now_ns;
    test_long_trip(rate, line, now_ns);
    // Before the first cut nobody knows the line, and much is sent until a long look is over.
    uint64_t queue_ns =
        rate->ceiling > 0.0 ? bksi_line_queue_ns(line) : bksi_line_newest_queue_ns(line);
    uint64_t high_ns = high_queue_ns(rate, line);
    double low_ns = LOW_SHARE * (double)high_ns;
    bool has_news = rate->seen_samples != line->sample_count;
    rate->seen_samples = line->sample_count;
    watch_foreign(rate, line, queue_ns > high_ns, now_ns);
    if (now_ns < rate->foreign_until_ns || now_ns < rate->hold_until_ns || !line->any_echo) {
        return;
    }
    if (queue_ns > high_ns && has_news) {
        cut(rate, line, now_ns);
    } else if ((double)queue_ns < low_ns && (double)bksi_line_newest_queue_ns(line) < low_ns) {
        grow(rate, span_s < 0.25 ? span_s : 0.25);
    }
}

void bksi_line_rate_sent(bksi_line_rate *rate, double amount, uint64_t now_ns)
{
    double now_rate = now_ns < rate->test_until_ns ? rate->config.least : rate->rate;
    uint64_t gap_ns = (uint64_t)(amount / now_rate * (double)SECOND);
    uint64_t earliest_ns = now_ns > gap_ns ? now_ns - gap_ns : 0;
    rate->next_ns = (rate->next_ns > earliest_ns ? rate->next_ns : earliest_ns) + gap_ns;
    // What had to go at once is paid for, but not for long.
    uint64_t latest_ns = now_ns + 2 * gap_ns;
    rate->next_ns = rate->next_ns < latest_ns ? rate->next_ns : latest_ns;
}

bool bksi_line_rate_is_starved(const bksi_line_rate *rate, uint64_t now_ns)
{
    return rate->starved_ns != 0 && now_ns - rate->starved_ns < STARVED_FOR_NS;
}
