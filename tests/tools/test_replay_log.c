// SPDX-License-Identifier: MIT

// What a recording holds of a desync, through the program.

#define _GNU_SOURCE // setenv

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/tool.h"
#include "cli.h"

enum { TEXT_BYTES = 256 };

/// A match in which a bit flips, and one in which none does.
static int record_matches(void **state)
{
    if (cli_setup(state) != 0) {
        return -1;
    }
    const int flipped =
        cli("lab duel --ticks 500 --seed 5 --fault flip=1@200:once --link delay=80ms,loss=3% "
            "--input '*=bot' --record rec")
            ->status;
    const int good = cli("lab duel --ticks 60 --seed 5 --record good")->status;
    return flipped == TOOL_NO && good == TOOL_OK ? 0 : -1;
}

static void info_lists_the_evidence(void **state)
{
    (void)state;
    const cli_run *run = cli("replay info rec/peer-0.bks");
    cli_expect_status(run, TOOL_OK);
    cli_expect(run->out, "peer 1 differs at tick ");
    cli_expect(run->out, " of 64 bytes differ");
    cli_expect(run->out, "  made on     locale numbers C");
    cli_expect(run->out, " entries, from ");
    cli_expect(run->out, ", evidence ");
    run = cli("replay info --json rec/peer-0.bks");
    cli_expect(run->out, "\"environment\": {");
    cli_expect(run->out, "\"locale\": \"numbers C");
    cli_expect(run->out, "\"floats\": \"control ");
    char text[TEXT_BYTES];
    cli_value(run->out, "state_bytes", text, sizeof(text));
    assert_true(atoi(text) > 1000);
    cli_value(run->out, "log_entries", text, sizeof(text));
    assert_true(atoi(text) > 1000);
}

static void to_write_it_allocates_nothing(void **state)
{
    (void)state;
    const cli_run *run =
        cli("lab duel --ticks 300 --seed 5 --fault flip=1@100:once --input '*=bot' --record mem "
            "--json");
    cli_expect_status(run, TOOL_NO);
    if (strstr(run->out, "\"allocations_after_start\": null") != NULL) {
        skip(); // they cannot be counted here
    }
    const char *first = strstr(run->out, "\"allocations_after_start\": 0,");
    assert_non_null(first);
    assert_non_null(strstr(first + 1, "\"allocations_after_start\": 0,"));
    cli_expect(cli("replay info mem/peer-1.bks")->out, "  evidence    peer 0 differs");
}

static void without_a_desync_there_is_none(void **state)
{
    (void)state;
    const cli_run *run = cli("replay info --json good/peer-0.bks");
    cli_expect(run->out, "\"evidence\": []");
    cli_expect_value(run->out, "log_entries", "0");
    assert_null(strstr(cli("replay info good/peer-0.bks")->out, "evidence"));
    run = cli("replay log good/peer-0.bks");
    cli_expect_status(run, TOOL_NO);
    cli_expect(run->err, "good/peer-0.bks: has no log, expected the recording of a match whose "
                         "states differed");
    assert_string_equal(run->out, "");
}

static void a_part_keeps_it_and_strip_leaves_it_out(void **state)
{
    (void)state;
    static char entries[TEXT_BYTES];
    cli_value(cli("replay info --json rec/peer-1.bks")->out, "log_entries", entries,
              sizeof(entries));
    cli_expect_status(cli("replay cut -o kept.bks rec/peer-1.bks"), TOOL_OK);
    const cli_run *run = cli("replay info --json kept.bks");
    cli_expect_status(run, TOOL_OK);
    cli_expect_value(run->out, "log_entries", entries);
    cli_expect_value(run->out, "peer", "0");
    cli_expect_status(cli("replay cut --strip -o plain.bks rec/peer-1.bks"), TOOL_OK);
    run = cli("replay info --json plain.bks");
    cli_expect_status(run, TOOL_OK);
    cli_expect(run->out, "\"evidence\": []");
    cli_expect_value(run->out, "log_entries", "0");
    cli_expect_value(run->out, "evidence", "0"); // bytes
    cli_expect_status(cli("replay diff rec/peer-1.bks plain.bks"), TOOL_OK);
    // It is of a tick that this part has not.
    cli_expect_status(cli("replay cut --until 100 -o early.bks rec/peer-1.bks"), TOOL_OK);
    cli_expect_value(cli("replay info --json early.bks")->out, "log_entries", "0");
}

/// The longest line of a text.
static size_t widest(const char *text)
{
    size_t most = 0;
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        most = length > most ? length : most;
        text += length + (text[length] != '\0');
    }
    return most;
}

