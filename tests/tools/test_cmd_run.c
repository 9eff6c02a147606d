// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli.h"

static char final_hash[64];

static int record_match(void **state)
{
    if (cli_setup(state) != 0) {
        return -1;
    }
    const cli_run *run = cli("lab duel --ticks 150 --seed 9 --record rec --json");
    cli_value(run->out, "final_hash", final_hash, sizeof(final_hash));
    return run->status;
}

static void assert_value(const char *text, const char *key, const char *value)
{
    char found[256];
    cli_value(text, key, found, sizeof(found));
    if (strcmp(found, value) != 0) {
        print_error("%s is %s, must be %s\n", key, found, value);
        fail();
    }
}

static void run_reaches_the_recorded_end(void **state)
{
    (void)state;
    const cli_run *run = cli("run duel rec/peer-0.bks --json");
    assert_int_equal(run->status, 0);
    assert_value(run->out, "ticks", "150");
    assert_value(run->out, "same", "true");
    assert_value(run->out, "compared", "151");
    assert_value(run->out, "final_hash", final_hash);
    run = cli("run rec/peer-0.bks --stats"); // the game by its name
    assert_int_equal(run->status, 0);
    cli_expect(run->out, "duel at tick 150");
    cli_expect(run->out, "151 hashes compared, all the same");
    cli_expect(run->out, "a step takes");
}

static void times_and_until_are_kept(void **state)
{
    (void)state;
    const cli_run *run = cli("run duel rec/peer-0.bks --json --times 3 --until 100");
    assert_int_equal(run->status, 0);
    assert_value(run->out, "ticks", "100");
    assert_value(run->out, "times", "3");
    assert_value(run->out, "compared", "303");
    run = cli("run duel rec/peer-0.bks --until 151");
    assert_int_equal(run->status, 2);
    cli_expect(run->err, "has no tick 151");
}

static void dry_rendering_draws_and_changes_nothing(void **state)
{
    (void)state;
    const cli_run *run = cli("run duel rec/peer-0.bks --json --render dry");
    assert_int_equal(run->status, 0);
    assert_value(run->out, "render", "\"dry\"");
    assert_value(run->out, "final_hash", final_hash);
    assert_int_equal(cli("run duel rec/peer-0.bks --render wet")->status, 2);
}

static void unverified_run_compares_nothing(void **state)
{
    (void)state;
    const cli_run *run = cli("run duel rec/peer-0.bks --json --no-verify");
    assert_int_equal(run->status, 0);
    assert_value(run->out, "verified", "false");
    assert_value(run->out, "compared", "0");
    assert_value(run->out, "final_hash", final_hash);
}

static void verbose_names_every_tick_before_it_is_stepped(void **state)
{
    (void)state;
    const cli_run *run = cli("run duel rec/peer-0.bks --until 3 --verbose");
    assert_int_equal(run->status, 0);
    cli_expect(run->err, "stepping tick 0\n");
    cli_expect(run->err, "stepping tick 2\n");
    assert_null(strstr(run->err, "stepping tick 3\n"));
}

static void another_game_is_wrong_usage(void **state)
{
    (void)state;
    const cli_run *run = cli("run pad rec/peer-0.bks");
    assert_int_equal(run->status, 2);
    cli_expect(run->err, "rec/peer-0.bks: is a recording of duel, expected one of pad");
    assert_int_equal(cli("run nosuch rec/peer-0.bks")->status, 2);
    assert_int_equal(cli("run duel missing.bks")->status, 3);
    assert_int_equal(cli("run")->status, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_reaches_the_recorded_end),
        cmocka_unit_test(times_and_until_are_kept),
        cmocka_unit_test(dry_rendering_draws_and_changes_nothing),
        cmocka_unit_test(unverified_run_compares_nothing),
        cmocka_unit_test(verbose_names_every_tick_before_it_is_stepped),
        cmocka_unit_test(another_game_is_wrong_usage),
    };
    return cmocka_run_group_tests(tests, record_match, cli_teardown);
}
