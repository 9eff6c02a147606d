// SPDX-License-Identifier: MIT

// Sending rate on a line. A cut reduces the rate by a factor, as in TCP, but starts from the
// measured capacity: starting from the rate alone, a full queue would take many round trips to
// drain.

#include "net/line.h"

#include "net/units.h"

/// Factors of a cut and of a deeper cut, the time beyond a round trip until the effect of a cut
/// must show, and the queue from which a cut is deeper.
#define CUT      0.8
#define CUT_DEEP 0.6
#define HOLD_NS  (400 * MS)
#define DEEP_NS  (100 * MS)

/// Lower limit of the ceiling after a cut, as a share of the rate at which the queue began. A lower
/// measured capacity is not believed.
#define LOWERED_MOST 0.5

/// Time after a cut in which a further cut counts as an answer to the same queue.
#define CUTS_TOGETHER_NS (2 * SECOND)

/// The rate rises only while the queue is shorter than this share of the queue at which the rate is
/// cut.
#define LOW_SHARE 0.7
/// CEILING_NEAR: share of the ceiling up to which the rate rises fast. CEILING_PASSED: multiple of
/// the ceiling at which the ceiling is forgotten.
#define CEILING_NEAR   0.8
#define CEILING_PASSED 1.25

/// Time in which the whole rate must have been used once, otherwise the rate does not rise.
#define USED_NS (250 * MS)

/// Maximum number of packets by which a burst may exceed the rate.
#define DEBT_MAX 2.0

/// Longest wait for a packet's turn, in gaps between two packets at the current rate, counted from
/// the previous packet that waited for its turn. Packets sent without a turn cannot delay it
/// further.
#define TURN_GAPS 3.0

/// A line whose rate is reduced has no room for other streams if it carries less than this multiple
/// of what the match wants.
#define CRAMPED_SHARE 2.5

/// Lateness of a packet up to which the sender still counts as using the whole rate: a match sends
/// packets with its ticks, or 50 ms apart.
#define LATE_NS (60 * MS)

/// Limits until the first echoes: FIRST_PER_S packets per second and FIRST_BYTES_PER_S bytes per
/// second, but at least FIRST_LEAST_PER_S packets per second. UNKNOWN_BYTES_PER_S: bytes per second
/// that a line is assumed to carry before it was measured.
#define FIRST_PER_S         40.0
#define FIRST_LEAST_PER_S   20.0
#define FIRST_BYTES_PER_S   3200.0
#define UNKNOWN_BYTES_PER_S 9000.0

/// Up to NEAR_PER_S packets a second are sent from the start if the lobby's round trip is at most
/// NEAR_TRIP_NS and they take at most NEAR_BYTES_PER_S. Such a round trip shows that the lobby's
/// own packets met no long queue; on a line of 48 kbit/s they would have met one. A window of 20
/// ticks is just enough for this round trip, so each packet counts.
#define NEAR_TRIP_NS     (530.0 * MS)
#define NEAR_PER_S       60.0
#define NEAR_BYTES_PER_S 24000.0

/// PROOF_NS: time at full rate after which the line is assumed to carry large packets. NEW_NS: time
/// at full rate after which the line no longer counts as new.
#define PROOF_NS SECOND
#define NEW_NS   (3 * SECOND)

/// Packets are small if less than SPARING_SHARE of the wanted rate is sent, or if large packets
/// would take more than LARGE_BYTES_PER_S.
#define SPARING_SHARE     0.75
#define LARGE_BYTES_PER_S 6000.0

/// Time after the last cut of the rate for which packets stay small, on a line whose capacity is
/// too low for large packets at the full rate.
#define AGAIN_NS (60 * SECOND)

/// GROWTH_PER_TRIP: maximum growth, as a share of the rate, in a round trip plus ECHO_NS. ECHO_NS:
/// time until an echo is sent.
#define GROWTH_PER_TRIP 0.5
#define ECHO_NS         (100 * MS)

