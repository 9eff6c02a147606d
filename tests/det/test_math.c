// SPDX-License-Identifier: MIT

#include "backstitch/math.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "det/math_bits.h"

typedef struct function {
    const char *name;
    float (*call)(float);
} function;

static const function functions[] = {
    {"sqrtf", bks_sqrtf},   {"cbrtf", bks_cbrtf},   {"floorf", bks_floorf}, {"ceilf", bks_ceilf},
    {"truncf", bks_truncf}, {"roundf", bks_roundf}, {"rintf", bks_rintf},   {"sinf", bks_sinf},
    {"cosf", bks_cosf},     {"tanf", bks_tanf},     {"asinf", bks_asinf},   {"acosf", bks_acosf},
    {"atanf", bks_atanf},   {"expf", bks_expf},     {"exp2f", bks_exp2f},   {"logf", bks_logf},
    {"log2f", bks_log2f},
};
#define FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

#define INF         0x7F800000u
#define NONE        BKSI_FLOAT_NAN
#define MINUS(bits) ((bits) | BKSI_FLOAT_SIGN)

typedef struct value {
    const char *name;
    float (*call)(float);
    uint32_t x;
    uint32_t y;
} value;

static void assert_values(const value *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t y = bksi_float_bits(values[i].call(bksi_float_of(values[i].x)));
        if (y != values[i].y) {
            fail_msg("%s(%08X) is %08X, should be %08X", values[i].name, values[i].x, y,
                     values[i].y);
        }
    }
}
#define ASSERT_VALUES(values) assert_values((values), sizeof(values) / sizeof((values)[0]))

static void every_nan_gives_the_same_nan(void **state)
{
    (void)state;
    static const uint32_t nans[] = {0x7FC00000u, 0xFFC00000u, 0x7F800001u, 0xFFFFFFFFu,
                                    0x7FD12345u};
    for (size_t f = 0; f < FUNCTIONS; f++) {
        for (size_t i = 0; i < sizeof(nans) / sizeof(nans[0]); i++) {
            const uint32_t y = bksi_float_bits(functions[f].call(bksi_float_of(nans[i])));
            if (y != NONE) {
                fail_msg("%s(%08X) is %08X", functions[f].name, nans[i], y);
            }
        }
    }
}

static void arguments_without_a_result_give_the_nan(void **state)
{
    (void)state;
    static const value values[] = {
        {"sqrtf", bks_sqrtf, 0xBF800000u, NONE}, {"sqrtf", bks_sqrtf, MINUS(1), NONE},
        {"sqrtf", bks_sqrtf, MINUS(INF), NONE},  {"sinf", bks_sinf, INF, NONE},
        {"cosf", bks_cosf, MINUS(INF), NONE},    {"tanf", bks_tanf, INF, NONE},
        {"asinf", bks_asinf, 0x3F800001u, NONE}, {"acosf", bks_acosf, 0xBF800001u, NONE},
        {"logf", bks_logf, 0xBF800000u, NONE},   {"log2f", bks_log2f, MINUS(INF), NONE},
        {"logf", bks_logf, MINUS(1), NONE},      {"acosf", bks_acosf, INF, NONE},
    };
    ASSERT_VALUES(values);
}

static void zeros_and_infinities_keep_their_sign(void **state)
{
    (void)state;
    static const value values[] = {
        {"sqrtf", bks_sqrtf, MINUS(0), MINUS(0)},
        {"sqrtf", bks_sqrtf, INF, INF},
        {"cbrtf", bks_cbrtf, MINUS(0), MINUS(0)},
        {"cbrtf", bks_cbrtf, MINUS(INF), MINUS(INF)},
        {"floorf", bks_floorf, MINUS(0), MINUS(0)},
        {"floorf", bks_floorf, MINUS(1), 0xBF800000u},
        {"ceilf", bks_ceilf, 0xBF7FFFFFu, MINUS(0)},
        {"ceilf", bks_ceilf, MINUS(INF), MINUS(INF)},
        {"truncf", bks_truncf, MINUS(1), MINUS(0)},
        {"roundf", bks_roundf, 0xBEFFFFFFu, MINUS(0)},
        {"rintf", bks_rintf, 0xBF000000u, MINUS(0)},
        {"sinf", bks_sinf, MINUS(0), MINUS(0)},
        {"cosf", bks_cosf, MINUS(0), 0x3F800000u},
        {"tanf", bks_tanf, MINUS(0), MINUS(0)},
        {"asinf", bks_asinf, MINUS(0), MINUS(0)},
        {"acosf", bks_acosf, 0x3F800000u, 0},
        {"atanf", bks_atanf, MINUS(INF), 0xBFC90FDBu},
        {"expf", bks_expf, MINUS(INF), 0},
        {"expf", bks_expf, INF, INF},
        {"exp2f", bks_exp2f, MINUS(INF), 0},
        {"logf", bks_logf, 0, MINUS(INF)},
        {"logf", bks_logf, MINUS(0), MINUS(INF)},
        {"logf", bks_logf, 0x3F800000u, 0},
        {"log2f", bks_log2f, INF, INF},
    };
    ASSERT_VALUES(values);
}

