// SPDX-License-Identifier: MIT

#include "backstitch/math.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "det/drawn.h"

#define ONE   BKS_FIXED_ONE
#define ONE64 BKS_FIXED64_ONE

/// Draw a number of any size.
static bks_fixed drawn(uint64_t *seed)
{
    const uint64_t bits = draw_bits(seed);
    const bks_fixed size = (bks_fixed)((uint32_t)bits >> (1 + (bits >> 32) % 31));
    return bits >> 63 != 0 ? size : -size;
}

static bks_fixed64 drawn64(uint64_t *seed)
{
    const uint64_t shift = draw_bits(seed);
    const bks_fixed64 size = (bks_fixed64)(draw_bits(seed) >> (1 + shift % 63));
    return shift >> 63 != 0 ? size : -size;
}

/// Return the number nearest to a long double.
static bks_fixed nearest(double value)
{
    return value >= 2147483647.0    ? INT32_MAX
           : value <= -2147483648.0 ? INT32_MIN
                                    : (bks_fixed)round(value);
}

static void results_are_the_nearest_number(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 100000; i++) {
        const bks_fixed a = drawn(&seed);
        const bks_fixed b = drawn(&seed);
        assert_int_equal(bks_fixed_add(a, b), nearest((double)a + b));
        assert_int_equal(bks_fixed_subtract(a, b), nearest((double)a - b));
        if (llabs((long long)a * b) < 1ll << 53) {
            assert_int_equal(bks_fixed_multiply(a, b), nearest((double)a * b / ONE));
        }
        if (b != 0) {
            assert_int_equal(bks_fixed_divide(a, b), nearest((double)a * ONE / b));
            assert_int_equal(bks_fixed_remainder(a, b), (int64_t)a % b);
        }
        assert_int_equal(bks_fixed_sqrt(a), a < 0 ? 0 : nearest(sqrt((double)a * ONE)));
        assert_int_equal(bks_fixed_floor(a), (int32_t)floor((double)a / ONE));
        assert_int_equal(bks_fixed_round(a), (int32_t)round((double)a / ONE));
        assert_int_equal(bks_fixed_of_double(bks_fixed_to_double(a)), a);
        assert_int_equal(bks_fixed_hypot(a, 0), a == INT32_MIN ? INT32_MAX : abs(a));
        assert_int_equal(bks_fixed_sin(a), nearest(sin((double)a / ONE) * ONE));
        assert_int_equal(bks_fixed_atan2(a, b), nearest(atan2(a, b) * ONE));
    }
}

static void what_does_not_fit_becomes_the_last_that_does(void **state)
{
    (void)state;
    assert_int_equal(bks_fixed_of_int(32768), INT32_MAX);
    assert_int_equal(bks_fixed_of_int(-40000), INT32_MIN);
    assert_int_equal(bks_fixed_of_double(NAN), 0);
    assert_int_equal(bks_fixed_of_double(-1e300), INT32_MIN);
    assert_int_equal(bks_fixed_add(INT32_MAX, 1), INT32_MAX);
    assert_int_equal(bks_fixed_multiply(INT32_MIN, INT32_MIN), INT32_MAX);
    assert_int_equal(bks_fixed_divide(INT32_MIN, -1), INT32_MAX);
    assert_int_equal(bks_fixed_divide(ONE, 0), INT32_MAX);
    assert_int_equal(bks_fixed_divide(-ONE, 0), INT32_MIN);
    assert_int_equal(bks_fixed_divide(0, 0), 0);
    assert_int_equal(bks_fixed_remainder(INT32_MIN, -1), 0);
    assert_int_equal(bks_fixed_remainder(5, 0), 0);
    assert_int_equal(bks_fixed_hypot(INT32_MIN, INT32_MIN), INT32_MAX);
    assert_int_equal(bks_fixed_exp(11 * ONE), INT32_MAX);
    assert_int_equal(bks_fixed_log(0), INT32_MIN);
    assert_int_equal(bks_fixed_pow(-ONE, ONE / 2), 0);
    assert_int_equal(bks_fixed_pow(0, -ONE), INT32_MAX);
}

static void halves_go_away_from_0(void **state)
{
    (void)state;
    assert_int_equal(bks_fixed_multiply(3, ONE / 2), 2);
    assert_int_equal(bks_fixed_multiply(-3, ONE / 2), -2);
    assert_int_equal(bks_fixed_divide(1, 2 * ONE), 1);
    assert_int_equal(bks_fixed_divide(-1, 2 * ONE), -1);
    assert_int_equal(bks_fixed_divide(1, -2 * ONE), -1);
    assert_int_equal(bks_fixed_floor(-1), -1);
    assert_int_equal(bks_fixed_round(-ONE / 2), -1);
    assert_true(bks_fixed64_multiply(3, ONE64 / 2) == 2 &&
                bks_fixed64_multiply(-3, ONE64 / 2) == -2);
    assert_true(bks_fixed64_divide(-1, 2 * ONE64) == -1);
}

