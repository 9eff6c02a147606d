// SPDX-License-Identifier: MIT

// A match over a line that is too narrow for it, on virtual time: it plays at full speed, and the
// round trip stays short. The limits are shares and times, never counts of one run.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "match_model.h"
#include "net/line.h"

#define KBIT UINT64_C(1000)
#define MBIT (1000 * KBIT)

static match_model match;

static void begin(uint64_t bits_per_s, uint64_t delay_ms, const match_model_config *config)
{
    for (uint32_t i = 0; i < 2; i++) {
        queue_model_init(&match.ways[i], bits_per_s, delay_ms * MODEL_MS, i + 7);
    }
    match_model_init(&match, config);
}

static void set_line(uint64_t bits_per_s)
{
    match.ways[0].rate_bits_per_s = bits_per_s;
    match.ways[1].rate_bits_per_s = bits_per_s;
}

static void fill_queues(void)
{
    for (int i = 0; i < 2; i++) {
        match.ways[i].free_at_ns = match.now_ns + MODEL_QUEUE_NS;
    }
}

static double mean_trip_ms(void)
{
    return match.trips_ns / (double)match.trips / 1e6;
}

/// Return true if both peers send at nearly the full rate, 60 packets a second.
static bool is_at_full_rate(void)
{
    return match.peers[0].rate.rate >= 57.0 && match.peers[1].rate.rate >= 57.0;
}

static void assert_plays(const char *what, double seconds, double slower_max, double trip_ms_max)
{
    double slower = match_model_slower(&match, 0, seconds);
    if (slower > slower_max || mean_trip_ms() > trip_ms_max) {
        fail_msg("%s: %.2f %% slower, mean round trip %.0f ms; at most %.1f %% and %.0f ms", what,
                 100.0 * slower, mean_trip_ms(), 100.0 * slower_max, trip_ms_max);
    }
}

static void narrow_lines_carry_a_match_from_an_empty_and_from_a_full_queue(void **context)
{
    (void)context;
    const uint64_t rates[] = {12, 16, 24, 32, 36, 44, 64};
    match_model_config config = match_model_default();
    for (uint32_t k = 0; k < 7; k++) {
        for (int is_full = 0; is_full < 2; is_full++) {
            begin(rates[k] * KBIT, 30, &config);
            if (is_full) {
                fill_queues();
            }
            match_model_play(&match, 120.0);
            char what[64];
            (void)snprintf(what, sizeof(what), "%u kbit, %s", (unsigned)rates[k],
                           is_full ? "full" : "empty");
            assert_plays(what, 120.0, rates[k] == 12 ? 0.05 : 0.02, rates[k] == 12 ? 250.0 : 200.0);
        }
    }
}

static void a_queue_that_stood_before_the_first_packet_is_found(void **context)
{
    (void)context;
    match_model_config config = match_model_default();
    config.first = 60.0;
    begin(33 * KBIT, 30, &config);
    fill_queues();
    match_model_play(&match, 120.0);
    assert_plays("a line that a match just fills", 120.0, 0.02, 200.0);
}

static void without_backing_off_a_full_queue_stays_full(void **context)
{
    (void)context;
    match_model_config config = match_model_default();
    config.follows = false;
    begin(24 * KBIT, 30, &config);
    match_model_play(&match, 120.0);
    assert_true(match_model_slower(&match, 0, 120.0) > 0.1);
    assert_true(mean_trip_ms() > 500.0);
}

static void many_players_fit_a_line_by_fewer_packets(void **context)
{
    (void)context;
    match_model_config config = match_model_default();
    config.input_bytes = 8 * 1.1;
    for (int is_full = 0; is_full < 2; is_full++) {
        begin(48 * KBIT, 30, &config);
        if (is_full) {
            fill_queues();
        }
        match_model_play(&match, 120.0);
        assert_plays("8 and 7 players at 48 kbit", 120.0, 0.02, 150.0);
    }
    config.input_bytes = 4 * 1.1;
    begin(80 * KBIT, 80, &config);
    match_model_play(&match, 120.0);
    assert_plays("4 players a peer at 80 kbit", 120.0, 0.005, 220.0);
}

static void jitter_and_stalls_are_no_queue(void **context)
{
    (void)context;
    match_model_config config = match_model_default();
    for (uint32_t k = 0; k < 8; k++) {
        begin((k & 1) != 0 ? 0 : MBIT, 15, &config);
        match.ways[0].jitter_ns = match.ways[1].jitter_ns = (k & 2) != 0 ? 40 * MODEL_MS : 0;
        match_model_play(&match, 5.0);
        for (int i = 0; i < 40; i++) {
            uint64_t stall_ns = (i % 2 == 0 ? 150 : 300) * MODEL_MS;
            queue_model_stall(&match.ways[0], stall_ns, match.now_ns);
            if ((k & 4) != 0) {
                queue_model_stall(&match.ways[1], stall_ns, match.now_ns);
            }
            for (int part = 0; part < 21; part++) {
                match_model_play(&match, 0.1);
                assert_true(is_at_full_rate());
            }
        }
        assert_plays("stalls", 5.0 + 40 * 2.1, 0.002, 400.0);
    }
}

