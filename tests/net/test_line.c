// SPDX-License-Identifier: MIT

// What a sender learns of a line by echoes: its queue, its speed, and not the clocks.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/line.h"
#include "support/seed.h"

#define MS     UINT64_C(1000000)
#define SECOND (1000 * MS)

/// One stamp.
#define UNIT_NS (UINT64_C(1) << BKSI_LINE_STAMP_SHIFT)

/// A packet every 50 ms, each echoed as soon as it comes.
typedef struct echoed_line {
    bksi_line line;
    uint64_t now_ns;
    uint64_t number;
    uint64_t came;
    uint64_t clock_ns; ///< what the receiver's is ahead
} echoed_line;

static void begin(echoed_line *it)
{
    bksi_line_init(&it->line);
    it->now_ns = 3 * SECOND + 12345;
    it->number = 0;
    it->came = 0;
    it->clock_ns = UINT64_C(987654321012);
}

/// One packet that takes so long, and its echo as long as the line is without a queue.
static void pass(echoed_line *it, uint64_t transit_ns, uint64_t hold_ns)
{
    bksi_line_sent(&it->line, it->number, 60, 0, it->now_ns);
    it->came++;
    const bksi_line_echo echo = {
        .number = it->number++,
        .stamp = bksi_line_stamp(it->now_ns + transit_ns + it->clock_ns),
        .came = (uint8_t)it->came,
        .hold_ns = hold_ns,
    };
    bksi_line_echoed(&it->line, &echo, it->now_ns + transit_ns + hold_ns + 20 * MS);
    it->now_ns += 50 * MS;
}

/// A queue builds up.
static void fill(echoed_line *it, uint64_t from_ns, uint64_t to_ns)
{
    for (uint64_t transit_ns = from_ns; transit_ns < to_ns; transit_ns += 10 * MS) {
        pass(it, transit_ns, 0);
    }
}

static void assert_queue(const echoed_line *it, uint64_t wanted_ns)
{
    uint64_t queue_ns = bksi_line_queue_ns(&it->line);
    if (queue_ns > wanted_ns + 2 * UNIT_NS || queue_ns + 2 * UNIT_NS < wanted_ns) {
        fail_msg("a queue of %llu us, wanted %llu", (unsigned long long)queue_ns / 1000,
                 (unsigned long long)wanted_ns / 1000);
    }
}

static void nothing_is_known_before_an_echo(void **context)
{
    (void)context;
    static bksi_line line;
    bksi_line_init(&line);
    bksi_line_sent(&line, 0, 60, 0, SECOND);
    assert_true(bksi_line_queue_ns(&line) == 0);
    assert_true(bksi_line_round_trip_ns(&line) == 0);
    assert_true(bksi_line_capacity_bits_per_s(&line) == 0);
}

static void the_queue_is_what_a_packet_takes_longer_than_the_quickest(void **context)
{
    (void)context;
    static echoed_line it;
    begin(&it);
    for (int i = 0; i < 20; i++) {
        pass(&it, 30 * MS, 5 * MS);
    }
    assert_queue(&it, 0);
    assert_in_range(bksi_line_round_trip_ns(&it.line), 50 * MS - 2000, 50 * MS + 2000);
    fill(&it, 30 * MS, 110 * MS);
    for (int i = 0; i < 40; i++) {
        pass(&it, 110 * MS, 0);
    }
    assert_queue(&it, 80 * MS);
    // One quick packet is enough to know that none stands there.
    pass(&it, 31 * MS, 0);
    assert_queue(&it, 1 * MS);
}

static void single_late_packets_are_no_queue(void **context)
{
    (void)context;
    static echoed_line it;
    begin(&it);
    for (int i = 0; i < 2000; i++) {
        pass(&it, 30 * MS + (i % 7 != 0 ? seed_below(300) * MS : 0), 0);
        if (i > 8) {
            assert_queue(&it, 0);
        }
    }
}

