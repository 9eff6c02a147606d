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

static void run_reaches_the_recorded_end(void **state)
{
    (void)state;
    const cli_run *run = cli("run duel rec/peer-0.bks --json");
    assert_int_equal(run->status, 0);
    cli_expect_value(run->out, "ticks", "150");
    cli_expect_value(run->out, "same", "true");
    cli_expect_value(run->out, "compared", "151");
    cli_expect_value(run->out, "final_hash", final_hash);
    run = cli("run rec/peer-0.bks --stats"); // the game by its name
    assert_int_equal(run->status, 0);
    cli_expect(run->out, "duel at tick 150");
    cli_expect(run->out, "151 hashes compared, all the same");
    cli_expect(run->out, "a step ");
}

static void times_and_until_are_kept(void **state)
{
    (void)state;
    const cli_run *run = cli("run duel rec/peer-0.bks --json --times 3 --until 100");
    assert_int_equal(run->status, 0);
    cli_expect_value(run->out, "ticks", "100");
    cli_expect_value(run->out, "times", "3");
    cli_expect_value(run->out, "compared", "303");
    run = cli("run duel rec/peer-0.bks --until 151");
    assert_int_equal(run->status, 2);
    cli_expect(run->err, "has no tick 151");
}

static void dry_rendering_draws_and_changes_nothing(void **state)
{
    (void)state;
    const cli_run *run = cli("run duel rec/peer-0.bks --json --render dry");
    assert_int_equal(run->status, 0);
    cli_expect_value(run->out, "render", "\"dry\"");
    cli_expect_value(run->out, "final_hash", final_hash);
    assert_int_equal(cli("run duel rec/peer-0.bks --render wet")->status, 2);
}

