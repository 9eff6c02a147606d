// SPDX-License-Identifier: MIT

// Two processes over loopback UDP that cannot play together: both say why, and the guest's answer
// is "no".

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/tool.h"
#include "cli.h"

#define TEXT_BYTES 1024

/// A game of which everything that peers must agree on can be set on the compiler's command line.
static const char source[] =
    "#include <stdio.h>\n"
    "#include \"backstitch/plugin.h\"\n"
    "#ifndef VERSION\n#define VERSION 1\n#endif\n"
    "#ifndef BITS\n#define BITS 1\n#endif\n"
    "#ifndef RATE\n#define RATE 60\n#endif\n"
    "#ifndef OPTION\n#define OPTION \"speed\"\n#endif\n"
    "#ifndef SPEED_MAX\n#define SPEED_MAX 9\n#endif\n"
    "#ifndef CHECK\n#define CHECK NULL\n#endif\n"
    "static const bks_field fields[] = {{.name = \"x\", .bits = BITS}};\n"
    "static const bks_option options[] = {{OPTION, \"3\", \"how fast\"}};\n"
    "static bks_status configure(const bks_start *t, size_t *bytes, bks_error *error)\n"
    "{\n"
    " int speed = t->options->text[0][0] - '0';\n"
    " *bytes = 8;\n"
    " if (speed <= SPEED_MAX) return BKS_OK;\n"
    " snprintf(error->text, sizeof(error->text), \"speed is %d, must be 0..%d\", speed, "
    "SPEED_MAX);\n"
    " return BKS_ERR_BAD_CONFIG;\n"
    "}\n"
    "static void init(void *s, const bks_start *t) { (void)s; (void)t; }\n"
    "static void step(void *s, const bks_step *t) { *(int *)s += t->tick; }\n"
    "static const char *check(const void *s) { (void)s; return CHECK; }\n"
    "static const bks_game game = {.name = \"odd\", .version = VERSION, .tick_rate_hz = RATE,\n"
    " .players_max = 2, .fields = fields, .field_count = 1, .options = options,\n"
    " .option_count = 1, .configure = configure, .init = init, .step = step,\n"
    " .check = check};\n"
    "BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main =\n"
    " {.abi = BKS_PLUGIN_ABI, .game = &game};\n";

static bool build(const char *file, const char *flags)
{
    char line[2 * TEXT_BYTES];
    snprintf(line, sizeof(line),
             "cc -std=gnu17 -shared -fPIC -I'" BKS_TEST_SOURCE_DIR "/include' %s -o %s odd.c",
             flags, file);
    return system(line) == 0;
}

static int build_all(void **state)
{
    if (cli_setup(state) != 0) {
        return 1;
    }
    cli_write("odd.c", source);
    const bool has_compiler =
        build("one.so", "") && build("version.so", "-DVERSION=2") && build("bits.so", "-DBITS=2") &&
        build("rate.so", "-DRATE=50") && build("option.so", "-DOPTION='\"size\"'") &&
        build("slow.so", "-DSPEED_MAX=5") && build("strict.so", "-DCHECK='\"it has no level\"'");
    return has_compiler ? 0 : 1;
}

// The first line of a file, as soon as it is whole.
static void wait_for_line(const char *file, char *out)
{
    for (int i = 0; i < 500; i++) {
        const char *text = cli_read(file);
        if (strchr(text, '\n') != NULL) {
            snprintf(out, TEXT_BYTES, "%.*s", (int)strcspn(text, "\n"), text);
            return;
        }
        tool_sleep_ns(UINT64_C(10000000));
    }
    fail_msg("%s: no line came", file);
}

