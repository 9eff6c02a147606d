// SPDX-License-Identifier: MIT

#include "base/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "support/catch_log.h"

static void a_line_reaches_the_sink_with_its_id_and_level(void **state)
{
    (void)state;
    catch_log log;
    catch_log_begin(&log);
    bksi_log(BKS_LOG_WARNING, "net.peer", "peer %d is %s", 3, "late");
    bks_log_clear_sink();
    assert_int_equal(log.count, 1);
    assert_int_equal(log.level, BKS_LOG_WARNING);
    assert_string_equal(log.id, "net.peer");
    assert_string_equal(log.text, "peer 3 is late");
}

static void a_failure_says_the_same_to_the_caller_and_to_the_log(void **state)
{
    (void)state;
    catch_log log;
    catch_log_begin(&log);
    bks_error error;
    memset(&error, 0x55, sizeof(error));
    bks_status status = bksi_fail(&error, BKS_ERR_BAD_CONFIG, "session.config", "window_ticks",
                                  "window_ticks is %d, must be 0..%d", 99, 60);
    bks_log_clear_sink();
    assert_int_equal(status, BKS_ERR_BAD_CONFIG);
    assert_int_equal(error.code, BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "window_ticks");
    assert_int_equal(error.offset_bytes, 0);
    assert_string_equal(error.text, "window_ticks is 99, must be 0..60");
    assert_int_equal(log.level, BKS_LOG_ERROR);
    assert_string_equal(log.id, "session.config");
    assert_string_equal(log.text, error.text);
}

static void a_failure_in_bytes_names_the_offset(void **state)
{
    (void)state;
    bks_error error;
    bks_status status = bksi_fail_at(&error, BKS_ERR_DAMAGED, "replay.read", 1234567890123,
                                     "checksum is %x", 0xbadu);
    assert_int_equal(status, BKS_ERR_DAMAGED);
    assert_null(error.field);
    assert_int_equal(error.offset_bytes, 1234567890123);
    assert_string_equal(error.text, "checksum is bad at byte 1234567890123");
}

static void the_offset_survives_a_sentence_that_is_too_long(void **state)
{
    (void)state;
    char longest[300];
    memset(longest, 'a', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    bks_error error;
    bksi_fail_at(&error, BKS_ERR_DAMAGED, "replay.read", 42, "%s", longest);
    assert_int_equal(strlen(error.text), sizeof(error.text) - 1);
    assert_string_equal(error.text + sizeof(error.text) - 1 - 11, " at byte 42");

    bksi_fail(&error, BKS_ERR_DAMAGED, "replay.read", NULL, "%s", longest);
    assert_int_equal(strlen(error.text), sizeof(error.text) - 1);
}

static void a_null_argument_is_named(void **state)
{
    (void)state;
    catch_log log;
    catch_log_begin(&log);
    bks_error error;
    assert_int_equal(bksi_fail_null(&error, "bks_pool_add", "pool"), BKS_ERR_BAD_ARGUMENT);
    bks_log_clear_sink();
    assert_string_equal(error.field, "pool");
    assert_string_equal(error.text, "pool is NULL, must not be");
    assert_string_equal(log.id, "bks_pool_add");
}

/// %n stores how much was formatted so far, so it shows whether anything was.
static void nothing_is_formatted_without_a_reader(void **state)
{
    (void)state;
    int wrote = -1;
    bksi_log(BKS_LOG_INFO, "test", "abc%n", &wrote);
    assert_int_equal(wrote, -1);
    assert_int_equal(bksi_fail(NULL, BKS_ERR_FULL, "test", NULL, "abc%n", &wrote), BKS_ERR_FULL);
    assert_int_equal(wrote, -1);
    assert_int_equal(bksi_fail_at(NULL, BKS_ERR_IO, "test", 1, "abc%n", &wrote), BKS_ERR_IO);
    assert_int_equal(wrote, -1);

    bks_error error;
    bksi_fail(&error, BKS_ERR_FULL, "test", NULL, "abc%n", &wrote);
    assert_int_equal(wrote, 3);
}

static void a_sink_without_a_function_is_refused_and_the_old_one_stays(void **state)
{
    (void)state;
    catch_log log;
    catch_log_begin(&log);
    assert_int_equal(bks_log_set_sink(NULL), BKS_ERR_BAD_ARGUMENT);
    assert_string_equal(log.text, "sink is NULL, must not be");
    const bks_log_sink empty = {.context = &log};
    assert_int_equal(bks_log_set_sink(&empty), BKS_ERR_BAD_ARGUMENT);
    assert_string_equal(log.text, "sink->write is NULL, must not be");
    assert_int_equal(log.count, 2);
    bks_log_clear_sink();
    bksi_log(BKS_LOG_ERROR, "test", "unheard");
    assert_int_equal(log.count, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_reaches_the_sink_with_its_id_and_level),
        cmocka_unit_test(a_failure_says_the_same_to_the_caller_and_to_the_log),
        cmocka_unit_test(a_failure_in_bytes_names_the_offset),
        cmocka_unit_test(the_offset_survives_a_sentence_that_is_too_long),
        cmocka_unit_test(a_null_argument_is_named),
        cmocka_unit_test(nothing_is_formatted_without_a_reader),
        cmocka_unit_test(a_sink_without_a_function_is_refused_and_the_old_one_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
