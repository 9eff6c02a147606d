// SPDX-License-Identifier: MIT

#include "map/state_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/state_map.h"

enum { COUNT = 200, AT = 67 };

// Two states that differ in one byte, from which the values are shown.
static void find(const bks_state_names *names, state_difference *out)
{
    static uint8_t ours[COUNT];
    static uint8_t theirs[COUNT];
    theirs[AT] = 0xA5;
    const state_names of_game = {.names = *names};
    const bks_compared_state a = {.bytes = ours, .count = COUNT};
    const bks_compared_state b = {.bytes = theirs, .count = COUNT};
    assert_true(state_difference_find(&of_game, &a, &b, out));
}

static void bytes_without_a_type_are_shown_from_the_first_that_differs(void **state)
{
    (void)state;
    static const char ours[] = "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00";
    static const char theirs[] = "a5 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00";
    static const bks_state_range range = {.name = "blob", .count = COUNT, .type = BKS_STATE_BYTES};
    const bks_state_names names[] = {{0}, {.ranges = &range, .range_count = 1}};
    for (int i = 0; i < 2; i++) {
        state_difference found;
        find(&names[i], &found);
        assert_string_equal(found.a, ours);
        assert_string_equal(found.b, theirs);
    }
}

static void what_only_one_state_has_is_beyond_the_bytes_of_the_other(void **state)
{
    (void)state;
    static const uint8_t bytes[COUNT] = {[AT] = 7};
    static const state_names none;
    const bks_compared_state a = {.bytes = bytes, .count = AT};
    const bks_compared_state b = {.bytes = bytes, .count = AT + 1};
    state_difference found;
    assert_true(state_difference_find(&none, &a, &b, &found));
    assert_string_equal(found.a, "beyond its 67 bytes");
    assert_string_equal(found.b, "07");
}

/// Compare eight numbers with eight zeros.
static state_difference compare_ways(const uint32_t theirs[8])
{
    static const uint32_t ours[8];
    static const bks_state_range range = {.name = "way", .count = 8, .type = BKS_STATE_U32};
    const state_names names = {.names = {.ranges = &range, .range_count = 1}};
    const bks_compared_state a = {.bytes = ours, .count = sizeof(ours)};
    const bks_compared_state b = {.bytes = theirs, .count = sizeof(ours)};
    state_difference found;
    assert_true(state_difference_find(&names, &a, &b, &found));
    return found;
}

static void values_that_differ_besides_the_first_are_named(void **state)
{
    (void)state;
    const uint32_t theirs[8] = {[1] = 1, [3] = 1, [4] = 1, [6] = 1, [7] = 1};
    const state_difference found = compare_ways(theirs);
    assert_string_equal(found.place.name, "way[1]");
    assert_string_equal(found.others, "way[3], way[4], way[6] and more");
}

static void another_value_can_become_the_one_that_is_named(void **state)
{
    (void)state;
    const uint32_t theirs[8] = {[1] = 1, [3] = 3, [4] = 4, [6] = 6, [7] = 7};
    state_difference found = compare_ways(theirs);
    state_difference_choose(&found, 1);
    assert_string_equal(found.place.name, "way[4]");
    assert_string_equal(found.a, "0");
    assert_string_equal(found.b, "4");
    assert_string_equal(found.others, "way[1], way[3], way[6] and more");
    assert_string_equal(found.also[0].b, "1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_without_a_type_are_shown_from_the_first_that_differs),
        cmocka_unit_test(what_only_one_state_has_is_beyond_the_bytes_of_the_other),
        cmocka_unit_test(values_that_differ_besides_the_first_are_named),
        cmocka_unit_test(another_value_can_become_the_one_that_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
