// SPDX-License-Identifier: MIT

// Every bit of a small state, and every word of it as a reference to everywhere: where chance may
// never look (test_hostile_state.c), nothing is left out.

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "hostile_state.h"

enum {
    STATE_BYTES = 2048, ///< more than the nested game uses; beyond its end it begins again
    FLIP = 0,           ///< kinds of a change, as hostile_state.c numbers them
    STRANGE = 4,
    REFERENCE = 6,
};

static uint32_t taken;
static uint32_t tried;

static void try_one(uint8_t what, uint32_t at, uint32_t value)
{
    const uint32_t where = at * 2; // even: counted over all of the state
    const uint8_t bytes[] = {
        HOSTILE_NESTED,         what,           (uint8_t)where,        (uint8_t)(where >> 8),
        (uint8_t)(where >> 16), (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
        (uint8_t)(value >> 24)};
    tried++;
    taken += hostile_state_try(bytes, sizeof(bytes));
}

static void no_single_change_leads_out_of_the_region(void **state)
{
    (void)state;
    for (uint32_t at = 0; at < STATE_BYTES; at++) {
        for (uint32_t bit = 0; bit < 8; bit++) {
            try_one(FLIP, at, bit);
        }
        for (uint32_t i = 0; i < 20 && at % 8 == 0; i++) {
            try_one(STRANGE, at, 2 * i);
            try_one(STRANGE, at, 2 * i + 1);
            try_one(REFERENCE, at, i);                      // to pools and the arena
            try_one(REFERENCE, at, 0x80000000u + i * 997u); // inside
            try_one(REFERENCE, at, 0x40000000u + i * 99991u);
        }
    }
    print_message("%u of %u were taken\n", taken, tried);
    assert_in_range(taken, tried / 10, tried - tried / 10);
}

int main(void)
{
    hostile_state_open();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_single_change_leads_out_of_the_region),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    hostile_state_close();
    return failed;
}
