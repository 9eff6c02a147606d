// SPDX-License-Identifier: MIT

// Streams of ticks on simulated time: each row of the table is a way in which they arrive.

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/playout.h"

enum { RATE_HZ = 60, TICKS_MAX = 60 * RATE_HZ, NEVER = INT32_MAX };

#define MS      INT64_C(1000000)
#define ZERO_NS UINT64_C(77000000000) // so that no time begins at 0
#define STEP_NS (10 * MS)
#define FOREVER INT64_MAX
#define LATE_NS (30000 * MS) // from then on a stream is known
#define TICK_NS (INT64_C(1000000000) / RATE_HZ)

/// Arrival pattern of a stream, and the bounds that its playout must keep.
typedef struct stream {
    const char *name;
    int64_t jitter_ms;   ///< each tick, or each burst, is up to this late, at random
    int64_t burst_ms;    ///< ticks arrive together this often; 0: each by itself
    int64_t gap_from_ms; ///< from then on nothing arrives for `gap_ms`, then everything at once
    int64_t gap_ms;
    int64_t pause_from_ms; ///< from then on the sender makes no ticks for `pause_ms`
    int64_t pause_ms;
    int64_t away_from_ms; ///< from then on the receiver does not call for `away_ms`
    int64_t away_ms;
    int64_t drift_ppm; ///< the sender's clock is slower by this
    int64_t expected_ms;

    // Bounds of the playout:
    uint32_t misses_max;      ///< in all
    uint32_t misses_late_max; ///< after LATE_NS
    int64_t delay_end_ms_max; ///< from a tick's place to its play, in the last two seconds
    int64_t jump_max;         ///< most ticks due in one update
} stream;

/// Progress of a stream.
typedef struct run {
    bks_playout playout;
    uint64_t noise;
    int64_t arrival_ns[TICKS_MAX]; ///< times of arrival, which never fall
    uint32_t misses_early;
    int64_t delay_ns; ///< greatest delay of the last two seconds
    int64_t first_due_ns;
    int64_t jump;
    double rate_least;
    double rate_most;
    bks_tick depth_most;
} run;

static run the_run;

static int64_t noise(run *r, int64_t most)
{
    r->noise = r->noise * UINT64_C(6364136223846793005) + 1442695040888963407U;
    return most > 0 ? (int64_t)((r->noise >> 33) % (uint64_t)most) : 0;
}

/// Return the time at which the sender makes a tick.
static int64_t made_ns(const stream *s, int64_t tick)
{
    const int64_t ns = tick * TICK_NS + tick * TICK_NS / 1000000 * s->drift_ppm;
    return ns + (s->pause_ms > 0 && ns >= s->pause_from_ms * MS ? s->pause_ms * MS : 0);
}

static void send_all(run *r, const stream *s)
{
    int64_t newest = 0;
    int64_t sent = -1; // end of the newest burst
    int64_t late = 0;
    for (int64_t tick = 0; tick < TICKS_MAX; tick++) {
        int64_t at = made_ns(s, tick);
        const int64_t burst = s->burst_ms * MS;
        at = burst > 0 ? (at / burst + 1) * burst : at;
        late = at != sent || burst == 0 ? noise(r, s->jitter_ms * MS) : late;
        sent = at;
        at += late;
        const int64_t gap_end = (s->gap_from_ms + s->gap_ms) * MS;
        at = at >= s->gap_from_ms * MS && at < gap_end ? gap_end : at;
        newest = at > newest ? at : newest;
        r->arrival_ns[tick] = newest;
    }
}

static void note(run *r, const stream *s, bks_tick before, int64_t now, bool is_end)
{
    const bks_playout *p = &r->playout;
    r->jump = p->due - before > r->jump ? p->due - before : r->jump;
    r->rate_least = p->rate < r->rate_least ? p->rate : r->rate_least;
    r->rate_most = p->rate > r->rate_most ? p->rate : r->rate_most;
    const bks_tick depth = bks_playout_depth(p);
    r->depth_most = depth > r->depth_most ? depth : r->depth_most;
    if (p->due > before) {
        const int64_t delay = now - made_ns(s, p->due);
        r->delay_ns = is_end && delay > r->delay_ns ? delay : r->delay_ns;
        r->first_due_ns = r->first_due_ns > 0 ? r->first_due_ns : now;
    }
    if (now < LATE_NS) {
        r->misses_early = p->misses;
    }
}

