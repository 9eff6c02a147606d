// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "base/args.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/tool.h"

typedef struct values {
    bool flag;
    int64_t ticks;
    int64_t delay;
    const char *text;
    args_list list;
    uint32_t choice;
    args_list positionals;
} values;

static char said[4096]; ///< what the last parse() wrote to stderr

// Parse a line of words, its stderr into `said`.
static int parse(values *v, const char *line)
{
    const args_option options[] = {
        ARGS_FLAG("--flag", &v->flag, "a flag"),
        ARGS_INT("--ticks", "N", &v->ticks, 1, 100, "ticks"),
        ARGS_INT_OR("--delay", "auto|N", &v->delay, 0, 9, "auto", -7, "delay"),
        ARGS_TEXT("--text", "TEXT", &v->text, "a text"),
        ARGS_LIST("--list", "ITEM", &v->list, "a list"),
        ARGS_CHOICE("--choice", "red|green|blue", &v->choice, "a choice"),
    };
    const args_spec spec = {.command = "try",
                            .usage = "WHAT [options]",
                            .about = "Tries.",
                            .options = options,
                            .option_count = ARGS_COUNT(options),
                            .positionals = &v->positionals,
                            .positionals_max = 2};
    static char words[9 * ARGS_LIST_MAX + 64];
    char *argv[ARGS_LIST_MAX + 20] = {(char[]){"try"}};
    int argc = 1;
    snprintf(words, sizeof(words), "%s", line);
    for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " ")) {
        argv[argc++] = word;
    }
    fflush(stderr);
    FILE *file = tmpfile();
    const int before = dup(STDERR_FILENO);
    assert_non_null(file);
    dup2(fileno(file), STDERR_FILENO);
    const int status = args_parse(&spec, argc, argv);
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(file);
    said[fread(said, 1, sizeof(said) - 1, file)] = '\0';
    fclose(file);
    return status;
}

static void assert_misuse(const char *line, const char *expected)
{
    values v = {0};
    assert_int_equal(parse(&v, line), TOOL_MISUSE);
    if (strstr(said, expected) == NULL) {
        fail_msg("'%s' said '%s', expected '%s'", line, said, expected);
    }
}

static void every_kind_of_option_is_read(void **state)
{
    (void)state;
    values v = {0};
    const int status = parse(&v, "first --flag --ticks 100 --delay=3 --text a=b --list x "
                                 "--list=y --choice blue second");
    assert_int_equal(status, ARGS_GO);
    assert_true(v.flag);
    assert_int_equal(v.ticks, 100);
    assert_int_equal(v.delay, 3);
    assert_string_equal(v.text, "a=b");
    assert_int_equal(v.list.count, 2);
    assert_string_equal(v.list.items[0], "x");
    assert_string_equal(v.list.items[1], "y");
    assert_int_equal(v.choice, 2);
    assert_int_equal(v.positionals.count, 2);
    assert_string_equal(v.positionals.items[1], "second");
    assert_string_equal(said, "");
}

static void an_option_that_is_not_given_keeps_its_value(void **state)
{
    (void)state;
    values v = {.ticks = 42, .delay = 4, .text = "kept", .choice = 1};
    assert_int_equal(parse(&v, ""), ARGS_GO);
    assert_int_equal(v.ticks, 42);
    assert_int_equal(v.delay, 4);
    assert_string_equal(v.text, "kept");
    assert_int_equal(v.choice, 1);
    assert_false(v.flag);
}

static void a_word_may_stand_for_a_number(void **state)
{
    (void)state;
    values v = {0};
    assert_int_equal(parse(&v, "--delay auto"), ARGS_GO);
    assert_int_equal(v.delay, -7);
}

static void two_dashes_end_the_options(void **state)
{
    (void)state;
    values v = {0};
    assert_int_equal(parse(&v, "-- --flag"), ARGS_GO);
    assert_false(v.flag);
    assert_string_equal(v.positionals.items[0], "--flag");
}

static void wrong_values_are_named_with_what_was_expected(void **state)
{
    (void)state;
    assert_misuse("--ticks x",
                  "bks: --ticks 'x': is not a whole number, expected a number from 1 to 100");
    assert_misuse("--ticks 12x", "is not a whole number");
    assert_misuse("--ticks=", "is not a whole number");
    assert_misuse("--ticks 99999999999999999999",
                  "is out of range, expected a number from 1 to 100");
    assert_misuse("--ticks -99999999999999999999", "is out of range");
    assert_misuse("--ticks 0", "--ticks '0': is out of range, expected a number from 1 to 100");
    assert_misuse("--ticks 101", "is out of range");
    assert_misuse("--ticks -5", "--ticks '-5': is out of range");
    assert_misuse("--delay soon", "expected auto or a number from 0 to 9");
    assert_misuse("--choice re", "--choice 're': is not known, expected red|green|blue");
    assert_misuse("--choice redd", "is not known");
    assert_misuse("--text=", "--text '': is empty, expected TEXT");
}

