// SPDX-License-Identifier: MIT

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "backstitch/math.h"
#include "det/drawn.h"
#include "det/math_bits.h"

typedef double (*unary)(double);
typedef double (*binary)(double, double);

static const double unusual[] = {0.0,      0x1p-1074, 0x1p-1022, 0.5,    1.0,
                                 1.5,      2.0,       3.0,       0x1p53, 0x1.fffffffffffffp52,
                                 0x1p1023, INFINITY,  NAN};
#define UNUSUAL ((int)(sizeof(unusual) / sizeof(unusual[0])))

/// Draw a number of any size, or near 1.
static double drawn(uint64_t *seed)
{
    const uint64_t bits = draw_bits(seed);
    return bksi_double_of(bits % 4 == 0 ? bits
                                        : (bits & 0x807FFFFFFFFFFFFFu) + 0x3FC0000000000000u);
}

/// Return true if both have the same bits, or are NaN and our NaN.
static bool is_same(double own, double wanted)
{
    return bksi_double_bits(own) == (wanted != wanted ? BKSI_DOUBLE_NAN : bksi_double_bits(wanted));
}

/// Return true if two results can each be at most one ulp wrong.
static bool is_near(double own, double wanted)
{
    if (wanted != wanted || isinf(wanted) || wanted == 0.0) {
        return is_same(own, wanted);
    }
    return llabs((int64_t)bksi_double_bits(own) - (int64_t)bksi_double_bits(wanted)) <= 2;
}

static void assert_exact(const char *name, unary own, unary standard)
{
    uint64_t seed = 1;
    for (int i = 0; i < 20000 + 2 * UNUSUAL; i++) {
        const double x =
            i < 2 * UNUSUAL ? unusual[i / 2] * (i % 2 == 0 ? 1 : -1) : drawn(&seed) * 8;
        if (!is_same(own(x), standard(x))) {
            fail_msg("%s(%a) is %a, should be %a", name, x, own(x), standard(x));
        }
    }
}

static void roots_and_integers_are_exact(void **state)
{
    (void)state;
    assert_exact("sqrt", bks_sqrt, sqrt);
    assert_exact("floor", bks_floor, floor);
    assert_exact("ceil", bks_ceil, ceil);
    assert_exact("trunc", bks_trunc, trunc);
    assert_exact("round", bks_round, round);
    assert_exact("rint", bks_rint, rint);
    assert_true(bks_round(0.49999999999999994) == 0.0 && bks_round(-2.5) == -3.0);
    assert_true(bks_rint(4503599627370495.5) == 4503599627370496.0);
}

static void remainders_are_exact(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int i = 0; i < 5000; i++) {
        const double x = bksi_double_of(draw_bits(&seed));
        const double y = bksi_double_of(draw_bits(&seed));
        assert_true(is_same(bks_fmod(x, y), fmod(x, y)));
        const double z = drawn(&seed);
        assert_true(is_same(bks_fmod(x, z), fmod(x, z)));
    }
}

static void assert_near(const char *name, unary own, unary standard)
{
    uint64_t seed = 3;
    for (int i = 0; i < 20000 + 2 * UNUSUAL; i++) {
        const double x = i < 2 * UNUSUAL ? unusual[i / 2] * (i % 2 == 0 ? 1 : -1) : drawn(&seed);
        if (!is_near(own(x), standard(x))) {
            fail_msg("%s(%a) is %a, should be near %a", name, x, own(x), standard(x));
        }
    }
}

static void assert_pairs_near(const char *name, binary own, binary standard)
{
    uint64_t seed = 4;
    for (int i = 0; i < 20000 + 4 * UNUSUAL * UNUSUAL; i++) {
        double x = drawn(&seed);
        double y = drawn(&seed);
        if (i < 4 * UNUSUAL * UNUSUAL) {
            x = unusual[i / 4 % UNUSUAL] * (i % 2 == 0 ? 1 : -1);
            y = unusual[i / 4 / UNUSUAL] * (i / 2 % 2 == 0 ? 1 : -1);
        }
        if (!is_near(own(x, y), standard(x, y))) {
            fail_msg("%s(%a, %a) is %a, should be near %a", name, x, y, own(x, y), standard(x, y));
        }
    }
}

static void the_others_lie_near_this_machines(void **state)
{
    (void)state;
    assert_near("sin", bks_sin, sin);
    assert_near("cos", bks_cos, cos);
    assert_near("exp", bks_exp, exp);
    assert_near("log", bks_log, log);
    assert_pairs_near("atan2", bks_atan2, atan2);
    assert_pairs_near("pow", bks_pow, pow);
}

static void the_largest_and_the_least_powers_are_there(void **state)
{
    (void)state;
    assert_true(bks_exp(709.782712893384) < INFINITY && bks_exp(709.782712893384) > 1.797e308);
    assert_true(bks_exp(709.7827128933841) == INFINITY);
    assert_true(bks_exp(-745.1) == 0x1p-1074 && bks_exp(-745.2) == 0.0);
    assert_true(bks_pow(2.0, -1074.0) == 0x1p-1074 && bks_pow(2.0, 1023.0) == 0x1p1023);
    assert_true(bks_pow(-3.0, 3.0) == -27.0 && bks_pow(10.0, 15.0) == 1e15);
}

// The double nearest to a multiple of pi/2 (W. Kahan's): 2^-60 of its rest is left.
static void large_angles_are_reduced_rightly(void **state)
{
    (void)state;
    assert_true(is_near(bks_cos(0x1.6ac5b262ca1ffp+849), -0x1.14ae72e6ba22fp-61));
    assert_true(is_near(bks_sin(1e22), -0x1.b453ab76bf397p-1));
    assert_true(is_near(bks_cos(0x1.fffffffffffffp1023), -0x1.fffe62ecfab75p-1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_and_integers_are_exact),
        cmocka_unit_test(remainders_are_exact),
        cmocka_unit_test(the_others_lie_near_this_machines),
        cmocka_unit_test(the_largest_and_the_least_powers_are_there),
        cmocka_unit_test(large_angles_are_reduced_rightly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
