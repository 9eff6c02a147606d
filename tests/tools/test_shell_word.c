// SPDX-License-Identifier: MIT

#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void expect(const char *word, const char *quoted)
{
    char out[64];
    out[shell_word_quote(word, out, sizeof(out) - 1)] = '\0';
    assert_string_equal(out, quoted);
}

static void plain_words_stay_and_others_are_quoted(void **state)
{
    (void)state;
    expect("./my-game.so", "./my-game.so");
    expect("map=a,b", "map=a,b");
    expect("", "''");
    expect("two words", "'two words'");
    expect("$HOME;", "'$HOME;'");
    expect("it's", "'it'\\''s'");
}

static void what_does_not_fit_is_cut(void **state)
{
    (void)state;
    char out[8] = "------!";
    assert_int_equal(shell_word_quote("two words", out, 6), 6);
    assert_string_equal(out, "'two w!");
    assert_int_equal(shell_word_quote("plain", out, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_words_stay_and_others_are_quoted),
        cmocka_unit_test(what_does_not_fit_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
