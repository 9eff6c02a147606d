// SPDX-License-Identifier: MIT

// The self-test of arithmetic, with the processor set to round in another way or to flush
// denormals. selftest_builds.py checks the results of other builds.

#include "det/selftest.h"

#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#define FLUSH_RESULTS  0x8000u // FTZ
#define FLUSH_OPERANDS 0x0040u // DAZ
#endif

static bool differs(const bksi_arithmetic *arithmetic, const char *name)
{
    for (uint32_t op = 0; op < BKSI_ARITHMETIC_OPS; op++) {
        if (strcmp(bksi_arithmetic_name(op), name) == 0) {
            return arithmetic->sums[op] != bksi_arithmetic_right.sums[op];
        }
    }
    fail_msg("no operation is called %s", name);
    return false;
}

static void assert_these_differ(const bksi_arithmetic *arithmetic, const char *const *wanted)
{
    for (uint32_t i = 0; wanted[i] != NULL; i++) {
        if (!differs(arithmetic, wanted[i])) {
            fail_msg("%s has the right sum", wanted[i]);
        }
    }
    assert_false(differs(arithmetic, "integer /"));
}

static void this_machine_keeps_ieee_754(void **state)
{
    (void)state;
    bksi_arithmetic arithmetic;
    bksi_arithmetic_test(&arithmetic);
    for (uint32_t op = 0; op < BKSI_ARITHMETIC_OPS; op++) {
        if (arithmetic.sums[op] != bksi_arithmetic_right.sums[op]) {
            fail_msg("%s: sum is 0x%04x, must be 0x%04x", bksi_arithmetic_name(op),
                     arithmetic.sums[op], bksi_arithmetic_right.sums[op]);
        }
    }
}

static void the_first_operation_that_differs_is_found(void **state)
{
    (void)state;
    for (uint32_t op = 0; op < BKSI_ARITHMETIC_OPS; op++) {
        bksi_arithmetic other = bksi_arithmetic_right;
        other.sums[op] ^= 1;
        other.sums[BKSI_ARITHMETIC_OPS - 1] ^= 2;
        assert_int_equal(bksi_arithmetic_compare(&bksi_arithmetic_right, &other), op);
    }
    assert_int_equal(bksi_arithmetic_compare(&bksi_arithmetic_right, &bksi_arithmetic_right),
                     BKSI_ARITHMETIC_OPS);
}

static void every_operation_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (uint32_t a = 0; a < BKSI_ARITHMETIC_OPS; a++) {
        assert_in_range(strlen(bksi_arithmetic_name(a)), 4, 24);
        for (uint32_t b = a + 1; b < BKSI_ARITHMETIC_OPS; b++) {
            assert_string_not_equal(bksi_arithmetic_name(a), bksi_arithmetic_name(b));
        }
    }
}

static void another_rounding_is_seen_in_every_operation_that_rounds(void **state)
{
    (void)state;
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    static const char *const rounding[] = {"float +",
                                           "float -",
                                           "float *",
                                           "float /",
                                           "sqrtf",
                                           "float a * b + c",
                                           "double +",
                                           "double -",
                                           "double *",
                                           "double /",
                                           "sqrt",
                                           "double a * b + c",
                                           "conversion to float",
                                           NULL};
    bksi_arithmetic by_mode[3];
    for (int i = 0; i < 3; i++) {
        int refused = fesetround(modes[i]);
        bksi_arithmetic_test(&by_mode[i]);
        (void)fesetround(FE_TONEAREST);
        assert_int_equal(refused, 0);
        assert_these_differ(&by_mode[i], rounding);
        assert_false(differs(&by_mode[i], "a < b"));
        assert_false(differs(&by_mode[i], "conversion to integer"));
    }
    assert_int_not_equal(bksi_arithmetic_compare(&by_mode[0], &by_mode[1]), BKSI_ARITHMETIC_OPS);
    assert_int_not_equal(bksi_arithmetic_compare(&by_mode[1], &by_mode[2]), BKSI_ARITHMETIC_OPS);
}

#if defined(__SSE2__)
static bksi_arithmetic with_control(uint32_t bits)
{
    bksi_arithmetic arithmetic;
    uint32_t before = _mm_getcsr();
    _mm_setcsr(before | bits);
    bksi_arithmetic_test(&arithmetic);
    _mm_setcsr(before);
    return arithmetic;
}

static void results_flushed_to_zero_are_seen(void **state)
{
    (void)state;
    static const char *const denormal[] = {
        "float +",  "float -",  "float *",  "float /",          "float a * b + c",     "double +",
        "double -", "double *", "double /", "double a * b + c", "conversion to float", NULL};
    bksi_arithmetic arithmetic = with_control(FLUSH_RESULTS);
    assert_these_differ(&arithmetic, denormal);
    assert_false(differs(&arithmetic, "sqrt")); // of the smallest it is large enough
}

static void operands_taken_for_zero_are_seen(void **state)
{
    (void)state;
    static const char *const denormal[] = {"float +",  "float *",  "float /", "sqrtf", "double -",
                                           "double *", "double /", "sqrt",    "a < b", NULL};
    bksi_arithmetic arithmetic = with_control(FLUSH_OPERANDS);
    assert_these_differ(&arithmetic, denormal);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(this_machine_keeps_ieee_754),
        cmocka_unit_test(the_first_operation_that_differs_is_found),
        cmocka_unit_test(every_operation_has_a_name_of_its_own),
        cmocka_unit_test(another_rounding_is_seen_in_every_operation_that_rounds),
#if defined(__SSE2__)
        cmocka_unit_test(results_flushed_to_zero_are_seen),
        cmocka_unit_test(operands_taken_for_zero_are_seen),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
