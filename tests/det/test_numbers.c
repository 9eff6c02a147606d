// SPDX-License-Identifier: MIT

#include "backstitch/math.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "det/float_environment.h"

static volatile double zero = 0.0, huge = 1e300;

static void numbers_that_fit_lose_their_fraction(void **state)
{
    (void)state;
    assert_int_equal(bks_to_int32(1.9), 1);
    assert_int_equal(bks_to_int32(-1.9), -1);
    assert_int_equal(bks_to_int32(2147483647.9), INT32_MAX);
    assert_int_equal(bks_to_int32(-2147483648.9), INT32_MIN);
    assert_int_equal(bks_to_int32(-2147483647.0), INT32_MIN + 1);
    assert_true(bks_to_uint32(4294967295.9) == UINT32_MAX);
    assert_true(bks_to_uint32(4294967294.0) == UINT32_MAX - 1);
    assert_true(bks_to_uint32(0.9) == 0);
    assert_true(bks_to_int64(-9007199254740993.0) == INT64_C(-9007199254740992));
    assert_true(bks_to_int64(9223372036854774784.0) == INT64_C(9223372036854774784));
    assert_true(bks_to_uint64(18446744073709549568.0) == UINT64_C(18446744073709549568));
    assert_true(bks_to_uint64(9223372036854775808.0) == UINT64_C(1) << 63);
}

static void numbers_that_do_not_fit_become_the_nearest_that_does(void **state)
{
    (void)state;
    const double infinite = huge * huge;
    const double above[] = {2147483648.0, 1e10, huge, infinite};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(bks_to_int32(above[i]), INT32_MAX);
        assert_int_equal(bks_to_int32(-above[i] - 1.0), INT32_MIN);
    }
    assert_true(bks_to_uint32(4294967296.0) == UINT32_MAX);
    assert_true(bks_to_uint32(-1.0) == 0 && bks_to_uint32(-infinite) == 0);
    assert_true(bks_to_int64(9223372036854775808.0) == INT64_MAX);
    assert_true(bks_to_int64(-9223372036854775808.0) == INT64_MIN);
    assert_true(bks_to_int64(infinite) == INT64_MAX && bks_to_int64(-infinite) == INT64_MIN);
    assert_true(bks_to_uint64(18446744073709551616.0) == UINT64_MAX);
    assert_true(bks_to_uint64(-1.0) == 0 && bks_to_uint64(infinite) == UINT64_MAX);
}

static void nans_become_0_and_trap_nothing(void **state)
{
    (void)state;
    const volatile double nan = zero / zero;
    const volatile double minus_nan = -nan;
    const bks_float_environment before = bksi_float_enter(true);
    const int32_t a = bks_to_int32(nan);
    const uint32_t b = bks_to_uint32(minus_nan);
    const int64_t c = bks_to_int64(nan);
    const uint64_t d = bks_to_uint64(minus_nan);
    const int32_t e = bks_to_int32(huge);
    const uint64_t f = bks_to_uint64(-huge);
    (void)bksi_float_leave(&before);
    assert_int_equal(a, 0);
    assert_true(b == 0 && c == 0 && d == 0);
    assert_int_equal(e, INT32_MAX);
    assert_true(f == 0);
}

static void sums_and_products_stay_in_range(void **state)
{
    (void)state;
    assert_int_equal(bks_add_int32(2, -3), -1);
    assert_int_equal(bks_add_int32(INT32_MAX, 1), INT32_MAX);
    assert_int_equal(bks_add_int32(INT32_MIN, -1), INT32_MIN);
    assert_int_equal(bks_subtract_int32(2, 3), -1);
    assert_int_equal(bks_subtract_int32(INT32_MIN, 1), INT32_MIN);
    assert_int_equal(bks_subtract_int32(0, INT32_MIN), INT32_MAX);
    assert_int_equal(bks_multiply_int32(-7, 6), -42);
    assert_int_equal(bks_multiply_int32(INT32_MIN, -1), INT32_MAX);
    assert_int_equal(bks_multiply_int32(INT32_MIN, INT32_MAX), INT32_MIN);
    assert_int_equal(bks_multiply_int32(65536, 32768), INT32_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_that_fit_lose_their_fraction),
        cmocka_unit_test(numbers_that_do_not_fit_become_the_nearest_that_does),
        cmocka_unit_test(nans_become_0_and_trap_nothing),
        cmocka_unit_test(sums_and_products_stay_in_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
