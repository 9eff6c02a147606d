// SPDX-License-Identifier: MIT

#include "backstitch/toolkit/playout.h"

static const int64_t SECOND_NS = INT64_C(1000000000);
static const int64_t START_NS = INT64_C(100000000); // delay until enough arrivals are measured
static const int64_t SPAN_NS = INT64_C(200000000);
static const int64_t WINDOW_NS = INT64_C(10000000000); // age up to which a span of arrivals counts
// Gap between two calls after which an arrival may have waited to be noticed.
static const int64_t AWAY_NS = INT64_C(1000000000);
static const int64_t CATCH_UP_NS = INT64_C(2000000000); // lateness of playing above which it jumps
// Time in which a faster or slower rate makes up for lateness.
static const int64_t SLEW_OVER_NS = INT64_C(5000000000);
static const int64_t EXPECTED_NS_MAX = INT64_C(3600000000000);
static const int64_t TIME_NS_MAX = INT64_C(1) << 61;
static const int64_t SLEW_PPM_MAX = 20000;

// SPANS_LEAST: number of newest spans of arrivals that count whatever their age, so that a stream
// in rare bursts is judged by more than one burst.
enum { SPANS_LEAST = 8, DUE_TICKS_MAX = 4, RATE_HZ_MAX = 1000 };

static int64_t least_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

// ---- ticks and time ----

// Return the time of a tick in the match, rounded up so that tick_at() returns the tick.
static int64_t time_of(const bks_playout *p, int64_t tick)
{
    return (tick * SECOND_NS + p->tick_rate_hz - 1) / p->tick_rate_hz;
}

static bks_tick tick_at(const bks_playout *p, int64_t ns)
{
    const int64_t rate = p->tick_rate_hz;
    const int64_t tick = ns / SECOND_NS * rate + ns % SECOND_NS * rate / SECOND_NS;
    return (bks_tick)least_of(most_of(tick, 0), INT32_MAX);
}

// Advance the buffer's clock, which never goes back.
static void pass(bks_playout *p, uint64_t now_ns)
{
    p->begun_ns = p->has_begun ? p->begun_ns : now_ns;
    p->has_begun = true;
    const uint64_t since_ns = now_ns > p->begun_ns ? now_ns - p->begun_ns : 0;
    const int64_t now = since_ns < (uint64_t)TIME_NS_MAX ? (int64_t)since_ns : TIME_NS_MAX;
    if (now > p->now_ns) {
        p->was_away |= now - p->now_ns > AWAY_NS;
        p->now_ns = now;
    }
}

// ---- arrivals ----

static bks_playout_span *span_at(bks_playout *p, uint32_t index)
{
    return &p->spans[index % BKS_PLAYOUT_SPANS];
}

// Return the number of the oldest span of arrivals that counts for the delay.
static uint32_t first_span(bks_playout *p)
{
    const int64_t newest_ns = span_at(p, p->span_count - 1)->begin_ns;
    uint32_t first = p->span_count - 1;
    while (first > 0 && p->span_count - first < BKS_PLAYOUT_SPANS &&
           (p->span_count - first < SPANS_LEAST ||
            newest_ns - span_at(p, first - 1)->begin_ns < WINDOW_NS)) {
        first--;
    }
    return first;
}

static void sum_up(bks_playout *p)
{
    p->least_ns = INT64_MAX;
    p->most_ns = INT64_MIN;
    for (uint32_t i = first_span(p); i < p->span_count; i++) {
        p->least_ns = least_of(p->least_ns, span_at(p, i)->least_ns);
        p->most_ns = most_of(p->most_ns, span_at(p, i)->most_ns);
    }
}

static void add_transit(bks_playout *p, int64_t least_ns, int64_t most_ns)
{
    bks_playout_span *span = span_at(p, p->span_count - 1);
    if (p->span_count == 0 || p->now_ns - span->begin_ns >= SPAN_NS) {
        span = span_at(p, p->span_count++);
        *span = (bks_playout_span){p->now_ns, least_ns, most_ns};
    }
    span->least_ns = least_of(span->least_ns, least_ns);
    span->most_ns = most_of(span->most_ns, most_ns);
    sum_up(p);
}

// Return true if ticks with this transit do not belong to the stream measured so far: the stream
// was interrupted, or it skipped ticks.
static bool is_other_stream(const bks_playout *p, int64_t least_ns, int64_t most_ns)
{
    return p->span_count > 0 && most_of(p->most_ns, most_ns) - least_of(p->least_ns, least_ns) >
                                    p->expected_ns + WINDOW_NS;
}

