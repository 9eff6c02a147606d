// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "det/float_environment.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "support/catch_log.h"
#include "support/odd_floats.h"

static volatile float one = 1.0f, three = 3.0f, zero = 0.0f, smallest = 1e-40f;

static void a_thread_begins_with_the_known_environment(void **state)
{
    (void)state;
    assert_int_equal(bks_float_faults(), 0);
}

static void every_rounding_but_to_nearest_is_a_fault(void **state)
{
    (void)state;
    const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (int i = 0; i < 3; i++) {
        (void)fesetround(modes[i]);
        const uint32_t faults = bks_float_faults();
        odd_floats_clear();
        assert_int_equal(faults, BKS_FLOAT_ROUNDS);
    }
}

static void between_enter_and_leave_all_is_known(void **state)
{
    (void)state;
    const float third = one / three;
    const uint32_t set = odd_floats_set();
    const float third_down = one / three;
    const bks_float_environment before = bks_float_enter();
    const uint32_t inside = bks_float_faults();
    const float third_inside = one / three;
    const float half_inside = smallest / (one + one);
    const uint32_t changed = bks_float_leave(&before);
    const uint32_t behind = bks_float_faults();
    const float third_behind = one / three;
    odd_floats_clear();
    assert_true(third_down < third); // or nothing is shown
    assert_int_equal(inside, 0);
    assert_true(third_inside <= third && third_inside >= third);
    assert_true(half_inside > 0.0f);
    assert_int_equal(changed, 0);
    assert_int_equal(behind, set);
    assert_true(third_behind <= third_down && third_behind >= third_down);
}

static void what_the_work_changed_is_reported_and_undone(void **state)
{
    (void)state;
    const bks_float_environment before = bks_float_enter();
    const uint32_t set = odd_floats_set();
    const uint32_t changed = bks_float_leave(&before);
    const uint32_t behind = bks_float_faults();
    odd_floats_clear();
    assert_int_equal(changed, set);
    assert_int_equal(behind, 0);
}

static void nested_guards_give_each_caller_its_own(void **state)
{
    (void)state;
    const uint32_t set = odd_floats_set();
    const bks_float_environment outer = bks_float_enter();
    (void)odd_floats_set();
    const bks_float_environment inner = bks_float_enter();
    const uint32_t inside = bks_float_faults();
    const uint32_t changed_inside = bks_float_leave(&inner);
    const uint32_t between = bks_float_faults();
    const uint32_t changed = bks_float_leave(&outer);
    const uint32_t behind = bks_float_faults();
    odd_floats_clear();
    assert_int_equal(inside, 0);
    assert_int_equal(changed_inside, 0);
    assert_int_equal(between, set);
    assert_int_equal(changed, set);
    assert_int_equal(behind, set);
}

#if defined(__SSE2__)
enum { UNMASK_ZERO_DIVIDE = 0x200, INEXACT = 0x20, FLAGS = 0x3f };

static void exceptions_of_the_work_do_not_reach_a_caller_that_traps_them(void **state)
{
    (void)state;
    const uint16_t traps = 0x037b; // the x87 raises zero divide
    _mm_setcsr(_mm_getcsr() & ~(uint32_t)UNMASK_ZERO_DIVIDE);
    __asm__ volatile("fldcw %0" : : "m"(traps));
    const uint32_t outside = bks_float_faults();
    const bks_float_environment before = bks_float_enter();
    const float infinite = one / zero;
    long double wide = (long double)one;
    __asm__ volatile("fldz\n\tfdivrp %%st, %%st(1)" : "+t"(wide));
    (void)bks_float_leave(&before);
    __asm__ volatile("fwait"); // raises what is pending
    const uint32_t behind = bks_float_faults();
    odd_floats_clear();
    assert_int_equal(outside, BKS_FLOAT_TRAPS);
    assert_int_equal(behind, BKS_FLOAT_TRAPS);
    assert_true(infinite > 1e38f);
}

static void a_caller_keeps_its_exception_flags(void **state)
{
    (void)state;
    _mm_setcsr(_mm_getcsr() & ~(uint32_t)FLAGS);
    const bks_float_environment before = bks_float_enter();
    const float third = one / three;
    const uint32_t inside = _mm_getcsr() & INEXACT;
    (void)bks_float_leave(&before);
    const uint32_t behind = _mm_getcsr() & FLAGS;
    assert_true(third > 0.0f);
    assert_int_equal(inside, INEXACT);
    assert_int_equal(behind, 0);
}

static sigjmp_buf trapped;

static void catch_trap(int number)
{
    siglongjmp(trapped, number);
}

static void an_invalid_operation_raises_a_signal_on_request(void **state)
{
    (void)state;
    struct sigaction action = {.sa_handler = catch_trap};
    struct sigaction old;
    (void)sigaction(SIGFPE, &action, &old);
    static bks_float_environment before;
    before = bks_float_enter();
    volatile float quiet = zero / zero;
    (void)bks_float_leave(&before);
    before = bksi_float_enter(true);
    const int number = sigsetjmp(trapped, 1);
    if (number == 0) {
        volatile float loud = zero / zero;
        (void)loud;
    }
    (void)bksi_float_leave(&before);
    (void)sigaction(SIGFPE, &old, NULL);
    assert_true(quiet != quiet);
    assert_int_equal(number, SIGFPE);
    assert_int_equal(bks_float_faults(), 0);
}
#endif

static void every_fault_has_words(void **state)
{
    (void)state;
    assert_string_equal(bks_float_faults_text(0), "");
    for (uint32_t faults = 1; faults < 64; faults++) {
        const size_t length = strlen(bks_float_faults_text(faults));
        assert_in_range(length, 10, 100);
    }
    assert_string_equal(bks_float_faults_text(BKS_FLOAT_FLUSHES), "flushes denormals to zero");
    assert_non_null(strstr(bks_float_faults_text(BKS_FLOAT_PRECISION), "x87"));
    assert_non_null(strstr(bks_float_faults_text(BKS_FLOAT_TRAPS), "exceptions"));
    assert_non_null(strstr(bks_float_faults_text(BKS_FLOAT_NANS), "NaN"));
    assert_non_null(strstr(bks_float_faults_text(BKS_FLOAT_ROUNDS), "rounds"));
}

static void a_null_environment_is_logged(void **state)
{
    (void)state;
    catch_log log;
    catch_log_begin(&log);
    assert_int_equal(bks_float_leave(NULL), 0);
    assert_string_equal(log.id, "bks_float_leave");
    bks_log_clear_sink();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_begins_with_the_known_environment),
        cmocka_unit_test(every_rounding_but_to_nearest_is_a_fault),
        cmocka_unit_test(between_enter_and_leave_all_is_known),
        cmocka_unit_test(what_the_work_changed_is_reported_and_undone),
        cmocka_unit_test(nested_guards_give_each_caller_its_own),
#if defined(__SSE2__)
        cmocka_unit_test(exceptions_of_the_work_do_not_reach_a_caller_that_traps_them),
        cmocka_unit_test(a_caller_keeps_its_exception_flags),
        cmocka_unit_test(an_invalid_operation_raises_a_signal_on_request),
#endif
        cmocka_unit_test(every_fault_has_words),
        cmocka_unit_test(a_null_environment_is_logged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
