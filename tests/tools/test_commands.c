// SPDX-License-Identifier: MIT

#include "base/command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/tool.h"
#include "cli.h"

static void no_command_is_misuse_and_shows_the_help(void **state)
{
    (void)state;
    const cli_run *run = cli("");
    assert_int_equal(run->status, TOOL_MISUSE);
    assert_string_equal(run->out, "");
    cli_expect(run->err, "usage: bks COMMAND");
}

static void the_help_names_every_command(void **state)
{
    (void)state;
    const cli_run *run = cli("--help");
    assert_int_equal(run->status, TOOL_OK);
    assert_string_equal(run->err, "");
    for (const tool_command *at = commands; at->name != NULL; at++) {
        char line[64];
        snprintf(line, sizeof(line), "\n  %s ", at->name);
        cli_expect(run->out, line);
    }
}

static void every_command_has_help_of_its_own(void **state)
{
    (void)state;
    for (const tool_command *at = commands; at->name != NULL; at++) {
        char line[64];
        char usage[64];
        snprintf(line, sizeof(line), "%s --help", at->name);
        snprintf(usage, sizeof(usage), "usage: bks %s", at->name);
        const cli_run *run = cli(line);
        assert_int_equal(run->status, TOOL_OK);
        assert_string_equal(run->err, "");
        cli_expect(run->out, usage);
        // No line may be wider than a terminal.
        for (const char *row = run->out; *row != '\0'; row += strcspn(row, "\n") + 1) {
            if (strcspn(row, "\n") > 100) {
                fail_msg("too wide: %.*s", (int)strcspn(row, "\n"), row);
            }
            if (row[strcspn(row, "\n")] == '\0') {
                break;
            }
        }
    }
}

static void every_command_refuses_an_option_it_does_not_know(void **state)
{
    (void)state;
    for (const tool_command *at = commands; at->name != NULL; at++) {
        char line[64];
        snprintf(line, sizeof(line), "%s --no-such-option", at->name);
        const cli_run *run = cli(line);
        if (run->status != TOOL_MISUSE || strncmp(run->err, "bks: ", 5) != 0) {
            fail_msg("%s: status %d, said %s", line, run->status, run->err);
        }
        assert_string_equal(run->out, "");
    }
}

static void help_for_a_command_can_be_asked_for_in_words(void **state)
{
    (void)state;
    cli_expect(cli("help play")->out, "usage: bks play");
    cli_expect(cli("help")->out, "usage: bks COMMAND");
}

static void an_unknown_command_is_misuse_with_a_guess(void **state)
{
    (void)state;
    const cli_run *run = cli("paly");
    assert_int_equal(run->status, TOOL_MISUSE);
    cli_expect(run->err, "bks: paly: no such command, did you mean 'play'?");
    cli_expect(cli("xyzzy-plugh")->err, "expected one of 'bks --help'");
}

static void the_version_is_printed(void **state)
{
    (void)state;
    char version[64];
    snprintf(version, sizeof(version), "bks %d.%d.%d\n", BKS_VERSION / 10000,
             BKS_VERSION / 100 % 100, BKS_VERSION % 100);
    assert_string_equal(cli("--version")->out, version);
}

static void games_are_listed_for_people_and_programs(void **state)
{
    (void)state;
    const cli_run *run = cli("games");
    assert_int_equal(run->status, TOOL_OK);
    cli_expect(run->out, "duel - ");
    cli_expect(run->out, "pad - ");
    cli_expect(run->out, "--option mode=versus");
    run = cli("games --json");
    assert_int_equal(run->status, TOOL_OK);
    cli_expect(run->out, "\"name\": \"duel\"");
    cli_expect(run->out, "\"tick_rate_hz\": 60");
    cli_expect(run->out, "\"default\": \"versus\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_command_is_misuse_and_shows_the_help),
        cmocka_unit_test(the_help_names_every_command),
        cmocka_unit_test(every_command_has_help_of_its_own),
        cmocka_unit_test(every_command_refuses_an_option_it_does_not_know),
        cmocka_unit_test(help_for_a_command_can_be_asked_for_in_words),
        cmocka_unit_test(an_unknown_command_is_misuse_with_a_guess),
        cmocka_unit_test(the_version_is_printed),
        cmocka_unit_test(games_are_listed_for_people_and_programs),
    };
    return cmocka_run_group_tests(tests, cli_setup, cli_teardown);
}
