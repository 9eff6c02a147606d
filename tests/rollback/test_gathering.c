// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rollback/gathering.h"
#include "support/counting_allocator.h"

enum { PLAYERS = 3 };

static const bks_field fields[] = {{.name = "aim", .bits = 4, .neutral = 2},
                                   {.name = "go", .bits = 1}};

static bksi_layout layout;
static bksi_gathering gathering;
static const bks_allocator by_default;
static const bksi_command_config no_commands;

static int begin(void **state)
{
    (void)state;
    assert_int_equal(bksi_layout_init(&layout, fields, 2, NULL), BKS_OK);
    assert_int_equal(bksi_gathering_create(&gathering, &layout, PLAYERS, &no_commands, &by_default),
                     BKS_OK);
    return 0;
}

static int end(void **state)
{
    (void)state;
    bksi_gathering_destroy(&gathering, &by_default);
    bksi_gathering_destroy(&gathering, &by_default); // twice is allowed
    return 0;
}

static void put(uint32_t player, int32_t aim, int32_t go)
{
    const int32_t values[2] = {aim, go};
    bksi_layout_pack_clamped(&layout, values, bksi_gathering_packed(&gathering, player));
}

static void inputs_of_a_step_are_unpacked_player_by_player(void **state)
{
    (void)state;
    put(0, 3, 1);
    put(1, 4, 0);
    put(2, 15, 1);
    static const int32_t wanted[] = {3, 1, 4, 0, 15, 1};
    assert_memory_equal(bksi_gathering_values(&gathering, PLAYERS), wanted, sizeof(wanted));
    put(1, 5, 0); // the others stay as they were unpacked
    static const int32_t next[] = {3, 1, 5, 0, 15, 1};
    assert_memory_equal(bksi_gathering_values(&gathering, PLAYERS), next, sizeof(next));
}

static void players_beyond_those_asked_for_stay_neutral(void **state)
{
    (void)state;
    put(0, 3, 1);
    put(1, 9, 1);
    static const int32_t wanted[] = {3, 1, 2, 0};
    assert_memory_equal(bksi_gathering_values(&gathering, 1), wanted, sizeof(wanted));
}

static void a_guess_is_taken_for_the_player_that_was_waited_for(void **state)
{
    (void)state;
    put(0, 2, 0);
    bksi_gathering_wait(&gathering, 1);
    const int32_t values[2] = {99, 1}; // clamped
    assert_ptr_equal(bksi_gathering_guess(&gathering, values),
                     bksi_gathering_packed(&gathering, 1));
    assert_int_equal(gathering.next_player, 2);
    gathering.guess[0] = 7, gathering.guess[1] = 0;
    (void)bksi_gathering_guess(&gathering, NULL); // as the fields' predictors guess
    static const int32_t wanted[] = {2, 0, 15, 1, 7, 0};
    assert_memory_equal(bksi_gathering_values(&gathering, PLAYERS), wanted, sizeof(wanted));
}

static void samples_are_taken_in_order_of_local_players(void **state)
{
    (void)state;
    const int32_t values[2] = {6, 1};
    bksi_gathering_begin(&gathering);
    const uint8_t *first = bksi_gathering_sample(&gathering, NULL);
    const uint8_t *second = bksi_gathering_sample(&gathering, values);
    assert_ptr_equal(bksi_gathering_sampled(&gathering, 0), first);
    assert_ptr_equal(bksi_gathering_sampled(&gathering, 1), second);
    int32_t back[2];
    bksi_layout_unpack(&layout, first, back);
    assert_int_equal(back[0], 2); // neutral
    assert_int_equal(back[1], 0);
    bksi_layout_unpack(&layout, second, back);
    assert_memory_equal(back, values, sizeof(values));
    bksi_gathering_begin(&gathering);
    assert_ptr_equal(bksi_gathering_sample(&gathering, values), first);
}

static void memory_that_is_missing_is_said_and_all_is_given_back(void **state)
{
    (void)state;
    counting_allocator counter;
    const bks_allocator allocator = counting_allocator_hooks(&counter);
    for (uint32_t after = 0; after < 5; after++) {
        bksi_gathering one;
        counter.fail_after = after;
        assert_int_equal(bksi_gathering_create(&one, &layout, PLAYERS, &no_commands, &allocator),
                         BKS_ERR_OUT_OF_MEMORY);
        bksi_gathering_destroy(&one, &allocator);
        assert_int_equal(counter.live_bytes, 0);
        assert_false(counter.is_wrong);
    }
}

#define WITH_GATHERING(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_GATHERING(inputs_of_a_step_are_unpacked_player_by_player),
        WITH_GATHERING(players_beyond_those_asked_for_stay_neutral),
        WITH_GATHERING(a_guess_is_taken_for_the_player_that_was_waited_for),
        WITH_GATHERING(samples_are_taken_in_order_of_local_players),
        WITH_GATHERING(memory_that_is_missing_is_said_and_all_is_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
