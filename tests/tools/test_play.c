// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "play/play.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/heap.h"
#include "base/tool.h"
#include "cli.h"

enum { TEXT_BYTES = 128 };

static void a_local_match_plays_and_agrees_with_itself(void **state)
{
    (void)state;
    char first[TEXT_BYTES];
    char second[TEXT_BYTES];
    const char *line =
        "play duel --local 2 --input '*=monkey' --ticks 60 --headless --json --no-record";
    const cli_run *run = cli(line);
    assert_int_equal(run->status, TOOL_OK);
    assert_string_equal(run->err, "");
    cli_expect_value(run->out, "agreed", "true");
    cli_expect_value(run->out, "compared", "60");
    cli_expect_value(run->out, "mode", "\"rollback\"");
    cli_expect_value(run->out, "rollbacks", "0");
    if (alloc_count_works()) {
        cli_expect_value(run->out, "allocations_after_start", "0");
    }
    cli_value(run->out, "final_hash", first, sizeof(first));
    cli_value(cli(line)->out, "final_hash", second, sizeof(second));
    assert_string_equal(first, second);
    assert_int_equal(strlen(first), 18);
}

static void a_match_without_end_agrees_as_far_as_it_went(void **state)
{
    (void)state;
    const pid_t process =
        cli_start("play duel --local 2 --input '*=bot' --headless --json --no-record", "open");
    cli_wait_for_handler(process, SIGTERM);
    tool_sleep_ns(UINT64_C(700000000));
    assert_int_equal(kill(process, SIGTERM), 0);
    assert_int_equal(cli_wait(process), TOOL_OK);
    cli_expect_value(cli_read("open"), "agreed", "true");
    cli_expect_value(cli_read("open"), "reason", "null");
}

static void two_over_udp_reach_the_state_that_one_alone_reaches(void **state)
{
    (void)state;
    char invitation[TEXT_BYTES];
    char line[512];
    char hashes[3][TEXT_BYTES];
    const pid_t host = cli_start("play duel --host 127.0.0.1:0 --players 2 --input '*=monkey' "
                                 "--ticks 120 --headless --json --record host.bks",
                                 "host");
    cli_invitation("host", invitation, TEXT_BYTES);
    assert_int_equal(strncmp(invitation, "bks://127.0.0.1:", 16), 0);
    snprintf(line, sizeof(line),
             "play duel --join '%s' --input '*=monkey' --input 0=bot --headless --json "
             "--record guest.bks --link delay=30ms,jitter=5ms,loss=10%%",
             invitation);
    const cli_run *guest = cli(line);
    assert_int_equal(cli_wait(host), TOOL_OK);
    assert_int_equal(guest->status, TOOL_OK);
    cli_expect_value(guest->out, "agreed", "true");
    cli_expect_value(guest->out, "id", "1");
    cli_expect(guest->err, "recorded guest.bks");
    cli_expect(guest->err, "bks: --input '0=bot': has no effect, because player 0 is not played "
                           "here, expected 1 to 1\n");
    cli_value(guest->out, "final_hash", hashes[0], TEXT_BYTES);
    cli_value(cli_read("host"), "final_hash", hashes[1], TEXT_BYTES);
    const cli_run *alone = cli("play duel --local 2 --input '*=monkey' --ticks 120 --headless "
                               "--json --no-record");
    cli_value(alone->out, "final_hash", hashes[2], TEXT_BYTES);
    assert_string_equal(hashes[0], hashes[1]);
    assert_string_equal(hashes[0], hashes[2]);
}

static void a_host_with_all_seats_has_no_invitation(void **state)
{
    (void)state;
    const cli_run *run = cli("play duel --host 127.0.0.1:0 --players 1 --input '*=bot' --ticks 5 "
                             "--headless --no-record");
    assert_int_equal(run->status, TOOL_OK);
    assert_int_equal(strncmp(run->out, "duel, ", 6), 0);
}

static void a_game_without_bots_is_one_error(void **state)
{
    (void)state;
    const cli_run *run = cli("play pad --input 0=bot --ticks 5 --headless --no-record");
    assert_int_equal(run->status, TOOL_MISUSE);
    cli_expect(run->err, "this game has no bots");
    assert_null(strchr(strchr(run->err, '\n') + 1, '\n'));
}

static void what_is_about_a_network_needs_one_without_a_menu(void **state)
{
    (void)state;
    const cli_run *run = cli("play duel --link-out delay=5ms --headless");
    assert_int_equal(run->status, TOOL_MISUSE);
    cli_expect(run->err, "--link-out: given for a match without network");
}

