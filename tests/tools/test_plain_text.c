// SPDX-License-Identifier: MIT

// Names from elsewhere, as they are printed.

#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void what_is_plain_is_the_same_text(void **state)
{
    (void)state;
    static const char name[] = "a file, na\xC3\xAFve \xE2\x82\xAC.bks";
    assert_ptr_equal(plain_name(name), name);
    assert_string_equal(plain_name(""), "");
}

static void control_characters_are_written_out(void **state)
{
    (void)state;
    assert_string_equal(plain_name("red\x1b[31m\nline\x7f.bks"), "red\\x1b[31m\\x0aline\\x7f.bks");
    assert_string_equal(plain_name("c1\xC2\x9B.bks"), "c1\xC2\\x9b.bks");
    char room[32];
    assert_string_equal(plain_text("a\nb\tc", "\n", room, sizeof(room)), "a\nb\\x09c");
}

static void what_does_not_fit_is_cut_between_characters(void **state)
{
    (void)state;
    for (size_t capacity = 1; capacity < 12; capacity++) {
        char room[16];
        memset(room, '#', sizeof(room));
        const char *text = plain_text("\x1b\x1b", "", room, capacity);
        assert_ptr_equal(text, room);
        assert_int_equal(strlen(room), capacity <= 4 ? 0 : capacity <= 8 ? 4 : 8);
        assert_int_equal(room[capacity], '#');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_plain_is_the_same_text),
        cmocka_unit_test(control_characters_are_written_out),
        cmocka_unit_test(what_does_not_fit_is_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