// Host and guest, with options, must say this. The host waits until it is stopped.
static void assert_refused(const char *host_game, const char *guest_game, const char *host_says,
                           const char *guest_says)
{
    char line[2 * TEXT_BYTES];
    char invitation[TEXT_BYTES];
    remove("host");
    snprintf(line, sizeof(line),
             "play %s --host 127.0.0.1:0 --players 2 --input '*=idle' --headless --no-record",
             host_game);
    const pid_t host = cli_start(line, "host");
    wait_for_line("host", invitation);
    snprintf(line, sizeof(line), "play %s --join '%s' --input '*=idle' --headless --no-record",
             guest_game, invitation);
    const cli_run *guest = cli(line);
    assert_int_equal(guest->status, TOOL_NO);
    assert_string_equal(guest->err, guest_says);
    for (int i = 0; i < 100 && strchr(cli_read("host.err"), '\n') == NULL; i++) {
        tool_sleep_ns(UINT64_C(10000000));
    }
    assert_string_equal(cli_read("host.err"), host_says);
    assert_int_equal(kill(host, SIGINT), 0);
    assert_int_equal(cli_wait(host), TOOL_OK);
}

static void another_game_is_reported_to_both(void **state)
{
    (void)state;
    assert_refused("pad", "duel",
                   "bks: warning: guest refused, another game: theirs is `duel`, ours `pad`\n",
                   "bks: duel: the host refused us, another game: theirs is `pad`, ours `duel`\n");
}

static void another_version_is_reported_to_both(void **state)
{
    (void)state;
    assert_refused("./one.so", "./version.so",
                   "bks: warning: guest refused, another version of `odd`: theirs 2, ours 1\n",
                   "bks: odd: the host refused us, another version of `odd`: theirs 1, ours 2\n");
}

static void another_tick_rate_is_reported_to_both(void **state)
{
    (void)state;
    assert_refused(
        "./one.so", "./rate.so",
        "bks: warning: guest refused, another tick rate: theirs 50 a second, ours 60\n",
        "bks: odd: the host refused us, another tick rate: theirs 60 a second, ours 50\n");
}

static void another_table_of_options_is_reported_to_both(void **state)
{
    (void)state;
    assert_refused(
        "./one.so", "./option.so",
        "bks: warning: guest refused, another `odd`: its options, command_bytes_max "
        "or command_room_bytes differ\n",
        "bks: odd: the host refused us, another `odd`: its options, command_bytes_max or "
        "command_room_bytes differ\n");
}

static void another_input_layout_is_reported_to_both(void **state)
{
    (void)state;
    assert_refused("./one.so", "./bits.so",
                   "bks: warning: guest refused, another build of `odd`: its input layout is "
                   "d07d0b8e, ours 4bdb780f\n",
                   "bks: odd: the host refused us, another build of `odd`: its input layout is "
                   "4bdb780f, ours d07d0b8e\n");
}

static void an_option_that_the_guest_cannot_take_is_named_to_both(void **state)
{
    (void)state;
    assert_refused("./one.so --option speed=7", "./slow.so",
                   "bks: warning: peer 1 cannot make the match: speed is 7, must be 0..5\n",
                   "bks: odd: the match cannot be made, speed is 7, must be 0..5\n");
}

/// It is reported where the game refuses its own state, and the match continues.
static void a_state_that_the_game_itself_refuses_is_reported(void **state)
{
    (void)state;
    char line[2 * TEXT_BYTES];
    char invitation[TEXT_BYTES];
    remove("host");
    const pid_t host = cli_start("play ./one.so --host 127.0.0.1:0 --players 2 --input '*=idle' "
                                 "--headless --no-record --ticks 60",
                                 "host");
    wait_for_line("host", invitation);
    snprintf(line, sizeof(line),
             "play ./strict.so --join '%s' --input '*=idle' --headless --no-record", invitation);
    const cli_run *guest = cli(line);
    assert_int_equal(guest->status, TOOL_OK);
    assert_string_equal(guest->err,
                        "bks: the state of odd at tick 0 is not valid: it has no level\n");
    assert_int_equal(cli_wait(host), TOOL_OK);
    assert_string_equal(cli_read("host.err"), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_game_is_reported_to_both),
        cmocka_unit_test(another_version_is_reported_to_both),
        cmocka_unit_test(another_tick_rate_is_reported_to_both),
        cmocka_unit_test(another_table_of_options_is_reported_to_both),
        cmocka_unit_test(another_input_layout_is_reported_to_both),
        cmocka_unit_test(an_option_that_the_guest_cannot_take_is_named_to_both),
        cmocka_unit_test(a_state_that_the_game_itself_refuses_is_reported),
    };
    return cmocka_run_group_tests(tests, build_all, cli_teardown);
}
