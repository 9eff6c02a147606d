// SPDX-License-Identifier: MIT

// A game with commands through the program: monkeys, traces, recordings, diff and check.

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/tool.h"
#include "cli.h"

/// Game whose state is made of its commands alone. With PLANTED its step counts them in a variable
/// outside of the state, too.
static const char source[] =
    "#include \"backstitch/plugin.h\"\n"
    "static const bks_field fields[] = {{.name = \"x\", .bits = 8}};\n"
    "static unsigned hidden;\n"
    "static void init(void *s, const bks_start *t) { (void)s; (void)t; }\n"
    "static void step(void *s, const bks_step *t)\n"
    "{ unsigned *sums = s; bks_command c = {0};\n"
    "  while (bks_step_command(t, &c)) {\n"
    "    for (unsigned i = 0; i < c.count; i++) {\n"
    "      sums[c.player] = sums[c.player] * 31 + c.bytes[i] + 1; }\n"
    "#ifdef PLANTED\n"
    "    sums[2] += hidden++;\n"
    "#endif\n"
    "  } }\n"
    "#ifdef RESPONSE\n"
    "#include <stdlib.h>\n"
    "static void respond(const void *s, const bks_command *c)\n"
    "{ unsigned *sums = (unsigned *)s; RESPONSE; (void)sums; (void)c; }\n"
    "#else\n"
    "#define respond 0\n"
    "#endif\n"
    "static const bks_game game = {.name = \"orders\", .tick_rate_hz = 500, .players_max = 2,\n"
    " .fields = fields, .field_count = 1, .state_bytes = 16, .init = init, .step = step,\n"
    " .command_bytes_max = 3000, .on_command = respond};\n"
    "BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main =\n"
    " {.abi = BKS_PLUGIN_ABI, .game = &game};\n";

static int build_games(void **state)
{
    if (cli_setup(state) != 0) {
        return -1;
    }
    cli_write("orders.c", source);
    static const char *const built[] = {"-o orders.so", "-DPLANTED -o planted.so",
                                        "-D'RESPONSE=sums[3]++' -o writes.so",
                                        "-D'RESPONSE=if(c->player)abort()' -o aborts.so"};
    for (size_t i = 0; i < sizeof(built) / sizeof(built[0]); i++) {
        char line[1024];
        (void)snprintf(line, sizeof(line),
                       "cc -g -std=gnu17 -shared -fPIC -I'" BKS_TEST_SOURCE_DIR
                       "/include' %s orders.c "
                       "'" BKS_TEST_BINARY_DIR "/src/libbackstitch.a'",
                       built[i]);
        if (system(line) != 0) {
            return -1;
        }
    }
    return 0;
}

static void a_monkeys_commands_are_recorded_and_verify(void **state)
{
    (void)state;
    cli_expect_status(cli("monkey ./orders.so --ticks 400 --record m.bks --json"), TOOL_OK);
    const cli_run *run = cli("replay verify --game ./orders.so --json m.bks");
    cli_expect_status(run, TOOL_OK);
    cli_expect_value(run->out, "compared", "401");
    cli_expect_status(cli("replay cut --game ./orders.so --from 150 --until 300 -o part.bks m.bks"),
                      TOOL_OK);
    cli_expect_status(cli("replay verify --game ./orders.so part.bks"), TOOL_OK);
}

static void an_exported_command_trace_plays_the_same_commands(void **state)
{
    (void)state;
    static char text[CLI_TEXT_BYTES];
    char hash[20];
    cli_expect_status(cli("monkey ./orders.so --ticks 30 --record m.bks --json"), TOOL_OK);
    (void)snprintf(hash, sizeof(hash), "%.16s", cli("replay hash --game ./orders.so m.bks")->out);
    const cli_run *run = cli("replay export --format commands m.bks");
    cli_expect_status(run, TOOL_OK);
    assert_string_equal(run->err, "");
    assert_true(strlen(run->out) < CLI_TEXT_BYTES - 1);
    (void)snprintf(text, sizeof(text), "%s", run->out);
    cli_write("commands.csv", text);
    cli_expect_status(cli("play ./orders.so --input '*=trace:commands.csv' --local 2 --ticks 30 "
                          "--headless --record again.bks"),
                      TOOL_OK);
    assert_memory_equal(cli("replay hash --game ./orders.so again.bks")->out, hash, 16);
    assert_string_equal(cli("replay export --format commands again.bks")->out, text);
    cli_expect_status(cli("replay export --format commands --hashes m.bks"), TOOL_MISUSE);
}