static void play(run *r, const stream *s)
{
    *r = (run){.rate_least = 2.0, .noise = 7};
    bks_playout_begin(&r->playout, RATE_HZ);
    bks_playout_expect(&r->playout, (uint64_t)(s->expected_ms * MS));
    send_all(r, s);
    const int64_t end = r->arrival_ns[TICKS_MAX - 1];
    bks_tick newest = BKS_TICK_NONE;
    bool has_begun = false;
    for (int64_t now = 0; now < end; now += STEP_NS) {
        if (now >= s->away_from_ms * MS && now < (s->away_from_ms + s->away_ms) * MS) {
            continue;
        }
        while (newest + 1 < TICKS_MAX && r->arrival_ns[newest + 1] <= now) {
            newest++;
        }
        bks_playout_arrive(&r->playout, newest, ZERO_NS + (uint64_t)now);
        if (newest != BKS_TICK_NONE && !has_begun) {
            has_begun = true;
            bks_playout_seek(&r->playout, bks_playout_start(&r->playout));
        }
        const bks_tick before = r->playout.due;
        const bks_tick due = bks_playout_update(&r->playout, ZERO_NS + (uint64_t)now);
        assert_true(due <= newest || newest == BKS_TICK_NONE);
        assert_true(due >= before);
        note(r, s, before, now, end - now < 2000 * MS);
    }
}

static const stream streams[] = {
    {.name = "steady", .misses_max = 0, .delay_end_ms_max = 40, .jump_max = 1},
    {.name = "jitter of 80 ms",
     .jitter_ms = 80,
     .misses_max = 0,
     .delay_end_ms_max = 130,
     .jump_max = 1},
    {.name = "jitter of 300 ms",
     .jitter_ms = 300,
     .misses_max = 3,
     .delay_end_ms_max = 350,
     .jump_max = 1},
    {.name = "bursts of 1 s",
     .burst_ms = 1000,
     .misses_max = 1,
     .delay_end_ms_max = 1050,
     .jump_max = 1},
    {.name = "bursts of 1 s that are expected",
     .burst_ms = 1000,
     .expected_ms = 1000,
     .misses_max = 0,
     .delay_end_ms_max = 1050,
     .jump_max = 1},
    {.name = "bursts of 4 s, up to 0.25 s late",
     .burst_ms = 4000,
     .jitter_ms = 250,
     .expected_ms = 4250,
     .misses_max = 0,
     .delay_end_ms_max = 4500,
     .jump_max = NEVER},
    {.name = "bursts of 1 s with jitter",
     .burst_ms = 1000,
     .jitter_ms = 100,
     .misses_max = 4,
     .misses_late_max = 0,
     .delay_end_ms_max = 1200,
     .jump_max = 1},
    {.name = "a gap of 5 s, then all at once",
     .gap_from_ms = 20000,
     .gap_ms = 5000,
     .misses_max = 1,
     .delay_end_ms_max = 40,
     .jump_max = NEVER},
    {.name = "bursts of 1 s with a gap of 5 s",
     .burst_ms = 1000,
     .gap_from_ms = 20000,
     .gap_ms = 5000,
     .misses_max = 2,
     .delay_end_ms_max = 1050,
     .jump_max = NEVER},
    {.name = "a gap of 0.8 s, then all at once",
     .gap_from_ms = 5000,
     .gap_ms = 800,
     .misses_max = 1,
     .delay_end_ms_max = 60,
     .jump_max = 4},
    {.name = "a sender that pauses for 5 s",
     .pause_from_ms = 20000,
     .pause_ms = 5000,
     .misses_max = 1,
     .delay_end_ms_max = 40,
     .jump_max = 1},
    {.name = "a gap of 20 s",
     .gap_from_ms = 35000,
     .gap_ms = 20000,
     .misses_max = 1,
     .misses_late_max = 1,
     .delay_end_ms_max = 140,
     .jump_max = NEVER},
    {.name = "a receiver that is away for 5 s",
     .away_from_ms = 40000,
     .away_ms = 5000,
     .misses_max = 0,
     .delay_end_ms_max = 40,
     .jump_max = NEVER},
    {.name = "a sender 0.5 % slow",
     .drift_ppm = 5000,
     .misses_max = 2,
     .delay_end_ms_max = 120,
     .jump_max = 1},
    {.name = "a sender 0.5 % fast",
     .drift_ppm = -5000,
     .misses_max = 0,
     .delay_end_ms_max = 150,
     .jump_max = 1},
};

static void each_stream_is_played_with_as_little_delay_as_it_allows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
        const stream *s = &streams[i];
        run *r = &the_run;
        play(r, s);
        const uint32_t late = r->playout.misses - r->misses_early;
        const int64_t delay_ms = r->delay_ns / MS;
        printf("%s: %u misses, %u late, %lld ms, %lld ticks at most, depth %d, rate %.3f..%.3f\n",
               s->name, r->playout.misses, late, (long long)delay_ms, (long long)r->jump,
               r->depth_most, r->rate_least, r->rate_most);
        if (r->playout.misses > s->misses_max || late > s->misses_late_max ||
            delay_ms > s->delay_end_ms_max || r->jump > s->jump_max ||
            r->rate_least < 0.98 - 1e-9 || r->rate_most > 1.02 + 1e-9) {
            fail_msg("not as wanted: %s", s->name);
        }
    }
}

