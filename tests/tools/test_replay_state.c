// SPDX-License-Identifier: MIT

// The state at a tick of a recording, by names, through the program.

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/tool.h"
#include "cli.h"

static int record_matches(void **state)
{
    if (cli_setup(state) != 0) {
        return -1;
    }
    int status = cli("lab duel --ticks 300 --seed 5 --input *=bot --record rec --json")->status;
    status |= cli("monkey pad --ticks 20 --players 2 --record pad.bks")->status;
    return status;
}

static void expect_not(const char *text, const char *part)
{
    if (strstr(text, part) != NULL) {
        fail_msg("'%s' must not be in:\n%s", part, text);
    }
}

#ifdef BKS_HAVE_LIBDW
static void values_read_as_their_types_do(void **state)
{
    (void)state;
    const cli_run *run = cli("replay state --tick 200 rec/peer-0.bks");
    cli_expect_status(run, TOOL_OK);
    assert_string_equal(run->err, "");
    cli_expect(run->out, "duel at the start of tick 200\n");
    cli_expect(run->out, "\nroot\n  ships = pool ships, ");
    cli_expect(run->out, "tick = 200, mode = DUEL_VERSUS (0)");
    cli_expect(run->out, "ship[0] = ships[0], generation 0, [1] = ships[1], generation 0");
    cli_expect(run->out, "\n  zero: enemies, field, ");
    cli_expect(run->out, "\nships[1]\n  x = ");
    cli_expect(run->out, "\nnot shown: 8 bytes of padding, ");
    expect_not(run->out, "(free)");
}

static void no_line_is_wider_than_the_terminal(void **state)
{
    (void)state;
    const char *line = cli("replay state --tick 200 rec/peer-0.bks")->out;
    line = strchr(line, '\n') + 1; // the first names the file
    for (const char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        if (end - line > 80) {
            fail_msg("%d columns: %.*s", (int)(end - line), (int)(end - line), line);
        }
    }
}

static void only_a_part_is_shown_on_request(void **state)
{
    (void)state;
    const cli_run *run = cli("replay state --tick 200 --under ships[1] rec/peer-0.bks");
    cli_expect_status(run, TOOL_OK);
    cli_expect(run->out, "\nships[1]\n");
    expect_not(run->out, "ships[0]");
    expect_not(run->out, "not shown");
    run = cli("replay state --tick 200 --under tick rec/peer-0.bks");
    cli_expect_status(run, TOOL_OK);
    cli_expect(run->out, "\nroot\n  tick = 200\n");
    run = cli("replay state --tick 200 --under '(arena)' rec/peer-0.bks");
    cli_expect_status(run, TOOL_OK);
    cli_expect(run->out, "(pool ships: live)");
}

static void json_has_every_value(void **state)
{
    (void)state;
    const cli_run *run = cli("replay state --json --tick 200 --under root.tick rec/peer-0.bks");
    cli_expect_status(run, TOOL_OK);
    assert_string_equal(run->err, "");
    cli_expect_value(run->out, "name", "\"root.tick\"");
    cli_expect_value(run->out, "object", "\"root\"");
    cli_expect_value(run->out, "field", "\"tick\"");
    cli_expect_value(run->out, "value", "\"200\"");
    cli_expect_value(run->out, "no_types", "null");
    cli_expect_value(run->out, "unnamed", "0");
}

static void what_is_not_there_is_said(void **state)
{
    (void)state;
    const cli_run *run = cli("replay state --tick 0 --under shots[3] rec/peer-0.bks");
    cli_expect_status(run, TOOL_NO);
    assert_string_equal(run->err, "bks: shots[3]: is not live at tick 0\n");
    run = cli("replay state --tick 0 --under shps rec/peer-0.bks");
    cli_expect_status(run, TOOL_MISUSE);
    cli_expect(run->err, "is 'shps', which the state at tick 0 does not have, expected ");
    cli_expect(run->err, "root, ship, score, ");
}
#endif

static void a_game_without_an_arena_is_shown(void **state)
{
    (void)state;
    const cli_run *run = cli("replay state --json --tick 20 pad.bks");
    cli_expect_status(run, TOOL_OK);
    cli_expect(run->out, "\"ticks\"");
}

static void wrong_usage_is_refused(void **state)
{
    (void)state;
    cli_expect_status(cli("replay state"), TOOL_MISUSE);
    cli_expect_status(cli("replay state rec/peer-0.bks rec/peer-1.bks"), TOOL_MISUSE);
    cli_expect_status(cli("replay state nosuch.bks"), TOOL_DAMAGED);
    const cli_run *run = cli("replay state --tick -1 rec/peer-0.bks");
    cli_expect_status(run, TOOL_MISUSE);
    cli_expect(run->err, "bks: --tick: is '-1', expected a number, 0 to 2147483647");
    run = cli("replay state --tick 301 rec/peer-0.bks");
    cli_expect_status(run, TOOL_MISUSE);
    cli_expect(run->err, "has no tick 301, expected --tick 0 to 300");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef BKS_HAVE_LIBDW
        cmocka_unit_test(values_read_as_their_types_do),
        cmocka_unit_test(no_line_is_wider_than_the_terminal),
        cmocka_unit_test(only_a_part_is_shown_on_request),
        cmocka_unit_test(json_has_every_value),
        cmocka_unit_test(what_is_not_there_is_said),
#endif
        cmocka_unit_test(a_game_without_an_arena_is_shown),
        cmocka_unit_test(wrong_usage_is_refused),
    };
    return cmocka_run_group_tests(tests, record_matches, cli_teardown);
}
