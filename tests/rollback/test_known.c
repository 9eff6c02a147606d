// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rollback/known.h"

enum { PLAYERS = 2, CAPACITY = 16 };

static const bks_field fields[] = {{.name = "aim", .bits = 8}};

static bksi_layout layout;
static bksi_known known;

static int begin(void **state)
{
    (void)state;
    assert_int_equal(bksi_layout_init(&layout, fields, 1, NULL), BKS_OK);
    const bksi_rollback_config config = {
        .layout = &layout,
        .players_max = PLAYERS + 1,
        .capacity_ticks = CAPACITY,
        .commands = {.bytes_max = 8, .room_bytes = 16, .room_ticks = 8},
    };
    known = (bksi_known){0};
    assert_int_equal(bksi_known_create(&known, &config, NULL), BKS_OK);
    bksi_known_start(&known, PLAYERS);
    return 0;
}

static int end(void **state)
{
    (void)state;
    const bks_allocator by_default = {0};
    bksi_known_destroy(&known, &by_default);
    return 0;
}

static void append(uint32_t player, uint8_t aim)
{
    bksi_known_append(&known, player, &aim, NULL);
}

static void append_with(uint32_t player, const char *bytes, uint32_t count)
{
    const uint8_t aim = 5;
    const bksi_blob blob = {.bytes = (const uint8_t *)bytes, .count = count};
    assert_true(bksi_known_admits(&known, player, &blob));
    bksi_known_append(&known, player, &aim, &blob);
}

/// Step a tick with its known or guessed inputs.
static void step(bks_tick tick)
{
    for (uint32_t p = 0; p < PLAYERS; p++) {
        uint8_t packed[BKSI_INPUT_BYTES_MAX];
        bksi_known_at(&known, p, tick, packed);
        bksi_known_use(&known, p, tick, packed);
    }
    bks_commands commands[PLAYERS];
    (void)bksi_known_use_commands(&known, tick, commands);
}

static void a_tick_is_confirmed_once_every_player_in_the_match_has_it(void **state)
{
    (void)state;
    append(0, 1);
    append(0, 2);
    assert_int_equal(known.confirmed, 0);
    append(1, 3);
    assert_int_equal(known.confirmed, 1); // a third timeline is there, and no one plays it
    append(1, 4);
    assert_int_equal(known.confirmed, 2);
    assert_int_equal(bksi_known_head(&known, 1), 2);
    assert_int_equal(*bksi_known_input(&known, 1, 0), 3);
}

static void an_input_other_than_its_guess_makes_its_tick_wrong(void **state)
{
    (void)state;
    append(0, 5);
    append(1, 5);
    step(0);
    step(1);
    step(2);
    append(0, 5); // as it was guessed
    assert_int_equal(bksi_known_take_wrong(&known), BKS_TICK_NONE);
    append(0, 6);
    append(1, 7);
    assert_int_equal(bksi_known_take_wrong(&known), 1); // the oldest of 2 and 1
    assert_int_equal(bksi_known_take_wrong(&known), BKS_TICK_NONE);
}

static void a_doubt_counts_when_it_is_older_than_what_is_wrong(void **state)
{
    (void)state;
    bksi_known_doubt(&known, 5);
    bksi_known_doubt(&known, 7);
    assert_int_equal(bksi_known_take_wrong(&known), 5);
    bksi_known_doubt(&known, 7);
    bksi_known_doubt(&known, 5);
    assert_int_equal(bksi_known_take_wrong(&known), 5);
}

static void ticks_are_as_used_until_an_input_or_a_guess_is_another(void **state)
{
    (void)state;
    append(0, 5);
    append(1, 5);
    for (bks_tick tick = 0; tick < 4; tick++) {
        step(tick);
    }
    assert_true(bksi_known_is_as_used(&known, 0, 4, true));
    assert_false(bksi_known_is_as_used(&known, 0, 4, false)); // ticks 1 to 3 are guessed
    assert_true(bksi_known_is_as_used(&known, 0, 1, false));
    append(1, 9); // and so the guesses of ticks 2 and 3 are 9
    assert_false(bksi_known_is_as_used(&known, 1, 4, true));
    assert_false(bksi_known_is_as_used(&known, 2, 4, true));
    assert_true(bksi_known_is_as_used(&known, 0, 1, true));
}

static void commands_make_their_tick_wrong_if_it_was_stepped_without_them(void **state)
{
    (void)state;
    bks_commands commands[PLAYERS];
    append(0, 5);
    append(1, 5);
    for (bks_tick tick = 0; tick < 4; tick++) {
        step(tick);
    }
    append_with(0, "\2\0a", 3); // no command ends in this tick
    assert_int_equal(bksi_known_take_wrong(&known), BKS_TICK_NONE);
    append_with(0, "b", 1);
    assert_false(bksi_known_use_commands(&known, 1, commands));
    assert_int_equal(bksi_known_take_wrong(&known), 2);
    assert_true(bksi_known_is_as_used(&known, 0, 2, true));
    assert_false(bksi_known_is_as_used(&known, 2, 4, true));
    assert_true(bksi_known_use_commands(&known, 2, commands));
    assert_int_equal(commands[0].count, 4);
    assert_int_equal(commands[1].count, 0); // tick 2 of player 1 is not known
    assert_true(bksi_known_is_as_used(&known, 0, 4, true));
    append_with(0, "\1\0c", 3);
    step(4);
    append_with(0, "\1\0d", 3); // tick 4, stepped as a guess
    assert_int_equal(bksi_known_take_wrong(&known), 3);
}

static void old_inputs_make_room_for_new_ones(void **state)
{
    (void)state;
    for (uint8_t i = 0; i < CAPACITY + 2; i++) {
        append(0, i);
    }
    assert_false(bksi_known_holds(&known, 0, 1));
    assert_true(bksi_known_holds(&known, 0, 2));
    assert_true(bksi_known_holds(&known, 0, CAPACITY + 1));
    assert_false(bksi_known_holds(&known, 0, CAPACITY + 2)); // not known yet
    assert_true(bksi_known_holds(&known, 1, -1));            // neutral
}

#define WITH_INPUTS(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_INPUTS(a_tick_is_confirmed_once_every_player_in_the_match_has_it),
        WITH_INPUTS(an_input_other_than_its_guess_makes_its_tick_wrong),
        WITH_INPUTS(a_doubt_counts_when_it_is_older_than_what_is_wrong),
        WITH_INPUTS(ticks_are_as_used_until_an_input_or_a_guess_is_another),
        WITH_INPUTS(commands_make_their_tick_wrong_if_it_was_stepped_without_them),
        WITH_INPUTS(old_inputs_make_room_for_new_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
