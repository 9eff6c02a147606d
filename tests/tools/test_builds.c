// SPDX-License-Identifier: MIT

// Of several builds of a game the one that recorded is stepped.

#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/tool.h"
#include "cli.h"

enum { TEXT_BYTES = 256 };

/// A game whose builds step differently.
static const char tiny[] =
    "#include \"backstitch/plugin.h\"\n"
    "static const bks_field fields[] = {{.name = \"x\", .bits = 8}};\n"
    "static void init(void *s, const bks_start *t) { (void)s; (void)t; }\n"
    "static void step(void *s, const bks_step *t)\n"
    "{ unsigned *sum = s; *sum = *sum * 31 + (unsigned)t->inputs[0] + BUILD; }\n"
    "static const bks_game game = {.name = \"tiny\", .version = VERSION, .tick_rate_hz = 60,\n"
    " .players_max = 1, .fields = fields, .field_count = 1, .state_bytes = 8, .init = init,\n"
    " .step = step};\n"
    "BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main =\n"
    " {.abi = BKS_PLUGIN_ABI, .game = &game};\n";

static bool build(const char *name, const char *flags)
{
    char line[2048];
    snprintf(line, sizeof(line), "cc -std=c17 -shared -fPIC -I'%s/include' %s -o %s tiny.c",
             BKS_TEST_SOURCE_DIR, flags, name);
    return system(line) == 0;
}

static bool has_compiler;

/// Four builds: two beside each other, one elsewhere, one of another version.
static int make_builds(void **state)
{
    if (cli_setup(state) != 0) {
        return -1;
    }
    cli_write("tiny.c", tiny);
    if (system("mkdir found") != 0 || setenv("BKS_GAME_PATH", "found", 1) != 0) {
        return -1;
    }
    has_compiler = build("found/tiny.so", "-DBUILD=1 -DVERSION=1") &&
                   build("found/a-tiny.so", "-DBUILD=2 -DVERSION=1") &&
                   build("found/unnamed.so", "-DBUILD=3 -DVERSION=1 -Wl,--build-id=none") &&
                   build("elsewhere.so", "-DBUILD=4 -DVERSION=1") &&
                   build("later.so", "-DBUILD=1 -DVERSION=2");
    return has_compiler
               ? cli("monkey tiny --ticks 90 --record tiny.bks")->status |
                     cli("monkey found/a-tiny.so --ticks 90 --record a.bks")->status |
                     cli("monkey found/unnamed.so --ticks 90 --record unnamed.bks")->status |
                     cli("monkey ./elsewhere.so --ticks 90 --record elsewhere.bks")->status |
                     cli("monkey ./later.so --ticks 90 --record later.bks")->status
               : 0;
}

static int remove_builds(void **state)
{
    (void)unsetenv("BKS_GAME_PATH");
    return cli_teardown(state);
}

static void expect(const char *line, int status, const char *out, const char *err)
{
    const cli_run *run = cli(line);
    if (run->status != status) {
        fail_msg("bks %s: exit %d, must be %d:\n%s\n%s", line, run->status, status, run->out,
                 run->err);
    }
    cli_expect(run->out, out);
    cli_expect(run->err, err);
    if (err[0] == '\0') {
        assert_string_equal(run->err, "");
    }
}

static void the_build_that_recorded_is_found_whatever_its_file_is_called(void **state)
{
    (void)state;
    if (!has_compiler) {
        skip();
    }
    static const char *const files[] = {"tiny.bks", "a.bks", "unnamed.bks"};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        char line[TEXT_BYTES];
        static const char *const commands[] = {"replay verify %s", "run %s", "run tiny %s",
                                               "replay hash %s",
                                               "play tiny --watch %s --headless --ticks 20"};
        for (size_t c = 0; c < sizeof(commands) / sizeof(commands[0]); c++) {
            snprintf(line, sizeof(line), commands[c], files[i]);
            expect(line, TOOL_OK, "", "");
        }
    }
    expect("replay verify --threads 2 tiny.bks a.bks unnamed.bks", TOOL_OK,
           "unnamed.bks: the same, 90 ticks", "");
    // What is gone on with is recorded with the build that it is played with.
    expect("play tiny --take-over a.bks --from 50 --input '*=idle' --ticks 60 --headless "
           "--record on.bks",
           TOOL_OK, "", "");
    expect("replay verify on.bks", TOOL_OK, "on.bks: the same", "");
}