static void jitter_hides_no_queue(void **context)
{
    (void)context;
    match_model_config config = match_model_default();
    const uint64_t rates[] = {12, 16, 24, 32};
    for (uint32_t k = 0; k < 4; k++) {
        begin(rates[k] * KBIT, 30, &config);
        match.ways[0].jitter_ns = match.ways[1].jitter_ns = 40 * MODEL_MS;
        match_model_play(&match, 120.0);
        assert_plays("a narrow line with jitter", 120.0, 0.02, 240.0);
    }
}

static void a_line_that_narrows_is_followed_down_and_up_again(void **context)
{
    (void)context;
    match_model_config config = match_model_default();
    const uint64_t rates[] = {24, 12};
    for (uint32_t k = 0; k < 2; k++) {
        begin(MBIT, 30, &config);
        match_model_play(&match, 40.0);
        assert_true(is_at_full_rate());
        set_line(rates[k] * KBIT);
        match_model_play(&match, 3.0);
        // A cut goes below what the line carries, so that the queue is gone soon.
        assert_true(queue_model_backlog_ns(&match.ways[0], match.now_ns) < 150 * MODEL_MS);
        match_model_play(&match, 7.0);
        int64_t tick = match.peers[0].tick;
        match.trips_ns = 0.0;
        match.trips = 0;
        match_model_play(&match, 30.0);
        assert_true(mean_trip_ms() < 250.0);
        assert_true(bksi_line_rate_is_backing_off(&match.peers[0].rate));
        assert_true(match_model_slower(&match, tick, 30.0) < 0.02);
        // A packet takes longer to leave than before, which is no queue.
        assert_true(match.peers[0].rate.rate > 11.0);
        set_line(MBIT);
        match_model_play(&match, 60.0);
        assert_true(is_at_full_rate());
    }
}

static void make_longer(uint64_t by_ms)
{
    match.ways[0].delay_ns += by_ms * MODEL_MS;
    match.ways[1].delay_ns += by_ms * MODEL_MS;
}

static void a_path_that_became_longer_is_not_a_queue_for_long(void **context)
{
    (void)context;
    match_model_config config = match_model_default();
    config.window_ticks = 40;
    for (uint64_t by_ms = 40; by_ms <= 240; by_ms += 20) {
        begin(0, 30, &config);
        match_model_play(&match, 20.0);
        make_longer(by_ms);
        match_model_play(&match, 14.0);
        assert_true(is_at_full_rate());
        // And back.
        make_longer(0 - by_ms);
        match_model_play(&match, 5.0);
        assert_true(is_at_full_rate());
        assert_true(match.peers[0].starved_ticks == 0);
    }
    // With jitter it shows only while the least goes.
    for (uint64_t by_ms = 80; by_ms <= 240; by_ms += 20) {
        begin(0, 30, &config);
        match.ways[0].jitter_ns = match.ways[1].jitter_ns = 20 * MODEL_MS;
        match_model_play(&match, 20.0);
        make_longer(by_ms);
        match_model_play(&match, 24.0);
        assert_true(is_at_full_rate());
    }
}

static void a_full_queue_that_does_not_move_is_a_queue(void **context)
{
    (void)context;
    // Others fill it for good with packets that take 0.4 ms each: ours wait as long, or are lost.
    match_model_config config = match_model_default();
    begin(MBIT, 30, &config);
    match_model_play(&match, 10.0);
    for (int i = 0; i < 40000; i++) {
        while (queue_model_take_place(&match.ways[0], 50, match.now_ns)) {
        }
        match_model_play(&match, 0.0005);
        if (i > 10000) {
            assert_true(bksi_line_queue_ns(&match.peers[0].line) > 400 * MODEL_MS);
        }
    }
    match_model_play(&match, 60.0);
    assert_true(is_at_full_rate());
}

static void a_far_line_is_not_slowed(void **context)
{
    (void)context;
    match_model_config config = match_model_default();
    for (uint64_t delay_ms = 100; delay_ms <= 1600; delay_ms *= 2) {
        config.window_ticks = 20 + (uint32_t)(delay_ms * 60 / 1000);
        begin(0, delay_ms, &config);
        match_model_play(&match, 60.0);
        assert_plays("far", 60.0, 0.001, 4000.0);
    }
}

/// A sender that fills the queue up to a limit and then halves, as TCP does.
static void compete(double seconds, uint64_t limit_ns)
{
    const double packet = 1500.0;
    double window = 20000.0;
    double may_send = 0.0;
    for (int i = 0; i < (int)(seconds * 1000.0); i++) {
        match_model_play(&match, 0.001);
        uint64_t backlog_ns = queue_model_backlog_ns(&match.ways[0], match.now_ns);
        may_send += window / (0.06 + (double)backlog_ns / 1e9) * 0.001;
        for (; may_send >= packet; may_send -= packet) {
            if (backlog_ns > limit_ns) {
                window = window / 2.0 < 2.0 * packet ? 2.0 * packet : window / 2.0;
                may_send = 0.0;
                break;
            }
            (void)queue_model_take_place(&match.ways[0], (size_t)packet, match.now_ns);
            window += packet * packet / window;
        }
    }
}