static void missing_and_needless_values_are_refused(void **state)
{
    (void)state;
    assert_misuse("--ticks", "--ticks: has no value, expected a number from 1 to 100");
    assert_misuse("--ticks --flag", "--ticks: has no value");
    assert_misuse("--flag=yes", "--flag takes no value");
}

static void unknown_options_are_refused_with_a_guess(void **state)
{
    (void)state;
    assert_misuse("--tick 5", "--tick: no such option, did you mean --ticks?");
    assert_misuse("--zzzzzzzz", "no such option, expected one of 'bks try --help'");
    assert_misuse("-x", "no such option");
}

static void arguments_too_many_are_refused(void **state)
{
    (void)state;
    assert_misuse("a b c", "c: one argument too many, expected: bks try WHAT [options]");
}

static void a_list_has_a_limit(void **state)
{
    (void)state;
    static const char item[] = "--list=i ";
    static char line[(ARGS_LIST_MAX + 1) * (sizeof(item) - 1) + 1];
    char wanted[64];
    for (size_t i = 0; i <= ARGS_LIST_MAX; i++) {
        memcpy(line + i * (sizeof(item) - 1), item, sizeof(item));
    }
    snprintf(wanted, sizeof(wanted), "--list: given more than %d times", ARGS_LIST_MAX);
    assert_misuse(line, wanted);
}

static void a_missing_argument_is_refused(void **state)
{
    (void)state;
    args_list positionals = {0};
    const args_spec spec = {.command = "try",
                            .usage = "WHAT",
                            .about = "Tries.",
                            .positionals = &positionals,
                            .positionals_min = 1,
                            .positionals_max = 1};
    char *argv[] = {(char[]){"try"}, NULL};
    assert_int_equal(args_parse(&spec, 1, argv), TOOL_MISUSE);
}

static void numbers_are_whole_and_fit(void **state)
{
    (void)state;
    int64_t number = 0;
    assert_true(args_number("-9223372036854775808", &number));
    assert_true(number == INT64_MIN);
    assert_false(args_number("9223372036854775808", &number));
    assert_false(args_number("", &number));
    assert_false(args_number("1.5", &number));
    assert_false(args_number("0x10", &number));
}

static void likeness_counts_letters(void **state)
{
    (void)state;
    const char *const known[] = {"play", "replay", "games"};
    assert_int_equal(args_nearest("pley", known, 3), 0);
    assert_int_equal(args_nearest("repla", known, 3), 1);
    assert_int_equal(args_nearest("game", known, 3), 2);
    assert_int_equal(args_nearest("network", known, 3), UINT32_MAX);
}

static void short_words_are_alike_with_one_other_letter(void **state)
{
    (void)state;
    const char *const known[] = {"log", "--wav", "--link", "--ticks"};
    assert_int_equal(args_nearest("foo", known, 4), UINT32_MAX);
    assert_int_equal(args_nearest("lag", known, 4), 0);
    assert_int_equal(args_nearest("--at", known, 4), UINT32_MAX);
    assert_int_equal(args_nearest("--bind", known, 4), UINT32_MAX);
    assert_int_equal(args_nearest("--tisk", known, 4), UINT32_MAX);
    assert_int_equal(args_nearest("--ticsk", known, 4), 3);
    assert_int_equal(args_nearest("olg", known, 4), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_option_is_read),
        cmocka_unit_test(an_option_that_is_not_given_keeps_its_value),
        cmocka_unit_test(a_word_may_stand_for_a_number),
        cmocka_unit_test(two_dashes_end_the_options),
        cmocka_unit_test(wrong_values_are_named_with_what_was_expected),
        cmocka_unit_test(missing_and_needless_values_are_refused),
        cmocka_unit_test(unknown_options_are_refused_with_a_guess),
        cmocka_unit_test(arguments_too_many_are_refused),
        cmocka_unit_test(a_list_has_a_limit),
        cmocka_unit_test(a_missing_argument_is_refused),
        cmocka_unit_test(numbers_are_whole_and_fit),
        cmocka_unit_test(likeness_counts_letters),
        cmocka_unit_test(short_words_are_alike_with_one_other_letter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
