// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli.h"

/// A match of 200 ticks, recorded by both peers; its hash at the end.
static char final_hash[64];

static int record_match(void **state)
{
    if (cli_setup(state) != 0) {
        return -1;
    }
    const cli_run *run =
        cli("lab duel --ticks 200 --seed 5 --link delay=40ms,loss=3% --record rec --json");
    cli_value(run->out, "final_hash", final_hash, sizeof(final_hash));
    return run->status;
}

static size_t read_recording(uint8_t *bytes, size_t capacity)
{
    FILE *file = cli_open("rec/peer-0.bks", "rb");
    const size_t count = fread(bytes, 1, capacity, file);
    fclose(file);
    assert_in_range(count, 1000, capacity - 1);
    return count;
}

static void write_recording(const char *name, const uint8_t *bytes, size_t count)
{
    FILE *file = cli_open(name, "wb");
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    fclose(file);
}

/// The recording cut to `count` bytes.
static void write_cut(const char *name, size_t count)
{
    static uint8_t bytes[1 << 20];
    const size_t all = read_recording(bytes, sizeof(bytes));
    write_recording(name, bytes, count < all ? count : all - 5);
}

static void info_prints_what_the_contract_names(void **state)
{
    (void)state;
    const cli_run *run = cli("replay info --json rec/peer-0.bks");
    assert_int_equal(run->status, 0);
    cli_expect_value(run->out, "game", "\"duel\"");
    cli_expect_value(run->out, "version", "2");
    cli_expect_value(run->out, "ticks", "200");
    cli_expect_value(run->out, "complete", "true");
    cli_expect_value(run->out, "players", "2");
    cli_expect_value(run->out, "keyframes", "0");
    cli_expect_value(run->out, "final_hash", final_hash);
    cli_expect(run->out, "\"build\": ");
    cli_expect(run->out, "\"bytes\": ");
    cli_expect(run->out, "\"input_bytes\": ");
    cli_expect(run->out, "\"hash_bytes\": ");
    cli_expect(cli("replay info rec/peer-0.bks")->out, "duel, version 2");
    run = cli("replay info --json rec/peer-0.bks rec/peer-1.bks");
    assert_int_equal(run->status, 0);
    cli_expect(run->out, "\"files\": [");
    cli_expect(run->out, "rec/peer-1.bks");
}

static void verify_says_the_same(void **state)
{
    (void)state;
    const cli_run *run = cli("replay verify rec/peer-0.bks rec/peer-1.bks --threads 2");
    assert_int_equal(run->status, 0);
    cli_expect(run->out, "rec/peer-0.bks: the same, 200 ticks\n");
    cli_expect(run->out, "rec/peer-1.bks: the same, 200 ticks\n");
    assert_string_equal(run->err, "");
    cli_expect(cli("replay verify rec")->out, "\nrec/peer-1.bks: the same, 200 ticks\n");
    cli_expect(cli("replay verify rec/")->out, "\nrec/peer-1.bks: the same, 200 ticks\n");
    run = cli("replay verify --json --from 150 rec/peer-1.bks");
    assert_int_equal(run->status, 0);
    cli_expect_value(run->out, "same", "true");
    cli_expect_value(run->out, "compared", "51");
    cli_expect_value(run->out, "final_hash", final_hash);
    run = cli("replay verify --json --from 150 --until 160 --threads 2 rec/peer-1.bks");
    assert_int_equal(run->status, 0);
    cli_expect_value(run->out, "compared", "11");
    assert_int_equal(cli("replay verify --from 160 --until 150 rec/peer-1.bks")->status, 2);
}

static void cut_file_verifies_up_to_there(void **state)
{
    (void)state;
    write_cut("cut.bks", SIZE_MAX);
    const cli_run *run = cli("replay verify cut.bks");
    assert_int_equal(run->status, 0);
    cli_expect(run->out, "the same as far as it goes, 200 ticks; incomplete");
    run = cli("replay info --json cut.bks");
    assert_int_equal(run->status, 0);
    cli_expect_value(run->out, "complete", "false");
    cli_expect_value(run->out, "final_hash", "null");
    write_cut("early.bks", 100);
    run = cli("replay verify early.bks");
    assert_int_equal(run->status, 3);
    cli_expect(run->err, "bks: early.bks: the file ends in its HEAD record");
}

