// SPDX-License-Identifier: MIT

#include "diagnose/processes/check_writes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

// Add a store that writes one value, or two at once.
static void store(check_writes *writes, uint32_t index, uint64_t bits)
{
    writes->stores++;
    check_writes_add(writes, index, bits);
}

static void store_both(check_writes *writes, uint64_t first, uint64_t second)
{
    store(writes, 0, first);
    check_writes_add(writes, 1, second);
}

static void the_value_written_differently_first_is_the_origin(void **state)
{
    (void)state;
    check_writes a = {0};
    check_writes b = {0};
    store(&a, 0, 7); // the same in both
    store(&b, 0, 7);
    store(&a, 2, 1);
    store(&b, 2, 5);
    store(&a, 0, 8);
    store(&b, 0, 12);
    assert_int_equal(check_writes_first(&a, &b), 2);
    store(&a, 2, 3); // written again later
    store(&b, 2, 4);
    assert_int_equal(check_writes_first(&a, &b), 2);
}

static void a_write_that_only_one_process_makes_is_different(void **state)
{
    (void)state;
    check_writes plain = {0};
    check_writes more = {0};
    store(&plain, 0, 1);
    store(&more, 1, 9);
    store(&more, 0, 10);
    assert_int_equal(check_writes_first(&plain, &more), 1);
    assert_int_equal(check_writes_first(&more, &plain), 1);
}

static void what_one_store_writes_in_one_process_is_ordered_by_the_other(void **state)
{
    (void)state;
    check_writes apart = {0};
    check_writes at_once = {0};
    store(&apart, 1, 1);
    store(&apart, 0, 1);
    store_both(&at_once, 2, 2);
    assert_int_equal(check_writes_first(&apart, &at_once), 1);
    assert_int_equal(check_writes_first(&at_once, &apart), 1);
}

static void without_a_known_order_the_first_value_stays(void **state)
{
    (void)state;
    check_writes a = {0};
    check_writes b = {0};
    store_both(&a, 1, 1);
    store_both(&b, 2, 2);
    assert_int_equal(check_writes_first(&a, &b), 0); // always at once
    a = (check_writes){0};
    b = (check_writes){0};
    store(&a, 0, 1);
    store(&a, 1, 1);
    store(&b, 1, 2);
    store(&b, 0, 2);
    assert_int_equal(check_writes_first(&a, &b), 0); // in another order in each process
    store(&a, 3, 1);
    a.is_unknown = true;
    assert_int_equal(check_writes_first(&a, &b), 0);
}

static void a_difference_after_the_writes_that_are_kept_is_none(void **state)
{
    (void)state;
    check_writes a = {0};
    check_writes b = {0};
    for (uint32_t i = 0; i < CHECK_WRITES_MAX; i++) {
        store(&a, 0, i);
        store(&b, 0, i);
    }
    store(&a, 1, 1);
    store(&b, 1, 2);
    store(&a, 2, 1);
    store(&b, 2, 2);
    assert_int_equal(check_writes_first(&a, &b), 0); // value 0 is the same in both
    store(&a, 0, 1);
    store(&b, 0, 2);
    assert_int_equal(check_writes_first(&a, &b), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_value_written_differently_first_is_the_origin),
        cmocka_unit_test(a_write_that_only_one_process_makes_is_different),
        cmocka_unit_test(what_one_store_writes_in_one_process_is_ordered_by_the_other),
        cmocka_unit_test(without_a_known_order_the_first_value_stays),
        cmocka_unit_test(a_difference_after_the_writes_that_are_kept_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
