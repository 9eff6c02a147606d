// SPDX-License-Identifier: MIT

#include "base/report.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "support/catch_log.h"

static jmp_buf after_abort;

static void leave_abort(int number)
{
    (void)number;
    longjmp(after_abort, 1);
}

static void a_failed_assert_names_its_place_and_aborts(void **state)
{
    (void)state;
    catch_log log;
    catch_log_begin(&log);
    void (*before)(int) = signal(SIGABRT, leave_abort);
    if (setjmp(after_abort) == 0) {
        bksi_assert_failed("used <= capacity", "arena.c", 77);
    }
    (void)signal(SIGABRT, before);
    bks_log_clear_sink();
    assert_int_equal(log.level, BKS_LOG_ERROR);
    assert_non_null(strstr(log.text, "arena.c:77: used <= capacity is false"));
}

static void a_true_assert_does_nothing(void **state)
{
    (void)state;
    catch_log log;
    catch_log_begin(&log);
    BKS_ASSERT(log.count == 0);
    bks_log_clear_sink();
    assert_int_equal(log.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failed_assert_names_its_place_and_aborts),
        cmocka_unit_test(a_true_assert_does_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
