// SPDX-License-Identifier: MIT

// Tests how a step reads commands, and how a program passes commands to a runner.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/game.h"
#include "backstitch/toolkit/runner.h"
#include "game/some_game.h"
#include "support/catch_log.h"

static char read_by_step[256];

/// Write down the commands of a step as "PLAYER.INDEX:BYTES ".
static void note(const bks_step *step)
{
    bks_command command = {0};
    size_t at = 0;
    read_by_step[0] = '\0';
    while (bks_step_command(step, &command)) {
        at += (size_t)snprintf(read_by_step + at, sizeof(read_by_step) - at, "%u.%u:%.*s ",
                               command.player, command.index, (int)command.count,
                               (const char *)command.bytes);
    }
    assert_false(bks_step_command(step, &command)); // another call finds nothing, too
}

static void noting_step(void *state, const bks_step *step)
{
    some_game.step(state, step);
    note(step);
}

static const bks_commands some[4] = {
    {.bytes = (const uint8_t *)"\2\0ab\1\0c", .count = 7},
    {0},
    {.bytes = (const uint8_t *)"\3\0def", .count = 5},
    {.bytes = (const uint8_t *)"", .count = 0},
};

static void commands_come_by_player_then_in_the_order_in_which_they_were_given(void **state)
{
    (void)state;
    note(&(bks_step){.players = 4, .commands = some});
    assert_string_equal(read_by_step, "0.0:ab 0.1:c 2.0:def ");
    note(&(bks_step){.players = 2, .commands = some + 1});
    assert_string_equal(read_by_step, "1.0:def ");
    note(&(bks_step){.players = 4});
    assert_string_equal(read_by_step, "");
    note(&(bks_step){.players = 1, .commands = some + 1});
    assert_string_equal(read_by_step, "");
}

static void a_runner_gives_commands_to_the_next_step_alone(void **state)
{
    (void)state;
    bks_game game = some_game;
    game.step = noting_step;
    game.command_bytes_max = 3;
    bks_runner *runner = NULL;
    const bks_runner_config config = {.game = &game, .players = 2};
    assert_int_equal(bks_runner_create(&config, &runner, NULL), BKS_OK);
    const int32_t inputs[2 * BKS_FIELDS_MAX] = {0};
    assert_int_equal(bks_runner_commands(runner, some), BKS_OK);
    assert_int_equal(bks_runner_step(runner, 0, inputs, NULL), BKS_OK);
    assert_string_equal(read_by_step, "0.0:ab 0.1:c ");
    assert_int_equal(bks_runner_step(runner, 1, inputs, NULL), BKS_OK);
    assert_string_equal(read_by_step, "");
    static const bks_commands wrong[][2] = {
        {{.bytes = (const uint8_t *)"\4\0abcd", .count = 6}}, // above command_bytes_max
        {{0}, {.bytes = (const uint8_t *)"\0\0", .count = 2}},
        {{0}, {.bytes = (const uint8_t *)"\2\0a", .count = 3}},
        {{0}, {.bytes = (const uint8_t *)"\1\0a\1", .count = 4}},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_int_equal(bks_runner_commands(runner, some), BKS_OK);
        assert_int_equal(bks_runner_commands(runner, wrong[i]), BKS_ERR_BAD_ARGUMENT);
        assert_int_equal(bks_runner_step(runner, 2, inputs, NULL), BKS_OK);
        assert_string_equal(read_by_step, "");
    }
    bks_runner_destroy(runner);
}

static void sizes_out_of_range_are_refused(void **state)
{
    (void)state;
    bks_game game = some_game;
    bks_error error = {0};
    game.command_bytes_max = BKS_COMMAND_BYTES_MAX + 1;
    assert_int_equal(bks_game_check(&game, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "command_bytes_max");
    game.command_bytes_max = 0;
    game.command_room_bytes = 100;
    assert_int_equal(bks_game_check(&game, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "command_room_bytes");
    game.command_bytes_max = 99;
    assert_int_equal(bks_game_check(&game, &error), BKS_ERR_BAD_CONFIG);
    game.command_bytes_max = 98;
    assert_int_equal(bks_game_check(&game, &error), BKS_OK);
}

static void a_refusal_of_what_no_step_reads_is_logged(void **state)
{
    (void)state;
    const bks_step step = {.players = 2, .commands = some};
    bks_command command = {0};
    catch_log log;
    catch_log_begin(&log);
    assert_true(bks_step_command(&step, &command));
    bks_refuse(&step, &command, 1);
    assert_int_equal(log.count, 0);
    command.player = 2;
    bks_refuse(&step, &command, 1);
    assert_string_equal(log.text, "command->player is 2, must be below 2: refuse a command as "
                                  "bks_step_command() gave it");
    assert_string_equal(log.id, "bks_refuse");
    bks_refuse(&step, &(bks_command){0}, 1);
    assert_string_equal(log.text, "command->bytes is NULL, must not be");
    bks_log_clear_sink();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_come_by_player_then_in_the_order_in_which_they_were_given),
        cmocka_unit_test(a_runner_gives_commands_to_the_next_step_alone),
        cmocka_unit_test(a_refusal_of_what_no_step_reads_is_logged),
        cmocka_unit_test(sizes_out_of_range_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
