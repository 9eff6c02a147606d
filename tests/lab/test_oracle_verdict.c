// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "lab/oracle_internal.h"

static void the_worst_finding_is_kept_and_of_equals_the_first(void **state)
{
    (void)state;
    bks_oracle_verdict verdict = {.kind = BKS_ORACLE_GOOD, .tick = BKS_TICK_NONE};
    bksi_oracle_find(&verdict, BKS_ORACLE_GOOD, 1, "nothing");
    assert_string_equal(verdict.why, "");
    assert_int_equal(verdict.tick, BKS_TICK_NONE);
    bksi_oracle_find(&verdict, BKS_ORACLE_UNSAFE, 7, "peer %d differs", 3);
    assert_int_equal(verdict.kind, BKS_ORACLE_UNSAFE);
    assert_int_equal(verdict.tick, 7);
    assert_string_equal(verdict.why, "peer 3 differs");
    bksi_oracle_find(&verdict, BKS_ORACLE_UNSAFE, 8, "peer 4 differs");
    bksi_oracle_find(&verdict, BKS_ORACLE_DEAD, 9, "it never ended");
    assert_string_equal(verdict.why, "peer 3 differs");
    assert_int_equal(verdict.tick, 7);
    bksi_oracle_find(&verdict, BKS_ORACLE_VARIES, 9, "again it was another match");
    assert_int_equal(verdict.kind, BKS_ORACLE_VARIES);
    assert_int_equal(verdict.tick, 9);
}

static void a_sentence_that_is_too_long_is_cut(void **state)
{
    (void)state;
    bks_oracle_verdict verdict = {.kind = BKS_ORACLE_GOOD};
    bksi_oracle_find(&verdict, BKS_ORACLE_DEAD, 0, "%0300d", 5);
    assert_int_equal(strlen(verdict.why), sizeof(verdict.why) - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worst_finding_is_kept_and_of_equals_the_first),
        cmocka_unit_test(a_sentence_that_is_too_long_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
