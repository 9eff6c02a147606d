// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include "backstitch/base.h"

#include <cmocka.h>

/// The spelling and number of every status, written out again: the numbers are part of the ABI.
static const struct {
    const char *name;
    int value;
} abi[] = {
    {"BKS_OVER", 1},
    {"BKS_OK", 0},
    {"BKS_ERR_BAD_ARGUMENT", -1},
    {"BKS_ERR_BAD_CONFIG", -2},
    {"BKS_ERR_OUT_OF_MEMORY", -3},
    {"BKS_ERR_TOO_SMALL", -4},
    {"BKS_ERR_DAMAGED", -5},
    {"BKS_ERR_INCOMPLETE", -6},
    {"BKS_ERR_UNSUPPORTED", -7},
    {"BKS_ERR_IO", -8},
    {"BKS_ERR_REFUSED", -9},
    {"BKS_ERR_TIMEOUT", -10},
    {"BKS_ERR_PEER_LOST", -11},
    {"BKS_ERR_DESYNC", -12},
    {"BKS_ERR_NOT_CONFIRMED", -13},
    {"BKS_ERR_TICK_TOO_OLD", -14},
    {"BKS_ERR_FULL", -15},
    {"BKS_ERR_GAME", -17},
};

#define ABI_COUNT (sizeof(abi) / sizeof(abi[0]))

static void every_status_keeps_its_number_and_spelling(void **state)
{
    (void)state;
    for (size_t i = 0; i < ABI_COUNT; i++) {
        assert_string_equal(bks_status_name((bks_status)abi[i].value), abi[i].name);
    }
}

static void the_map_holds_no_status_that_this_test_does_not_know(void **state)
{
    (void)state;
#define COUNT(name, value, text) +1
    assert_int_equal(0 BKS_STATUS_MAP(COUNT), ABI_COUNT);
#undef COUNT
}

static void every_status_has_a_text_of_its_own(void **state)
{
    (void)state;
    for (size_t i = 0; i < ABI_COUNT; i++) {
        const char *text = bks_status_text((bks_status)abi[i].value);
        assert_true(strlen(text) > 1);
        assert_string_not_equal(text, "unknown status");
        for (size_t other = 0; other < i; other++) {
            assert_string_not_equal(text, bks_status_text((bks_status)abi[other].value));
        }
    }
}

static void a_number_outside_the_map_is_unknown(void **state)
{
    (void)state;
    const int strangers[] = {2, -16, -18, -1000, 2147483647};
    for (size_t i = 0; i < 5; i++) {
        // By way of bytes: the enum promises nothing about other numbers, a caller in C may.
        bks_status status;
        memcpy(&status, &strangers[i], sizeof(status));
        assert_string_equal(bks_status_text(status), "unknown status");
        assert_string_equal(bks_status_name(status), "BKS_ERR_UNKNOWN");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_keeps_its_number_and_spelling),
        cmocka_unit_test(the_map_holds_no_status_that_this_test_does_not_know),
        cmocka_unit_test(every_status_has_a_text_of_its_own),
        cmocka_unit_test(a_number_outside_the_map_is_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
