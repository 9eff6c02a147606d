// SPDX-License-Identifier: MIT

// The manual page and the shell completion keep up with the program.

#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/command.h"
#include "base/tool.h"
#include "cli.h"

static const char manual[] = BKS_TEST_SOURCE_DIR "/docs/bks.1";
static const char completion[] = BKS_TEST_SOURCE_DIR "/tools/bks/completions/bks";

/// Each option of a command stands where the manual describes that command; --help and --verbose,
/// which all have, anywhere.
static void expect_in_manual(const char *name)
{
    char line[64];
    snprintf(line, sizeof(line), "%s --help", name);
    const cli_run *run = cli(line);
    const char *text = cli_read(manual);
    snprintf(line, sizeof(line), "\n.It Nm Cm %s", name);
    cli_expect(text, line);
    const char *begin = strstr(text, line) + 1;
    const char *end = strstr(begin, "\n.It Nm Cm ");
    char *section = end != NULL ? strndup(begin, (size_t)(end - begin)) : strdup(begin);
    assert_non_null(section);
    for (const char *option = run->out; (option = strstr(option, "\n  --")) != NULL;) {
        option += strlen("\n  --");
        const int length = (int)strcspn(option, " \n");
        const bool is_common = strncmp(option, "help", (size_t)length) == 0 ||
                               strncmp(option, "verbose", (size_t)length) == 0;
        snprintf(line, sizeof(line), "Fl -%.*s", length, option);
        cli_expect(is_common ? text : section, line);
    }
    free(section);
}

static void the_manual_names_every_command_and_option(void **state)
{
    (void)state;
    for (const tool_command *at = commands; at->name != NULL; at++) {
        expect_in_manual(at->name);
    }
    static const char *const parts[] = {
        "replay info",  "replay verify", "replay cat",    "replay hash",   "replay cut",
        "replay diff",  "replay export", "bench codec",   "bench predict", "bench det",
        "bench forged", "bench replay",  "bench latency", "bench present",
    };
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        expect_in_manual(parts[i]);
    }
}

/// Each kind of fault that the lab's help describes stands in the manual.
static void the_manual_names_every_fault(void **state)
{
    (void)state;
    const cli_run *run = cli("lab --help");
    const char *text = cli_read(manual);
    const char *end = strstr(run->out, "  --bulk ");
    assert_non_null(end);
    uint32_t count = 0;
    char item[64];
    for (const char *at = strstr(run->out, "  --fault "); at < end; at += strcspn(at, " ")) {
        at += strspn(at, " ");
        const int length = (int)strspn(at, "abcdefghijklmnopqrstuvwxyz-:");
        if (at[length] == '=') {
            snprintf(item, sizeof(item), "\n.It Li %.*s=", length, at);
            cli_expect(text, item);
            count++;
        }
    }
    assert_true(count > 15);
}

static void the_manual_is_good_mdoc(void **state)
{
    (void)state;
    if (system("command -v mandoc >/dev/null") != 0) {
        skip();
    }
    char line[600];
    snprintf(line, sizeof(line), "mandoc -Tlint -Wwarning '%s' >lint.txt 2>&1", manual);
    if (system(line) != 0) {
        fail_msg("%s", cli_read("lint.txt"));
    }
}

// What completion offers for a line of words, each on a line of its own.
static const char *complete(const char *words)
{
    char script[2048];
    snprintf(script, sizeof(script),
             "PATH='%s':$PATH\n. '%s'\nCOMP_WORDS=(%s)\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n"
             "_bks\nprintf '<%%s>\\n' \"${COMPREPLY[@]}\"\n",
             BKS_TEST_BINARY_DIR, completion, words);
    cli_write("complete.sh", script);
    assert_int_equal(system("bash complete.sh >complete.txt 2>&1"), 0);
    return cli_read("complete.txt");
}

static void completion_offers_what_fits(void **state)
{
    (void)state;
    if (system("command -v bash >/dev/null") != 0) {
        skip();
    }
    assert_string_equal(complete("bks pl"), "<play>\n");
    assert_string_equal(complete("bks play du"), "<duel>\n");
    assert_string_equal(complete("bks play duel --tic"), "<--ticks>\n");
    cli_expect(complete("bks play duel --input ''"), "<*=monkey>\n");
    assert_string_equal(complete("bks play duel --save o"), "<one>\n");
    assert_string_equal(complete("bks lab duel --mode l"), "<lockstep>\n");
    assert_string_equal(complete("bks replay ver"), "<verify>\n");
    assert_string_equal(complete("bks run --as-player rec"), "<recorded>\n");
    assert_string_equal(complete("bks bench pred"), "<predict>\n");
    assert_string_equal(complete("bks bench predict --le"), "<--learn>\n");
    assert_string_equal(complete("bks replay verify --fr"), "<--from>\n");
    cli_write("some.bks", "");
    assert_string_equal(complete("bks play duel --watch som"), "<some.bks>\n");
    assert_string_equal(complete("bks replay verify som"), "<some.bks>\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_manual_names_every_command_and_option),
        cmocka_unit_test(the_manual_names_every_fault),
        cmocka_unit_test(the_manual_is_good_mdoc),
        cmocka_unit_test(completion_offers_what_fits),
    };
    return cmocka_run_group_tests(tests, cli_setup, cli_teardown);
}