static void the_quickest_counts_for_a_minute(void **context)
{
    (void)context;
    static echoed_line it;
    begin(&it);
    pass(&it, 10 * MS, 0);
    for (int i = 0; i < 20 * 59; i++) {
        pass(&it, 30 * MS, 0);
    }
    assert_queue(&it, 20 * MS);
    for (int i = 0; i < 20 * 12; i++) {
        pass(&it, 30 * MS, 0);
    }
    assert_queue(&it, 0);
    bksi_line_path_changed(&it.line);
    pass(&it, 200 * MS, 0);
    assert_queue(&it, 0);
}

static void a_queue_that_was_found_counts_for_a_minute(void **context)
{
    (void)context;
    static echoed_line it;
    begin(&it);
    bksi_line_found_queue(&it.line, 200 * MS); // nothing is known of which it could be a queue
    assert_queue(&it, 0);
    pass(&it, 500 * MS, 0);
    bksi_line_found_queue(&it.line, 200 * MS);
    for (int i = 0; i < 20 * 55; i++) {
        pass(&it, 500 * MS, 0);
        assert_queue(&it, 200 * MS);
    }
    pass(&it, 350 * MS, 0);
    assert_queue(&it, 50 * MS);
    pass(&it, 250 * MS, 0); // it was longer than it was taken for
    assert_queue(&it, 0);
    for (int i = 0; i < 20 * 130; i++) {
        bksi_line_keep_least(&it.line);
        pass(&it, i % 2 == 0 ? 300 * MS : 330 * MS, 0); // uneven: the line has not become longer
    }
    assert_queue(&it, 50 * MS);
}

static void packets_that_arrive_are_counted_over_seconds(void **context)
{
    (void)context;
    static echoed_line it;
    begin(&it);
    assert_true(bksi_line_sent_per_s(&it.line) == 0.0);
    for (int i = 0; i < 20 * 20; i++) {
        if (i % 4 != 0) { // lost
            bksi_line_sent(&it.line, it.number++, 60, 0, it.now_ns);
            it.now_ns += 50 * MS;
        } else {
            pass(&it, 30 * MS, 0);
        }
    }
    assert_true(bksi_line_sent_per_s(&it.line) > 19.0 && bksi_line_sent_per_s(&it.line) < 21.0);
    assert_true(bksi_line_came_per_s(&it.line) > 4.5 && bksi_line_came_per_s(&it.line) < 5.5);
    // A pause says nothing of the line.
    it.number += 100;
    it.now_ns += 3 * SECOND;
    pass(&it, 30 * MS, 0);
    assert_true(bksi_line_sent_per_s(&it.line) == 0.0);
    assert_true(bksi_line_came_per_s(&it.line) == 0.0);
}

static void packets_are_even_that_all_came_and_took_as_long(void **context)
{
    (void)context;
    static echoed_line it;
    begin(&it);
    for (int i = 0; i < 20; i++) {
        assert_false(bksi_line_is_even(&it.line, SECOND, it.now_ns));
        pass(&it, i % 2 == 0 ? 30 * MS : 34 * MS, 0);
    }
    for (int i = 0; i < 21; i++) {
        pass(&it, i % 2 == 0 ? 30 * MS : 31 * MS, 0);
    }
    assert_true(bksi_line_is_even(&it.line, SECOND, it.now_ns));
    assert_false(bksi_line_is_even(&it.line, 3 * SECOND, it.now_ns)); // they are not kept so long
    assert_false(bksi_line_is_even(&it.line, 300 * MS, it.now_ns));   // too few to say
    it.number++;
    pass(&it, 30 * MS, 0);
    assert_false(bksi_line_is_even(&it.line, SECOND, it.now_ns));
    for (int i = 0; i < 21; i++) {
        pass(&it, 30 * MS, 0);
    }
    assert_true(bksi_line_is_even(&it.line, SECOND, it.now_ns));
}

static void clocks_that_run_apart_are_no_queue(void **context)
{
    (void)context;
    static echoed_line it;
    for (int sign = -1; sign <= 1; sign += 2) {
        begin(&it);
        for (uint64_t i = 0; i < 20 * 3600; i++) {
            it.clock_ns += (uint64_t)(sign * 5000); // 100 ppm
            pass(&it, 30 * MS, 0);
            // Of the quickest of the last minute.
            assert_true(bksi_line_queue_ns(&it.line) < 8 * MS);
        }
    }
}