static void changed_byte_is_exit_3_with_its_offset(void **state)
{
    (void)state;
    static uint8_t bytes[1 << 20];
    const size_t count = read_recording(bytes, sizeof(bytes));
    for (size_t i = 0; i < 40; i++) {
        const size_t at = i * count / 40;
        bytes[at] ^= 0x20;
        write_recording("changed.bks", bytes, count);
        bytes[at] ^= 0x20;
        const cli_run *run = cli("replay verify changed.bks");
        if (run->status != 3 || strncmp(run->err, "bks: changed.bks: ", 18) != 0) {
            print_error("byte %zu: exit %d, %s\n", at, run->status, run->err);
            fail();
        }
        const char *offset = strstr(run->err, "at byte ");
        assert_non_null(offset);
        assert_true(strtoul(offset + 8, NULL, 10) <= at);
    }
    const cli_run *run = cli("replay info --json changed.bks");
    assert_int_equal(run->status, 3);
    cli_expect_value(run->out, "complete", "false");
    cli_expect(run->out, "\"damaged\": {");
    assert_int_equal(cli("run duel changed.bks")->status, 3);
    assert_int_equal(cli("replay verify changed.bks rec/peer-0.bks")->status, 3);
}

static void cat_prints_an_input_log_that_plays_the_same(void **state)
{
    (void)state;
    const cli_run *run = cli("replay cat rec/peer-0.bks");
    assert_int_equal(run->status, 0);
    cli_expect(run->out, "\ntick,player,move_x,move_y,fire\n0,0,");
    cli_expect(run->out, "\n199,1,");
    static char text[CLI_TEXT_BYTES];
    snprintf(text, sizeof(text), "%s", run->out);
    cli_write("inputs.csv", text);
    run = cli("lab duel --ticks 200 --seed 5 --input *=trace:inputs.csv --json");
    assert_int_equal(run->status, 0);
    cli_expect_value(run->out, "final_hash", final_hash);
    run = cli("lab duel --ticks 200 --seed 5 --input *=replay:rec/peer-1.bks --json");
    assert_int_equal(run->status, 0);
    cli_expect_value(run->out, "final_hash", final_hash);
    run = cli("replay cat --json --from 198 --until 1000 rec/peer-0.bks");
    assert_int_equal(run->status, 0);
    cli_expect(run->out, "\"tick\": 198");
    cli_expect(run->out, "\"tick\": 199");
    assert_null(strstr(run->out, "\"tick\": 197"));
}

static void cat_shows_commands_and_says_that_an_input_log_does_not_play_them(void **state)
{
    (void)state;
    static const char file[] = BKS_TEST_SOURCE_DIR "/tests/golden/replay_2/commands.bks";
    static const char *const ways[] = {"cat", "export"};
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        char line[sizeof(file) + 64];
        (void)snprintf(line, sizeof(line), "replay %s %s", ways[i], file);
        const cli_run *run = cli(line);
        assert_int_equal(run->status, 0);
        cli_expect(run->out, "\n# command: ");
        cli_expect(run->err, "shows but does not play: --input P=replay:FILE plays both");
    }
    assert_string_equal(cli("replay cat rec/peer-0.bks")->err, "");
}

static void hash_steps_to_the_tick(void **state)
{
    (void)state;
    char quoted[64];
    const cli_run *run = cli("replay hash rec/peer-0.bks");
    assert_int_equal(run->status, 0);
    snprintf(quoted, sizeof(quoted), "\"%.16s\"", run->out);
    assert_string_equal(quoted, final_hash);
    run = cli("replay hash --json --tick 7 rec/peer-0.bks");
    assert_int_equal(run->status, 0);
    cli_expect_value(run->out, "tick", "7");
    cli_expect_value(run->out, "steps", "7");
    cli_expect_value(run->out, "keyframes", "0");
    run = cli("replay hash --tick 120 --tick 7 rec/peer-0.bks");
    assert_int_equal(run->status, 0);
    cli_expect(run->out, "  tick 120\n");
    cli_expect(run->out, "  tick 7\n");
    run = cli("replay hash --json --tick 120 --tick 7 --tick 130 rec/peer-0.bks");
    assert_int_equal(run->status, 0);
    cli_expect_value(run->out, "steps", "120");
    cli_expect(run->out, "\"steps\": 123"); // it stood at tick 7
    run = cli("replay hash --tick -1 rec/peer-0.bks");
    assert_int_equal(run->status, 2);
    cli_expect(run->err, "--tick: is '-1', expected a number, 0 to 2147483647");
    run = cli("replay hash --tick 201 rec/peer-0.bks");
    assert_int_equal(run->status, 2);
    cli_expect(run->err, "has no tick 201, expected --tick 0 to 200");
}