static uint64_t at_ms(int64_t ms)
{
    return ZERO_NS + (uint64_t)(ms * MS);
}

/// Begin with a stream whose tick `newest` has come in time at 0 ms.
static bks_playout begin_at(bks_tick newest)
{
    bks_playout playout;
    bks_playout_begin(&playout, RATE_HZ);
    bks_playout_arrive(&playout, newest, at_ms(0));
    return playout;
}

static void it_begins_a_tenth_of_a_second_behind_the_newest_tick(void **state)
{
    (void)state;
    bks_playout playout = begin_at(1000);
    assert_int_equal(bks_playout_start(&playout), 1000 - 6 - 1);
    bks_playout_seek(&playout, bks_playout_start(&playout));
    assert_int_equal(bks_playout_update(&playout, at_ms(0)), 993);
    assert_false(playout.is_holding);
    assert_int_equal(bks_playout_depth(&playout), 7);
    bks_playout_expect(&playout, 2 * 1000 * (uint64_t)MS);
    assert_int_equal(bks_playout_start(&playout), 1000 - 126 - 1);
}

static void before_anything_arrived_nothing_is_due(void **state)
{
    (void)state;
    bks_playout playout;
    bks_playout_begin(&playout, RATE_HZ);
    assert_int_equal(bks_playout_start(&playout), 0);
    assert_int_equal(bks_playout_update(&playout, at_ms(0)), 0);
    assert_int_equal(bks_playout_update(&playout, at_ms(100000)), 0);
    assert_int_equal(playout.misses, 0);
    assert_int_equal(bks_playout_depth(&playout), 0);
    assert_true(playout.is_holding);
}

static void a_tick_ahead_of_the_delay_is_held_until_the_delay_is_reached(void **state)
{
    (void)state;
    bks_playout playout = begin_at(1000);
    bks_playout_seek(&playout, 999);
    for (int64_t ms = 0; ms < 100; ms += 10) {
        assert_int_equal(bks_playout_update(&playout, at_ms(ms)), 999);
        assert_true(playout.is_holding);
    }
    assert_int_equal(bks_playout_update(&playout, at_ms(120)), 999);
    assert_false(playout.is_holding);
    assert_int_equal(bks_playout_update(&playout, at_ms(140)), 1000);
    assert_int_equal(playout.misses, 0);
}

/// Bursts of three seconds, of which the second is 0.3 s late.
static void the_newest_eight_bursts_count_however_old(void **state)
{
    (void)state;
    for (int64_t expected_ms = 0; expected_ms < 4000; expected_ms += 3500) {
        bks_playout playout = begin_at(0);
        bks_playout_expect(&playout, (uint64_t)(expected_ms * MS));
        for (bks_tick burst = 1; burst <= 13; burst++) {
            const int64_t end_ms = 3000 * burst;
            const bks_tick end = 3 * RATE_HZ * burst;
            for (int64_t ms = end_ms - 2700; ms < end_ms; ms += 500) {
                bks_playout_arrive(&playout, end - 3 * RATE_HZ, at_ms(ms)); // nothing new
            }
            bks_playout_arrive(&playout, end, at_ms(burst == 2 ? end_ms + 300 : end_ms));
            const bks_tick delay = end - bks_playout_start(&playout);
            if (expected_ms > 0 && burst > 1) {
                const bks_tick wanted = burst < 7 ? 217 : 211;
                assert_in_range(burst == 2 ? delay + 18 : delay, wanted, wanted + 1);
            } else if (burst > 2) {
                const bks_tick wanted = burst < 10 ? 198 : 180;
                assert_in_range(delay, wanted, wanted + 1);
            }
        }
    }
}

static void the_end_of_a_stream_is_played_and_missed_once(void **state)
{
    (void)state;
    bks_playout playout = begin_at(1000);
    bks_playout_seek(&playout, bks_playout_start(&playout) - 3); // so that the rate is above 1
    for (int64_t ms = 0; ms < 5000; ms += 10) {
        bks_playout_arrive(&playout, 1000, at_ms(ms));
        const bks_tick due = bks_playout_update(&playout, at_ms(ms));
        assert_true(due == 1000 || ms < 180);
        assert_int_equal(playout.is_holding, playout.misses > 0);
        assert_int_equal(playout.rate > 1.0, !playout.is_holding);
    }
    assert_int_equal(playout.misses, 1);
    assert_int_equal(bks_playout_depth(&playout), 0);
    bks_playout_arrive(&playout, 1100, at_ms(5000));
    (void)bks_playout_update(&playout, at_ms(5100));
    assert_true(playout.rate > 1.0);
    bks_playout_seek(&playout, 1050);
    assert_true(playout.rate == 1.0);
}

