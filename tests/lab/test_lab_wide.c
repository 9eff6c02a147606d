// SPDX-License-Identifier: MIT

// Inputs that are so large that those of a round trip do not fit into one packet.

#include "some_lab.h"

#include "lab/lab_internal.h"

enum { BITS = 512, FIELDS = 32, MATCH_TICKS = 600 };

static bks_field fields[BKS_FIELDS_MAX];
static char names[BKS_FIELDS_MAX][8];
static uint32_t field_count;

static void wide_step(void *state, const bks_step *step)
{
    uint64_t *sum = state;
    for (uint32_t i = 0; i < step->players * field_count; i++) {
        *sum = *sum * 31 + (uint64_t)step->inputs[i];
    }
}

static void wide_init(void *state, const bks_start *start)
{
    *(uint64_t *)state = start->seed;
}

/// Play a match in which all 512 bits of each seat change with every tick.
/// @param seats  number of seats by peer, 0 after the last
/// @param count  fields of each seat
static bks_lab_result play(const uint32_t *seats, uint32_t count, const char *link,
                           const char *fault)
{
    field_count = count;
    for (uint32_t i = 0; i < count; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "f%u", i);
        fields[i] = (bks_field){.name = names[i], .bits = BITS / count};
    }
    const bks_game wide = {.name = "wide",
                           .tick_rate_hz = 60,
                           .players_max = BKS_PLAYERS_MAX,
                           .fields = fields,
                           .field_count = count,
                           .state_bytes = sizeof(uint64_t),
                           .init = wide_init,
                           .step = wide_step};
    uint32_t peers = 0;
    uint32_t players = 0;
    for (; seats[peers] > 0; peers++) {
        players += seats[peers];
    }
    bks_lab_config config = some_lab_config(1, peers, MATCH_TICKS);
    config.game = &wide;
    config.tuning.window_ticks = 30;
    memcpy(config.players_on, seats, peers * sizeof(seats[0]));
    for (uint32_t i = 0; i < players; i++) {
        assert_int_equal(bks_monkey_init(&some_monkeys[i], fields, count, 1, i, 1, 1, NULL),
                         BKS_OK);
    }
    const bks_lab_result result = some_match(&config, link, fault);
    assert_agreed(&result, MATCH_TICKS);
    return result;
}

/// Return the number of ticks a second of a match of two peers with as many seats each.
static uint32_t ticks_a_second(uint32_t seats, const char *link)
{
    const bks_lab_result result = play((const uint32_t[]){seats, seats, 0}, FIELDS, link, NULL);
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

static void the_widest_inputs_of_a_tick_fit_a_packet(void **state)
{
    (void)state;
    (void)play((const uint32_t[]){15, 1, 0}, BKS_FIELDS_MAX, "delay=50ms,loss=5%", NULL);
    (void)play((const uint32_t[]){1, 15, 0}, BKS_FIELDS_MAX, "delay=50ms,loss=5%", NULL);
}

static void inputs_too_wide_for_a_short_path_are_carried_and_given_to_those_who_stay(void **state)
{
    (void)state;
    (void)play((const uint32_t[]){2, 7, 7, 0}, FIELDS, "delay=50ms,loss=5%",
               "cut=1-2@1s+4s,heal@6s");
    (void)play((const uint32_t[]){2, 2, 12, 0}, BKS_FIELDS_MAX, "delay=50ms,loss=20%",
               "crash=2@3s,heal@3s");
    // One peer that stays lacks many ticks of both that are lost.
    (void)play((const uint32_t[]){1, 1, 6, 8, 0}, FIELDS, "delay=50ms,loss=20%",
               "cut=1-2@2900ms+1s,cut=1-3@2900ms+1s,crash=2@3s,crash=3@3s,heal@5s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_beyond_one_packet_continue_in_the_next),
        cmocka_unit_test(the_widest_inputs_of_a_tick_fit_a_packet),
        cmocka_unit_test(inputs_too_wide_for_a_short_path_are_carried_and_given_to_those_who_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
