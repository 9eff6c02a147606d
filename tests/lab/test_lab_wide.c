// SPDX-License-Identifier: MIT

// Inputs that are so large that those of a round trip do not fit into one packet. The widest that
// are allowed pass over a path of 576 bytes.

#include "some_lab.h"

#include "lab/lab_internal.h"

/// SEATS_MOST: most seats of one machine with inputs of BITS bits in FIELDS fields.
enum { BITS = 512, FIELDS = 32, SEATS_MOST = 5, MATCH_TICKS = 600 };

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

static const bks_game wide = {.name = "wide",
                              .tick_rate_hz = 60,
                              .players_max = BKS_PLAYERS_MAX,
                              .fields = fields,
                              .field_count = FIELDS,
                              .state_bytes = sizeof(uint64_t),
                              .init = wide_init,
                              .step = wide_step};

static int make_fields(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < FIELDS; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "f%u", i);
        fields[i] = (bks_field){.name = names[i], .bits = BITS / FIELDS};
    }
    return 0;
}

/// Play a match in which all 512 bits of each seat change with every tick. All peers must stay that
/// do not crash.
/// @param seats  number of seats by peer, 0 after the last
static bks_lab_result play(const uint32_t *seats, const char *link, const char *fault)
{
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
        assert_int_equal(bks_monkey_init(&some_monkeys[i], fields, FIELDS, 1, i, 1, 1, NULL),
                         BKS_OK);
    }
    const bks_lab_result result = some_match(&config, link, fault);
    assert_agreed(&result, MATCH_TICKS);
    assert_int_equal(some_moment(&result, "dropped"), 0);
    return result;
}

/// Return the number of ticks a second of a match of two peers with as many seats each.
static uint32_t ticks_a_second(uint32_t seats, const char *link)
{
    const bks_lab_result result = play((const uint32_t[]){seats, seats, 0}, link, NULL);
    const uint32_t rate = (uint32_t)(MATCH_TICKS * SOME_SECOND_NS / result.match_ns);
    print_message("%u seats, %s: %u ticks a second\n", seats, link, rate);
    return rate;
}

static void inputs_beyond_one_packet_continue_in_the_next(void **state)
{
    (void)state;
    assert_true(ticks_a_second(1, "delay=250ms") >= 55);
    assert_true(ticks_a_second(SEATS_MOST, "delay=100ms") >= 55);
    assert_true(ticks_a_second(SEATS_MOST, "delay=250ms") >= 50);
    assert_true(ticks_a_second(3, "delay=20ms,loss=33%") >= 22);
    assert_true(ticks_a_second(3, "delay=100ms,loss=33%") >= 11);
}

static void the_widest_inputs_pass_a_short_path_carried_and_given_to_those_who_stay(void **state)
{
    (void)state;
    (void)play((const uint32_t[]){SEATS_MOST, 1, 0}, "delay=50ms,loss=5%,mtu=576", NULL);
    (void)play((const uint32_t[]){1, SEATS_MOST, 0}, "delay=50ms,loss=5%,mtu=576", NULL);
    (void)play((const uint32_t[]){1, SEATS_MOST, SEATS_MOST, 0}, "delay=50ms,loss=5%,mtu=576",
               "cut=1-2@1s+4s,heal@6s");
    // One peer that stays lacks many ticks of both that are lost.
    (void)play((const uint32_t[]){1, 1, SEATS_MOST, SEATS_MOST, 0}, "delay=50ms,loss=20%,mtu=576",
               "cut=1-2@2900ms+1s,cut=1-3@2900ms+1s,crash=2@3s,crash=3@3s,heal@5s");
}

static void more_seats_are_refused_unless_the_machine_plays_alone(void **state)
{
    (void)state;
    bks_lab *lab = NULL;
    bks_error error = {0};
    bks_lab_config config = some_lab_config(1, 2, MATCH_TICKS);
    config.game = &wide;
    config.players_on[1] = SEATS_MOST + 1;
    assert_int_equal(bks_lab_create(&config, &lab, &error), BKS_ERR_BAD_CONFIG);
    assert_non_null(strstr(error.text, "local_players is 6, must be 1..5"));
    config.peers = 1;
    config.players_on[0] = BKS_PLAYERS_MAX;
    assert_int_equal(bks_lab_create(&config, &lab, &error), BKS_OK);
    bks_lab_destroy(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_beyond_one_packet_continue_in_the_next),
        cmocka_unit_test(the_widest_inputs_pass_a_short_path_carried_and_given_to_those_who_stay),
        cmocka_unit_test(more_seats_are_refused_unless_the_machine_plays_alone),
    };
    return cmocka_run_group_tests(tests, make_fields, NULL);
}
