// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "state/place.h"

typedef struct thing {
    int16_t x, y;
} thing;

typedef struct some_state {
    uint8_t u8;
    int8_t i8[3];
    uint16_t u16;
    int16_t i16;
    uint32_t u32;
    int32_t i32[2];
    float f32;
    uint64_t u64;
    int64_t i64;
    double f64[4];
    thing things[5];
} some_state;

static void a_member_has_its_name_place_size_and_type(void **state)
{
    (void)state;
    static const bks_state_range ranges[] = {
        BKS_RANGE(some_state, u8, false),     BKS_RANGE(some_state, i8, true),
        BKS_RANGE(some_state, u16, false),    BKS_RANGE(some_state, i16, false),
        BKS_RANGE(some_state, u32, false),    BKS_RANGE(some_state, i32, false),
        BKS_RANGE(some_state, f32, false),    BKS_RANGE(some_state, u64, false),
        BKS_RANGE(some_state, i64, false),    BKS_RANGE(some_state, f64, false),
        BKS_RANGE(some_state, things, false), BKS_RANGE(some_state, things[2].y, true),
        BKS_RANGE(some_state, i32[1], false),
    };
    static const struct {
        const char *name;
        size_t offset;
        uint32_t count;
        bks_state_type type;
    } wanted[] = {
        {"u8", offsetof(some_state, u8), 1, BKS_STATE_U8},
        {"i8", offsetof(some_state, i8), 3, BKS_STATE_I8},
        {"u16", offsetof(some_state, u16), 1, BKS_STATE_U16},
        {"i16", offsetof(some_state, i16), 1, BKS_STATE_I16},
        {"u32", offsetof(some_state, u32), 1, BKS_STATE_U32},
        {"i32", offsetof(some_state, i32), 2, BKS_STATE_I32},
        {"f32", offsetof(some_state, f32), 1, BKS_STATE_F32},
        {"u64", offsetof(some_state, u64), 1, BKS_STATE_U64},
        {"i64", offsetof(some_state, i64), 1, BKS_STATE_I64},
        {"f64", offsetof(some_state, f64), 4, BKS_STATE_F64},
        {"things", offsetof(some_state, things), 20, BKS_STATE_BYTES},
        {"things[2].y", offsetof(some_state, things) + 10, 1, BKS_STATE_I16},
        {"i32[1]", offsetof(some_state, i32) + 4, 1, BKS_STATE_I32},
    };
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        assert_string_equal(ranges[i].name, wanted[i].name);
        assert_int_equal(ranges[i].offset_bytes, wanted[i].offset);
        assert_int_equal(ranges[i].count, wanted[i].count);
        assert_int_equal(ranges[i].type, wanted[i].type);
        assert_int_equal(ranges[i].is_recorded, i == 1 || i == 11);
    }
    assert_int_equal(bksi_ranges_check(ranges, sizeof(ranges) / sizeof(ranges[0]), "test", NULL),
                     BKS_OK);
}

static void an_impossible_range_is_refused_by_its_number(void **state)
{
    (void)state;
    static const char long_name[] =
        "a name of 64 bytes, which is one more than a range may have, so";
    assert_int_equal(strlen(long_name), 63);
    bks_error error;
    const bks_state_range good = {.name = long_name, .count = 1, .type = BKS_STATE_U8};
    assert_int_equal(bksi_ranges_check(&good, 1, "test", &error), BKS_OK);
    assert_int_equal(bksi_ranges_check(NULL, 0, "test", &error), BKS_OK);
    assert_int_equal(bksi_ranges_check(NULL, 1, "test", &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "range_count");
    assert_int_equal(bksi_ranges_check(&good, BKS_STATE_RANGES_MAX + 1, "test", &error),
                     BKS_ERR_BAD_CONFIG);
    const bks_state_range wrong[] = {
        {.name = "a name of 64 bytes, which is one more than a range may have, soo", .count = 1},
        {.name = "", .count = 1},
        {.name = NULL, .count = 1},
        {.name = "\x7f", .count = 1},
        {.name = "none", .count = 0},
        {.name = "type", .count = 1, .type = (bks_state_type)11},
        {.name = "far", .offset_bytes = UINT64_C(1) << 30, .count = 1},
        {.name = "long", .offset_bytes = 8, .count = (1u << 30) - 7},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        const bks_state_range ranges[] = {good, wrong[i]};
        assert_int_equal(bksi_ranges_check(ranges, 2, "test", &error), BKS_ERR_BAD_CONFIG);
        assert_string_equal(error.field, "ranges");
        assert_non_null(strstr(error.text, "ranges[1]"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_member_has_its_name_place_size_and_type),
        cmocka_unit_test(an_impossible_range_is_refused_by_its_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