static void shown_commands_have_tick_player_size_and_first_bytes(void **state)
{
    (void)state;
    cli_write("own.csv", "tick,player,nbytes,hexpayload\n3,1,4,0c40ff01\n"
                         "5,0,33,000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20"
                         "\n");
    cli_expect_status(cli("play ./orders.so --input '*=trace:own.csv' --local 2 --ticks 9 "
                          "--headless --record own.bks"),
                      TOOL_OK);
    const cli_run *run = cli("replay cat own.bks");
    cli_expect(run->out, "\n# command: 3 1 4 0c40ff01\n# command: 5 0 33 000102");
    cli_expect(run->out, "1e1f...\ntick,player,x\n");
    run = cli("replay cat --from 4 --json own.bks");
    cli_expect(run->out, "\"commands\": [\n    [5, 0, \"000102");
    cli_expect(run->out, "1e1f20\"]\n");
}

static void games_says_that_a_game_has_commands(void **state)
{
    (void)state;
    cli_expect(cli("games ./orders.so")->out, "\n  commands of up to 3000 bytes\n");
    cli_expect_value(cli("games ./orders.so --json")->out, "command_bytes_max", "3000");
    assert_null(strstr(cli("games duel")->out, "commands"));
}

static void a_taken_over_recording_keeps_its_commands_up_to_that_tick(void **state)
{
    (void)state;
    cli_expect_status(cli("monkey ./orders.so --ticks 100 --record m.bks --json"), TOOL_OK);
    cli_expect_status(cli("play ./orders.so --take-over m.bks --from 50 --input '*=idle' "
                          "--ticks 100 --headless --record taken.bks"),
                      TOOL_OK);
    const cli_run *run = cli("replay diff --game ./orders.so --json m.bks taken.bks");
    cli_expect_status(run, TOOL_NO);
    char tick[64];
    cli_value(strstr(run->out, "\"inputs\""), "tick", tick, sizeof(tick));
    assert_in_range(strtol(tick, NULL, 10), 50, 70);
}

static void check_steps_every_variant_with_the_commands_of_the_tape(void **state)
{
    (void)state;
    const cli_run *run = cli("check ./orders.so --ticks 60 --json");
    cli_expect_status(run, TOOL_OK);
    cli_expect_value(run->out, "deterministic", "true");
    run = cli("check ./planted.so --ticks 60 --variants resim --json");
    cli_expect_status(run, TOOL_NO);
    cli_expect_value(run->out, "deterministic", "false");
    run = cli("check ./planted.so --ticks 60 --variants again --json");
    cli_expect_status(run, TOOL_NO);
    cli_expect_status(cli("monkey ./orders.so --ticks 60 --record c.bks"), TOOL_OK);
    run = cli("check ./planted.so --ticks 60 --variants resim --input '*=replay:c.bks'");
    cli_expect_status(run, TOOL_MISUSE);
    run = cli("check ./planted.so --ticks 60 --variants resim --input replay:c.bks");
    cli_expect_status(run, TOOL_NO);
}

static void check_finds_a_response_to_commands_that_writes_the_state(void **state)
{
    (void)state;
    const cli_run *run = cli("check ./writes.so --ticks 60 --json");
    cli_expect_status(run, TOOL_NO);
    cli_expect(run->out, "\"cause\": \"drawing\"");
    cli_expect(run->out, "respond");
}

static void check_finds_a_response_to_commands_that_crashes(void **state)
{
    (void)state;
    const cli_run *run = cli("check ./aborts.so --ticks 60 --json");
    cli_expect_status(run, TOOL_NO);
    cli_expect(run->out, "respond");
}

static void the_command_that_a_crash_of_a_response_names_finds_its_line(void **state)
{
    (void)state;
    const cli_run *run = cli("lab ./aborts.so --ticks 60");
    cli_expect(run->err, "crashed (SIGABRT) outside of a step\n");
    char line[128] = "";
    const char *named = strstr(run->err, "looks for the line: bks ");
    assert_non_null(named);
    assert_int_equal(sscanf(named, "looks for the line: bks %127[^\n]", line), 1);
    run = cli(line);
    cli_expect_status(run, TOOL_NO);
    cli_expect(run->out, ", in respond");
}