static void unverified_run_compares_nothing(void **state)
{
    (void)state;
    const cli_run *run = cli("run duel rec/peer-0.bks --json --no-verify");
    assert_int_equal(run->status, 0);
    cli_expect_value(run->out, "verified", "false");
    cli_expect_value(run->out, "compared", "0");
    cli_expect_value(run->out, "final_hash", final_hash);
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

static void as_a_player_it_guesses_and_comes_to_the_same(void **state)
{
    (void)state;
    const cli_run *run = cli("run duel rec/peer-0.bks --as-player 1 --late 9");
    assert_int_equal(run->status, 0);
    cli_expect(run->out, "duel at tick 150");
    cli_expect(run->out, "151 hashes compared, all the same");
    cli_expect(run->out, "as player 1: ");
    cli_expect(run->out, " steps for 150 ticks");
    run = cli("run duel rec/peer-0.bks --as-player 0 --json --times 2");
    cli_expect_value(run->out, "final_hash", final_hash);
    cli_expect_value(run->out, "as_player", "0");
    cli_expect_value(run->out, "compared", "302");
    run = cli("run duel rec/peer-0.bks --as-player none --json");
    cli_expect_value(run->out, "as_player", "null");
    cli_expect_value(run->out, "steps", "150");
    cli_expect_value(run->out, "rollbacks", "0");
    run = cli("run duel rec/peer-0.bks --as-player 2");
    assert_int_equal(run->status, 2);
    cli_expect(run->err, "has no player 2, expected --as-player 0 to 1");
    run = cli("run duel rec/peer-0.bks --late 3");
    assert_int_equal(run->status, 2);
    cli_expect(run->err, "expected --as-player N");
    assert_int_equal(cli("run duel rec/peer-0.bks --as-player 0 --late 0")->status, 2);
    assert_int_equal(cli("run duel rec/peer-0.bks --as-player all")->status, 2);
}

static void several_times_show_one_hash(void **state)
{
    (void)state;
    const cli_run *run = cli("run duel rec/peer-0.bks --times 6 --json");
    assert_int_equal(run->status, 0);
    char hashes[80];
    snprintf(hashes, sizeof(hashes), "[%s]", final_hash);
    cli_expect_value(run->out, "hashes", hashes);
    run = cli("run duel rec/peer-0.bks --times 6");
    cli_expect(run->out, "6 times, 1 different hash\n");
}

static void stats_show_marks_and_longest_ticks(void **state)
{
    (void)state;
    const cli_run *run = cli("run duel rec/peer-0.bks --stats --times 2");
    assert_int_equal(run->status, 0);
    cli_expect(run->out, "a step ");
    cli_expect(run->out, "to ships ");
    cli_expect(run->out, "longest ticks: ");
    cli_expect(run->out, "2 runs: ");
    run = cli("run duel rec/peer-0.bks --stats --json");
    cli_expect(run->out, "\"ships\": {");
    cli_expect(run->out, "\"longest\": [");
    run = cli("run duel rec/peer-0.bks --json");
    cli_expect(run->out, "\"marks\": {}");
}

static void earlier_run_is_compared_in_turns(void **state)
{
    (void)state;
    const cli_run *run = cli("run duel rec/peer-0.bks --times 3 --json");
    cli_write("before.json", run->out);
    run = cli("run duel rec/peer-0.bks --compare before.json");
    assert_int_equal(run->status, 0);
    cli_expect(run->out, "compared with before.json, ");
    cli_expect(run->out, "0 runs in turns: at its quickest a step took");
    run = cli("run duel rec/peer-0.bks --times 12 --json --compare before.json");
    cli_expect(run->out, "\"in_turns\": true");
    run = cli("run duel rec/peer-0.bks --as-player 1 --json");
    cli_write("guessing.json", run->out);
    run = cli("run duel rec/peer-0.bks --as-player 1 --json --compare guessing.json");
    cli_expect(run->out, "\"in_turns\": true");
}

/// Keep the output of an earlier run of a build that is gone.
static void write_times(const char *path, double us, int times)
{
    char json[512];
    char recording[64];
    cli_value(cli_read("before.json"), "recording", recording, sizeof(recording));
    snprintf(
        json, sizeof(json),
        "{\"recording\": %s, \"runs_us\": [%g], \"times\": %d, \"build\": \"0123\", \"plugin\": "
        "\"/gone/duel.so\", \"least_us\": %g}",
        recording, us, times, us);
    cli_write(path, json);
}

static void a_build_that_is_gone_is_reported_by_far_only(void **state)
{
    (void)state;
    cli_write("before.json", cli("run duel rec/peer-0.bks --times 4 --json")->out);
    write_times("slow.json", 1e6, 4);
    const cli_run *run = cli("run duel rec/peer-0.bks --times 4 --json --compare slow.json");
    cli_expect_value(run->out, "verdict", "\"faster\"");
    cli_expect(run->out, "\"in_turns\": false");
    write_times("fast.json", 1e-6, 4);
    run = cli("run duel rec/peer-0.bks --times 4 --json --compare fast.json");
    cli_expect_value(run->out, "verdict", "\"slower\"");
    run = cli("run duel rec/peer-0.bks --compare fast.json");
    cli_expect(run->out, "keep that build and give it, --compare OTHER.so");
    cli_expect(run->out, "too few runs to measure the noise: give --times 10");
    write_times("once.json", 1e-6, 1);
    run = cli("run duel rec/peer-0.bks --times 4 --json --compare once.json");
    cli_expect_value(run->out, "verdict", "\"unknown\"");
}

static void recordings_that_cannot_be_compared_are_refused(void **state)
{
    (void)state;
    const cli_run *run = cli("run duel rec/peer-0.bks --compare nowhere.json");
    assert_int_equal(run->status, 3);
    cli_expect(run->err, "nowhere.json");
    cli_write("bad.json", "{\"recording\": 7");
    run = cli("run duel rec/peer-0.bks --compare bad.json");
    assert_int_equal(run->status, 3);
    cli_expect(run->err, "bad.json: has no times, expected what 'bks run --json' printed");
    run = cli("run duel rec/peer-0.bks --stats --json");
    cli_write("marks.json", run->out);
    run = cli("run duel rec/peer-0.bks --compare marks.json");
    assert_int_equal(run->status, 2);
    cli_expect(run->err, "marks.json: was measured with --stats, expected the same now");
    run = cli("run duel rec/peer-0.bks --until 50 --json");
    cli_write("half.json", run->out);
    run = cli("run duel rec/peer-0.bks --as-player 1 --json");
    cli_write("guessing.json", run->out);
    run = cli("run duel rec/peer-0.bks --as-player 1 --compare guessing.json");
    assert_int_equal(run->status, 0);
    run = cli("run duel rec/peer-0.bks --as-player 0 --compare guessing.json");
    assert_int_equal(run->status, 2);
    cli_expect(run->err, "guessing.json: was played with another --as-player");
    run = cli("run duel rec/peer-0.bks --compare half.json");
    assert_int_equal(run->status, 2);
    cli_expect(run->err, "half.json: was measured up to tick 50, expected the same stretch");
    cli_write("other.json", "{\"recording\": \"0123456789abcdef\", \"runs_us\": [1]}");
    run = cli("run duel rec/peer-0.bks --compare other.json");
    assert_int_equal(run->status, 2);
    cli_expect(run->err, "other.json: is of another recording than rec/peer-0.bks");
}

static void break_wants_a_debugger_and_a_tick(void **state)
{
    (void)state;
    const cli_run *run = cli("run duel rec/peer-0.bks --break 150");
    assert_int_equal(run->status, 2);
    cli_expect(run->err, "does not step tick 150, expected --break 0 to 149");
    run = cli("run duel rec/peer-0.bks --break 100");
    assert_int_equal(run->status, 2);
    cli_expect(run->err, "--break: there is no debugger to stop in");
}

static void break_stops_in_the_debugger_before_the_tick(void **state)
{
    (void)state;
    if (system("command -v gdb >/dev/null") != 0) {
        skip();
    }
    char line[2048];
    snprintf(line, sizeof(line),
             "gdb -nx -batch -ex run -ex 'echo <stopped>' -ex cont --args '%s/bks' run duel "
             "rec/peer-0.bks --verbose --break 100 >gdb.txt 2>&1",
             BKS_TEST_BINARY_DIR);
    // LeakSanitizer gives up in a traced process.
    if (system(line) != 0 || getenv("ASAN_OPTIONS") != NULL) {
        skip(); // no processes may be traced here
    }
    const char *text = cli_read("gdb.txt");
    const char *stopped = strstr(text, "<stopped>");
    assert_non_null(stopped);
    const char *tick = strstr(text, "stepping tick 100\n");
    assert_true(tick != NULL && tick < stopped);
    cli_expect(stopped, "stepping tick 101\n");
    cli_expect(stopped, "duel at tick 150");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_a_player_it_guesses_and_comes_to_the_same),
        cmocka_unit_test(several_times_show_one_hash),
        cmocka_unit_test(stats_show_marks_and_longest_ticks),
        cmocka_unit_test(earlier_run_is_compared_in_turns),
        cmocka_unit_test(a_build_that_is_gone_is_reported_by_far_only),
        cmocka_unit_test(recordings_that_cannot_be_compared_are_refused),
        cmocka_unit_test(break_wants_a_debugger_and_a_tick),
        cmocka_unit_test(break_stops_in_the_debugger_before_the_tick),
        cmocka_unit_test(run_reaches_the_recorded_end),
        cmocka_unit_test(times_and_until_are_kept),
        cmocka_unit_test(dry_rendering_draws_and_changes_nothing),
        cmocka_unit_test(unverified_run_compares_nothing),
        cmocka_unit_test(verbose_names_every_tick_before_it_is_stepped),
        cmocka_unit_test(another_game_is_wrong_usage),
    };
    return cmocka_run_group_tests(tests, record_match, cli_teardown);
}