static void a_clock_that_jumps_is_no_queue(void **context)
{
    (void)context;
    static echoed_line it;
    const uint64_t jumps_ns[] = {2 * SECOND, 3 * SECOND, 5 * SECOND, 8 * SECOND};
    for (uint32_t k = 0; k < 4; k++) {
        begin(&it);
        for (int i = 0; i < 40; i++) {
            pass(&it, 30 * MS, 0);
        }
        it.clock_ns += jumps_ns[k];
        for (int i = 0; i < 40; i++) {
            pass(&it, 30 * MS, 0);
        }
        assert_queue(&it, 0);
        fill(&it, 30 * MS, 90 * MS);
        for (int i = 0; i < 40; i++) {
            pass(&it, 90 * MS, 0);
        }
        assert_queue(&it, 60 * MS);
    }
}

/// Another route through the internet. A queue that filled as quickly would lose packets.
static void a_line_that_becomes_longer_in_one_step_has_no_queue(void **context)
{
    (void)context;
    static echoed_line it;
    for (int is_lossy = 0; is_lossy < 2; is_lossy++) {
        begin(&it);
        for (int i = 0; i < 40; i++) {
            pass(&it, 30 * MS, 0);
        }
        for (int i = 0; i < 40; i++) {
            it.number += is_lossy != 0 ? 1 : 0;
            pass(&it, 180 * MS, 0);
        }
        assert_queue(&it, is_lossy != 0 ? 150 * MS : 0);
        // And back again.
        for (int i = 0; i < 40; i++) {
            pass(&it, 30 * MS, 0);
        }
        assert_queue(&it, 0);
    }
}

/// Round trips show how little of it can be a queue.
static void transit_times_that_rise_without_round_trips_are_no_queue(void **context)
{
    (void)context;
    static echoed_line it;
    begin(&it);
    bksi_line_know_trip(&it.line, 45.0 * MS);
    for (int i = 0; i < 100; i++) {
        it.clock_ns += MS;
        pass(&it, 30 * MS, 0);
    }
    assert_queue(&it, 5 * MS);
}

static void a_queue_that_grows_is_seen_soon(void **context)
{
    (void)context;
    static echoed_line it;
    begin(&it);
    fill(&it, 30 * MS, 110 * MS);
    assert_in_range(bksi_line_growing_queue_ns(&it.line), 59 * MS, 61 * MS);
    assert_in_range(bksi_line_newest_queue_ns(&it.line), 49 * MS, 51 * MS);
    pass(&it, 90 * MS, 0);
    assert_in_range(bksi_line_growing_queue_ns(&it.line), 59 * MS, 61 * MS);
}

/// 1 Mbit: 1250 bytes take 10 ms.
static void a_train_that_ends_in_a_queue_shows_what_the_line_carries(void **context)
{
    (void)context;
    static echoed_line it;
    begin(&it);
    for (int i = 0; i < 20; i++) {
        pass(&it, 30 * MS, 0);
    }
    const uint64_t first = it.number;
    bksi_line_train train;
    // One long before the queue, and three at once in it.
    bksi_line_sent(&it.line, it.number++, 1250, 0, it.now_ns);
    it.now_ns += 50 * MS;
    for (int i = 0; i < 3; i++) {
        bksi_line_sent(&it.line, it.number++, 1250, 0, it.now_ns);
    }
    const uint64_t last = it.number;
    it.came += 4;
    assert_false(bksi_line_train_of(&it.line, first, last, &train));
    pass(&it, 60 * MS, 0);
    assert_true(bksi_line_train_of(&it.line, first, last, &train));
    assert_true(train.queue_ns > 29 * MS && train.queue_ns < 31 * MS);
    assert_true(train.bytes_per_s > 120e3 && train.bytes_per_s < 130e3);
    // It is not mistaken for another packet's.
    pass(&it, 30 * MS, 0);
    assert_false(bksi_line_train_of(&it.line, first, last + 2, &train));
}

