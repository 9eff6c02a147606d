// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "game/some_game.h"
#include "peer/peer_config.h"
#include "support/seed.h"

/// Read from a copy that ends where the bytes do.
static bool read_setup(const uint8_t *bytes, size_t count, bks_option_values *values)
{
    uint8_t *copy = malloc(count > 0 ? count : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, count);
    bool is_ok = bksi_setup_read(&some_game, copy, count, values);
    free(copy);
    return is_ok;
}

static size_t write_some(uint8_t bytes[BKS_SETUP_BYTES_MAX])
{
    bks_option_values values;
    assert_int_equal(bks_option_values_default(&some_game, &values), BKS_OK);
    assert_int_equal(bks_option_values_set(&some_game, &values, "map", "huge", NULL), BKS_OK);
    return bksi_setup_write(&some_game, &values, bytes, BKS_SETUP_BYTES_MAX);
}

static void options_are_a_count_and_texts(void **context)
{
    (void)context;
    uint8_t bytes[BKS_SETUP_BYTES_MAX];
    assert_int_equal(write_some(bytes), 8);
    assert_memory_equal(bytes, "\2\4huge\0013", 8);
    bks_option_values back;
    memset(&back, 0xa5, sizeof(back));
    assert_true(read_setup(bytes, 8, &back));
    assert_string_equal(back.text[0], "huge");
    assert_string_equal(back.text[1], "3");
    for (size_t i = 5; i < BKS_OPTION_VALUE_BYTES; i++) {
        assert_int_equal(back.text[0][i], 0); // nothing old behind the text
    }
}

/// Values stand in the order of the table, so both sides need the same order.
static void the_form_is_the_names_of_the_options_in_their_order(void **context)
{
    (void)context;
    static const bks_option options[] = {{"speed", "3", ""}, {"size", "1", ""}};
    static const bks_option swapped[] = {{"size", "1", ""}, {"speed", "3", ""}};
    static const bks_option defaults[] = {{"speed", "4", "?"}, {"size", "2", "?"}};
    bks_game game = {.options = options, .option_count = 2};
    uint64_t form = bksi_setup_form(&game);
    // XXH3-64 of "size" seeded with that of "speed" seeded with 2, by another program.
    assert_true(form == UINT64_C(0x325293c8e22f9b5d));
    game.options = swapped;
    assert_true(bksi_setup_form(&game) != form);
    game.options = defaults;
    assert_true(bksi_setup_form(&game) == form);
    game.option_count = 1;
    assert_true(bksi_setup_form(&game) != form);
}

static void options_of_any_other_length_are_refused(void **context)
{
    (void)context;
    uint8_t bytes[BKS_SETUP_BYTES_MAX] = {0};
    size_t right = write_some(bytes);
    bks_option_values values;
    for (size_t count = 0; count <= 80; count++) {
        assert_int_equal(read_setup(bytes, count, &values), count == right);
    }
}

static void another_number_of_options_is_refused(void **context)
{
    (void)context;
    uint8_t bytes[BKS_SETUP_BYTES_MAX] = {0};
    size_t count = write_some(bytes);
    for (uint32_t options = 0; options < 256; options++) {
        bks_option_values values;
        bytes[0] = (uint8_t)options;
        const bool is_two = (options & ~BKSI_SETUP_HAS_STATE) == 2;
        assert_int_equal(read_setup(bytes, count, &values), is_two);
    }
}

static void texts_too_long_or_not_printable_are_refused(void **context)
{
    (void)context;
    uint8_t bytes[128];
    memset(bytes, 'a', sizeof(bytes));
    bytes[0] = 2;
    bytes[1] = 63;
    bytes[65] = 0;
    bks_option_values values;
    assert_true(read_setup(bytes, 66, &values));
    bytes[1] = 64;
    bytes[66] = 0;
    assert_false(read_setup(bytes, 67, &values));
    for (uint32_t c = 0; c < 256; c++) {
        uint8_t one[] = {2, 1, (uint8_t)c, 0};
        assert_int_equal(read_setup(one, 4, &values), c >= 0x20 && c <= 0x7e);
    }
}

static void a_setup_that_does_not_fit_is_not_written(void **context)
{
    (void)context;
    bks_option_values values;
    uint8_t bytes[8];
    assert_int_equal(bks_option_values_default(&some_game, &values), BKS_OK);
    for (size_t capacity = 0; capacity < 9; capacity++) { // "plain" and "3": 9 bytes
        assert_int_equal(bksi_setup_write(&some_game, &values, bytes, capacity), 0);
    }
}

static void random_bytes_are_read_within_their_bounds(void **context)
{
    (void)context;
    for (int round = 0; round < 20000; round++) {
        uint8_t bytes[100];
        size_t count = seed_below(sizeof(bytes) + 1);
        for (size_t i = 0; i < count; i++) {
            bytes[i] = (uint8_t)(i == 0 ? 2 : seed_below(0x70));
        }
        bks_option_values values;
        if (!read_setup(bytes, count, &values)) {
            continue;
        }
        for (uint32_t i = 0; i < BKS_OPTIONS_MAX; i++) {
            assert_non_null(memchr(values.text[i], 0, BKS_OPTION_VALUE_BYTES));
        }
    }
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_a_count_and_texts),
        cmocka_unit_test(the_form_is_the_names_of_the_options_in_their_order),
        cmocka_unit_test(options_of_any_other_length_are_refused),
        cmocka_unit_test(another_number_of_options_is_refused),
        cmocka_unit_test(texts_too_long_or_not_printable_are_refused),
        cmocka_unit_test(a_setup_that_does_not_fit_is_not_written),
        cmocka_unit_test(random_bytes_are_read_within_their_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