void bks_playout_arrive(bks_playout *playout, bks_tick tick, uint64_t now_ns)
{
    bks_playout *p = playout;
    pass(p, now_ns);
    if (tick <= p->newest) {
        return;
    }
    // If this is the first arrival, or the first after a time without calls, older ticks may have
    // waited for this call. So measure the newest tick only.
    const bool is_whole = p->newest != BKS_TICK_NONE && !p->was_away;
    const int64_t least_ns = p->now_ns - time_of(p, tick);
    int64_t most_ns = is_whole ? p->now_ns - time_of(p, (int64_t)p->newest + 1) : least_ns;
    if (is_other_stream(p, least_ns, most_ns)) {
        p->span_count = 0;
        most_ns = least_ns;
    }
    p->newest = tick;
    p->was_away = false;
    add_transit(p, least_ns, most_ns);
}

// ---- playing ----

// Return the place in the match, in time from tick 0, that should be due now.
static int64_t wanted_ns(const bks_playout *p)
{
    const bool is_young = p->now_ns < WINDOW_NS || p->span_count < SPANS_LEAST;
    const int64_t delay_ns =
        most_of(p->most_ns - p->least_ns, p->expected_ns + (is_young ? START_NS : 0));
    return p->now_ns - p->least_ns - delay_ns - time_of(p, 1);
}

void bks_playout_begin(bks_playout *playout, uint32_t tick_rate_hz)
{
    *playout = (bks_playout){.rate = 1.0,
                             .is_holding = true,
                             .newest = BKS_TICK_NONE,
                             .tick_rate_hz = tick_rate_hz < 1             ? 1
                                             : tick_rate_hz > RATE_HZ_MAX ? RATE_HZ_MAX
                                                                          : tick_rate_hz};
}

void bks_playout_expect(bks_playout *playout, uint64_t expected_ns)
{
    playout->expected_ns =
        expected_ns < (uint64_t)EXPECTED_NS_MAX ? (int64_t)expected_ns : EXPECTED_NS_MAX;
}

bks_tick bks_playout_start(const bks_playout *playout)
{
    return playout->newest == BKS_TICK_NONE ? 0 : tick_at(playout, wanted_ns(playout));
}

static void set_slew(bks_playout *p, int64_t ppm)
{
    p->slew_ppm = most_of(least_of(ppm, SLEW_PPM_MAX), -SLEW_PPM_MAX);
    p->rate = 1.0 + (double)p->slew_ppm * 1e-6;
}

void bks_playout_seek(bks_playout *playout, bks_tick tick)
{
    playout->due = tick > 0 ? tick : 0;
    playout->part = 0.0f;
    playout->position_ns = time_of(playout, playout->due);
    playout->is_holding = true;
    set_slew(playout, 0);
}

// Advance the position by the time that has passed, and choose the rate that brings it to where it
// should be.
static void advance(bks_playout *p)
{
    const int64_t passed_ns = p->now_ns - p->played_ns;
    p->played_ns = p->now_ns;
    const int64_t wanted = wanted_ns(p);
    if (p->is_holding) {
        if (wanted < p->position_ns || tick_at(p, p->position_ns) >= p->newest) {
            return;
        }
        p->is_holding = false;
    } else {
        p->position_ns += passed_ns + least_of(passed_ns, WINDOW_NS) * p->slew_ppm / 1000000;
    }
    const int64_t lag_ns = wanted - p->position_ns;
    p->position_ns = lag_ns > CATCH_UP_NS ? wanted : p->position_ns;
    set_slew(p, lag_ns > CATCH_UP_NS ? 0 : lag_ns / (SLEW_OVER_NS / 1000000));
}

// Stop at the newest tick if the next one is due and has not arrived.
static void stop_at_newest(bks_playout *p)
{
    if (!p->is_holding && tick_at(p, p->position_ns) > p->newest) {
        p->position_ns = time_of(p, p->newest);
        p->is_holding = true;
        p->misses++;
        set_slew(p, 0);
    }
}

// Return the tick to which `due` moves now: at most DUE_TICKS_MAX ticks at once, unless playing is
// far behind.
static bks_tick next_due(const bks_playout *p)
{
    const bks_tick wanted = tick_at(p, p->position_ns);
    const bool is_far = p->position_ns - time_of(p, p->due) > CATCH_UP_NS;
    const int64_t most = (int64_t)p->due + DUE_TICKS_MAX;
    return is_far || wanted < most ? wanted : (bks_tick)most;
}

bks_tick bks_playout_update(bks_playout *playout, uint64_t now_ns)
{
    bks_playout *p = playout;
    pass(p, now_ns);
    advance(p);
    stop_at_newest(p);
    p->due = next_due(p);
    const int64_t part_ns = p->position_ns - time_of(p, p->due);
    const int64_t tick_ns = time_of(p, 1);
    p->part = (float)most_of(least_of(part_ns, tick_ns), 0) / (float)tick_ns;
    return p->due;
}

bks_tick bks_playout_depth(const bks_playout *playout)
{
    return playout->newest > playout->due ? playout->newest - playout->due : 0;
}
