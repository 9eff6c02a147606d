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

static void losses_that_were_not_seen_together_are_expected(void **state)
{
    (void)state;
    memset(&needs, 0, sizeof(needs));
    count_losses(1200, 8, 20);
    // Four losses in a row come every 45 minutes, three every two, two every six seconds.
    assert_in_range(bksi_needs_least(&needs, 0.1, 0.05), 10, 11);
    assert_in_range(bksi_needs_least(&needs, 10.0, 0.05), 8, 9);
}

static void jitter_has_no_tail_beyond_its_end(void **state)
{
    (void)state;
    memset(&needs, 0, sizeof(needs));
    for (uint32_t i = 0; i < 1200; i++) {
        bksi_needs_count(&needs, 3 + i * 7 % 5);
    }
    assert_in_range(bksi_needs_least(&needs, 0.1, 0.01), 7, 8);
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
    assert_in_range(bksi_needs_least(&needs, 1.0, 0.01), 3, 4);
    assert_int_equal(bksi_needs_least(&needs, 0.5, 0.01), 39);
}

static void needs_are_forgotten_after_two_spells(void **state)
{
    (void)state;
    memset(&needs, 0, sizeof(needs));
    bksi_needs_count(&needs, 90);
    for (uint32_t i = 0; i < 11; i++) {
        count_losses(100, 3, 1000000);
        bksi_needs_keep_span(&needs, 1000);
        assert_true(bksi_needs_know_spell(&needs, 1000) == (i >= 9));
    }
    assert_int_equal(bksi_needs_least(&needs, 0.5, 0.01), 90);
    for (uint32_t i = 0; i < 11; i++) {
        count_losses(100, 3, 1000000);
        bksi_needs_keep_span(&needs, 1000);
    }
    assert_in_range(bksi_needs_least(&needs, 0.5, 0.01), 3, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_that_were_not_seen_together_are_expected),
        cmocka_unit_test(jitter_has_no_tail_beyond_its_end),
        cmocka_unit_test(a_wait_is_counted_once_however_long_it_is),
        cmocka_unit_test(needs_are_forgotten_after_two_spells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
