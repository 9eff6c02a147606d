// SPDX-License-Identifier: MIT

#include "map/code_line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cli.h"

static void code_of_this_program_has_function_and_line(void **state)
{
    (void)state;
    char text[256];
    code_line_write((const uint8_t *)(uintptr_t)code_line_write + 1, text, sizeof(text));
#if defined(BKS_HAVE_LIBDW)
    cli_expect(text, "code_line_write (code_line_text.c:");
#else
    cli_expect(text, " in ");
#endif
}

static void code_of_no_file_is_said_to_be_unknown(void **state)
{
    (void)state;
    static int data;
    char text[64];
    code_line_write((const void *)(uintptr_t)16, text, sizeof(text));
    assert_string_equal(text, "an unknown place");
    code_line_write(&data, text, 8); // cut off, not overrun
    assert_int_equal(strlen(text), 7);
}

static void the_innermost_frame_of_the_wanted_module_is_chosen(void **state)
{
    (void)state;
    uint8_t *const elsewhere = (uint8_t *)(uintptr_t)printf;
    uint8_t *const here = (uint8_t *)(uintptr_t)code_line_write;
    void *const frames[] = {elsewhere, here + 4, here + 8};
    assert_ptr_equal(code_line_choose(frames, 3, here), here + 3);
    assert_ptr_equal(code_line_choose(frames, 1, here), elsewhere);
    void *const direct[] = {here, elsewhere};
    assert_ptr_equal(code_line_choose(direct, 2, here), here);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_of_this_program_has_function_and_line),
        cmocka_unit_test(code_of_no_file_is_said_to_be_unknown),
        cmocka_unit_test(the_innermost_frame_of_the_wanted_module_is_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
