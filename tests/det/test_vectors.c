// SPDX-License-Identifier: MIT

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "backstitch/math.h"
#include "det/drawn.h"
#include "det/math_bits.h"

#define PI 3.14159265358979323846

static bool is_nan(float x)
{
    return bksi_float_bits(x) == BKSI_FLOAT_NAN;
}

static void normalised_vectors_have_length_1(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 10000; i++) {
        const bks_vector v = {bksi_float_of((uint32_t)draw_bits(&seed) & 0xBFFFFFFFu),
                              bksi_float_of((uint32_t)draw_bits(&seed) & 0xBFFFFFFFu)};
        const bks_vector n = bks_vector_normalise(v);
        const double length = sqrt((double)n.x * n.x + (double)n.y * n.y);
        assert_true(fabs(length - 1.0) < 0x1p-23);
    }
    const bks_vector small = bks_vector_normalise((bks_vector){0x3p-149f, -0x4p-149f});
    assert_true(small.x == 0.6f && small.y == -0.8f);
    const bks_vector large = bks_vector_normalise((bks_vector){0x3p124f, 0x4p124f});
    assert_true(large.x == 0.6f && large.y == 0.8f);
}

static void vectors_without_a_direction(void **state)
{
    (void)state;
    const bks_vector zero = bks_vector_normalise((bks_vector){0.0f, -0.0f});
    assert_true(bksi_float_bits(zero.x) == 0 && bksi_float_bits(zero.y) == BKSI_FLOAT_SIGN);
    const bks_vector far = bks_vector_normalise((bks_vector){INFINITY, 1.0f});
    assert_true(is_nan(far.x) && is_nan(far.y));
    const bks_vector turned = bks_vector_rotate((bks_vector){1.0f, -NAN}, 0.0f);
    assert_true(is_nan(turned.x) && is_nan(turned.y));
    assert_true(is_nan(bks_vector_polar(INFINITY, 1.0f).x));
}

static void a_vector_of_an_angle_has_that_angle(void **state)
{
    (void)state;
    for (int i = -31; i <= 31; i++) {
        const float angle = (float)i * 0.1f;
        const bks_vector v = bks_vector_polar(angle, 7.5f);
        assert_true(fabsf(bks_vector_angle(v) - angle) < 1e-6f);
        assert_true(fabsf(bks_vector_length(v) - 7.5f) < 1e-6f);
        const bks_vector back = bks_vector_rotate(v, -angle);
        assert_true(fabsf(back.x - 7.5f) < 1e-6f && fabsf(back.y) < 1e-6f);
    }
}

static void angles_are_wrapped_into_one_turn(void **state)
{
    (void)state;
    assert_true(bks_angle_wrap(3.0f) == 3.0f && bks_angle_wrap(-3.0f) == -3.0f);
    assert_true(bks_angle_wrap((float)PI) == (float)PI);
    uint64_t seed = 2;
    for (int i = 0; i < 10000; i++) {
        const float x = (float)(draw_bits(&seed) % 200000) * 0x1p-7f - 700.0f;
        const double wanted = remainder(x, 2 * PI);
        const double found = bks_angle_wrap(x);
        assert_true(fabs(found) <= (float)PI);
        assert_true(fabs(remainder(found - wanted, 2 * PI)) < 3e-7);
    }
    assert_true(is_nan(bks_angle_wrap(INFINITY)) && is_nan(bks_angle_wrap(-NAN)));
}

static void turns_take_the_shorter_way(void **state)
{
    (void)state;
    assert_true(fabsf(bks_angle_between(3.0f, -3.0f) - 0.2831853f) < 1e-6f);
    assert_true(fabsf(bks_angle_between(-3.0f, 3.0f) + 0.2831853f) < 1e-6f);
    assert_true(bks_angle_turn(1.0f, 2.0f, 0.25f) == 1.25f);
    assert_true(bks_angle_turn(1.0f, -2.0f, 0.25f) == 0.75f);
    assert_true(bks_angle_turn(1.0f, 1.1f, 0.25f) == 1.1f);
    assert_true(bks_angle_turn(3.125f, -3.0f, 0.03125f) < -3.12f);
    assert_true(is_nan(bks_angle_turn(1.0f, NAN, 0.25f)) &&
                is_nan(bks_angle_turn(1.0f, 2.0f, NAN)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normalised_vectors_have_length_1),
        cmocka_unit_test(vectors_without_a_direction),
        cmocka_unit_test(a_vector_of_an_angle_has_that_angle),
        cmocka_unit_test(angles_are_wrapped_into_one_turn),
        cmocka_unit_test(turns_take_the_shorter_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
