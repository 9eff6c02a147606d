// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "base/log_stderr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char printed[65536];
static int real_stderr;
static FILE *caught;

static void catch_stderr(void)
{
    caught = tmpfile();
    assert_non_null(caught);
    (void)fflush(stderr);
    real_stderr = dup(STDERR_FILENO);
    assert_true(real_stderr >= 0 && dup2(fileno(caught), STDERR_FILENO) >= 0);
}

/// @return lines printed since catch_stderr()
static uint32_t release_stderr(void)
{
    (void)fflush(stderr);
    assert_true(dup2(real_stderr, STDERR_FILENO) >= 0);
    (void)close(real_stderr);
    rewind(caught);
    const size_t count = fread(printed, 1, sizeof(printed) - 1, caught);
    (void)fclose(caught);
    printed[count] = '\0';
    uint32_t lines = 0;
    for (const char *at = printed; (at = strchr(at, '\n')) != NULL; at++) {
        lines++;
    }
    return lines;
}

static void warnings_and_errors_are_printed_with_their_id_and_nothing_else_is(void **state)
{
    (void)state;
    catch_stderr();
    bksi_log_stderr(NULL, BKS_LOG_DEBUG, "test.kinds", "a");
    bksi_log_stderr(NULL, BKS_LOG_INFO, "test.kinds", "b");
    bksi_log_stderr(NULL, BKS_LOG_WARNING, "test.kinds", "the states differ");
    bksi_log_stderr(NULL, BKS_LOG_ERROR, "test.kinds", "players is 9, must be 1..4");
    assert_int_equal(release_stderr(), 2);
    assert_string_equal(printed, "backstitch: warning: the states differ (test.kinds)\n"
                                 "backstitch: error: players is 9, must be 1..4 (test.kinds)\n");
}

static void a_repeated_line_is_not_printed_each_time(void **state)
{
    (void)state;
    catch_stderr();
    for (int i = 0; i < 100000; i++) {
        bksi_log_stderr(NULL, BKS_LOG_WARNING, "test.flood", "a guest was refused");
    }
    bksi_log_stderr(NULL, BKS_LOG_WARNING, "test.other", "something else");
    // Ten at once and one a minute; the loop may see the minute pass.
    assert_in_range(release_stderr(), 12, 14);
    assert_non_null(strstr(printed, "something else (test.other)"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warnings_and_errors_are_printed_with_their_id_and_nothing_else_is),
        cmocka_unit_test(a_repeated_line_is_not_printed_each_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
