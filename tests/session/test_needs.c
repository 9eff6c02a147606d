// SPDX-License-Identifier: MIT

// The delay that hardly any tick exceeds, of losses, runs of losses and jitter.

#include "session/time/needs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static session_needs needs;

/// Count ticks of a line that loses one packet in `one_in`, each on its own, and whose inputs take
/// `way` ticks.
static void count_losses(uint32_t ticks, uint32_t way, uint32_t one_in)
{
    uint32_t random = 1;
    uint32_t lost = 0;
    for (uint32_t i = 0; i < ticks; i++) {
        random = random * 1664525u + 1013904223u;
        lost = (random >> 8) % one_in == 0 ? lost + 1 : 0;
        bksi_needs_count(&needs, way + lost);
    }
}

static uint32_t least(double late, uint32_t lines, double growth)
{
    return bksi_needs_least(&needs, late, &(session_needs_model){lines, growth});
}

static void losses_that_were_not_seen_together_are_expected(void **state)
{
    (void)state;
    memset(&needs, 0, sizeof(needs));
    count_losses(1200, 8, 20);
    // Four losses in a row come every 45 minutes, three every two, two every six seconds.
    assert_in_range(least(0.1, 1, 0.05), 10, 11);
    assert_in_range(least(10.0, 1, 0.05), 8, 9);
}

static void jitter_has_no_tail_beyond_its_end(void **state)
{
    (void)state;
    memset(&needs, 0, sizeof(needs));
    for (uint32_t i = 0; i < 1200; i++) {
        bksi_needs_count(&needs, 3 + i * 7 % 5);
    }
    assert_in_range(least(0.1, 1, 0.01), 7, 8);
}

static void a_wait_is_counted_once_however_long_it_is(void **state)
{
    (void)state;
    memset(&needs, 0, sizeof(needs));
    count_losses(1200, 3, 1000000);
    for (uint32_t need = 3; need < 40; need++) {
        bksi_needs_count(&needs, need);
    }
    bksi_needs_count(&needs, 3);
    assert_in_range(least(1.0, 1, 0.01), 3, 4);
    assert_int_equal(least(0.5, 1, 0.01), 39);
}

static void the_greatest_need_is_one_of_any_tick(void **state)
{
    (void)state;
    memset(&needs, 0, sizeof(needs));
    assert_int_equal(bksi_needs_most(&needs), 0);
    bksi_needs_count(&needs, 9);
    assert_int_equal(bksi_needs_most(&needs), 9); // of the newest tick
    bksi_needs_count(&needs, 4);
    bksi_needs_keep_span(&needs, 1000);
    bksi_needs_count(&needs, 5);
    assert_int_equal(bksi_needs_most(&needs), 9); // of a complete span
    bksi_needs_forget(&needs);
    assert_int_equal(bksi_needs_most(&needs), 0);
}

static void needs_are_forgotten_after_two_spells(void **state)
{
    (void)state;
    memset(&needs, 0, sizeof(needs));
    bksi_needs_count(&needs, 90);
    for (uint32_t i = 0; i < 11; i++) {
        count_losses(100, 3, 1000000);
        bksi_needs_keep_span(&needs, 1000);
        assert_true(bksi_needs_know(&needs, 1000) == (i >= 9));
    }
    assert_int_equal(least(0.5, 1, 0.01), 90);
    for (uint32_t i = 0; i < 11; i++) {
        count_losses(100, 3, 1000000);
        bksi_needs_keep_span(&needs, 1000);
    }
    assert_in_range(least(0.5, 1, 0.01), 3, 4);
}

/// Over 40 s at 10 Hz, three lines that lose every second packet in a tick once in 400 ticks show
/// nothing in one match in twenty.
static void some_seconds_without_a_late_tick_do_not_prove_a_line_without_losses(void **state)
{
    (void)state;
    memset(&needs, 0, sizeof(needs));
    for (uint32_t i = 0; i < 400; i++) {
        bksi_needs_count(&needs, 2);
    }
    assert_int_equal(least(0.17, 3, 0.0025), 3);
    assert_int_equal(least(0.17, 1, 0.00001), 2);
}

static void each_line_may_be_the_late_one(void **state)
{
    (void)state;
    memset(&needs, 0, sizeof(needs));
    for (uint32_t i = 0; i < 1200; i++) {
        bksi_needs_count(&needs, 8);
    }
    assert_int_equal(least(2.6, 1, 0.01), 8);
    assert_int_equal(least(2.6, 7, 0.01), 9);
}

/// A packet that is not yet sent when the tick is due cannot help, so only whole gaps count.
static void only_whole_gaps_between_packets_count(void **state)
{
    (void)state;
    assert_true(bksi_needs_growth(80000, 20000, 50e6, 100e6) < 0.05);
    assert_true(bksi_needs_growth(80000, 20000, 50e6, 100e6) > 0.039);
    assert_true(bksi_needs_growth(80000, 20000, 50e6, 120e6) > 0.039);
    assert_true(bksi_needs_growth(80000, 20000, 50e6, 20e6) > 0.4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_that_were_not_seen_together_are_expected),
        cmocka_unit_test(jitter_has_no_tail_beyond_its_end),
        cmocka_unit_test(a_wait_is_counted_once_however_long_it_is),
        cmocka_unit_test(some_seconds_without_a_late_tick_do_not_prove_a_line_without_losses),
        cmocka_unit_test(each_line_may_be_the_late_one),
        cmocka_unit_test(only_whole_gaps_between_packets_count),
        cmocka_unit_test(the_greatest_need_is_one_of_any_tick),
        cmocka_unit_test(needs_are_forgotten_after_two_spells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
