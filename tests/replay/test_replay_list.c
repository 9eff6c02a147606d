// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/read/reader.h"
#include "support/counting_allocator.h"

static void items_stay_in_order_while_the_list_grows(void **state)
{
    (void)state;
    counting_allocator counter;
    const bks_allocator allocator = counting_allocator_hooks(&counter);
    bksi_list list = {.item_bytes = sizeof(uint32_t)};
    assert_null(bksi_list_last(&list));
    for (uint32_t i = 0; i < 100; i++) {
        const uint32_t item = i * i;
        assert_true(bksi_list_add(&list, &item, &allocator));
        assert_int_equal(*(uint32_t *)bksi_list_last(&list), item);
    }
    assert_int_equal(list.count, 100);
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(*(uint32_t *)bksi_list_at(&list, i), i * i);
    }
    assert_in_range(counter.allocs, 1, 8); // room doubles
    bksi_list_free(&list, &allocator);
    assert_int_equal(counter.live_bytes, 0);
    assert_false(counter.is_wrong);
    assert_int_equal(list.count, 0);
    const uint32_t again = 7; // it can be used anew
    assert_true(bksi_list_add(&list, &again, &allocator));
    assert_int_equal(*(uint32_t *)bksi_list_last(&list), 7);
    bksi_list_free(&list, &allocator);
    assert_int_equal(counter.live_bytes, 0);
}

static void without_memory_the_list_stays_as_it_is(void **state)
{
    (void)state;
    counting_allocator counter;
    const bks_allocator allocator = counting_allocator_hooks(&counter);
    bksi_list list = {.item_bytes = sizeof(uint64_t)};
    uint64_t item = 0;
    for (counter.fail_after = 1; bksi_list_add(&list, &item, &allocator);) {
        item++;
    }
    assert_int_equal(list.count, item);
    assert_int_equal(item, list.capacity);
    for (uint64_t i = 0; i < item; i++) {
        assert_true(*(uint64_t *)bksi_list_at(&list, (size_t)i) == i);
    }
    bksi_list_free(&list, &allocator);
    assert_int_equal(counter.live_bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_stay_in_order_while_the_list_grows),
        cmocka_unit_test(without_memory_the_list_stays_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