static void halves_are_rounded_as_their_functions_say(void **state)
{
    (void)state;
    assert_true(bks_roundf(2.5f) == 3.0f && bks_roundf(-2.5f) == -3.0f);
    assert_true(bks_rintf(2.5f) == 2.0f && bks_rintf(-3.5f) == -4.0f);
    assert_true(bks_roundf(0.49999997f) == 0.0f);
    assert_true(bks_floorf(-2.5f) == -3.0f && bks_ceilf(2.5f) == 3.0f);
    assert_true(bks_truncf(-2.9f) == -2.0f && bks_floorf(8388607.5f) == 8388607.0f);
}

static void powers_end_where_floats_end(void **state)
{
    (void)state;
    static const value values[] = {
        {"expf", bks_expf, 0x42B17217u, 0x7F7FFF84u},
        {"expf", bks_expf, 0x42B17218u, INF},
        {"expf", bks_expf, 0xC2CFF1B4u, 1},
        {"expf", bks_expf, 0xC2CFF1B5u, 0},
        {"exp2f", bks_exp2f, 0x43000000u, INF},
        {"exp2f", bks_exp2f, 0xC3150000u, 1},
        {"exp2f", bks_exp2f, 0xC3160000u, 0},
        {"exp2f", bks_exp2f, 0xC315FFFFu, 1},
        {"exp2f", bks_exp2f, 0xC2FC0000u, 0x00800000u},
    };
    ASSERT_VALUES(values);
}

// Inputs whose results are within some 2^-12 of the middle of two floats, found by a random search
// and computed by mpmath.
static void values_near_the_middle_of_two_floats_are_rounded_rightly(void **state)
{
    (void)state;
    static const value values[] = {
        {"sinf", bks_sinf, 0x6B448360, 0x3DE8B487},   {"sinf", bks_sinf, 0x5FD6FC58, 0xBF5DCA23},
        {"sinf", bks_sinf, 0x635460F1, 0x3F3023A2},   {"cosf", bks_cosf, 0x68361852, 0x3F6F177C},
        {"cosf", bks_cosf, 0x51308F58, 0x3F5A3B8C},   {"cosf", bks_cosf, 0x73771EA8, 0x3F761989},
        {"tanf", bks_tanf, 0x42BEF0BF, 0x4030387F},   {"tanf", bks_tanf, 0x52223693, 0xBFEC0903},
        {"tanf", bks_tanf, 0x6260E4C7, 0x3FBC31E5},   {"asinf", bks_asinf, 0x3B97AE6F, 0x3B97AE93},
        {"asinf", bks_asinf, 0x3D2B531A, 0x3D2B5FE7}, {"asinf", bks_asinf, 0x3F0E1C48, 0x3F16A856},
        {"acosf", bks_acosf, 0x3D91E2EA, 0x3FBFEFB1}, {"acosf", bks_acosf, 0x3CB6EDA4, 0x3FC63415},
        {"acosf", bks_acosf, 0x395B2443, 0x3FC90902}, {"atanf", bks_atanf, 0x4C7006F1, 0x3FC90FDB},
        {"atanf", bks_atanf, 0x4C7000F8, 0x3FC90FDA}, {"atanf", bks_atanf, 0x3BEA8BC4, 0x3BEA8ABD},
        {"expf", bks_expf, 0x373EFFC0, 0x3F800060},   {"expf", bks_expf, 0x404A37C2, 0x41BC7FD8},
        {"expf", bks_expf, 0x408113CD, 0x4261DED3},   {"exp2f", bks_exp2f, 0x39007C0C, 0x3F8002C8},
        {"exp2f", bks_exp2f, 0x3A175709, 0x3F800D1D}, {"exp2f", bks_exp2f, 0x40E7D178, 0x43179ED1},
        {"logf", bks_logf, 0x23E975C5, 0xC218DC6E},   {"logf", bks_logf, 0x61F221F0, 0x423F15FA},
        {"logf", bks_logf, 0x1CBDC4BF, 0xC2408191},   {"log2f", bks_log2f, 0x132E8913, 0xC2B11AF2},
        {"log2f", bks_log2f, 0x5D23E613, 0x426D6D38}, {"log2f", bks_log2f, 0x2D08325C, 0xC213A44E},
        {"cbrtf", bks_cbrtf, 0x1A5F0D29, 0x331A07F3}, {"cbrtf", bks_cbrtf, 0x435EF8FA, 0x40C20B4B},
        {"cbrtf", bks_cbrtf, 0x36F54182, 0x3C9EFB41}, {"sqrtf", bks_sqrtf, 0x4F994E85, 0x478C1543},
        {"sqrtf", bks_sqrtf, 0x3483DD81, 0x3A01EB13}, {"sqrtf", bks_sqrtf, 0x45D201AE, 0x42A3F42A},
    };
    ASSERT_VALUES(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_nan_gives_the_same_nan),
        cmocka_unit_test(arguments_without_a_result_give_the_nan),
        cmocka_unit_test(zeros_and_infinities_keep_their_sign),
        cmocka_unit_test(halves_are_rounded_as_their_functions_say),
        cmocka_unit_test(powers_end_where_floats_end),
        cmocka_unit_test(values_near_the_middle_of_two_floats_are_rounded_rightly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
