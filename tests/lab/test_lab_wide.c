// SPDX-License-Identifier: MIT

// Inputs that are so large that those of a round trip do not fit into one packet.

#include "some_lab.h"

#include "lab/lab_internal.h"

enum { FIELDS = 32, MATCH_TICKS = 600 };

static bks_field fields[FIELDS];
static char names[FIELDS][8];

static void wide_step(void *state, const bks_step *step)
{
    uint64_t *sum = state;
    for (uint32_t i = 0; i < step->players * FIELDS; i++) {
        *sum = *sum * 31 + (uint64_t)step->inputs[i];
    }
}

static void wide_init(void *state, const bks_start *start)
{
    *(uint64_t *)state = start->seed;
}

/// Return the number of ticks a second of a match in which all 512 bits of each of `seats` seats on
/// either side change with every tick.
static uint32_t ticks_a_second(uint32_t seats, const char *link)
{
    for (uint32_t i = 0; i < FIELDS; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "f%u", i);
        fields[i] = (bks_field){.name = names[i], .bits = 16};
    }
    const bks_game wide = {.name = "wide",
                           .tick_rate_hz = 60,
                           .players_max = BKS_PLAYERS_MAX,
                           .fields = fields,
                           .field_count = FIELDS,
                           .state_bytes = sizeof(uint64_t),
                           .init = wide_init,
                           .step = wide_step};
    bks_lab_config config = some_lab_config(1, 2, MATCH_TICKS);
    config.game = &wide;
    config.tuning.window_ticks = 30;
    config.players_on[0] = config.players_on[1] = seats;
    for (uint32_t i = 0; i < 2 * seats; i++) {
        assert_int_equal(bks_monkey_init(&some_monkeys[i], fields, FIELDS, 1, i, 1, 1, NULL),
                         BKS_OK);
    }
    const bks_lab_result result = some_match(&config, link, NULL);
    assert_agreed(&result, MATCH_TICKS);
    const uint32_t rate = (uint32_t)(MATCH_TICKS * SOME_SECOND_NS / result.match_ns);
    print_message("%u seats, %s: %u ticks a second\n", seats, link, rate);
    return rate;
}

static void inputs_beyond_one_packet_continue_in_the_next(void **state)
{
    (void)state;
    assert_true(ticks_a_second(1, "delay=250ms") >= 55);
    assert_true(ticks_a_second(8, "delay=100ms") >= 55);
    assert_true(ticks_a_second(8, "delay=250ms") >= 50);
    assert_true(ticks_a_second(8, "delay=20ms,loss=33%") >= 22);
    assert_true(ticks_a_second(8, "delay=100ms,loss=33%") >= 11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_beyond_one_packet_continue_in_the_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
