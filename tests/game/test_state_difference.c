// SPDX-License-Identifier: MIT

// The first difference of two states, and what both hold there, by ranges. By a map,
// test_sync_test.c and test_lab_naming.c show it.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/state_map.h"

enum { COUNT = 200 };

static const bks_state_range ranges[] = {
    {.name = "ticks", .offset_bytes = 4, .count = 4, .type = BKS_STATE_U32},
    {.name = "speed", .offset_bytes = 24, .count = 1, .type = BKS_STATE_F64},
    {.name = "deep", .offset_bytes = 32, .count = 2, .type = BKS_STATE_I16},
    {.name = "short", .offset_bytes = 36, .count = 4, .type = BKS_STATE_BYTES},
    {.name = "blob", .offset_bytes = 64, .count = 100, .type = BKS_STATE_BYTES},
};
static const bks_state_names by_ranges = {.ranges = ranges, .range_count = 5};

static uint8_t ours[COUNT];
static uint8_t theirs[COUNT];

static bks_status find(const bks_state_names *names, bks_state_difference *out)
{
    const bks_compared_state a = {.bytes = ours, .count = COUNT};
    const bks_compared_state b = {.bytes = theirs, .count = COUNT};
    return bks_state_difference_find(names, &a, &b, out);
}

static int begin(void **state)
{
    (void)state;
    memset(ours, 0, sizeof(ours));
    memset(theirs, 0, sizeof(theirs));
    return 0;
}

static void without_types_a_value_reads_as_its_range_says(void **state)
{
    (void)state;
    bks_state_difference found;
    ours[8] = 16;
    theirs[8] = 24;
    assert_int_equal(find(&by_ranges, &found), BKS_OK);
    assert_string_equal(found.place.name, "ticks[1]");
    assert_string_equal(found.values[0], "16");
    assert_string_equal(found.values[1], "24");
    (void)begin(state);
    memset(theirs + 34, 0xFF, 2);
    assert_int_equal(find(&by_ranges, &found), BKS_OK);
    assert_string_equal(found.values[0], "0");
    assert_string_equal(found.values[1], "-1");
    (void)begin(state);
    const double speed = 1.5;
    memcpy(ours + 24, &speed, sizeof(speed));
    assert_int_equal(find(&by_ranges, &found), BKS_OK);
    assert_string_equal(found.values[0], "1.5");
    assert_string_equal(found.values[1], "0");
}

static void bytes_of_no_type_are_shown_from_the_first_that_differs(void **state)
{
    (void)state;
    bks_state_difference found;
    theirs[64 + 40] = 0xA5;
    assert_int_equal(find(&by_ranges, &found), BKS_OK);
    assert_string_equal(found.values[0], "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00");
    assert_string_equal(found.values[1], "a5 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00");
}

static void text_of_no_type_reads_as_text_with_its_bytes(void **state)
{
    (void)state;
    bks_state_difference found;
    (void)memcpy(ours + 80, "wind 1.25\nsun 3.5", 17);
    (void)memcpy(theirs + 80, "wind 1.5\nsun 3.5", 16);
    assert_int_equal(find(&by_ranges, &found), BKS_OK);
    assert_string_equal(found.values[0], "\"wind 1.25\\nsun 3.5\"");
    assert_string_equal(found.values[1], "\"wind 1.5\\nsun 3.5\"");
    assert_string_equal(found.place.note, "text in bytes 80 to 96, different from byte 87 on");
}

// Fill both states with zeros and a text.
static void put_texts(const char *our_text, const char *their_text)
{
    memset(ours, 0, sizeof(ours));
    memset(theirs, 0, sizeof(theirs));
    (void)memcpy(ours + 20, our_text, strlen(our_text));
    (void)memcpy(theirs + 20, their_text, strlen(their_text));
}

static void text_of_an_opaque_state_is_utf_8_and_begins_with_a_whole_character(void **state)
{
    (void)state;
    static const bks_state_names none = {0};
    bks_state_difference found;
    put_texts("na\u00EFve caf\u00E9 \u65E5\u672C 1.25", "na\u00EFve caf\u00E8 \u65E5\u672C 1.25");
    assert_int_equal(find(&none, &found), BKS_OK);
    assert_string_equal(found.values[0], "\"na\u00EFve caf\u00E9 \u65E5\u672C 1.25\"");
    assert_string_equal(found.values[1], "\"na\u00EFve caf\u00E8 \u65E5\u672C 1.25\"");
    assert_string_equal(found.place.note, "text in bytes 20 to 43, different from byte 31 on");
}

