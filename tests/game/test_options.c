// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include "backstitch/game.h"

#include <cmocka.h>

#include "game/options.h"
#include "game/some_game.h"
#include "support/catch_log.h"

static void defaults_fill_in_the_table_and_zeros_the_rest(void **state)
{
    (void)state;
    bks_option_values values;
    bks_option_values expected = {0};
    memset(&values, 0x55, sizeof(values));
    memcpy(expected.text[0], "plain", 5);
    memcpy(expected.text[1], "3", 1);
    assert_int_equal(bks_option_values_default(&some_game, &values), BKS_OK);
    assert_memory_equal(&values, &expected, sizeof(values));
}

static void a_shorter_value_leaves_nothing_of_a_longer_one(void **state)
{
    (void)state;
    bks_option_values values;
    bks_option_values expected;
    bks_option_values_default(&some_game, &values);
    assert_int_equal(bks_option_values_set(&some_game, &values, "map", "enormous", NULL), BKS_OK);
    assert_string_equal(values.text[0], "enormous");
    assert_int_equal(bks_option_values_set(&some_game, &values, "map", "plain", NULL), BKS_OK);
    bks_option_values_default(&some_game, &expected);
    assert_memory_equal(&values, &expected, sizeof(values));
}

static void an_unknown_name_lists_the_names_there_are(void **state)
{
    (void)state;
    bks_option_values values;
    bks_error error;
    bks_option_values_default(&some_game, &values);
    assert_int_equal(bks_option_values_set(&some_game, &values, "mop", "x", &error),
                     BKS_ERR_BAD_ARGUMENT);
    assert_string_equal(error.field, "name");
    assert_string_equal(error.text, "name is \"mop\", must be one of: map, lives");
    assert_int_equal(bks_option_values_set(&own_game, &values, "map", "x", &error),
                     BKS_ERR_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "(the game has no options)"));
}

static void a_value_that_is_long_or_not_printable_changes_nothing(void **state)
{
    (void)state;
    const char *bad[] = {"1234567890123456789012345678901234567890123456789012345678901234", "a\n",
                         "\x7f", "caf\xc3\xa9"};
    bks_option_values values;
    bks_option_values before;
    bks_error error;
    bks_option_values_default(&some_game, &values);
    before = values;
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(bks_option_values_set(&some_game, &values, "map", bad[i], &error),
                         BKS_ERR_BAD_ARGUMENT);
        assert_string_equal(error.field, "value");
        assert_memory_equal(&values, &before, sizeof(values));
    }
    assert_int_equal(bks_option_values_set(&some_game, &values, "map", bad[0] + 1, &error), BKS_OK);
    assert_string_equal(values.text[0], bad[0] + 1);
}

static void missing_arguments_are_named(void **state)
{
    (void)state;
    catch_log log;
    catch_log_begin(&log);
    bks_option_values values;
    assert_int_equal(bks_option_values_default(NULL, &values), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_option_values_default(&some_game, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_option_values_set(NULL, &values, "a", "b", NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_option_values_set(&some_game, NULL, "a", "b", NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_option_values_set(&some_game, &values, NULL, "b", NULL),
                     BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_option_values_set(&some_game, &values, "map", NULL, NULL),
                     BKS_ERR_BAD_ARGUMENT);
    assert_string_equal(log.text, "value is NULL, must not be");
    bks_game game = some_game;
    game.option_count = 17;
    assert_int_equal(bks_option_values_default(&game, &values), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_option_values_set(&game, &values, "map", "b", NULL), BKS_ERR_BAD_ARGUMENT);
    bks_log_clear_sink();
    assert_int_equal(log.count, 8);
}

static void a_start_carries_its_options(void **state)
{
    (void)state;
    catch_log log;
    catch_log_begin(&log);
    bks_option_values values;
    bks_option_values_default(&some_game, &values);
    const bks_start start = {.game = &some_game, .options = &values};
    assert_string_equal(bks_start_option(&start, "lives"), "3");
    assert_int_equal(log.count, 0);
    assert_string_equal(bks_start_option(&start, "live"), "");
    assert_string_equal(log.text, "name is \"live\", which is no option of some");
    assert_string_equal(bks_start_option(NULL, "lives"), "");
    assert_string_equal(bks_start_option(&start, NULL), "");
    bks_log_clear_sink();
    assert_int_equal(log.count, 3);
}

static void values_from_a_caller_end_within_their_bytes_and_are_printable(void **state)
{
    (void)state;
    bks_option_values values;
    bks_error error = {0};
    assert_int_equal(bks_option_values_default(&some_game, &values), BKS_OK);
    memset(values.text[0] + 5, '.', BKS_OPTION_VALUE_BYTES - 6);
    assert_int_equal(bksi_option_values_check(&some_game, &values, "test", &error), BKS_OK);
    values.text[0][BKS_OPTION_VALUE_BYTES - 1] = '.';
    assert_int_equal(bksi_option_values_check(&some_game, &values, "test", &error),
                     BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "options");
    assert_non_null(strstr(error.text, "for map, must be 0..63 bytes of printable ASCII"));
    values.text[0][5] = '\n';
    assert_int_equal(bksi_option_values_check(&some_game, &values, "test", &error),
                     BKS_ERR_BAD_CONFIG);
    assert_non_null(strstr(error.text, "options has \"plain\"... for map"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_fill_in_the_table_and_zeros_the_rest),
        cmocka_unit_test(a_shorter_value_leaves_nothing_of_a_longer_one),
        cmocka_unit_test(an_unknown_name_lists_the_names_there_are),
        cmocka_unit_test(a_value_that_is_long_or_not_printable_changes_nothing),
        cmocka_unit_test(missing_arguments_are_named),
        cmocka_unit_test(a_start_carries_its_options),
        cmocka_unit_test(values_from_a_caller_end_within_their_bytes_and_are_printable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
