// SPDX-License-Identifier: MIT

// Functions of two floats, and pairs of doubles for what a double cannot decide.

#include "det/math_pairs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "backstitch/math.h"
#include "det/drawn.h"

static void assert_bits(float found, uint32_t wanted)
{
    assert_int_equal(bksi_float_bits(found), wanted);
}

static const float unusual[] = {0.0f, 0x1p-149f, 0x1p-126f,   0.5f,     1.0f,     1.5f,
                                2.0f, 3.0f,      16777216.0f, 0x1p127f, INFINITY, NAN};
#define UNUSUAL ((int)(sizeof(unusual) / sizeof(unusual[0])))

/// Compare zeros, infinities, NaNs and signs with C17 F.10, as this machine's library implements
/// it.
static void assert_as_the_standard(const char *name, float (*own)(float, float),
                                   double (*standard)(double, double))
{
    for (int i = 0; i < 4 * UNUSUAL * UNUSUAL; i++) {
        const float x = unusual[i / 4 % UNUSUAL] * (i % 2 == 0 ? 1.0f : -1.0f);
        const float y = unusual[i / 4 / UNUSUAL] * (i / 2 % 2 == 0 ? 1.0f : -1.0f);
        const float wanted = (float)standard(x, y);
        const uint32_t bits = wanted != wanted ? BKSI_FLOAT_NAN : bksi_float_bits(wanted);
        if (bksi_float_bits(own(x, y)) != bits) {
            fail_msg("%s(%a, %a) is %a, should be %a", name, x, y, own(x, y), wanted);
        }
    }
}

static void unusual_arguments_come_out_as_the_standard_has_them(void **state)
{
    (void)state;
    assert_as_the_standard("powf", bks_powf, pow);
    assert_as_the_standard("atan2f", bks_atan2f, atan2);
    assert_as_the_standard("hypotf", bks_hypotf, hypot);
    assert_as_the_standard("fmodf", bks_fmodf, fmod);
}

static void exact_powers_in_the_middle_of_two_floats_go_to_the_even_one(void **state)
{
    (void)state;
    assert_true(bks_powf(4097.0f, 2.0f) == 16785408.0f); // 16785409
    assert_true(bks_powf(4099.0f, 2.0f) == 16801800.0f); // 16801801
    assert_true(bks_powf(257.0f, 3.0f) == 16974592.0f);  // 16974593
    assert_true(bks_powf(16785408.0f, 0.5f) > 4096.0f);  // no square
    assert_true(bks_powf(1024.0f * 1024.0f, 0.5f) == 1024.0f);
    assert_bits(bks_powf(2.0f, -150.0f), 0); // half of the least
    assert_bits(bks_powf(4.0f, -74.5f), 1);
    assert_bits(bks_powf(-2.0f, -149.0f), 0x80000001u);
    assert_bits(bks_powf(43046720.0f, 0.0625f), bksi_float_bits((float)pow(43046720.0, 0.0625)));
}

static void whole_distances_in_the_middle_of_two_floats_go_to_the_even_one(void **state)
{
    (void)state;
    assert_true(bks_hypotf(16777215.0f, 8192.0f) == 16777216.0f);    // 16777217
    assert_true(bks_hypotf(6922197.0f, 15612000.0f) == 17077804.0f); // 17077803
    assert_true(bks_hypotf(3.0f, -4.0f) == 5.0f);
    assert_bits(bks_hypotf(0x1p-149f, 0x1p-149f), 1); // 1.414 of the least
    assert_bits(bks_hypotf(0x3p-149f, 0x4p-149f), 5);
    assert_bits(bks_hypotf(0x1p127f, 0x1p127f), 0x7F3504F3u);
    assert_bits(bks_hypotf(0x1.fffffep127f, 0x1p104f), 0x7F7FFFFFu);
    assert_bits(bks_hypotf(0x1.fffffep127f, 0x1.fffffep127f), BKSI_FLOAT_INFINITY);
}

static void remainders_are_those_of_the_standard(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        const float x = bksi_float_of((uint32_t)draw_bits(&seed));
        const float y = bksi_float_of((uint32_t)draw_bits(&seed));
        const float wanted = fmodf(x, y);
        assert_bits(bks_fmodf(x, y), wanted != wanted ? BKSI_FLOAT_NAN : bksi_float_bits(wanted));
    }
}

// The double's function is right in all but one of some 2^25 cases.
static void drawn_pairs_come_out_as_rounded_doubles(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int i = 0; i < 100000; i++) {
        const float x = (float)(draw_bits(&seed) % 1000003) * 0x1p-13f;
        const float y = (float)(draw_bits(&seed) % 1000003) * 0x1p-17f - 4.0f;
        assert_bits(bks_powf(x, y), bksi_float_bits((float)pow(x, y)));
        assert_bits(bks_atan2f(y, -x), bksi_float_bits((float)atan2(y, -x)));
    }
}

static void pairs_keep_what_a_double_loses(void **state)
{
    (void)state;
    const bksi_pair third = bksi_pair_divide(bksi_pair_of(1.0), bksi_pair_of(3.0));
    const bksi_pair one = bksi_pair_scale(third, 3.0);
    assert_true(fabs((one.high - 1.0) + one.low) < 0x1p-100);
    const bksi_pair root = bksi_pair_sqrt(bksi_pair_of(2.0));
    const bksi_pair two = bksi_pair_multiply(root, root);
    assert_true(fabs((two.high - 2.0) + two.low) < 0x1p-98);
    int32_t exponent;
    const bksi_pair e = bksi_pair_exp(bksi_pair_log(10.0), &exponent);
    const double scale = bksi_power_of_2(exponent);
    assert_true(fabs((e.high * scale - 10.0) + e.low * scale) < 0x1p-92);
}

static void a_pair_beside_the_middle_rounds_to_its_side(void **state)
{
    (void)state;
    const double middle = 1.0 + 0x1p-24;
    assert_bits(bksi_pair_to_float((bksi_pair){middle, 0x1p-90}), 0x3F800001u);
    assert_bits(bksi_pair_to_float((bksi_pair){middle, -0x1p-90}), 0x3F800000u);
    assert_bits(bksi_pair_to_float((bksi_pair){middle, 0.0}), 0x3F800000u);
    assert_bits(bksi_pair_to_float((bksi_pair){-middle, -0x1p-90}), 0xBF800001u);
    assert_bits(bksi_pair_to_float((bksi_pair){0x1p-150, 0x1p-300}), 1);
    assert_bits(bksi_pair_to_float((bksi_pair){0x1p-150, -0x1p-300}), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unusual_arguments_come_out_as_the_standard_has_them),
        cmocka_unit_test(exact_powers_in_the_middle_of_two_floats_go_to_the_even_one),
        cmocka_unit_test(whole_distances_in_the_middle_of_two_floats_go_to_the_even_one),
        cmocka_unit_test(remainders_are_those_of_the_standard),
        cmocka_unit_test(drawn_pairs_come_out_as_rounded_doubles),
        cmocka_unit_test(pairs_keep_what_a_double_loses),
        cmocka_unit_test(a_pair_beside_the_middle_rounds_to_its_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
