// SPDX-License-Identifier: MIT

// Games whose states cannot be repaired: the commands say so in one sentence, and which game it is.

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli.h"

/// One of three games: POINTERS keeps an address of its region, DECLARED says that it does,
/// UNSTABLE counts its loads in what it saves.
static const char source[] =
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "#include \"backstitch/plugin.h\"\n"
    "typedef struct odd { int *at; int x; } odd;\n"
    "static const bks_field fields[] = {{.name = \"x\", .bits = 1}};\n"
    "static void init(void *s, const bks_start *t)\n"
    "{ (void)t;\n"
    "#ifdef POINTERS\n"
    "  ((odd *)s)->at = &((odd *)s)->x;\n"
    "#else\n"
    "  (void)s;\n"
    "#endif\n"
    "}\n"
    "static void step(void *s, const bks_step *t) { ((odd *)s)->x += t->inputs[0]; }\n"
    "static void hash(const void *s, bks_hasher *h)\n"
    "{ (void)s; (void)h; }\n" // a plug-in without the library says of no state that it is another
    "static void *create(const bks_start *t) { (void)t; return calloc(1, sizeof(odd)); }\n"
    "static size_t save(const void *s, void *to, size_t room)\n"
    "{ return room < sizeof(odd) ? 0 : (memcpy(to, s, sizeof(odd)), sizeof(odd)); }\n"
    "static bool load(void *s, const void *from, size_t count)\n"
    "{ memcpy(s, from, count); ((odd *)s)->at = (int *)((char *)((odd *)s)->at + 1);\n"
    "  return true; }\n"
    "static const bks_game game = {.name = NAME, .tick_rate_hz = 60, .players_max = 2,\n"
    " .fields = fields, .field_count = 1, .init = init, .step = step, .hash = hash,\n"
    "#ifdef UNSTABLE\n"
    " .create = create, .destroy = free, .save_bytes_max = sizeof(odd), .save = save,\n"
    " .load = load,\n"
    "#else\n"
    " .state_bytes = sizeof(odd),\n"
    "#endif\n"
    "#ifdef DECLARED\n"
    " .pointers = true,\n"
    "#endif\n"
    "};\n"
    "BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main =\n"
    " {.abi = BKS_PLUGIN_ABI, .game = &game};\n";

static bool build(const char *name, const char *flags)
{
    char line[1024];
    snprintf(line, sizeof(line),
             "cc -std=gnu17 -w -shared -fPIC -I'" BKS_TEST_SOURCE_DIR
             "/include' -DNAME='\"%s\"' %s -o %s.so odd.c",
             name, flags, name);
    return system(line) == 0;
}

static int build_all(void **state)
{
    if (cli_setup(state) != 0) {
        return 1;
    }
    cli_write("odd.c", source);
    return build("pointing", "-DPOINTERS") && build("declared", "-DDECLARED") &&
                   build("unstable", "-DUNSTABLE")
               ? 0
               : 1;
}

static void assert_refused(const char *game, const char *says)
{
    const char *const commands[] = {"lab ./%s.so --ticks 60 --on-desync %s",
                                    "play ./%s.so --host 127.0.0.1:0 --players 1 --ticks 5 "
                                    "--input '*=idle' --headless --no-record --on-desync %s"};
    for (int i = 0; i < 2; i++) {
        char line[256];
        snprintf(line, sizeof(line), commands[i], game, "resync");
        const cli_run *run = cli(line);
        cli_expect_status(run, 2);
        cli_expect(run->err, game);
        cli_expect(run->err, says);
        const char *end = strchr(run->err, '\n');
        assert_non_null(end);
        assert_string_equal(end, "\n"); // one sentence
        snprintf(line, sizeof(line), commands[i], game, "stop");
        cli_expect_status(cli(line), 0);
    }
}

static void a_game_with_raw_pointers_in_its_state_is_refused_resync(void **state)
{
    (void)state;
    assert_refused("declared", "holds raw pointers");
    if (sizeof(void *) == sizeof(uint64_t)) { // else no address is known from a number
        assert_refused("pointing", "holds raw pointers");
    }
}

static void a_game_that_saves_other_bytes_than_it_loaded_is_refused_resync(void **state)
{
    (void)state;
    assert_refused("unstable", "saves other bytes than it has loaded, from byte 0 of ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_game_with_raw_pointers_in_its_state_is_refused_resync),
        cmocka_unit_test(a_game_that_saves_other_bytes_than_it_loaded_is_refused_resync),
    };
    return cmocka_run_group_tests(tests, build_all, cli_teardown);
}