static void a_path_is_taken_as_it_is(void **state)
{
    (void)state;
    if (!has_compiler) {
        skip();
    }
    expect("run found/tiny.so a.bks", TOOL_NO, "", "the state at tick 1 is not the recorded one");
}

static void without_the_build_both_are_named_and_what_to_do(void **state)
{
    (void)state;
    if (!has_compiler) {
        skip();
    }
    char recorded[TEXT_BYTES];
    char build_here[TEXT_BYTES];
    char sentence[TEXT_BYTES * 3];
    cli_value(cli("replay info --json elsewhere.bks")->out, "build", recorded, sizeof(recorded));
    cli_value(cli("replay info --json tiny.bks")->out, "build", build_here, sizeof(build_here));
    assert_int_equal(strlen(recorded), 18); // two quotes
    assert_string_not_equal(recorded, build_here);
    snprintf(sentence, sizeof(sentence),
             "elsewhere.bks: was recorded with build %.16s of tiny and stepped with build %.16s",
             recorded + 1, build_here + 1);
    expect("replay verify elsewhere.bks", TOOL_NO, "", sentence);
    expect("run elsewhere.bks", TOOL_NO, "", sentence);
    expect("run tiny elsewhere.bks", TOOL_NO, "", "'bks run --no-verify' plays it on another");
    expect("replay hash elsewhere.bks", TOOL_NO, "", sentence);
    expect("play tiny --watch elsewhere.bks --headless --ticks 20", TOOL_NO, "", sentence);
    expect("run later.bks", TOOL_NO, "", "was recorded with build ");
    expect("run later.bks --no-verify", TOOL_OK, "tiny at tick 90", "");
    expect("run elsewhere.bks --no-verify", TOOL_OK, "tiny at tick 90", "");
    // That of a name, not the recorded one, is the changed one.
    char hashes[2][TEXT_BYTES];
    cli_value(cli("run a.bks --no-verify --json")->out, "build", hashes[0], TEXT_BYTES);
    cli_value(cli("run a.bks --json")->out, "build", hashes[1], TEXT_BYTES);
    assert_string_equal(hashes[0], build_here);
    assert_string_not_equal(hashes[1], build_here);
}

static void a_game_without_a_file_of_its_name_is_found_too(void **state)
{
    (void)state;
    if (!has_compiler) {
        skip();
    }
    assert_int_equal(system("mkdir renamed && mv found/tiny.so renamed/brand-new.so"), 0);
    assert_int_equal(setenv("BKS_GAME_PATH", "renamed", 1), 0);
    expect("run tiny.bks", TOOL_OK, "91 hashes compared, all the same", "");
    expect("run a.bks", TOOL_NO, "", "was recorded with build ");
    assert_int_equal(setenv("BKS_GAME_PATH", "found", 1), 0);
    assert_int_equal(system("mv renamed/brand-new.so found/tiny.so"), 0);
}

static void a_stripped_file_is_the_same_build(void **state)
{
    (void)state;
    if (!has_compiler || system("strip -o stripped.so elsewhere.so") != 0) {
        skip();
    }
    expect("monkey ./stripped.so --ticks 90 --record stripped.bks", TOOL_OK, "", "");
    char builds[2][TEXT_BYTES];
    cli_value(cli("replay info --json elsewhere.bks")->out, "build", builds[0], TEXT_BYTES);
    cli_value(cli("replay info --json stripped.bks")->out, "build", builds[1], TEXT_BYTES);
    assert_string_equal(builds[0], builds[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_build_that_recorded_is_found_whatever_its_file_is_called),
        cmocka_unit_test(a_path_is_taken_as_it_is),
        cmocka_unit_test(without_the_build_both_are_named_and_what_to_do),
        cmocka_unit_test(a_stripped_file_is_the_same_build),
        cmocka_unit_test(a_game_without_a_file_of_its_name_is_found_too),
    };
    return cmocka_run_group_tests(tests, make_builds, remove_builds);
}