static void beside_a_competitor_a_match_keeps_its_speed(void **context)
{
    (void)context;
    match_model_config config = match_model_default();
    const uint64_t limits_ms[] = {50, 100, 200};
    for (uint32_t k = 0; k < 3; k++) {
        begin(MBIT, 30, &config);
        match_model_play(&match, 10.0);
        compete(60.0, limits_ms[k] * MODEL_MS);
        assert_plays("TCP", 70.0, 0.005, 300.0);
        match_model_play(&match, 60.0);
        assert_true(is_at_full_rate());
    }
}

/// Whether peer 0 says that its line is too narrow, with what it carries.
static void assert_named(uint64_t bits_per_s)
{
    assert_true(bksi_line_rate_is_starved(&match.peers[0].rate, match.now_ns));
    uint64_t bits = bksi_line_capacity_bits_per_s(&match.peers[0].line);
    assert_in_range(bits, bits_per_s * 9 / 10, bits_per_s * 11 / 10);
}

static void a_line_below_the_least_is_named_with_what_it_carries(void **context)
{
    (void)context;
    match_model_config config = match_model_default();
    for (uint64_t kbit = 3; kbit <= 5; kbit++) {
        for (int is_full = 0; is_full < 2; is_full++) {
            // A queue that is full from the beginning never shows what is quick.
            begin(kbit * KBIT, 30, &config);
            if (is_full) {
                fill_queues();
            }
            match_model_play(&match, 40.0);
            assert_named(kbit * KBIT);
            // Longer than the quickest packet is remembered.
            match_model_play(&match, 110.0);
            assert_named(kbit * KBIT);
            set_line(MBIT);
            match_model_play(&match, 30.0);
            assert_false(bksi_line_rate_is_starved(&match.peers[0].rate, match.now_ns));
            assert_true(is_at_full_rate());
        }
    }
    begin(64 * KBIT, 30, &config);
    match_model_play(&match, 30.0);
    assert_false(bksi_line_rate_is_starved(&match.peers[0].rate, match.now_ns));
}

static void a_far_line_that_loses_most_is_not_taken_for_a_narrow_one(void **context)
{
    (void)context;
    match_model_config config = match_model_default();
    config.window_ticks = 60;
    for (uint32_t loss_of_1000 = 250; loss_of_1000 <= 700; loss_of_1000 += 150) {
        begin(0, 300, &config);
        match.ways[0].loss_of_1000 = match.ways[1].loss_of_1000 = loss_of_1000;
        match_model_play(&match, 30.0);
        for (int part = 0; part < 1200; part++) {
            match_model_play(&match, 0.1);
            assert_false(bksi_line_rate_is_starved(&match.peers[0].rate, match.now_ns));
            assert_true(is_at_full_rate());
        }
    }
}

static void the_speed_of_a_full_line_is_measured_though_packets_are_lost(void **context)
{
    (void)context;
    match_model_config config = match_model_default();
    config.follows = false;
    const uint64_t rates[] = {6, 10, 20};
    for (uint32_t k = 0; k < 3; k++) {
        begin(rates[k] * KBIT, 30, &config);
        match_model_play(&match, 20.0);
        assert_true(match.ways[0].dropped > 0);
        uint64_t bits = bksi_line_capacity_bits_per_s(&match.peers[0].line);
        assert_in_range(bits, rates[k] * 950, rates[k] * 1050);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(narrow_lines_carry_a_match_from_an_empty_and_from_a_full_queue),
        cmocka_unit_test(a_queue_that_stood_before_the_first_packet_is_found),
        cmocka_unit_test(without_backing_off_a_full_queue_stays_full),
        cmocka_unit_test(many_players_fit_a_line_by_fewer_packets),
        cmocka_unit_test(jitter_and_stalls_are_no_queue),
        cmocka_unit_test(jitter_hides_no_queue),
        cmocka_unit_test(a_line_that_narrows_is_followed_down_and_up_again),
        cmocka_unit_test(a_path_that_became_longer_is_not_a_queue_for_long),
        cmocka_unit_test(a_full_queue_that_does_not_move_is_a_queue),
        cmocka_unit_test(a_far_line_is_not_slowed),
        cmocka_unit_test(beside_a_competitor_a_match_keeps_its_speed),
        cmocka_unit_test(a_line_below_the_least_is_named_with_what_it_carries),
        cmocka_unit_test(a_far_line_that_loses_most_is_not_taken_for_a_narrow_one),
        cmocka_unit_test(the_speed_of_a_full_line_is_measured_though_packets_are_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