static void quotes_and_line_ends_of_a_text_are_escaped(void **state)
{
    (void)state;
    static const bks_state_names none = {0};
    bks_state_difference found;
    put_texts("a\t\"b\"\\c\r\n1.5", "a\t\"b\"\\c\r\n2.5");
    assert_int_equal(find(&none, &found), BKS_OK);
    assert_string_equal(found.values[0], "\"a\\t\\\"b\\\"\\\\c\\r\\n1.5\"");
}

static void bytes_that_are_no_text_are_shown_beside_the_text_of_the_other(void **state)
{
    (void)state;
    static const bks_state_names none = {0};
    bks_state_difference found;
    put_texts("wind 1.25 sun", "wind \xE9.25 sun"); // E9 begins a character that does not follow
    assert_int_equal(find(&none, &found), BKS_OK);
    assert_string_equal(found.values[0], "\"wind 1.25 sun\"");
    assert_memory_equal(found.values[1], "e9 2e 32 35 20 73 75 6e", 23);
    // A character that reverses the direction of the text is no text.
    put_texts("wind 1.25 sun", "wind \u202E sun");
    assert_int_equal(find(&none, &found), BKS_OK);
    assert_memory_equal(found.values[1], "e2 80 ae", 8);
}

static void text_that_goes_on_in_one_state_is_text_in_both(void **state)
{
    (void)state;
    static const bks_state_names none = {0};
    bks_state_difference found;
    const bks_compared_state a = {.bytes = "wind 1.25", .count = 9};
    const bks_compared_state b = {.bytes = "wind 1.2500001", .count = 14};
    assert_int_equal(bks_state_difference_find(&none, &a, &b, &found), BKS_OK);
    assert_string_equal(found.values[0], "\"wind 1.25\"");
    assert_string_equal(found.values[1], "\"wind 1.2500001\"");
    assert_string_equal(found.place.note, "text in bytes 0 to 13, different from byte 9 on");
}

static void bytes_of_an_opaque_state_say_how_many_differ(void **state)
{
    (void)state;
    static const bks_state_names none = {0};
    bks_state_difference found;
    memset(theirs + 40, 0xA5, 3);
    assert_int_equal(find(&none, &found), BKS_OK);
    assert_string_equal(found.place.note, "bytes 40 to 42");
    assert_memory_equal(found.values[1], "a5 a5 a5 00", 11);
}

static void only_a_hash_differs_of_states_with_the_same_bytes(void **state)
{
    (void)state;
    bks_state_difference found;
    assert_int_equal(find(&by_ranges, &found), BKS_OVER);
    assert_string_equal(found.place.name, "(unnamed).hash");
    assert_string_equal(found.values[0], "");
}

static void a_value_that_a_state_has_not_is_beyond_its_bytes(void **state)
{
    (void)state;
    bks_state_difference found;
    const bks_compared_state a = {.bytes = ours, .count = 8};
    const bks_compared_state b = {.bytes = theirs, .count = 12};
    theirs[8] = 7;
    assert_int_equal(bks_state_difference_find(&by_ranges, &a, &b, &found), BKS_OK);
    assert_string_equal(found.values[0], "beyond its 8 bytes");
    char text[64];
    assert_int_equal(bks_state_value(&by_ranges, &b, &found.place, text, sizeof(text)), BKS_OK);
    assert_string_equal(text, "7");
    assert_int_equal(bks_state_value(&by_ranges, &b, &found.place, text, 1), BKS_OK);
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(without_types_a_value_reads_as_its_range_says, begin),
        cmocka_unit_test_setup(bytes_of_no_type_are_shown_from_the_first_that_differs, begin),
        cmocka_unit_test_setup(text_of_no_type_reads_as_text_with_its_bytes, begin),
        cmocka_unit_test_setup(text_of_an_opaque_state_is_utf_8_and_begins_with_a_whole_character,
                               begin),
        cmocka_unit_test_setup(quotes_and_line_ends_of_a_text_are_escaped, begin),
        cmocka_unit_test_setup(bytes_that_are_no_text_are_shown_beside_the_text_of_the_other,
                               begin),
        cmocka_unit_test_setup(text_that_goes_on_in_one_state_is_text_in_both, begin),
        cmocka_unit_test_setup(bytes_of_an_opaque_state_say_how_many_differ, begin),
        cmocka_unit_test_setup(only_a_hash_differs_of_states_with_the_same_bytes, begin),
        cmocka_unit_test_setup(a_value_that_a_state_has_not_is_beyond_its_bytes, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