/// A queue is another sender's if it is still longer than FOREIGN_SHARE of its first length after
/// FOREIGN_AFTER_NS at the lowest rate. It is ignored for FOREIGN_NS at first, later for up to
/// FOREIGN_MAX_NS.
#define FOREIGN_AFTER_NS (3 * SECOND)
#define FOREIGN_SHARE    0.6
#define FOREIGN_NS       (30 * SECOND)
#define FOREIGN_MAX_NS   (240 * SECOND)
/// While a queue is ignored as another sender's, more packets are sent. If the capacity measured
/// meanwhile is below this factor times the capacity measured before, the queue is our own.
#define OURS_SPEED 1.5

/// Limits for a constant delay, which is no queue: the line became longer, or so narrow that each
/// packet takes a long time to leave. EVEN_NS: change beyond the jitter that still counts as
/// constant. EVEN_SPAN_NS: time for which packets must arrive evenly.
#define EVEN_NS      (3 * MS)
#define EVEN_SPAN_NS SECOND

/// Time of a full queue after which a line counts as too narrow for the lowest rate, and how long
/// the line then counts as such.
#define STARVED_AFTER_NS (2 * SECOND)
#define STARVED_FOR_NS   (8 * SECOND)

/// Tests for a queue that was there from the beginning: round trip above which we test, time until
/// the first test, time between tests and its maximum (it doubles each time), length of a test,
/// factor of the rate during a test, and share of arriving packets below which losses count as
/// many.
#define TEST_TRIP_NS     (200 * MS)
#define TEST_FIRST_NS    SECOND
#define TEST_SPAN_NS     (10 * SECOND)
#define TEST_SPAN_MAX_NS (120 * SECOND)
#define TEST_NS          SECOND
#define TEST_SHARE       0.66
#define TEST_LOSS_SHARE  0.6
/// Round trip in the lobby above which the rate counts bytes, because a queue then makes packets
/// notably larger: more input is unacknowledged. A round trip that rises above this only during the
/// match does not count, because the line may have become longer without a queue.
#define FAR_BYTES_TRIP_NS (300.0 * MS)

/// A line whose shortest round trip is longer than this may have had a queue from the beginning.
#define FAR_TRIP_NS (400.0 * MS)

/// A full queue was there from the beginning if the round trip is long and packets are lost even at
/// the lowest rate: less than FULL_SHARE of them arrive, at intervals that vary by STEP_NS. The
/// queue is then assumed to cause FULL_QUEUE_SHARE of the excess of the round trip, and at least
/// FULL_QUEUE_NS.
#define FULL_SHARE       0.7
#define STEP_NS          (20 * MS)
#define FULL_QUEUE_SHARE 0.3
#define FULL_QUEUE_NS    (150 * MS)

/// Share of packets that must arrive at the lowest rate. If fewer arrive, the queue is so long that
/// no packet finds it empty.
#define KEPT_SHARE 0.9

bksi_line_rate_config bksi_line_match_config(double most, double trip_ns)
{
    bool is_near = trip_ns > 0.0 && trip_ns < NEAR_TRIP_NS;
    return (bksi_line_rate_config){.least = 10.0,
                                   .most = most,
                                   .is_far = trip_ns > FAR_BYTES_TRIP_NS,
                                   .first = is_near ? NEAR_PER_S : FIRST_PER_S,
                                   .first_least = FIRST_LEAST_PER_S,
                                   .first_bytes = is_near ? NEAR_BYTES_PER_S : FIRST_BYTES_PER_S,
                                   .unknown = is_near ? NEAR_BYTES_PER_S : UNKNOWN_BYTES_PER_S,
                                   .yield_ns = 30 * MS,
                                   .bulge_ns = 60 * MS,
                                   .deep_ns = DEEP_NS,
                                   .hold_ns = HOLD_NS,
                                   .echo_ns = ECHO_NS,
                                   .late_ns = LATE_NS,
                                   .growth_first = 4.0,
                                   .growth_fast = 0.5,
                                   .growth_slow = 0.02};
}

