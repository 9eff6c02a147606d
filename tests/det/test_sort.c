// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/det.h"
#include "support/catch_log.h"

enum { ITEMS_MAX = 1000 };

typedef struct item {
    uint32_t key;
    uint32_t place; ///< place before sorting
    uint8_t more[80];
} item;

static int by_key(void *context, const void *a, const void *b)
{
    (void)context;
    const uint32_t left = ((const item *)a)->key;
    const uint32_t right = ((const item *)b)->key;
    return left < right ? -1 : left > right;
}

static void equal_items_keep_their_order(void **state)
{
    (void)state;
    static item items[ITEMS_MAX];
    bks_random random;
    bks_random_seed(&random, 1, 1);
    for (uint32_t round = 0; round < 200; round++) {
        const uint32_t count = round < 100 ? round : bks_random_below(&random, ITEMS_MAX);
        const uint32_t keys = 1 + bks_random_below(&random, 40);
        for (uint32_t i = 0; i < count; i++) {
            items[i] = (item){.key = bks_random_below(&random, keys), .place = i};
            memset(items[i].more, (int)(i & 0xff), sizeof(items[i].more));
        }
        bks_sort(items, count, sizeof(items[0]), by_key, NULL);
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(items[i].more[79], items[i].place & 0xff);
            if (i > 0 && items[i - 1].key == items[i].key) {
                assert_true(items[i - 1].place < items[i].place);
            } else if (i > 0) {
                assert_true(items[i - 1].key < items[i].key);
            }
        }
    }
}

static int by_chance(void *context, const void *a, const void *b)
{
    (void)a;
    (void)b;
    return bks_random_between(context, -1, 1);
}

static void a_comparison_without_sense_loses_no_item(void **state)
{
    (void)state;
    bks_random random;
    bks_random_seed(&random, 2, 2);
    for (size_t count = 0; count < 200; count++) {
        uint8_t *bytes = malloc(count + 1);
        uint32_t found[256] = {0};
        for (size_t i = 0; i < count; i++) {
            bytes[i] = (uint8_t)i;
        }
        bks_sort(bytes, count, 1, by_chance, &random);
        for (size_t i = 0; i < count; i++) {
            found[bytes[i]]++;
        }
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(found[i], 1);
        }
        free(bytes);
    }
}

static void wrong_arguments_are_logged(void **state)
{
    (void)state;
    item one = {0};
    catch_log log;
    catch_log_begin(&log);
    bks_sort(NULL, 0, 1, by_key, NULL);
    assert_int_equal(log.count, 0);
    bks_sort(NULL, 1, 1, by_key, NULL);
    bks_sort(&one, 1, 0, by_key, NULL);
    bks_sort(&one, 1, sizeof(one), NULL, NULL);
    bks_log_clear_sink();
    assert_int_equal(log.count, 3);
    assert_string_equal(log.id, "bks_sort");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_items_keep_their_order),
        cmocka_unit_test(a_comparison_without_sense_loses_no_item),
        cmocka_unit_test(wrong_arguments_are_logged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