static void one_log_is_printed_by_tick(void **state)
{
    (void)state;
    const cli_run *run = cli("replay log --from 100 --until 103 rec/peer-0.bks");
    cli_expect_status(run, TOOL_OK);
    cli_expect(run->out, "    100  ");
    cli_expect(run->out, "    102  ");
    assert_null(strstr(run->out, "    103  "));
    assert_null(strstr(run->out, "    99  "));
    cli_expect(run->out, "from 1: ");
    cli_expect(run->out, "step 100");
    cli_expect(run->out, "p0 sampled ");
    assert_true(widest(run->out) <= 80);
    run = cli("replay log rec/peer-0.bks");
    cli_expect(run->out, "ROLLBACK ");
    cli_expect(run->out, "WRONG at ");
    cli_expect(run->out, "again ");
    cli_expect(run->out, "(certain)");
    cli_expect(run->out, "EVENT desync, peer 1");
    cli_expect(run->out, "EVENT named, peer 1");
    assert_null(strchr(run->out, '!'));
}

static void two_logs_stand_side_by_side(void **state)
{
    (void)state;
    char text[TEXT_BYTES];
    char line[TEXT_BYTES];
    cli_value(cli("replay log --json --until 20 rec/peer-0.bks rec/peer-1.bks")->out, "differs",
              text, sizeof(text));
    const int tick = atoi(text);
    assert_in_range(tick, 200, 230);
    // The hashes of the recordings say the same.
    const cli_run *run = cli("replay diff rec/peer-0.bks rec/peer-1.bks");
    snprintf(line, sizeof(line), "tick %d", tick);
    cli_expect(run->out, line);
    run = cli("replay log rec/peer-0.bks rec/peer-1.bks");
    cli_expect_status(run, TOOL_OK);
    snprintf(line, sizeof(line), "the hashes differ (!) first at tick %d\n", tick);
    cli_expect(run->out, line);
    snprintf(line, sizeof(line), "%7d! ", tick);
    cli_expect(run->out, line);
    snprintf(line, sizeof(line), "%7d  ", tick - 1);
    cli_expect(run->out, line);
    cli_expect(run->out, "from 1: ");
    cli_expect(run->out, "from 0: ");
    assert_true(widest(run->out) <= 80);
    snprintf(line, sizeof(line),
             "replay log --json --from %d --until %d rec/peer-0.bks rec/peer-1.bks", tick,
             tick + 1);
    run = cli(line);
    cli_expect_status(run, TOOL_OK);
    cli_expect_value(run->out, "differs", text);
    cli_expect(run->out, "\"kind\": \"step\"");
    cli_expect(run->out, "\"kind\": \"came\"");
    cli_expect(run->out, "\"file\": \"rec/peer-1.bks\"");
    run = cli("replay log rec/peer-0.bks good/peer-0.bks");
    cli_expect_status(run, TOOL_NO);
    cli_expect(run->err, "good/peer-0.bks: has no log");
}

static void logs_of_two_matches_are_said_to_be_so(void **state)
{
    (void)state;
    (void)cli("lab duel --ticks 150 --seed 6 --fault flip=1@100:once --record six");
    (void)cli("lab pad --ticks 150 --seed 5 --fault flip=1@100:byte --record pad");
    const cli_run *run = cli("replay log rec/peer-0.bks six/peer-0.bks");
    cli_expect_status(run, TOOL_NO);
    assert_string_equal(
        run->err, "bks: six/peer-0.bks: is not of the match of rec/peer-0.bks: seed '5' and '6'\n");
    run = cli("replay log --json rec/peer-0.bks pad/peer-1.bks");
    cli_expect_status(run, TOOL_NO);
    cli_expect(run->err, "is not of the match of rec/peer-0.bks: game 'duel' and 'pad'");
    cli_expect(run->out, "\"logs\": [");
    run = cli("replay log rec/peer-0.bks rec/peer-1.bks");
    cli_expect_status(run, TOOL_OK);
    assert_string_equal(run->err, "");
}

static void a_wide_terminal_gets_wide_columns(void **state)
{
    (void)state;
    assert_int_equal(setenv("COLUMNS", "150", 1), 0);
    const cli_run *run = cli("replay log rec/peer-0.bks rec/peer-1.bks");
    assert_int_equal(unsetenv("COLUMNS"), 0);
    assert_in_range(widest(run->out), 81, 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(info_lists_the_evidence),
        cmocka_unit_test(to_write_it_allocates_nothing),
        cmocka_unit_test(without_a_desync_there_is_none),
        cmocka_unit_test(a_part_keeps_it_and_strip_leaves_it_out),
        cmocka_unit_test(one_log_is_printed_by_tick),
        cmocka_unit_test(two_logs_stand_side_by_side),
        cmocka_unit_test(logs_of_two_matches_are_said_to_be_so),
        cmocka_unit_test(a_wide_terminal_gets_wide_columns),
    };
    return cmocka_run_group_tests(tests, record_matches, cli_teardown);
}