void bksi_line_rate_init(bksi_line_rate *rate, const bksi_line_rate_config *config, uint64_t now_ns)
{
    *rate = (bksi_line_rate){.config = *config,
                             .rate = config->first < config->most ? config->first : config->most,
                             .past_rate = config->first,
                             .credit_ns = now_ns,
                             .next_ns = now_ns,
                             .updated_ns = now_ns,
                             .foreign_span_ns = FOREIGN_NS,
                             .test_at_ns = now_ns + TEST_FIRST_NS,
                             .test_span_ns = TEST_SPAN_NS};
}

static double effective_rate(const bksi_line_rate *rate)
{
    return rate->credit_ns < rate->test_until_ns ? rate->test_rate : rate->rate;
}

static void set_next(bksi_line_rate *rate)
{
    const double gap_ns = (double)SECOND / effective_rate(rate);
    const double wait_ns = rate->credit < 0.0 ? -rate->credit * gap_ns : 0.0;
    const uint64_t turn_ns = rate->sent_ns + (uint64_t)(TURN_GAPS * gap_ns);
    const uint64_t paid_ns = rate->credit_ns + (uint64_t)wait_ns;
    rate->next_ns = paid_ns < turn_ns ? paid_ns : turn_ns;
}

/// Add the credit earned since the last call, up to one packet.
static void refill(bksi_line_rate *rate, uint64_t now_ns)
{
    double seconds = (double)(now_ns - rate->credit_ns) / (double)SECOND;
    rate->credit += effective_rate(rate) * seconds;
    rate->credit = rate->credit > 1.0 ? 1.0 : rate->credit;
    rate->credit_ns = now_ns;
}

/// Return the queue from which the rate is cut. Jitter raises this limit.
static uint64_t high_queue_ns(const bksi_line_rate *rate, const bksi_line *line)
{
    uint64_t bulge_ns = 2 * bksi_line_deviation_ns(line);
    uint64_t most_ns = rate->config.bulge_ns;
    return rate->config.yield_ns + (bulge_ns < most_ns ? bulge_ns : most_ns);
}

/// Return the measurement of the queue by which the rate is judged. Once the capacity is known from
/// a cut, or if a bulk stream shares the line, it is the queue that lasts. Until then it is one
/// that shows a queue sooner: to wait until a queue is certain would mean to send far too much
/// meanwhile.
static uint64_t seen_queue_ns(const bksi_line_rate *rate, const bksi_line *line)
{
    // Use the queue that lasts: a bulk stream on this line makes short queues, and gives way by
    // itself.
    if ((rate->ceiling > 0.0 && !rate->is_blind) || rate->is_shared) {
        return bksi_line_queue_ns(line);
    }
    // Believe small growth only while the line is new: later, jitter sometimes looks like a growing
    // queue.
    uint64_t growing_ns = bksi_line_growing_queue_ns(line);
    bool is_new = rate->full_ns == UINT64_MAX || rate->updated_ns - rate->full_ns < NEW_NS;
    return is_new || growing_ns > 2 * rate->config.yield_ns ? growing_ns
                                                            : bksi_line_newest_queue_ns(line);
}

static void set_rate(bksi_line_rate *rate, double wanted)
{
    wanted = wanted > rate->config.most ? rate->config.most : wanted;
    rate->rate = wanted < rate->config.least ? rate->config.least : wanted;
    if (rate->rate < rate->config.most) {
        rate->full_ns = UINT64_MAX;
    } else if (rate->full_ns == UINT64_MAX) {
        rate->full_ns = rate->credit_ns;
    }
}

/// Return the measured capacity in packets per second; 0 if unknown.
static double carried_by(const bksi_line_rate *rate, const bksi_line *line)
{
    return rate->packet_bytes > 0.0 ? line->capacity / rate->packet_bytes : 0.0;
}