static void an_update_has_at_most_four_ticks_unless_two_seconds_are_missing(void **state)
{
    (void)state;
    bks_playout playout = begin_at(1000);
    bks_playout_seek(&playout, bks_playout_start(&playout));
    assert_int_equal(bks_playout_update(&playout, at_ms(0)), 993);
    bks_playout_arrive(&playout, 1060, at_ms(900));
    static const bks_tick expected[] = {997, 1001, 1005, 1009};
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        assert_int_equal(bks_playout_update(&playout, at_ms(900)), expected[i]);
        assert_true(playout.part == 1.0f);
    }
    for (uint32_t i = 0; i < 100; i++) {
        (void)bks_playout_update(&playout, at_ms(900));
    }
    assert_in_range(playout.due, 1045, 1049);
    assert_true(playout.part < 1.0f);
    bks_playout_arrive(&playout, 1240, at_ms(4000));
    assert_in_range(bks_playout_update(&playout, at_ms(4000)), 1226, 1234);
}

/// Values that no sound stream has. Nothing may overflow, and no tick may be due that did not
/// arrive.
static void no_value_breaks_it(void **state)
{
    (void)state;
    static const bks_tick ticks[] = {BKS_TICK_NONE, INT32_MIN,     0, 5,    4,   1000, 7, 60,
                                     INT32_MAX,     INT32_MAX - 1, 1, 2000, 3000};
    static const uint64_t times[] = {
        0, UINT64_MAX, 1, ZERO_NS, UINT64_MAX / 2, ZERO_NS - 1, (uint64_t)1 << 61, UINT64_MAX - 1};
    static const uint32_t rates[] = {0, 1, 60, 1000, UINT32_MAX};
    enum { TICKS = sizeof(ticks) / sizeof(ticks[0]), TIMES = sizeof(times) / sizeof(times[0]) };
    for (uint32_t round = 0; round < 5 * 1000; round++) {
        run *r = &the_run;
        r->noise = round;
        bks_playout *p = &r->playout;
        bks_playout_begin(p, rates[round % 5]);
        bks_tick newest = BKS_TICK_NONE;
        for (uint32_t i = 0; i < 30; i++) {
            const bks_tick tick = ticks[noise(r, TICKS)];
            newest = tick > newest ? tick : newest;
            bks_playout_arrive(p, tick, times[noise(r, TIMES)]);
            if (noise(r, 4) == 0) {
                bks_playout_expect(p, times[noise(r, TIMES)]);
                bks_playout_seek(p, ticks[noise(r, TICKS)]);
            }
            const bks_tick before = p->due;
            const bks_tick due = bks_playout_update(p, times[noise(r, TIMES)]);
            assert_int_equal(p->newest, newest);
            assert_true(due >= before && before >= 0 && (due == before || due <= newest));
            assert_true(bks_playout_depth(p) >= 0 && bks_playout_start(p) >= 0);
            assert_true(p->part >= 0.0f && p->part <= 1.0f);
            assert_true(p->rate >= 0.98 - 1e-9 && p->rate <= 1.02 + 1e-9);
        }
    }
}

/// A stream in good order, but for one arrival that is wrong.
static void a_tick_or_a_time_that_goes_back_changes_nothing(void **state)
{
    (void)state;
    bks_playout playout = begin_at(0);
    bks_playout_seek(&playout, 0);
    for (bks_tick tick = 1; tick < 3000; tick++) {
        const uint64_t now_ns = ZERO_NS + (uint64_t)(tick * TICK_NS);
        bks_playout_arrive(&playout, tick, now_ns);
        bks_playout_arrive(&playout, tick - 60, now_ns); // a copy
        bks_playout_arrive(&playout, tick, 0);
        (void)bks_playout_update(&playout, now_ns);
        (void)bks_playout_update(&playout, now_ns / 2);
    }
    assert_int_equal(playout.misses, 0);
    assert_in_range(bks_playout_depth(&playout), 1, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_stream_is_played_with_as_little_delay_as_it_allows),
        cmocka_unit_test(it_begins_a_tenth_of_a_second_behind_the_newest_tick),
        cmocka_unit_test(before_anything_arrived_nothing_is_due),
        cmocka_unit_test(a_tick_ahead_of_the_delay_is_held_until_the_delay_is_reached),
        cmocka_unit_test(the_newest_eight_bursts_count_however_old),
        cmocka_unit_test(the_end_of_a_stream_is_played_and_missed_once),
        cmocka_unit_test(an_update_has_at_most_four_ticks_unless_two_seconds_are_missing),
        cmocka_unit_test(no_value_breaks_it),
        cmocka_unit_test(a_tick_or_a_time_that_goes_back_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