static void echoes_that_make_no_sense_are_ignored(void **context)
{
    (void)context;
    static echoed_line it;
    begin(&it);
    for (int i = 0; i < 3000; i++) {
        pass(&it, 30 * MS, 0);
    }
    static bksi_line before;
    before = it.line;
    bksi_line_echo echo = {.number = it.number - 1, .stamp = 7, .came = 9};
    bksi_line_echoed(&it.line, &echo, it.now_ns); // here already
    echo.number = it.number;
    bksi_line_echoed(&it.line, &echo, it.now_ns); // never went
    echo.number = it.number + BKSI_LINE_SENT_KEPT;
    bksi_line_echoed(&it.line, &echo, it.now_ns);
    echo.number = UINT64_MAX;
    bksi_line_echoed(&it.line, &echo, it.now_ns);
    echo.number = 3;
    bksi_line_echoed(&it.line, &echo, it.now_ns); // forgotten
    assert_memory_equal(&before, &it.line, sizeof(before));
    bksi_line_sent(&it.line, it.number, 60, 0, it.now_ns);
    before = it.line;
    echo.number = it.number;
    echo.hold_ns = SECOND;
    bksi_line_echoed(&it.line, &echo, it.now_ns + MS); // held before it was sent
    echo.hold_ns = UINT64_MAX;
    bksi_line_echoed(&it.line, &echo, it.now_ns + MS);
    assert_memory_equal(&before, &it.line, sizeof(before));
}

static void a_number_is_known_by_its_lowest_bits_with_its_path(void **context)
{
    (void)context;
    static bksi_line line;
    bksi_line_init(&line);
    uint32_t path;
    assert_false(bksi_line_path_of(&line, 0, &path));
    for (uint64_t number = 0; number < 200000; number++) {
        bksi_line_sent(&line, number, 60, number % 16, SECOND + number * MS);
    }
    for (uint64_t back = 1; back < 3000; back++) {
        uint64_t number = 200000 - back;
        assert_true(bksi_line_number(&line, (uint16_t)number) == number);
        assert_int_equal(bksi_line_path_of(&line, number, &path), back <= BKSI_LINE_SENT_KEPT);
        assert_int_equal(path, back <= BKSI_LINE_SENT_KEPT ? number % 16 : 0);
    }
    assert_false(bksi_line_path_of(&line, 200000, &path));
}

static void a_measured_line_survives_any_hour(void **context)
{
    (void)context;
    // Microseconds wrap after 71 minutes, stamps after 17 s.
    static echoed_line it;
    begin(&it);
    it.now_ns = 4294967296ull * 1000 - 5 * SECOND;
    for (int i = 0; i < 400; i++) {
        pass(&it, 30 * MS, 5 * MS);
        uint64_t trip_ns = bksi_line_round_trip_ns(&it.line);
        assert_in_range(trip_ns, 50 * MS - 2000, 50 * MS + 2000);
        assert_queue(&it, 0);
    }
}

static void where_a_rate_is_of_bytes_large_messages_beside_make_none_rarer(void **context)
{
    (void)context;
    static bksi_line_rate rate;
    bksi_line_rate_config config = bksi_line_match_config(60.0, 0.0);
    bksi_line_rate_init(&rate, &config, 0);
    bksi_line_rate_carries(&rate);
    rate.seen_samples = 1;
    bksi_line_rate_sent_beside(&rate, 1000, 0); // the first of all
    bksi_line_rate_sent(&rate, 60, 0);
    rate.rate = 40.0;
    rate.ceiling = 50.0;
    for (uint64_t i = 0; i < 8; i++) {
        bksi_line_rate_sent_beside(&rate, 1000, SECOND + i * 100 * MS);
    }
    assert_true(rate.packet_bytes == 60.0 && rate.large_bytes == 60.0);
    assert_true(rate.rate == 40.0 && rate.ceiling == 50.0);
    const uint64_t now_ns = 3 * SECOND;
    bksi_line_rate_sent(&rate, 60, now_ns);
    bksi_line_rate_sent_beside(&rate, 1000, now_ns);
    assert_true(rate.credit == -1.0); // as any other
}