/// Return the rate at which the queue began, at most the measured capacity. A queue shows a round
/// trip after it began, so take the rate of that time. A second cut soon after the first keeps the
/// ceiling of the first.
static double ceiling_of(const bksi_line_rate *rate, const bksi_line *line, uint64_t now_ns)
{
    bool is_same = rate->ceiling > 0.0 && now_ns - rate->cut_ns < CUTS_TOGETHER_NS;
    double began = is_same ? rate->ceiling : rate->past_rate;
    double carried = carried_by(rate, line);
    // Limit how far the measured capacity lowers the ceiling: a machine that paused for a moment
    // can make the capacity look low.
    double least = LOWERED_MOST * began;
    carried = carried > least ? carried : carried > 0.0 ? least : began;
    return carried < began ? carried : began;
}

static void cut(bksi_line_rate *rate, const bksi_line *line, uint64_t now_ns)
{
    bool is_deep = seen_queue_ns(rate, line) > rate->config.deep_ns;
    rate->ceiling = ceiling_of(rate, line, now_ns);
    rate->is_blind = line->capacity == 0.0;
    rate->cut_ns = now_ns;
    rate->hold_until_ns = now_ns + bksi_line_round_trip_ns(line) + rate->config.hold_ns;
    double from = rate->ceiling < rate->rate ? rate->ceiling : rate->rate;
    set_rate(rate, from * (is_deep ? CUT_DEEP : CUT));
}

/// Return the time in seconds until the effect of a change is seen.
static double trip_to_see_s(const bksi_line_rate *rate, const bksi_line *line)
{
    return (line->round_trip_ns + (double)rate->config.echo_ns) / (double)SECOND;
}

static void grow(bksi_line_rate *rate, const bksi_line *line, double span_s)
{
    // If the queue is gone and the line carries more, the queue was another sender's.
    double carried = carried_by(rate, line);
    if (rate->ceiling > 0.0 && carried > rate->ceiling &&
        rate->updated_ns - rate->cut_ns > CUTS_TOGETHER_NS) {
        rate->ceiling = carried;
    }
    if (rate->ceiling > 0.0 && rate->rate > rate->ceiling * CEILING_PASSED) {
        rate->ceiling = 0.0;
    }
    bool is_near = rate->ceiling > 0.0 && rate->rate >= rate->ceiling * CEILING_NEAR;
    double growth = is_near                ? rate->config.growth_slow
                    : rate->ceiling == 0.0 ? rate->config.growth_first
                                           : rate->config.growth_fast;
    // Limit the growth, because its effect is unknown until the next echo.
    double trip_s = trip_to_see_s(rate, line);
    growth = growth * trip_s > GROWTH_PER_TRIP ? GROWTH_PER_TRIP / trip_s : growth;
    set_rate(rate, rate->rate * (1.0 + growth * span_s));
}

/// Forget the shortest transit time: the line has become longer, so the present delay is no queue.
static void forget_queue(bksi_line_rate *rate, bksi_line *line)
{
    bksi_line_path_changed(line);
    set_rate(rate, rate->ceiling > rate->rate ? rate->ceiling : rate->rate);
    rate->at_least = false;
    rate->is_high = false;
}

/// Watch whether a queue stays constant. A queue of ours shrinks a round trip after a cut, and a
/// queue of others varies. A constant delay is no queue.
static void watch_even(bksi_line_rate *rate, bksi_line *line, bool is_high, uint64_t now_ns)
{
    rate->high_ns = rate->is_high ? rate->high_ns : now_ns;
    rate->is_high = is_high;
    if (is_high && now_ns - rate->high_ns > bksi_line_round_trip_ns(line) + EVEN_SPAN_NS &&
        bksi_line_is_even(line, EVEN_SPAN_NS, now_ns)) {
        forget_queue(rate, line);
    }
}

static void remember_queue(bksi_line_rate *rate, const bksi_line *line, uint64_t now_ns)
{
    rate->watched_ns = now_ns;
    rate->at_least_queue_ns = bksi_line_queue_ns(line);
    rate->at_least_missing = bksi_line_missing(line);
}

