// SPDX-License-Identifier: MIT

#include "game/layout_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const bks_field fields[] = {{.name = "move", .bits = 3, .is_signed = true},
                                   {.name = "fire", .bits = 1}};

static void the_first_input_field_that_differs_is_named(void **state)
{
    (void)state;
    char out[2][LAYOUT_TEXT_BYTES] = {"", ""};
    bks_field other[] = {fields[0], fields[1]};
    assert_false(layout_text_inputs(fields, 2, other, 2, out));
    assert_string_equal(out[0], "");
    other[1].bits = 2;
    assert_true(layout_text_inputs(fields, 2, other, 2, out));
    assert_string_equal(out[0], "fire: 1 bit, unsigned, neutral 0, group 0");
    assert_string_equal(out[1], "fire: 2 bits, unsigned, neutral 0, group 0");
    assert_true(layout_text_inputs(fields, 2, fields, 1, out));
    assert_string_equal(out[1], "no more than 1 field");
}

static void the_first_range_that_differs_is_named_by_offset_and_size(void **state)
{
    (void)state;
    char out[2][LAYOUT_TEXT_BYTES] = {"", ""};
    const bks_state_range ranges[] = {
        {.name = "units.hp", .offset_bytes = 24, .count = 1, .type = BKS_STATE_I32},
        {.name = "units.x", .offset_bytes = 28, .count = 2, .type = BKS_STATE_F32}};
    bks_state_range other[] = {ranges[1], ranges[0]};
    assert_false(layout_text_ranges(ranges, 2, other, 2, out)); // in another order
    other[1].offset_bytes = 28;
    assert_true(layout_text_ranges(ranges, 2, other, 2, out));
    assert_string_equal(out[0], "units.hp: 4 bytes at offset 24");
    assert_string_equal(out[1], "units.hp: 4 bytes at offset 28");
    assert_true(layout_text_ranges(ranges, 1, ranges, 2, out));
    assert_string_equal(out[0], "no units.x");
    assert_string_equal(out[1], "units.x: 8 bytes at offset 28");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_input_field_that_differs_is_named),
        cmocka_unit_test(the_first_range_that_differs_is_named_by_offset_and_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