static const char diverging[] =
    "#include <unistd.h>\n"
    "#include \"backstitch/plugin.h\"\n"
    "static const bks_field fields[] = {{.name = \"x\", .bits = 1}};\n"
    "static void init(void *s, const bks_start *t) { (void)s; (void)t; }\n"
    "static void step(void *s, const bks_step *t)\n"
    "{ if (t->tick == 20) *(unsigned *)s = (unsigned)getpid(); }\n"
    "static const bks_game game = {.name = \"odd\", .tick_rate_hz = 60, .players_max = 2,\n"
    " .fields = fields, .field_count = 1, .state_bytes = 8, .init = init, .step = step};\n"
    "BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main =\n"
    " {.abi = BKS_PLUGIN_ABI, .game = &game};\n";

static void states_that_differ_are_a_no_and_named(void **state)
{
    (void)state;
    char invitation[TEXT_BYTES];
    char line[512];
    cli_write("odd.c", diverging);
    if (system("cc -std=gnu17 -shared -fPIC -I'" BKS_TEST_SOURCE_DIR "/include' -o odd.so odd.c") !=
        0) {
        skip(); // no compiler by that name here
    }
    const pid_t host = cli_start("play ./odd.so --host 127.0.0.1:0 --players 2 --input '*=idle' "
                                 "--ticks 200 --headless --json --no-record",
                                 "host");
    cli_invitation("host", invitation, TEXT_BYTES);
    snprintf(line, sizeof(line),
             "play ./odd.so --join '%s' --input '*=idle' --headless --json --no-record",
             invitation);
    const cli_run *guest = cli(line);
    assert_int_equal(cli_wait(host), TOOL_NO);
    assert_int_equal(guest->status, TOOL_NO);
    cli_expect_value(guest->out, "agreed", "false");
    cli_expect_value(guest->out, "tick", "21");
    cli_expect(guest->err, "bks: odd: the state of peer 0 differs from ours first at tick 21");
    assert_null(strstr(strstr(guest->err, "differs from ours") + 1, "differs from ours")); // once
}

static void recordings_serve_as_sources(void **state)
{
    (void)state;
    char first[TEXT_BYTES];
    char second[TEXT_BYTES];
    const cli_run *run = cli("play duel --local 2 --input '*=monkey:9' --ticks 50 --headless "
                             "--json --record a.bks");
    cli_value(run->out, "final_hash", first, sizeof(first));
    run = cli("play duel --local 2 --input '*=replay:a.bks' --ticks 50 --headless --json "
              "--no-record");
    cli_value(run->out, "final_hash", second, sizeof(second));
    assert_int_equal(run->status, TOOL_OK);
    assert_string_equal(first, second);
    run = cli("play duel --local 2 --input '*=replay:a.bks' --ticks 51 --headless --no-record");
    assert_int_equal(run->status, TOOL_DAMAGED);
    cli_expect(run->err, "bks: a.bks: tick 50 is not in it");
}

static void a_screenshot_is_taken_without_a_window(void **state)
{
    (void)state;
    const cli_run *run = cli("play duel --local 2 --input '*=bot' --ticks 30 --headless "
                             "--no-record --overlay --screenshot shot.png@20");
    assert_int_equal(run->status, TOOL_OK);
    struct stat about;
    assert_int_equal(stat("shot.png", &about), 0);
    assert_true(about.st_size > 5000);
    assert_memory_equal(cli_read("shot.png"), "\x89PNG", 4);
}

static void without_a_terminal_there_are_lines_and_no_escapes(void **state)
{
    (void)state;
    const cli_run *run = cli("play duel --local 2 --input '*=bot' --ticks 90 --no-record");
    assert_int_equal(run->status, TOOL_OK);
    cli_expect(run->out, "tick ");
    cli_expect(run->out, "ended in order");
    assert_null(strchr(run->out, '\033'));
    assert_null(strchr(run->err, '\033'));
}

static void a_match_cut_short_is_not_finished(void **state)
{
    (void)state;
    const pid_t process =
        cli_start("play duel --local 2 --ticks 100000 --headless --json --no-record", "cut");
    cli_wait_for_handler(process, SIGINT);
    tool_sleep_ns(UINT64_C(700000000));
    assert_int_equal(kill(process, SIGINT), 0);
    assert_int_equal(cli_wait(process), TOOL_NO);
    cli_expect_value(cli_read("cut"), "agreed", "false");
    cli_expect(cli_read("cut.err"), "not finished");
}

static void an_invitation_without_an_answer_is_a_no(void **state)
{
    (void)state;
    const cli_run *run =
        cli("play duel --join 'bks://127.0.0.1:9/#AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8' "
            "--headless "
            "--no-record --verbose");
    assert_int_equal(run->status, TOOL_NO);
    cli_expect(run->err, "bks: ");
}

