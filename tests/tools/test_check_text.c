// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "diagnose/check/check_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char written[1024];

static FILE *begin(void)
{
    memset(written, 0, sizeof(written));
    FILE *out = fmemopen(written, sizeof(written), "w");
    assert_non_null(out);
    return out;
}

static void long_texts_continue_below_their_beginning(void **state)
{
    (void)state;
    FILE *out = begin();
    check_text_write(out, 30, "next", "look for what two matches share: rand()");
    (void)fclose(out);
    assert_string_equal(written, "  next      look for what two\n"
                                 "            matches share:\n"
                                 "            rand()\n");
}

static void a_line_is_filled_to_its_last_column(void **state)
{
    (void)state;
    FILE *out = begin();
    check_text_write(out, 20, "a", "1234 678 1234 6789");
    (void)fclose(out);
    assert_string_equal(written, "  a         1234 678\n"
                                 "            1234\n"
                                 "            6789\n");
}

static void a_word_longer_than_a_line_stays_whole(void **state)
{
    (void)state;
    FILE *out = begin();
    check_text_write(out, 20, "a", "an averylongword is");
    (void)fclose(out);
    assert_string_equal(written, "  a         an\n"
                                 "            averylongword\n"
                                 "            is\n");
}

static void columns_are_those_of_characters_not_of_bytes(void **state)
{
    (void)state;
    FILE *out = begin();
    check_text_wrap(out, 9, 0, 2,
                    "\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F \xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F x");
    (void)fclose(out);
    assert_string_equal(written,
                        "\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F \xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F\n  x\n");
}

// Broken lines of a command are one command for a shell.
static void a_command_can_be_copied(void **state)
{
    (void)state;
    const char *const words[] = {"bks", "check", "./my game.so", "--seed", "12", "--ticks", "6"};
    FILE *out = begin();
    check_text_command(out, 40, "repeat", words, 7);
    (void)fclose(out);
    assert_string_equal(written, "  repeat    bks check './my game.so' \\\n"
                                 "            --seed 12 --ticks 6\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_texts_continue_below_their_beginning),
        cmocka_unit_test(a_line_is_filled_to_its_last_column),
        cmocka_unit_test(a_word_longer_than_a_line_stays_whole),
        cmocka_unit_test(columns_are_those_of_characters_not_of_bytes),
        cmocka_unit_test(a_command_can_be_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
