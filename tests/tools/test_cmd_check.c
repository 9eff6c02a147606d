// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cli.h"

static void sound_game_is_deterministic(void **state)
{
    (void)state;
    const cli_run *run = cli("check duel --ticks 60");
    assert_int_equal(run->status, 0);
    cli_expect(run->out, "duel: deterministic, 60 ticks, 4 players, input monkey, seed 1\n");
    cli_expect(run->out, "again     same     60 ticks of another match in the process; some of");
}

static void only_the_variants_asked_for_are_tried(void **state)
{
    (void)state;
    const cli_run *run = cli("check pad --ticks 30 --variants fill,again --players 2 --json");
    assert_int_equal(run->status, 0);
    cli_expect_value(run->out, "deterministic", "true");
    cli_expect_value(run->out, "players", "2");
    cli_expect(run->out, "\"again\"");
    cli_expect(run->out, "\"fill\"");
    assert_null(strstr(run->out, "\"resim\""));
    cli_expect_value(run->out, "perturbed", "30");
}

static void bad_usage_names_value_and_range(void **state)
{
    (void)state;
    static const struct {
        const char *line, *says;
    } bad[] = {
        {"check", "GAME"},
        {"check nowhere", "nowhere: no such game"},
        {"check pad --ticks 0", "--ticks"},
        {"check duel --players 9", "--players: is 9, expected 1 to 4 for duel"},
        {"check pad --variants again,twice",
         "--variants: has 'twice', expected some of baseline, again"},
        {"check pad --variants again,", "--variants: has ''"},
        {"check pad --variants again=1", "'again' takes no value"},
        {"check pad --ticks 60 --variants rejoin=0", "'rejoin=0', expected a tick from 1 to 59"},
        {"check pad --ticks 60 --variants rejoin=60", "expected a tick from 1 to 59"},
        {"check pad --variants rejoin=soon", "'rejoin=soon', expected a tick"},
        {"check pad --variants build", "'build' without a value, expected another build"},
        {"check pad --input device", "--input: is 'device'"},
        {"check pad --input noone", "'noone'"},
        {"check pad --until-broken soon", "--until-broken: is 'soon', expected a time such as 90s"},
        {"check pad --until-broken 0s", "--until-broken: is '0s'"},
        {"check pad --until-broken 9d", "--until-broken: is '9d'"},
        {"check pad --until-broken 9999999h", "--until-broken: is '9999999h'"},
        {"check pad --until-broken 1s --jobs 0", "--jobs"},
        {"check pad --jobs 2", "--jobs: goes with --until-broken alone"},
        {"check pad --until-broken 1s --variants twice", "'twice'"},
        {"check pad --option state=1", "state"},
        {"check pad --option nothing=1", "nothing"},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        const cli_run *run = cli(bad[i].line);
        if (run->status != 2) {
            fail_msg("%s: status %d, %s", bad[i].line, run->status, run->err);
        }
        cli_expect(run->err, bad[i].says);
        assert_string_equal(run->out, "");
    }
}

static void a_process_joins_at_the_tick_that_is_named(void **state)
{
    (void)state;
    const cli_run *run = cli("check pad --ticks 60 --variants rejoin=50 --json");
    assert_int_equal(run->status, 0);
    cli_expect_value(run->out, "perturbed", "10");
    run = cli("check pad --ticks 60 --variants rejoin --json");
    assert_int_equal(run->status, 0);
    cli_expect_value(run->out, "perturbed", "40");
}

static void another_game_is_no_other_build(void **state)
{
    (void)state;
    const cli_run *run = cli("check pad --ticks 30 --variants build=duel --json");
    assert_int_equal(run->status, 2);
    cli_expect(run->err, "duel: is the game duel, expected another build of pad");
}

static void the_same_build_exercises_nothing(void **state)
{
    (void)state;
    const cli_run *run = cli("check pad --ticks 30 --variants build=pad --json");
    assert_int_equal(run->status, 0);
    cli_expect_value(run->out, "same", "null");
    cli_expect_value(run->out, "deterministic", "null");
    cli_expect(run->out, "the other file is the same build");
}

static void sound_game_is_checked_seed_after_seed_until_the_time_is_up(void **state)
{
    (void)state;
    const cli_run *run = cli("check pad --ticks 5 --players 2 --variants again --seed 40 "
                             "--until-broken 2s --jobs 2 --json");
    assert_int_equal(run->status, 0);
    cli_expect(run->out, "\"deterministic\":\ttrue");
    cli_expect(run->out, "\"first_seed\":\t40");
    cli_expect(run->out, "\"seed\":\tnull");
    run = cli("check pad --ticks 5 --variants again --until-broken 1s --jobs 1");
    assert_int_equal(run->status, 0);
    cli_expect(run->out, "pad: nothing differed, ");
}

static void missing_files_are_named(void **state)
{
    (void)state;
    const cli_run *run = cli("check pad --ticks 30 --input trace:/no/such/log");
    assert_int_equal(run->status, 3);
    cli_expect(run->err, "/no/such/log");
    run = cli("check pad --ticks 30 --variants build=./none.so");
    assert_int_equal(run->status, 3);
    cli_expect(run->err, "./none.so: cannot be read");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_game_is_deterministic),
        cmocka_unit_test(only_the_variants_asked_for_are_tried),
        cmocka_unit_test(bad_usage_names_value_and_range),
        cmocka_unit_test(a_process_joins_at_the_tick_that_is_named),
        cmocka_unit_test(another_game_is_no_other_build),
        cmocka_unit_test(the_same_build_exercises_nothing),
        cmocka_unit_test(missing_files_are_named),
        cmocka_unit_test(sound_game_is_checked_seed_after_seed_until_the_time_is_up),
    };
    return cmocka_run_group_tests(tests, cli_setup, cli_teardown);
}