static void assert_misuse(const char *line, const char *expected)
{
    const cli_run *run = cli(line);
    if (run->status != TOOL_MISUSE || strstr(run->err, expected) == NULL ||
        strncmp(run->err, "bks: ", 5) != 0) {
        fail_msg("%s: status %d, said %s", line, run->status, run->err);
    }
}

static void options_that_exclude_each_other_are_misuse(void **state)
{
    (void)state;
    assert_misuse("play", "play: has 0 arguments, needs 1; expected: bks play GAME [options]");
    assert_misuse("play duel --host 1 --join bks://x:1/#0", "expected one of them");
    assert_misuse("play duel --players 2", "given without --host");
    assert_misuse("play duel --link delay=1ms", "expected --host or --join");
    assert_misuse("play duel --notify-after 200", "--notify-after: given for a match without");
    assert_misuse("play duel --drop-after 200", "--drop-after: given for a match without");
    assert_misuse("play duel --watch a.bks --drop-after 200", "--drop-after: given with --watch");
    assert_misuse("play duel --join bks://x:1/#0 --on-desync stop",
                  "--on-desync: given with --join");
    assert_misuse("play duel --local 2 --on-desync stop", "--on-desync: given for a match without");
    assert_misuse("play duel --watch a.bks --on-desync stop", "--on-desync: given with --watch");
    assert_misuse("play duel --host 0 --notify-after 60001", "100 to 60000");
    assert_misuse("play duel --host 0 --drop-after x", "--drop-after 'x': is not a whole number");
    assert_misuse("play duel --host 0 --drop-after 900", "expected at least the 1000 of --notify");
    assert_misuse("play pad --join bks://x:1/#0 --option state=2MiB", "the host's count for all");
    assert_misuse("play duel --record a.bks --no-record", "expected one of them");
    assert_misuse("play duel --local 5 --headless", "players");
    assert_misuse("play duel --ticks x", "--ticks 'x': is not a whole number");
    assert_misuse("play duel --window 65", "--window '65': is out of range");
    assert_misuse("play duel --delay later", "expected auto or a number");
    assert_misuse("play duel --screenshot a.png", "expected FILE.png@TICK");
    assert_misuse("play duel --screenshot a.png@x", "expected FILE.png@TICK");
    assert_misuse("play duel --join nonsense --headless",
                  "--join 'nonsense': does not begin with ");
    assert_misuse("play duel --host 99999999 --headless",
                  "--host '99999999': has a port that is too large, must be 0..65535\n");
    assert_misuse("play duel --host 127.0.0.1:0 --link speed=9 --headless", "--link 'speed=9': ");
    assert_misuse("play pad --local 1 --input '*=bot'", "this game has no bots");
}

static void a_match_drawn_between_ticks_ends_as_one_that_is_not_drawn(void **state)
{
    (void)state;
    char hashes[2][64];
    const char *const line = "play duel --local 2 --input '*=monkey' --ticks 90 --seed 7 --json "
                             "--no-record";
    char headless[160];
    snprintf(headless, sizeof(headless), "%s --headless", line);
    cli_value(cli(headless)->out, "final_hash", hashes[0], sizeof(hashes[0]));
    assert_int_equal(setenv("SDL_VIDEODRIVER", "dummy", 1), 0);
    const cli_run *run = cli(line);
    (void)unsetenv("SDL_VIDEODRIVER");
    assert_int_equal(run->status, 0);
    cli_value(run->out, "final_hash", hashes[1], sizeof(hashes[1]));
    assert_string_equal(hashes[0], hashes[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_local_match_plays_and_agrees_with_itself),
        cmocka_unit_test(two_over_udp_reach_the_state_that_one_alone_reaches),
        cmocka_unit_test(a_match_without_end_agrees_as_far_as_it_went),
        cmocka_unit_test(a_host_with_all_seats_has_no_invitation),
        cmocka_unit_test(a_game_without_bots_is_one_error),
        cmocka_unit_test(what_is_about_a_network_needs_one_without_a_menu),
        cmocka_unit_test(states_that_differ_are_a_no_and_named),
        cmocka_unit_test(recordings_serve_as_sources),
        cmocka_unit_test(a_match_drawn_between_ticks_ends_as_one_that_is_not_drawn),
        cmocka_unit_test(a_screenshot_is_taken_without_a_window),
        cmocka_unit_test(without_a_terminal_there_are_lines_and_no_escapes),
        cmocka_unit_test(a_match_cut_short_is_not_finished),
        cmocka_unit_test(an_invitation_without_an_answer_is_a_no),
        cmocka_unit_test(options_that_exclude_each_other_are_misuse),
    };
    return cmocka_run_group_tests(tests, cli_setup, cli_teardown);
}
