// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli.h"

static const char *value(const char *text, const char *key)
{
    static char found[64];
    cli_value(text, key, found, sizeof(found));
    return found;
}

static void monkeys_of_a_seed_play_what_they_play_in_a_match(void **state)
{
    (void)state;
    char hash[64];
    const cli_run *run = cli("monkey pad --players 2 --ticks 600 --seed 5 --json");
    assert_int_equal(run->status, 0);
    snprintf(hash, sizeof(hash), "%s", value(run->out, "final_hash"));
    run = cli("lab pad --peers 2 --ticks 600 --seed 5 --link delay=40ms --json");
    assert_string_equal(value(run->out, "final_hash"), hash);
    run = cli("monkey pad --players 2 --ticks 600 --seed 6 --json");
    assert_string_not_equal(value(run->out, "final_hash"), hash);
}

static void recorded_monkeys_verify(void **state)
{
    (void)state;
    char hash[64];
    const cli_run *run = cli("monkey duel --ticks 900 --seed 3 --record wild.bks --json");
    assert_int_equal(run->status, 0);
    snprintf(hash, sizeof(hash), "%s", value(run->out, "final_hash"));
    assert_int_equal(cli("replay verify wild.bks")->status, 0);
    run = cli("run duel wild.bks --json");
    assert_int_equal(run->status, 0);
    assert_string_equal(value(run->out, "final_hash"), hash);
    assert_string_equal(value(run->out, "compared"), "901");
}

static void forbidden_value_is_not_in_the_recording(void **state)
{
    (void)state;
    // A button of pad's is the first field behind tick and player.
    assert_int_equal(cli("monkey pad --players 1 --ticks 300 --record free.bks")->status, 0);
    assert_non_null(strstr(cli("replay cat free.bks")->out, ",1,"));
    const cli_run *run = cli("games --json");
    char field[64];
    const char *fields = strstr(strstr(run->out, "\"pad\""), "\"fields\"");
    cli_value(fields, "name", field, sizeof(field));
    field[strlen(field) - 1] = '\0'; // its quotes
    char line[256];
    snprintf(line, sizeof(line),
             "monkey pad --players 1 --ticks 300 --forbid %s=1 --record tame.bks", field + 1);
    assert_int_equal(cli(line)->status, 0);
    const char *rows = strstr(cli("replay cat tame.bks")->out, "\n0,0,");
    uint32_t count = 0;
    for (; rows != NULL; rows = strchr(rows + 1, '\n')) {
        int tick = 0;
        int first = 0;
        if (sscanf(rows, "\n%d,0,%d,", &tick, &first) == 2) {
            assert_int_equal(first, 0);
            count++;
        }
    }
    assert_int_equal(count, 300);
}

static void hold_is_kept(void **state)
{
    (void)state;
    char hash[64];
    const cli_run *run = cli("monkey pad --ticks 300 --json");
    snprintf(hash, sizeof(hash), "%s", value(run->out, "final_hash"));
    run = cli("monkey pad --ticks 300 --hold 5..30 --json");
    assert_string_equal(value(run->out, "final_hash"), hash);
    run = cli("monkey pad --ticks 300 --hold 1..2 --json");
    assert_string_not_equal(value(run->out, "final_hash"), hash);
    assert_string_equal(value(run->out, "hold_max"), "2");
}

static void bad_usage_names_value_and_range(void **state)
{
    (void)state;
    static const struct {
        const char *line, *says;
    } bad[] = {
        {"monkey", "GAME"},
        {"monkey pad --hold 0..3", "--hold: is '0..3', expected MIN..MAX ticks, 1 to 100000"},
        {"monkey pad --hold 5", "--hold: is '5'"},
        {"monkey pad --hold 6..5", "--hold: is '6..5'"},
        {"monkey pad --forbid nothing=1", "--forbid: is 'nothing=1', expected FIELD=VALUE"},
        {"monkey pad --forbid fire", "--forbid: is 'fire'"},
        {"monkey duel --players 99", "--players"},
        {"monkey nowhere", "nowhere"},
        {"monkey pad --record /no/such/folder/x.bks", "/no/such/folder/x.bks"},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        const cli_run *run = cli(bad[i].line);
        if (run->status != 2) {
            fail_msg("%s: status %d", bad[i].line, run->status);
        }
        cli_expect(run->err, bad[i].says);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(monkeys_of_a_seed_play_what_they_play_in_a_match),
        cmocka_unit_test(recorded_monkeys_verify),
        cmocka_unit_test(forbidden_value_is_not_in_the_recording),
        cmocka_unit_test(hold_is_kept),
        cmocka_unit_test(bad_usage_names_value_and_range),
    };
    return cmocka_run_group_tests(tests, cli_setup, cli_teardown);
}