static void tick_behind_the_end_is_wrong_usage(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "replay cat --from 201 rec/peer-0.bks", "replay verify --from 201 rec/peer-0.bks",
        "replay verify --until 201 rec/peer-0.bks", "run rec/peer-0.bks --until 201"};
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        const cli_run *run = cli(lines[i]);
        assert_int_equal(run->status, 2);
        cli_expect(run->err, "has no tick 201, expected ");
        cli_expect(run->err, " to 200");
    }
    assert_int_equal(cli("replay verify --from 200 rec/peer-0.bks")->status, 0);
    const cli_run *run = cli("replay verify --from 201 rec/peer-0.bks rec/peer-1.bks");
    assert_int_equal(run->status, 1);
    cli_expect(run->err, "has no tick 201, so nothing was compared; its ticks are 0 to 200");
    assert_string_equal(run->out, "");
}

static void wrong_usage_is_exit_2(void **state)
{
    (void)state;
    assert_int_equal(cli("replay")->status, 2);
    assert_int_equal(cli("replay --help")->status, 0);
    const cli_run *run = cli("replay verfy rec/peer-0.bks");
    assert_int_equal(run->status, 2);
    cli_expect(run->err, "did you mean 'verify'?");
    assert_int_equal(cli("replay verify")->status, 2);
    assert_int_equal(cli("replay verify --threads 0 rec/peer-0.bks")->status, 2);
    assert_int_equal(cli("replay hash --json rec/peer-0.bks rec/peer-1.bks")->status, 2);
}

static void a_file_that_is_no_recording_is_exit_3(void **state)
{
    (void)state;
    cli_write("text.bks", "hello\n");
    cli_write("empty.bks", "");
    assert_int_equal(cli("replay info text.bks")->status, 3);
    assert_int_equal(cli("replay info empty.bks")->status, 3);
    assert_int_equal(cli("replay info missing.bks")->status, 3);
    const cli_run *run = cli("replay verify --json missing.bks rec/peer-0.bks");
    assert_int_equal(run->status, 3);
    cli_expect(run->out, "\"same\": false");
    cli_expect(run->err, "bks: missing.bks: cannot be read");
}

// One of many is no plural.
static void expect_singular(const char *command)
{
    static const char *const plurals[] = {"ticks", "hashes", "states", "rollbacks",
                                          "times", "peers",  "players"};
    const cli_run *run = cli(command);
    for (size_t i = 0; i < sizeof(plurals) / sizeof(plurals[0]); i++) {
        char wrong[32];
        snprintf(wrong, sizeof(wrong), " 1 %s", plurals[i]);
        if (strstr(run->out, wrong) != NULL) {
            fail_msg("'%s' is in what %s prints:\n%s", wrong, command, run->out);
        }
    }
}

static void of_one_tick_there_is_a_singular(void **state)
{
    (void)state;
    static const char *const commands[] = {
        "monkey duel --ticks 1 --players 1 --record one.bks",
        "monkey duel --ticks 1 --seed 2 --record two.bks",
        "replay info one.bks",
        "replay diff one.bks two.bks",
        "replay diff one.bks one.bks",
        "replay verify one.bks",
        "run duel one.bks",
        "run duel one.bks --as-player 0",
        "lab duel --ticks 1 --record m",
        "replay info m/peer-0.bks",
        "doctor duel one.bks two.bks",
        "check duel --ticks 1 --variants resim,import",
    };
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        expect_singular(commands[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(info_prints_what_the_contract_names),
        cmocka_unit_test(of_one_tick_there_is_a_singular),
        cmocka_unit_test(verify_says_the_same),
        cmocka_unit_test(cut_file_verifies_up_to_there),
        cmocka_unit_test(changed_byte_is_exit_3_with_its_offset),
        cmocka_unit_test(cat_prints_an_input_log_that_plays_the_same),
        cmocka_unit_test(cat_shows_commands_and_says_that_an_input_log_does_not_play_them),
        cmocka_unit_test(hash_steps_to_the_tick),
        cmocka_unit_test(tick_behind_the_end_is_wrong_usage),
        cmocka_unit_test(wrong_usage_is_exit_2),
        cmocka_unit_test(a_file_that_is_no_recording_is_exit_3),
    };
    return cmocka_run_group_tests(tests, record_match, cli_teardown);
}