static void small_mathematics_is_right(void **state)
{
    (void)state;
    assert_int_equal(bks_fixed_hypot(3 * ONE, -4 * ONE), 5 * ONE);
    assert_int_equal(bks_fixed_hypot(1, 1), 1);
    assert_int_equal(bks_fixed_hypot(20000 * ONE, 20001 * ONE),
                     nearest(hypot(20000.0, 20001.0) * ONE));
    assert_int_equal(bks_fixed_cos(0), ONE);
    assert_int_equal(bks_fixed_exp(ONE), 178145);
    assert_int_equal(bks_fixed_log(178145), ONE);
    assert_int_equal(bks_fixed_pow(2 * ONE, 10 * ONE), 1024 * ONE);
    assert_int_equal(bks_fixed_sqrt(2 * ONE), 92682);
}

static void numbers_of_64_bits_are_the_nearest(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int i = 0; i < 100000; i++) {
        const bks_fixed64 a = drawn64(&seed);
        const bks_fixed64 b = drawn64(&seed);
        const bks_fixed64 small = a % (1ll << 31);
        assert_true(bks_fixed64_multiply(small, b % (1ll << 31)) ==
                        llround((double)small * (double)(b % (1ll << 31)) / (double)ONE64) ||
                    llabs(small) > 1 << 22);
        // The quotient times the divisor differs from the dividend by at most half a divisor.
        const bks_fixed64 quotient = b == 0 ? 0 : bks_fixed64_divide(small, b);
        if (b != 0 && llabs(quotient) < 1ll << 62 && llabs(b) < 1ll << 62) {
            const bks_fixed64 back = bks_fixed64_multiply(quotient, b);
            assert_true(llabs(back - small) <= llabs(b) / ONE64 / 2 + 1);
        }
        const bks_fixed64 root = bks_fixed64_sqrt(a);
        const double wanted = a < 0 ? 0 : sqrt((double)a) * 65536.0;
        assert_true(fabs((double)root - wanted) <= 0.5 + wanted * 0x1p-50);
    }
    assert_true(bks_fixed64_sqrt(2 * ONE64) == 6074001000);
    assert_true(bks_fixed64_sqrt(INT64_MAX) == 199032864766430);
    assert_true(bks_fixed64_multiply(2 * ONE64 - 1, ONE64 / 2) ==
                ONE64); // a carry into the upper half
    assert_true(bks_fixed64_divide(ONE64, 3 * ONE64) == 1431655765);
    assert_true(bks_fixed64_multiply(1234567 * ONE64 + 89, -987 * ONE64 - 3) ==
                -(1218517629 * ONE64 + 89 * 987 + 3703701));
}

static void numbers_of_64_bits_saturate(void **state)
{
    (void)state;
    assert_true(bks_fixed64_of_int(INT32_MIN) == INT64_MIN);
    assert_true(bks_fixed64_of_double(1e10) == INT64_MAX &&
                bks_fixed64_of_double(-1e10) == INT64_MIN);
    assert_true(bks_fixed64_of_double(NAN) == 0 && bks_fixed64_of_double(-0.5) == -ONE64 / 2);
    assert_true(bks_fixed64_to_double(-ONE64 / 4) == -0.25);
    assert_true(bks_fixed64_add(INT64_MAX, 1) == INT64_MAX &&
                bks_fixed64_add(INT64_MIN, -1) == INT64_MIN);
    assert_true(bks_fixed64_subtract(INT64_MIN, 1) == INT64_MIN);
    assert_true(bks_fixed64_subtract(0, INT64_MIN) == INT64_MAX);
    assert_true(bks_fixed64_multiply(INT64_MIN, INT64_MIN) == INT64_MAX);
    assert_true(bks_fixed64_multiply(INT64_MIN, ONE64) == INT64_MIN);
    assert_true(bks_fixed64_multiply(INT64_MIN, -ONE64) == INT64_MAX);
    assert_true(bks_fixed64_divide(INT64_MAX, 1) == INT64_MAX &&
                bks_fixed64_divide(INT64_MIN, 1) == INT64_MIN);
    assert_true(bks_fixed64_divide(INT64_MIN, -ONE64) == INT64_MAX);
    assert_true(bks_fixed64_divide(-1, 0) == INT64_MIN && bks_fixed64_divide(0, 0) == 0);
    assert_true(bks_fixed64_divide(INT64_MIN, INT64_MIN) == ONE64);
    assert_true(bks_fixed64_divide(INT64_MIN, -(1ll << 31)) == INT64_MAX);
    assert_true(bks_fixed64_divide(INT64_MIN + 1, -(1ll << 31)) == INT64_MAX);
    assert_true(bks_fixed64_sqrt(-1) == 0 && bks_fixed64_sqrt(1) == 65536);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_the_nearest_number),
        cmocka_unit_test(what_does_not_fit_becomes_the_last_that_does),
        cmocka_unit_test(halves_go_away_from_0),
        cmocka_unit_test(small_mathematics_is_right),
        cmocka_unit_test(numbers_of_64_bits_are_the_nearest),
        cmocka_unit_test(numbers_of_64_bits_saturate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
