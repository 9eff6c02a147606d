// SPDX-License-Identifier: MIT

#include "backstitch/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "support/catch_log.h"

typedef struct couple {
    bks_ref to_last;
    int32_t numbers[4];
    bks_ref to_first;
} couple;

static void a_reference_leads_forwards_and_backwards(void **state)
{
    (void)state;
    couple pair = {.numbers = {1, 2, 3, 4}};
    assert_int_equal(bks_ref_set(&pair.to_last, &pair.numbers[3]), BKS_OK);
    assert_int_equal(bks_ref_set(&pair.to_first, &pair.numbers[0]), BKS_OK);
    assert_ptr_equal(bks_ref_get(&pair.to_last), &pair.numbers[3]);
    assert_ptr_equal(bks_ref_get(&pair.to_first), &pair.numbers[0]);
}

static void copied_bytes_refer_within_the_copy(void **state)
{
    (void)state;
    couple pair = {.numbers = {1, 2, 3, 4}};
    bks_ref_set(&pair.to_last, &pair.numbers[3]);
    bks_ref_set(&pair.to_first, &pair.numbers[0]);
    couple copies[2];
    memcpy(&copies[1], &pair, sizeof(pair));
    assert_ptr_equal(bks_ref_get(&copies[1].to_last), &copies[1].numbers[3]);
    assert_ptr_equal(bks_ref_get(&copies[1].to_first), &copies[1].numbers[0]);
}

static void null_is_all_zero(void **state)
{
    (void)state;
    couple pair = {0};
    assert_null(bks_ref_get(&pair.to_last));
    bks_ref_set(&pair.to_last, &pair.numbers[3]);
    assert_int_equal(bks_ref_set(&pair.to_last, NULL), BKS_OK);
    assert_int_equal(pair.to_last.distance_bytes, 0);
    assert_null(bks_ref_get(&pair.to_last));
    assert_null(bks_ref_get(NULL));
}

static void a_reference_to_itself_is_refused(void **state)
{
    (void)state;
    catch_log log;
    catch_log_begin(&log);
    couple pair = {0};
    bks_ref_set(&pair.to_last, &pair.numbers[3]);
    assert_int_equal(bks_ref_set(&pair.to_last, &pair), BKS_ERR_BAD_ARGUMENT);
    assert_ptr_equal(bks_ref_get(&pair.to_last), &pair.numbers[3]);
    assert_int_equal(bks_ref_set(NULL, &pair), BKS_ERR_BAD_ARGUMENT);
    bks_log_clear_sink();
    assert_int_equal(log.count, 2);
    assert_string_equal(log.id, "bks_ref_set");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reference_leads_forwards_and_backwards),
        cmocka_unit_test(copied_bytes_refer_within_the_copy),
        cmocka_unit_test(null_is_all_zero),
        cmocka_unit_test(a_reference_to_itself_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