/// Return true if the queue has not changed by more than the jitter and no packet was lost. A full
/// queue loses packets, and on a too narrow line packets arrive at uneven intervals.
static bool has_stood_still(const bksi_line_rate *rate, const bksi_line *line)
{
    uint64_t spread_ns = bksi_line_deviation_ns(line);
    double moved_ns = (double)bksi_line_queue_ns(line) - (double)rate->at_least_queue_ns;
    double most_ns = (double)(2 * spread_ns + EVEN_NS);
    return spread_ns < STEP_NS && moved_ns < most_ns && -moved_ns < most_ns &&
           bksi_line_missing(line) == rate->at_least_missing;
}

/// Find out whose queue remained while the lowest rate was sent.
static void judge_queue(bksi_line_rate *rate, bksi_line *line, uint64_t now_ns)
{
    uint64_t queue_ns = bksi_line_queue_ns(line);
    if (has_stood_still(rate, line)) {
        forget_queue(rate, line);
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

static bool is_losing(const bksi_line *line)
{
    return bksi_line_came_per_s(line) < KEPT_SHARE * bksi_line_sent_per_s(line);
}

/// Detect a queue of another sender, which stays although the lowest rate is sent.
static void watch_foreign(bksi_line_rate *rate, bksi_line *line, bool is_high, uint64_t now_ns)
{
    if (now_ns < rate->foreign_until_ns) {
        bool is_ours = line->capacity < OURS_SPEED * rate->least_speed;
        if (is_ours && now_ns - rate->foreign_ns > FOREIGN_AFTER_NS) {
            // More bytes were sent and no more arrived, so the queue is ours and the line is
            // narrow.
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
    if (rate->at_least && now_ns - rate->at_least_ns > STARVED_AFTER_NS &&
        bksi_line_queue_ns(line) > DEEP_NS) {
        rate->starved_ns = now_ns;
    }
    if (now_ns < rate->ours_until_ns && is_losing(line)) {
        bksi_line_keep_least(line);
    }
    if (!rate->at_least) {
        rate->at_least = true;
        rate->at_least_ns = now_ns;
        remember_queue(rate, line, now_ns);
    } else if (now_ns - rate->watched_ns >= FOREIGN_AFTER_NS) {
        judge_queue(rate, line, now_ns);
        remember_queue(rate, line, now_ns);
    }
}

/// Return true if a round trip is long and neither a queue nor the length of the line explains it.
static bool is_long(const bksi_line_rate *rate, const bksi_line *line, double trip_ns)
{
    double least_ns = line->least_trip_ns < FAR_TRIP_NS ? line->least_trip_ns : 0.0;
    uint64_t known_ns = bksi_line_newest_queue_ns(line);
    return known_ns <= rate->config.yield_ns &&
           trip_ns > least_ns + (double)(TEST_TRIP_NS + known_ns);
}

/// Return the rate during the test of a long round trip: the lowest rate if the round trip was
/// short before or if many packets are lost. Otherwise return a share of the current rate, which a
/// peer with a long round trip does not notice.
/// @return 0 for no test, because losses alone make no queue
static double test_rate(const bksi_line_rate *rate, const bksi_line *line)
{
    bool is_far = line->least_trip_ns >= FAR_TRIP_NS;
    double sent = bksi_line_sent_per_s(line);
    if (!is_far || bksi_line_came_per_s(line) < TEST_LOSS_SHARE * sent) {
        return rate->config.least;
    }
    return sent > 0.0 && !is_losing(line) ? rate->rate * TEST_SHARE : 0.0;
}

/// Send less for a while to test for a queue that even the fastest packet met: such a queue shrinks
/// meanwhile.
static void test_long_trip(bksi_line_rate *rate, const bksi_line *line, uint64_t now_ns)
{
    if (now_ns < rate->test_at_ns || !is_long(rate, line, line->round_trip_ns) ||
        !is_long(rate, line, line->newest_round_trip_ns)) {
        return;
    }
    rate->test_rate = test_rate(rate, line);
    if (rate->test_rate == 0.0) {
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

/// Detect a queue that stays full although less is sent. Signs are losses, and packets that arrive
/// at uneven intervals.
static void find_full_queue(const bksi_line_rate *rate, bksi_line *line)
{
    double came = bksi_line_came_per_s(line);
    double trip_ns = line->round_trip_ns - (double)bksi_line_queue_ns(line);
    bool is_known = bksi_line_queue_ns(line) > DEEP_NS;
    if (!is_known && trip_ns > (double)TEST_TRIP_NS && came < rate->config.least &&
        came < FULL_SHARE * bksi_line_sent_per_s(line) && bksi_line_deviation_ns(line) > STEP_NS) {
        double queue_ns = (line->newest_round_trip_ns - (double)TEST_TRIP_NS) * FULL_QUEUE_SHARE;
        double least_ns = (double)FULL_QUEUE_NS;
        bksi_line_found_queue(line, (uint64_t)(queue_ns > least_ns ? queue_ns : least_ns));
    }
}

static void follow(bksi_line_rate *rate, bksi_line *line, uint64_t now_ns)
{
    double span_s = (double)(now_ns - rate->updated_ns) / (double)SECOND;
    rate->updated_ns = now_ns;
    uint64_t queue_ns = seen_queue_ns(rate, line);
    uint64_t high_ns = high_queue_ns(rate, line);
    double low_ns = LOW_SHARE * (double)high_ns;
    rate->past_rate +=
        (rate->rate - rate->past_rate) * span_s / (span_s + trip_to_see_s(rate, line));
    bool has_news = rate->seen_samples != line->sample_count;
    rate->seen_samples = line->sample_count;
    watch_even(rate, line, queue_ns > high_ns, now_ns);
    watch_foreign(rate, line, queue_ns > high_ns && rate->is_high, now_ns);
    // Do not wait if the last cut was made without knowing the capacity and the capacity is known
    // now.
    bool is_held = now_ns < rate->hold_until_ns && !(rate->is_blind && line->capacity > 0.0);
    if (now_ns < rate->foreign_until_ns || is_held || !line->any_echo) {
        return;
    }
    if (queue_ns > high_ns && has_news) {
        cut(rate, line, now_ns);
    } else if (now_ns - rate->used_ns < USED_NS && (double)queue_ns < low_ns &&
               (double)bksi_line_newest_queue_ns(line) < low_ns) {
        grow(rate, line, span_s < 0.25 ? span_s : 0.25);
    }
}

/// Return true if packets should be small: while much less than wanted is sent, or while large
/// packets might fill a line or did a while ago. Small packets make losses worse, so the rate is
/// reduced a little first.
static bool should_spare(const bksi_line_rate *rate, const bksi_line *line, uint64_t now_ns)
{
    double wanted = rate->large_bytes * rate->config.most;
    if (now_ns < rate->test_until_ns && rate->test_rate <= rate->config.least) {
        return true; // large packets would keep the queue full during the test
    }
    if (bksi_line_rate_is_backing_off(rate)) {
        return rate->rate < SPARING_SHARE * rate->config.most ||
               rate->large_bytes * rate->rate > LARGE_BYTES_PER_S;
    }
    if (rate->ceiling == 0.0 && rate->large_bytes * rate->rate > rate->config.unknown) {
        return rate->rate < rate->config.most || now_ns - rate->full_ns < PROOF_NS;
    }
    return wanted > line->capacity && rate->cut_ns != 0 && now_ns - rate->cut_ns < AGAIN_NS;
}

void bksi_line_rate_update(bksi_line_rate *rate, bksi_line *line, uint64_t now_ns)
{
    refill(rate, now_ns);
    rate->is_far = rate->config.is_far && line->least_trip_ns > FAR_BYTES_TRIP_NS;
    test_long_trip(rate, line, now_ns);
    find_full_queue(rate, line);
    follow(rate, line, now_ns);
    rate->is_sparing = should_spare(rate, line, now_ns);
    rate->was_sparing |= rate->is_sparing;
    set_next(rate);
}

void bksi_line_rate_share(bksi_line_rate *rate, bool is_shared)
{
    rate->is_shared = is_shared;
}

void bksi_line_rate_carries(bksi_line_rate *rate)
{
    rate->is_carrying = true;
}

bool bksi_line_rate_is_cramped(const bksi_line_rate *rate, const bksi_line *line)
{
    double wanted = rate->config.most * rate->packet_bytes;
    return bksi_line_rate_is_backing_off(rate) && line->capacity > 0.0 &&
           line->capacity < CRAMPED_SHARE * wanted;
}

/// Before the first echo, limit the rate of large packets.
static void begin_with_few(bksi_line_rate *rate)
{
    double first = rate->config.first_bytes / rate->packet_bytes;
    first = first > rate->config.first_least ? first : rate->config.first_least;
    if (rate->rate > first) {
        set_rate(rate, first);
    }
}

/// Adapt the rate to another packet size, because the capacity of a line is in bytes.
/// @param share  old packet size, as a share of the new one
static void resize(bksi_line_rate *rate, double share)
{
    rate->ceiling *= share;
    rate->past_rate *= share;
    if (rate->rate < rate->config.most && rate->rate > rate->config.least) {
        set_rate(rate, rate->rate * share);
    }
}

/// Return true if the rate counts bytes, so that larger packets mean fewer packets.
static bool counts_bytes(const bksi_line_rate *rate)
{
    return rate->is_carrying || rate->is_far;
}

static void learn_size(bksi_line_rate *rate, size_t bytes)
{
    if (rate->is_sparing || !rate->was_sparing || counts_bytes(rate)) {
        double before = rate->packet_bytes > 0.0 ? rate->packet_bytes : (double)bytes;
        rate->packet_bytes = before + ((double)bytes - before) / 16.0;
        if (counts_bytes(rate) && rate->ceiling > 0.0) {
            resize(rate, before / rate->packet_bytes);
        }
    }
    double large = rate->large_bytes * (1.0 - 1.0 / 128.0);
    rate->large_bytes = (double)bytes > large ? (double)bytes : large;
    if (rate->seen_samples == 0) {
        begin_with_few(rate);
    }
}

static void charge(bksi_line_rate *rate, uint64_t now_ns)
{
    uint64_t free_ns = bksi_line_rate_next_ns(rate);
    if (now_ns < free_ns + rate->config.late_ns) {
        rate->used_ns = now_ns;
    }
    if (rate->rate >= rate->config.most && now_ns >= rate->test_until_ns) {
        rate->credit = 0.0; // credit is not counted while everything wanted is sent
        rate->credit_ns = rate->next_ns = now_ns;
        return;
    }
    refill(rate, now_ns);
    // A packet that exceeds the rate delays later packets, but by the time of DEBT_MAX packets at
    // most.
    rate->credit -= 1.0;
    rate->credit = rate->credit < -DEBT_MAX ? -DEBT_MAX : rate->credit;
    set_next(rate);
}

void bksi_line_rate_sent(bksi_line_rate *rate, size_t bytes, uint64_t now_ns)
{
    learn_size(rate, bytes);
    rate->sent_ns = now_ns;
    charge(rate, now_ns);
}

void bksi_line_rate_sent_beside(bksi_line_rate *rate, size_t bytes, uint64_t now_ns)
{
    if (!counts_bytes(rate) || rate->seen_samples == 0) {
        learn_size(rate, bytes);
    }
    charge(rate, now_ns);
}

bool bksi_line_rate_is_starved(const bksi_line_rate *rate, uint64_t now_ns)
{
    return rate->starved_ns != 0 && now_ns - rate->starved_ns < STARVED_FOR_NS;
}
