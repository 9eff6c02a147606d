// SPDX-License-Identifier: MIT

#include "diagnose/variants/complaint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define CALLERS                                                \
    "==7==    by 0x1CC357: bksi_call_step (game_calls.c:50)\n" \
    "==7==    by 0x17942C: check_side_step (check_side.c:157)\n"

static const char freed[] = "==7== Invalid read of size 4\n"
                            "==7==    at 0x48A: bks_pool_get (pool.c:9)\n"
                            "==7==    by 0x48B: b_step (own.cpp:44)\n" CALLERS
                            "==7==  Address 0x4a2 is 20 bytes inside a block of size 32 free'd\n"
                            "==7==    at 0x484: free (vg_replace_malloc.c:872)\n"
                            "==7==    by 0x48A: b_step (own.cpp:44)\n"
                            "==7== \n"
                            "==7== Conditional jump or move depends on uninitialised value(s)\n"
                            "==7==    at 0x48C: turn (storm.c:19)\n" CALLERS
                            "==7==  Uninitialised value was created by a heap allocation\n"
                            "==7==    at 0x484: malloc (in /usr/vgpreload_memcheck-amd64.so)\n"
                            "==7==    by 0x48D: grow (in /opt/storm.so)\n"
                            "==7== \n";

static void a_use_of_freed_memory_is_no_branch(void **state)
{
    (void)state;
    complaint_frame frame;
    char text[96];
    assert_true(complaint_invalid(freed, text, sizeof(text), &frame));
    assert_string_equal(text, "reads 4 bytes that were freed");
    assert_string_equal(frame.function, "b_step");
    assert_string_equal(frame.line, "own.cpp:44");
    assert_true(complaint_branch(freed, &frame));
    assert_string_equal(frame.function, "turn");
    assert_string_equal(frame.line, "storm.c:19");
    assert_false(complaint_invalid(strstr(freed, "== Cond"), text, sizeof(text), &frame));
}

static void an_origin_without_a_line_has_its_function(void **state)
{
    (void)state;
    complaint_frame frame;
    assert_true(complaint_origin(freed, &frame));
    assert_string_equal(frame.function, "grow");
    assert_string_equal(frame.line, "");
}

static void a_stack_of_the_program_alone_has_no_frame_of_the_game(void **state)
{
    (void)state;
    complaint_frame frame;
    assert_false(complaint_branch("==7== Conditional jump\n" CALLERS "==7== \n", &frame));
    assert_false(complaint_origin("==7== was created by a stack allocation", &frame));
    assert_false(complaint_origin("", &frame));
}

static void each_kind_of_memory_has_its_words(void **state)
{
    (void)state;
    static const char *const kinds[][2] = {
        {"==7== Invalid write of size 1\n==7==  Address 0x1 is 0 bytes after a block of size 8\n",
         "writes 1 byte behind a block of memory"},
        {"==7== Invalid read of size 8\n==7==  Address 0x1 is 8 bytes before a block of size 8\n",
         "reads 8 bytes before a block of memory"},
        {"==7== Invalid read of size 8\n==7==  Address 0x1 is not stack'd, malloc'd or free'd\n",
         "reads 8 bytes where it has no memory"},
        {"==7== Invalid free() / delete / delete[] / realloc()\n", "frees what it does not hold"},
        {"==7== Invalid read of size", "frees what it does not hold"}};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        complaint_frame frame;
        char text[96];
        assert_true(complaint_invalid(kinds[i][0], text, sizeof(text), &frame));
        assert_string_equal(text, kinds[i][1]);
        assert_string_equal(frame.function, "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_use_of_freed_memory_is_no_branch),
        cmocka_unit_test(an_origin_without_a_line_has_its_function),
        cmocka_unit_test(a_stack_of_the_program_alone_has_no_frame_of_the_game),
        cmocka_unit_test(each_kind_of_memory_has_its_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
