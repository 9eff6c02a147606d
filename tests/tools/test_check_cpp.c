// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli.h"

// std::sort writes what comes out in another order every second time.
static const char sorts[] =
    "#include <algorithm>\n"
    "#include \"backstitch/plugin.h\"\n"
    "struct state { int32_t keys[24]; };\n"
    "static bool is_down;\n"
    "static const bks_field fields[] = {{.name = \"x\", .bits = 1}};\n"
    "static void init(void *at, const bks_start *) {\n"
    "  for (int i = 0; i < 24; i++) { ((state *)at)->keys[i] = i * 7 % 24; }\n"
    "}\n"
    "static void step(void *at, const bks_step *) {\n"
    "  state *s = (state *)at;\n"
    "  is_down = !is_down;\n"
    "  std::sort(s->keys, s->keys + 24, [](int a, int b) { return is_down ? a > b : a < b; });\n"
    "}\n"
    "static const bks_game game = {.name = \"sorts\", .tick_rate_hz = 60, .players_max = 1,\n"
    "  .fields = fields, .field_count = 1, .state_bytes = sizeof(state), .init = init,\n"
    "  .step = step};\n"
    "BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {\n"
    "  .abi = BKS_PLUGIN_ABI, .game = &game};\n";

// What is called by a table of functions holds that table's address.
static const char calls[] =
    "#include <new>\n"
    "#include \"backstitch/plugin.h\"\n"
    "struct beast { int32_t x = 0; virtual void move() { x++; } };\n"
    "static const bks_field fields[] = {{.name = \"x\", .bits = 1}};\n"
    "static void init(void *at, const bks_start *) { new (at) beast; }\n"
    "static void step(void *at, const bks_step *) { ((beast *)at)->move(); }\n"
    "static const bks_game game = {.name = \"calls\", .tick_rate_hz = 60, .players_max = 1,\n"
    "  .fields = fields, .field_count = 1, .state_bytes = sizeof(beast), .init = init,\n"
    "  .step = step};\n"
    "BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {\n"
    "  .abi = BKS_PLUGIN_ABI, .game = &game};\n";

// Beside another match the baseline alone comes to the fourth call.
static const char fourth[] =
    "#include \"backstitch/plugin.h\"\n"
    "struct state { int32_t x; };\n"
    "static uint32_t calls;\n"
    "static const bks_field fields[] = {{.name = \"x\", .bits = 1}};\n"
    "static void init(void *, const bks_start *) {}\n"
    "static void step(void *at, const bks_step *) {\n"
    "  if (++calls == 4) { ((state *)at)->x = 7; }\n"
    "}\n"
    "static const bks_game game = {.name = \"fourth\", .tick_rate_hz = 60, .players_max = 1,\n"
    "  .fields = fields, .field_count = 1, .state_bytes = sizeof(state), .init = init,\n"
    "  .step = step};\n"
    "BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {\n"
    "  .abi = BKS_PLUGIN_ABI, .game = &game};\n";

/// What one check says of a game.
static const char *check(const char *game, const char *flags, const char *variant, int status)
{
    char line[1024];
    (void)snprintf(line, sizeof(line),
                   "c++ -std=c++20 -w -g %s -I'%s/include' -shared -fPIC game.cpp -o game.so",
                   flags, BKS_TEST_SOURCE_DIR);
    cli_write("game.cpp", game);
    cli_write("empty.cpp", "int empty = 0;\n");
    if (system("c++ -std=c++20 -fsyntax-only empty.cpp 2>/dev/null") != 0) {
        skip(); // no compiler by the name of c++
    }
    assert_int_equal(system(line), 0);
    (void)snprintf(line, sizeof(line), "check ./game.so --ticks 4 --variants %s --json", variant);
    const cli_run *run = cli(line);
    cli_expect_status(run, status);
    return run->out;
}

static void a_write_by_a_template_of_the_system_is_of_the_line_that_calls_it(void **state)
{
    (void)state;
#if !defined(BKS_HAVE_LIBDW) || !defined(__x86_64__) || !defined(__linux__)
    skip();
#endif
    static const char *const flags[] = {"-O0", "-O2"};
    for (size_t i = 0; i < 2; i++) {
        const char *out = check(sorts, flags[i], "resim", 1);
        if (strstr(out, "this system ") != NULL) {
            skip(); // it has no watchpoints
        }
        cli_expect(out, "\"line\": \"game.cpp:12\"");
        cli_expect(out, "\"function\": \"step\"");
    }
}

static void a_table_of_virtual_functions_is_a_raw_pointer(void **state)
{
    (void)state;
    cli_expect(check(calls, "-O2", "resim", 0), "\"raw_pointers\": true");
}

static void what_the_baseline_alone_writes_is_no_puzzle_without_debug_information(void **state)
{
    (void)state;
#if !defined(BKS_HAVE_LIBDW) || !defined(__x86_64__) || !defined(__linux__)
    skip();
#endif
    const char *out = check(fourth, "-g0", "again", 1);
    if (strstr(out, "this system ") != NULL) {
        skip(); // it has no watchpoints
    }
    cli_expect(out,
               "the baseline alone wrote it: the plug-in has no lines in its debug information");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_write_by_a_template_of_the_system_is_of_the_line_that_calls_it),
        cmocka_unit_test(a_table_of_virtual_functions_is_a_raw_pointer),
        cmocka_unit_test(what_the_baseline_alone_writes_is_no_puzzle_without_debug_information),
    };
    return cmocka_run_group_tests(tests, cli_setup, cli_teardown);
}