static void packets_beside_never_take_the_turn_of_the_others(void **context)
{
    (void)context;
    static bksi_line_rate rate;
    bksi_line_rate_config config = bksi_line_match_config(60.0, 0.0);
    bksi_line_rate_init(&rate, &config, 0);
    rate.rate = 10.0;
    bksi_line_rate_sent(&rate, 60, SECOND);
    for (uint64_t i = 1; i <= 60; i++) { // twice as many as the line carries
        bksi_line_rate_sent_beside(&rate, 60, SECOND + i * 50 * MS);
        assert_true(bksi_line_rate_next_ns(&rate) <= SECOND + 300 * MS);
    }
}

static void random_echoes_keep_every_figure_in_its_range(void **context)
{
    (void)context;
    static bksi_line line;
    bksi_line_init(&line);
    static bksi_line_rate rate;
    bksi_line_rate_config config = bksi_line_match_config(60.0, 0.0);
    uint64_t now_ns = 0;
    bksi_line_rate_init(&rate, &config, now_ns);
    uint64_t number = 0;
    for (int i = 0; i < 200000; i++) {
        now_ns += seed_below(100) * MS;
        if (seed_below(2) == 0) {
            number += seed_below(50) == 0 ? seed_below(5000) : 1;
            bksi_line_sent(&line, number, 40 + seed_below(1200), 0, now_ns);
        }
        const bksi_line_echo echo = {.number = number - seed_below(4),
                                     .stamp = (uint16_t)seed_next(),
                                     .came = (uint8_t)seed_next(),
                                     .hold_ns = seed_below(300) * MS};
        bksi_line_echoed(&line, &echo, now_ns);
        bksi_line_rate_update(&rate, &line, now_ns);
        bksi_line_rate_sent(&rate, 60, now_ns);
        if (seed_below(4) == 0) {
            bksi_line_rate_sent_beside(&rate, seed_below(1200), now_ns);
        }
        assert_true(rate.rate >= 10.0 && rate.rate <= 60.0);
        assert_true(bksi_line_queue_ns(&line) < 20 * SECOND);
        assert_true(line.capacity >= 0.0 && line.capacity < 1e9);
        // No lie keeps us from sending for long.
        assert_true(bksi_line_rate_next_ns(&rate) <= now_ns + SECOND);
    }
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 11);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_known_before_an_echo),
        cmocka_unit_test(the_queue_is_what_a_packet_takes_longer_than_the_quickest),
        cmocka_unit_test(single_late_packets_are_no_queue),
        cmocka_unit_test(the_quickest_counts_for_a_minute),
        cmocka_unit_test(a_queue_that_was_found_counts_for_a_minute),
        cmocka_unit_test(packets_that_arrive_are_counted_over_seconds),
        cmocka_unit_test(packets_are_even_that_all_came_and_took_as_long),
        cmocka_unit_test(clocks_that_run_apart_are_no_queue),
        cmocka_unit_test(a_clock_that_jumps_is_no_queue),
        cmocka_unit_test(a_line_that_becomes_longer_in_one_step_has_no_queue),
        cmocka_unit_test(transit_times_that_rise_without_round_trips_are_no_queue),
        cmocka_unit_test(a_queue_that_grows_is_seen_soon),
        cmocka_unit_test(a_train_that_ends_in_a_queue_shows_what_the_line_carries),
        cmocka_unit_test(echoes_that_make_no_sense_are_ignored),
        cmocka_unit_test(a_number_is_known_by_its_lowest_bits_with_its_path),
        cmocka_unit_test(a_measured_line_survives_any_hour),
        cmocka_unit_test(where_a_rate_is_of_bytes_large_messages_beside_make_none_rarer),
        cmocka_unit_test(packets_beside_never_take_the_turn_of_the_others),
        cmocka_unit_test(random_echoes_keep_every_figure_in_its_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
