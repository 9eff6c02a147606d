// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "game/loader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/tool.h"
#include "cli.h"

// Build a plug-in of one source text, as others do.
static void build(const char *name, const char *text)
{
    char source[64];
    char command[2048];
    snprintf(source, sizeof(source), "%s.c", name);
    cli_write(source, text);
    snprintf(command, sizeof(command), "cc -std=c17 -shared -fPIC -I'%s/include' -o %s.so %s",
             BKS_TEST_SOURCE_DIR, name, source);
    if (system(command) != 0) {
        skip(); // no compiler by that name here
    }
}

#define FIELDS "static const bks_field fields[] = {{.name = \"x\", .bits = 1}};\n"
#define STEPS                                                               \
    "static void init(void *s, const bks_start *t) { (void)s; (void)t; }\n" \
    "static void step(void *s, const bks_step *t) { (void)s; (void)t; }\n"
#define GAME(MORE)                                                                             \
    "static const bks_game game = {.name = \"mine\", .tick_rate_hz = 60, .players_max = 1,"    \
    " .fields = fields, .field_count = 1, .state_bytes = 8, .init = init, .step = step, " MORE \
    "};\n"
#define PLUGIN(ABI) \
    "BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = " ABI ", .game = &game};\n"

static const char good[] =
    "#include \"backstitch/plugin.h\"\n" FIELDS STEPS GAME("") PLUGIN("BKS_PLUGIN_ABI");
static const char old[] = "#include \"backstitch/plugin.h\"\n" FIELDS STEPS GAME("") PLUGIN("99");
static const char odd[] = "#include \"backstitch/plugin.h\"\n" FIELDS STEPS GAME(".players_min = 9")
    PLUGIN("BKS_PLUGIN_ABI");

static void a_plugin_is_loaded_by_its_path(void **state)
{
    (void)state;
    build("mine", good);
    loaded_game game;
    assert_int_equal(loader_open("./mine.so", &game), TOOL_OK);
    assert_string_equal(game.game->name, "mine");
    assert_int_equal(loader_open("mine.so", &game), TOOL_OK);
}

static void a_plugin_is_found_on_the_game_path(void **state)
{
    (void)state;
    build("mine", good);
    loaded_game game;
    assert_int_equal(cli("games")->status, 0);
    char path[600];
    snprintf(path, sizeof(path), "/nonexistent::%s", cli_folder());
    assert_int_equal(setenv("BKS_GAME_PATH", path, 1), 0);
    assert_int_equal(loader_open("mine", &game), TOOL_OK);
    cli_expect(cli("games --json")->out, "\"name\": \"mine\"");
    cli_expect(cli("games")->out, "duel - ");
    build("old", old);
    const cli_run *run = cli("games");
    assert_int_equal(run->status, TOOL_OK);
    cli_expect(run->err, "old.so: was built for plug-in ABI 99");
    (void)unsetenv("BKS_GAME_PATH");
    assert_int_equal(loader_open("mine", &game), TOOL_MISUSE);
}

static void one_game_is_described_by_its_path_or_name(void **state)
{
    (void)state;
    build("mine", good);
    const cli_run *run = cli("games ./mine.so");
    assert_int_equal(run->status, TOOL_OK);
    cli_expect(run->out, "mine\n  players ");
    assert_null(strstr(run->out, "duel"));
    run = cli("games duel --json");
    assert_int_equal(run->status, TOOL_OK);
    cli_expect(run->out, "\"name\": \"duel\"");
    assert_null(strstr(run->out, "\"pad\""));
    run = cli("games gnats");
    assert_int_equal(run->status, TOOL_MISUSE);
    cli_expect(run->err, "bks: gnats: no such game, expected ");
    cli_expect(run->err, "or the path of a plug-in, as './gnats.so'");
}

static void a_file_that_is_no_game_is_refused_with_the_reason(void **state)
{
    (void)state;
    const cli_run *run = cli("play ./missing.so");
    assert_int_equal(run->status, TOOL_DAMAGED);
    cli_expect(run->err, "bks: ./missing.so: cannot be read");
    cli_write("text.so", "no shared object");
    run = cli("play ./text.so");
    assert_int_equal(run->status, TOOL_DAMAGED);
    cli_expect(run->err, "bks: ./text.so: cannot be loaded: ");
    build("empty", "int nothing;\n");
    run = cli("play ./empty.so");
    assert_int_equal(run->status, TOOL_DAMAGED);
    cli_expect(run->err, "has no symbol bks_plugin_main");
    build("old", old);
    run = cli("play ./old.so");
    assert_int_equal(run->status, TOOL_DAMAGED);
    cli_expect(run->err, "was built for plug-in ABI 99, expected 11");
    build("odd", odd);
    run = cli("play ./odd.so");
    assert_int_equal(run->status, TOOL_DAMAGED);
    cli_expect(run->err, "describes no valid game: ");
    cli_expect(run->err, "players_max");
    assert_null(strchr(strchr(run->err, '\n') + 1, '\n')); // printed once
}

static void an_unknown_name_lists_the_known_ones(void **state)
{
    (void)state;
    const cli_run *run = cli("play deul");
    assert_int_equal(run->status, TOOL_MISUSE);
    cli_expect(run->err, "bks: deul: no such game, expected ");
    cli_expect(run->err, "duel");
}

static void options_are_read_and_checked(void **state)
{
    (void)state;
    loaded_game duel;
    char path[1024];
    snprintf(path, sizeof(path), "%s/duel.so", BKS_TEST_BINARY_DIR);
    assert_int_equal(loader_open(path, &duel), TOOL_OK);
    bks_option_values values;
    const char *given[] = {"mode=arcade"};
    assert_int_equal(loader_options(duel.game, given, 1, &values), TOOL_OK);
    assert_string_equal(values.text[0], "arcade");
    const cli_run *run = cli("play duel --option mood=arcade");
    assert_int_equal(run->status, TOOL_MISUSE);
    cli_expect(run->err, "--option 'mood=arcade': ");
    cli_expect(run->err, "mode");
    run = cli("play duel --option arcade");
    assert_int_equal(run->status, TOOL_MISUSE);
    cli_expect(run->err, "is no option, expected NAME=VALUE");
    run = cli("play duel --headless --ticks 1 --option mode=chess");
    assert_int_equal(run->status, TOOL_MISUSE);
    cli_expect(run->err, "chess");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plugin_is_loaded_by_its_path),
        cmocka_unit_test(a_plugin_is_found_on_the_game_path),
        cmocka_unit_test(one_game_is_described_by_its_path_or_name),
        cmocka_unit_test(a_file_that_is_no_game_is_refused_with_the_reason),
        cmocka_unit_test(an_unknown_name_lists_the_known_ones),
        cmocka_unit_test(options_are_read_and_checked),
    };
    return cmocka_run_group_tests(tests, cli_setup, cli_teardown);
}