static void the_sync_test_steps_with_commands(void **state)
{
    (void)state;
    const cli_run *run = cli("play ./orders.so --headless --local 2 --ticks 100 --sync-test 8 "
                             "--input '*=monkey' --record s.bks");
    cli_expect_status(run, TOOL_OK);
    run = cli("play ./planted.so --headless --local 2 --ticks 100 --sync-test 8 "
              "--input '*=monkey' --record s.bks");
    assert_int_not_equal(run->status, TOOL_OK);
}

/// Play a command trace, with `row` for player 1 at tick 20, into a recording.
static void record(const char *row, const char *file)
{
    char text[512];
    (void)snprintf(text, sizeof(text),
                   "tick,player,nbytes,hexpayload\n3,0,2,0102\n20,1,2,0aff\n%s\n30,1,1,07\n", row);
    cli_write("trace.csv", text);
    (void)snprintf(text, sizeof(text),
                   "play ./orders.so --headless --local 2 --ticks 60 --input '*=trace:trace.csv' "
                   "--delay 0 --window 0 --record %s",
                   file);
    cli_expect_status(cli(text), TOOL_OK);
}

static void commands_that_differ_are_shown_as_bytes_of_both_sides(void **state)
{
    (void)state;
    static const struct {
        const char *rows[2], *says;
    } cases[] = {
        {{"20,1,5,0001020304", "20,1,5,0001ff0304"},
         "command 1, byte 2: 0001[02]0304 (5 bytes) in A, 0001[ff]0304 (5 bytes) in B"},
        {{"20,1,2,0001", "20,1,3,000102"},
         "command 1, byte 2: 0001[] (2 bytes) in A, 0001[02] (3 bytes) in B"},
        {{"", "20,1,1,00"}, "command 1, byte 0: none in A, [00] (1 byte) in B"},
        {{"20,1,1,00", ""}, "command 1, byte 0: [00] (1 byte) in A, none in B"},
        {{"20,1,1,00\n20,1,1,01", "20,1,1,00\n20,1,1,02"},
         "command 2, byte 0: [01] (1 byte) in A, [02] (1 byte) in B"},
        {{"20,1,40,"
          "00000000000000000000aa0000000000000000000000000000000000000000000000000000000000",
          "20,1,40,"
          "00000000000000000000bb0000000000000000000000000000000000000000000000000000000000"},
         "command 1, byte 10: "
         "..0000000000000000[aa]000000000000000000000000000000000000000000000000"
         ".. (40 bytes) in A, "},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        record(cases[i].rows[0], "a.bks");
        record(cases[i].rows[1], "b.bks");
        const cli_run *run = cli("replay diff --game ./orders.so --json a.bks b.bks");
        cli_expect_status(run, TOOL_NO);
        cli_expect(run->out, "inputs: differ first at tick 20, player 1, command ");
        cli_expect(run->out, cases[i].says);
        cli_expect_value(strstr(run->out, "\"inputs\""), "field", "\"commands\"");
        cli_expect_value(run->out, "cause", "\"inputs\"");
        cli_expect_value(run->out, "proven", "true");
    }
    const cli_run *run = cli("doctor ./orders.so a.bks b.bks --html page.html");
    cli_expect_status(run, TOOL_NO);
    cli_expect(run->out, "[bb]");
    cli_expect(cli_read("page.html"), "command 1, byte 10: ..0000000000000000[aa]0000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_monkeys_commands_are_recorded_and_verify),
        cmocka_unit_test(an_exported_command_trace_plays_the_same_commands),
        cmocka_unit_test(shown_commands_have_tick_player_size_and_first_bytes),
        cmocka_unit_test(games_says_that_a_game_has_commands),
        cmocka_unit_test(a_taken_over_recording_keeps_its_commands_up_to_that_tick),
        cmocka_unit_test(check_steps_every_variant_with_the_commands_of_the_tape),
        cmocka_unit_test(check_finds_a_response_to_commands_that_writes_the_state),
        cmocka_unit_test(check_finds_a_response_to_commands_that_crashes),
        cmocka_unit_test(the_command_that_a_crash_of_a_response_names_finds_its_line),
        cmocka_unit_test(the_sync_test_steps_with_commands),
        cmocka_unit_test(commands_that_differ_are_shown_as_bytes_of_both_sides),
    };
    return cmocka_run_group_tests(tests, build_games, cli_teardown);
}
