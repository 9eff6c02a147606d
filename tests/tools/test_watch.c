// SPDX-License-Identifier: MIT

// Watching a recording through the program.

#define _GNU_SOURCE

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/tool.h"
#include "cli.h"

enum { TICKS = 90, BYTES_MAX = 1 << 20, TEXT_BYTES = 128 };

/// A match of TICKS ticks; its hash at the end.
static char final_hash[TEXT_BYTES];

static int record_match(void **state)
{
    if (cli_setup(state) != 0) {
        return -1;
    }
    const cli_run *run = cli("lab duel --ticks 90 --seed 5 --record rec --json");
    cli_value(run->out, "final_hash", final_hash, sizeof(final_hash));
    return run->status;
}

static size_t read_bytes(const char *name, uint8_t *bytes)
{
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    const size_t count = fread(bytes, 1, BYTES_MAX, file);
    fclose(file);
    return count;
}

static void write_bytes(const char *name, const char *mode, const uint8_t *bytes, size_t count)
{
    FILE *file = fopen(name, mode);
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

/// It has not grown lately.
static void make_old(const char *name)
{
    const struct timespec times[2] = {{.tv_sec = 1000000}, {.tv_sec = 1000000}};
    assert_int_equal(utimensat(AT_FDCWD, name, times, 0), 0);
}

static void it_plays_at_the_speed_of_the_game_and_compares_every_hash(void **state)
{
    (void)state;
    char wall[TEXT_BYTES];
    const cli_run *run = cli("play duel --watch rec/peer-0.bks --headless --json");
    assert_int_equal(run->status, TOOL_OK);
    assert_string_equal(run->err, "");
    cli_expect_value(run->out, "agreed", "true");
    cli_expect_value(run->out, "ticks", "90");
    cli_expect_value(run->out, "compared", "90");
    cli_expect_value(run->out, "final_hash", final_hash);
    cli_expect_value(run->out, "complete", "true");
    cli_value(run->out, "wall_s", wall, sizeof(wall));
    assert_true(strtod(wall, NULL) >= 1.4); // a machine may be slower, never faster
}

static void it_plays_a_part(void **state)
{
    (void)state;
    const cli_run *run = cli("play duel --watch rec/peer-0.bks --headless --json --from 40 "
                             "--ticks 60");
    assert_int_equal(run->status, TOOL_OK);
    cli_expect_value(run->out, "from", "40");
    cli_expect_value(run->out, "ticks", "60");
    cli_expect_value(run->out, "compared", "20");
    char hash[TEXT_BYTES];
    cli_value(run->out, "final_hash", hash, sizeof(hash));
    char quoted[TEXT_BYTES];
    snprintf(quoted, sizeof(quoted), "\"%.16s\"", cli("replay hash --tick 60 rec/peer-0.bks")->out);
    assert_string_equal(hash, quoted);
}

/// The game with one step changed: at tick 30 a byte of the state is another.
static const char changed[] =
    "#include \"backstitch/plugin.h\"\n"
    "static const bks_field fields[] = {{.name = \"x\", .bits = 8}};\n"
    "static void init(void *s, const bks_start *t) { (void)s; (void)t; }\n"
    "static void step(void *s, const bks_step *t)\n"
    "{ const int *in = bks_step_input(t, 0); *(unsigned *)s += (unsigned)in[0] + 1;\n"
    "  if (t->tick == 30) *(unsigned *)s += WRONG; }\n"
    "static const bks_game game = {.name = \"odd\", .tick_rate_hz = 60, .players_max = 1,\n"
    " .fields = fields, .field_count = 1, .state_bytes = 8, .init = init, .step = step};\n"
    "BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main =\n"
    " {.abi = BKS_PLUGIN_ABI, .game = &game};\n";

static void a_state_that_differs_is_a_no_and_named(void **state)
{
    (void)state;
    cli_write("odd.c", changed);
    if (system("cc -std=gnu17 -shared -fPIC -DWRONG=0 -I'" BKS_TEST_SOURCE_DIR
               "/include' -o odd.so odd.c && cc -std=gnu17 -shared -fPIC -DWRONG=1 "
               "-I'" BKS_TEST_SOURCE_DIR "/include' -o other.so odd.c") != 0) {
        skip(); // no compiler by that name here
    }
    assert_int_equal(cli("monkey ./odd.so --ticks 60 --record odd.bks")->status, TOOL_OK);
    assert_int_equal(cli("play ./odd.so --watch odd.bks --headless")->status, TOOL_OK);
    const cli_run *run = cli("play ./other.so --watch odd.bks --headless --json");
    assert_int_equal(run->status, TOOL_NO);
    cli_expect_value(run->out, "agreed", "false");
    cli_expect_value(run->out, "tick", "31");
    cli_expect(run->err, "bks: odd.bks: the state at tick 31 is not the recorded one");
}

static void the_ticks_of_an_incomplete_file_are_played(void **state)
{
    (void)state;
    static uint8_t bytes[BYTES_MAX];
    const size_t count = read_bytes("rec/peer-0.bks", bytes);
    write_bytes("cut.bks", "wb", bytes, count - 5);
    make_old("cut.bks");
    const cli_run *run = cli("play duel --watch cut.bks --headless --json --from 60");
    assert_int_equal(run->status, TOOL_OK);
    cli_expect_value(run->out, "complete", "false");
    cli_expect_value(run->out, "ticks", "90");
    cli_expect_value(run->out, "agreed", "true");
    run = cli("play duel --watch cut.bks --from 60"); // lines
    cli_expect(run->out, "x1   incomplete   ");
    write_bytes("early.bks", "wb", bytes, 60);
    make_old("early.bks");
    run = cli("play duel --watch early.bks --headless");
    assert_int_equal(run->status, TOOL_DAMAGED);
    cli_expect(run->err, "bks: early.bks: the file ends in its HEAD record");
}

static void lost_ticks_of_a_damaged_file_are_skipped_and_reported(void **state)
{
    (void)state;
    static uint8_t bytes[BYTES_MAX];
    assert_int_equal(cli("monkey duel --ticks 1300 --record long.bks")->status, TOOL_OK);
    const size_t count = read_bytes("long.bks", bytes);
    // The first chunk is the one whose damage costs ticks before a keyframe.
    const uint8_t *found = memmem(bytes, count, "TICK", 4);
    assert_non_null(found);
    bytes[found - bytes + 40] ^= 1;
    write_bytes("damaged.bks", "wb", bytes, count);
    make_old("damaged.bks");
    const cli_run *run = cli("play duel --watch damaged.bks --headless --json --ticks 700");
    assert_int_equal(run->status, TOOL_DAMAGED);
    cli_expect(run->err, "bks: damaged.bks: ");
    cli_expect(run->err, "at byte ");
    cli_expect_value(run->out, "ticks", "700");
    cli_expect_value(run->out, "desync", "null");
    char lost[TEXT_BYTES];
    cli_value(run->out, "lost", lost, sizeof(lost));
    assert_in_range(strtol(lost, NULL, 10), 600, 699);
}

static void a_file_that_is_being_written_is_followed_to_its_end(void **state)
{
    (void)state;
    char hash[TEXT_BYTES];
    const pid_t player = cli_start("play duel --local 2 --input '*=monkey' --ticks 300 --headless "
                                   "--json --record live.bks",
                                   "player");
    for (int i = 0; i < 500 && access("live.bks", R_OK) != 0; i++) {
        tool_sleep_ns(UINT64_C(10000000));
    }
    const cli_run *run = cli("play duel --watch live.bks --headless --json");
    assert_int_equal(cli_wait(player), TOOL_OK);
    assert_int_equal(run->status, TOOL_OK);
    assert_string_equal(run->err, ""); // not given up, but seen to be complete
    cli_expect_value(run->out, "agreed", "true");
    cli_expect_value(run->out, "ticks", "300");
    cli_expect_value(run->out, "compared", "300");
    cli_value(cli_read("player"), "final_hash", hash, sizeof(hash));
    cli_expect_value(run->out, "final_hash", hash);
}

static void a_later_tick_is_waited_for_and_missed_when_it_does_not_come(void **state)
{
    (void)state;
    const pid_t player = cli_start("play duel --local 2 --input '*=monkey' --ticks 300 --headless "
                                   "--record later.bks",
                                   "player");
    for (int i = 0; i < 500 && access("later.bks", R_OK) != 0; i++) {
        tool_sleep_ns(UINT64_C(10000000));
    }
    const cli_run *run = cli("play duel --watch later.bks --from 290 --headless --json");
    assert_int_equal(run->status, TOOL_OK);
    cli_expect_value(run->out, "ticks", "300");
    assert_int_equal(cli_wait(player), TOOL_OK);
    run = cli("play duel --watch later.bks --from 301 --headless");
    assert_int_equal(run->status, TOOL_MISUSE);
    cli_expect(run->err, "has no tick 301, expected --from 0 to 300");
    // Its end is missing, and it seems to be written still: what is not appended is not there yet.
    assert_int_equal(system("head -c -70 later.bks >cut.bks"), 0);
    run = cli("play duel --take-over cut.bks --from 900 --input '*=idle' --headless");
    assert_int_equal(run->status, TOOL_MISUSE);
    cli_expect(run->err, "has no tick 900 yet, expected --from 0 to ");
    run = cli("play duel --watch cut.bks --from 900 --headless");
    assert_int_equal(run->status, TOOL_NO);
    cli_expect(run->err, "tick 900 is not recorded yet, waiting; there are ");
    cli_expect(run->err, "has no tick 900: it ended at tick ");
}

static void a_file_that_stops_growing_is_given_up_and_its_end_played(void **state)
{
    (void)state;
    const pid_t player = cli_start("play duel --local 2 --input '*=monkey' --ticks 6000 "
                                   "--headless --record dead.bks",
                                   "player");
    for (int i = 0; i < 500 && access("dead.bks", R_OK) != 0; i++) {
        tool_sleep_ns(UINT64_C(10000000));
    }
    const pid_t watcher = cli_start("play duel --watch dead.bks --headless --json", "watcher");
    tool_sleep_ns(UINT64_C(900000000));
    assert_int_equal(kill(player, SIGKILL), 0);
    (void)cli_wait(player);
    assert_int_equal(cli_wait(watcher), TOOL_OK);
    cli_expect(cli_read("watcher.err"), "bks: dead.bks: incomplete: nothing was written to it");
    char ticks[TEXT_BYTES];
    cli_value(cli_read("watcher"), "ticks", ticks, sizeof(ticks));
    cli_expect_value(cli_read("watcher"), "complete", "false");
    cli_expect_value(cli("replay info --json dead.bks")->out, "ticks", ticks); // to the last one
    assert_true(strtol(ticks, NULL, 10) > 10);
}

static void ended_by_hand_before_its_last_tick_is_a_no(void **state)
{
    (void)state;
    const pid_t watcher =
        cli_start("play duel --watch rec/peer-0.bks --ticks 90 --headless --json", "watcher");
    cli_wait_for_handler(watcher, SIGTERM);
    tool_sleep_ns(UINT64_C(300000000));
    assert_int_equal(kill(watcher, SIGTERM), 0);
    assert_int_equal(cli_wait(watcher), TOOL_NO);
    cli_expect_value(cli_read("watcher"), "finished", "false");
    cli_expect(cli_read("watcher.err"), "not finished: ended at tick ");
}

static void a_player_that_takes_over_plays_on_from_there(void **state)
{
    (void)state;
    const cli_run *run = cli("play duel --take-over rec/peer-0.bks --from 60 --input '*=monkey:9' "
                             "--ticks 120 --headless --json --record new.bks");
    assert_int_equal(run->status, TOOL_OK);
    cli_expect_value(run->out, "taken_over", "60");
    cli_expect_value(run->out, "ticks", "120");
    char hash[TEXT_BYTES];
    cli_value(run->out, "final_hash", hash, sizeof(hash));
    run = cli("replay verify --json new.bks");
    assert_int_equal(run->status, TOOL_OK);
    cli_expect_value(run->out, "complete", "true");
    cli_expect_value(run->out, "final_hash", hash);
    // The old inputs up to there, then those that the monkey always has at these ticks.
    static char old[CLI_TEXT_BYTES];
    snprintf(old, sizeof(old), "%s", cli("replay cat --until 60 rec/peer-0.bks")->out);
    assert_string_equal(cli("replay cat --until 60 new.bks")->out, old);
    assert_int_equal(
        cli("lab duel --ticks 120 --input '*=monkey:9' --seed 5 --record monkey --json")->status,
        TOOL_OK);
    snprintf(old, sizeof(old), "%s", cli("replay cat --from 60 monkey/peer-0.bks")->out);
    assert_string_equal(cli("replay cat --from 60 new.bks")->out, old);
}

static void ended_by_hand_the_new_recording_is_complete(void **state)
{
    (void)state;
    const pid_t player = cli_start("play duel --take-over rec/peer-0.bks --from 30 --input "
                                   "'*=bot' --headless --json --record ended.bks",
                                   "player");
    cli_wait_for_handler(player, SIGTERM);
    tool_sleep_ns(UINT64_C(600000000));
    assert_int_equal(kill(player, SIGTERM), 0);
    assert_int_equal(cli_wait(player), TOOL_OK);
    const cli_run *run = cli("replay verify --json ended.bks");
    assert_int_equal(run->status, TOOL_OK);
    cli_expect_value(run->out, "complete", "true");
}

static void a_screenshot_has_the_scrubber(void **state)
{
    (void)state;
    const cli_run *run = cli("play duel --watch rec/peer-0.bks --from 50 --ticks 60 --headless "
                             "--screenshot shot.png@55");
    assert_int_equal(run->status, TOOL_OK);
    struct stat about;
    assert_int_equal(stat("shot.png", &about), 0);
    assert_true(about.st_size > 5000);
    run = cli("play duel --watch rec/peer-0.bks --from 60");
    assert_int_equal(run->status, TOOL_OK); // no terminal: lines
    cli_expect(run->out, "tick 60/90   0:01.0 of 0:01.5   x1");
    assert_null(strchr(run->out, '\033'));
}

static void assert_refused(int status, const char *line, const char *expected)
{
    const cli_run *run = cli(line);
    if (run->status != status || strstr(run->err, expected) == NULL ||
        strncmp(run->err, "bks: ", 5) != 0) {
        fail_msg("%s: status %d, said %s", line, run->status, run->err);
    }
}

static void an_unwatchable_file_is_refused(void **state)
{
    (void)state;
    cli_write("text.bks", "hello, this is no recording\n");
    assert_refused(3, "play duel --headless --watch missing.bks", "cannot be read");
    assert_refused(3, "play duel --headless --watch text.bks", "text.bks");
    assert_refused(2, "play pad --headless --watch rec/peer-0.bks",
                   "is a recording of duel, expected one of pad");
    assert_refused(2, "play duel --headless --watch rec/peer-0.bks --from 91",
                   "has no tick 91, expected --from 0 to 90");
    assert_refused(2, "play duel --headless --take-over rec/peer-0.bks --from 91",
                   "has no tick 91, expected --from 0 to 90");
    assert_refused(2, "play duel --headless --watch rec/peer-0.bks --ticks 91",
                   "has no tick 91, expected --ticks 0 to 90");
    assert_refused(2, "play duel --headless --watch rec/peer-0.bks --host 0",
                   "--host: given with --watch");
    assert_refused(2, "play duel --headless --take-over rec/peer-0.bks --from 5 --input '*=x'",
                   "is no source");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_plays_at_the_speed_of_the_game_and_compares_every_hash),
        cmocka_unit_test(it_plays_a_part),
        cmocka_unit_test(a_state_that_differs_is_a_no_and_named),
        cmocka_unit_test(the_ticks_of_an_incomplete_file_are_played),
        cmocka_unit_test(lost_ticks_of_a_damaged_file_are_skipped_and_reported),
        cmocka_unit_test(a_file_that_is_being_written_is_followed_to_its_end),
        cmocka_unit_test(a_later_tick_is_waited_for_and_missed_when_it_does_not_come),
        cmocka_unit_test(a_file_that_stops_growing_is_given_up_and_its_end_played),
        cmocka_unit_test(ended_by_hand_before_its_last_tick_is_a_no),
        cmocka_unit_test(a_player_that_takes_over_plays_on_from_there),
        cmocka_unit_test(ended_by_hand_the_new_recording_is_complete),
        cmocka_unit_test(a_screenshot_has_the_scrubber),
        cmocka_unit_test(an_unwatchable_file_is_refused),
    };
    return cmocka_run_group_tests(tests, record_match, cli_teardown);
}
