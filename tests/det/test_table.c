// SPDX-License-Identifier: MIT

#include "backstitch/det.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/catch_log.h"

enum { CAPACITY = 24, KEYS = 60 };

/// Key and item, which do not fill whole words.
typedef struct thing {
    uint8_t bytes[13];
} thing;

static const bks_table_shape shape = {
    .capacity = CAPACITY, .key_bytes = sizeof(uint32_t), .item_bytes = sizeof(thing)};

static const size_t table_bytes =
    BKS_TABLE_WORDS(CAPACITY, sizeof(uint32_t), sizeof(thing)) * sizeof(uint64_t);

static void *make_table(void)
{
    void *table = calloc(1, table_bytes); // no byte more: the address sanitizer sees the end
    assert_non_null(table);
    return table;
}

static thing *put(void *table, uint32_t key)
{
    return bks_table_put(table, &shape, &key);
}

static thing *find(const void *table, uint32_t key)
{
    return bks_table_find(table, &shape, &key);
}

static bool take(void *table, uint32_t key)
{
    return bks_table_remove(table, &shape, &key);
}

/// Expected content of a table.
typedef struct model {
    uint32_t count;
    uint32_t keys[CAPACITY];
    uint8_t marks[CAPACITY];
} model;

static void assert_holds(const void *table, const model *m)
{
    uint32_t at = 0;
    const void *key = NULL;
    assert_int_equal(bks_table_count(table, &shape), m->count);
    for (uint32_t i = 0; i < m->count; i++) {
        const thing *item = bks_table_next(table, &shape, &at, &key);
        assert_non_null(item);
        assert_int_equal((uintptr_t)item % 8, 0);
        assert_memory_equal(key, &m->keys[i], sizeof(m->keys[i]));
        assert_int_equal(item->bytes[12], m->marks[i]);
        assert_ptr_equal(find(table, m->keys[i]), item);
    }
    assert_null(bks_table_next(table, &shape, &at, &key));
}

static void model_remove(model *m, uint32_t place)
{
    m->count--;
    for (uint32_t i = place; i < m->count; i++) {
        m->keys[i] = m->keys[i + 1];
        m->marks[i] = m->marks[i + 1];
    }
}

static void items_stay_in_the_order_in_which_they_were_put(void **state)
{
    (void)state;
    void *table = make_table();
    model m = {0};
    bks_random random;
    bks_random_seed(&random, 5, 5);
    for (uint32_t round = 0; round < 5000; round++) {
        const uint32_t key = bks_random_below(&random, KEYS) * 7919;
        uint32_t place = 0;
        while (place < m.count && m.keys[place] != key) {
            place++;
        }
        if (bks_random_below(&random, 5) < 2) {
            assert_int_equal(take(table, key), place < m.count);
            if (place < m.count) {
                model_remove(&m, place);
            }
        } else if (place == CAPACITY) {
            assert_null(put(table, key));
        } else {
            thing *item = put(table, key);
            assert_non_null(item);
            if (place == m.count) {
                const thing none = {{0}};
                assert_memory_equal(item, &none, sizeof(none));
                item->bytes[12] = (uint8_t)round;
                m.keys[m.count] = key;
                m.marks[m.count++] = (uint8_t)round;
            }
        }
        assert_holds(table, &m);
    }
    free(table);
}

static void the_same_calls_leave_the_same_bytes_wherever_it_lies(void **state)
{
    (void)state;
    void *a = make_table();
    void *b = make_table();
    for (uint32_t i = 0; i < CAPACITY; i++) {
        (void)put(a, i * i);
    }
    (void)take(a, 9);
    memcpy(b, a, table_bytes);
    (void)put(a, 1000000);
    (void)put(b, 1000000);
    assert_memory_equal(a, b, table_bytes);
    assert_non_null(find(b, 16));
    assert_null(find(b, 9));
    free(a);
    free(b);
}

static void items_may_be_removed_while_they_are_walked(void **state)
{
    (void)state;
    void *table = make_table();
    for (uint32_t i = 0; i < CAPACITY; i++) {
        (void)put(table, i);
    }
    uint32_t at = 0;
    uint32_t walked = 0;
    const void *key = NULL;
    while (bks_table_next(table, &shape, &at, &key) != NULL) {
        uint32_t number;
        memcpy(&number, key, sizeof(number));
        assert_int_equal(number, walked++);
        if (number % 3 == 0) {
            assert_true(take(table, number));
        }
    }
    assert_int_equal(walked, CAPACITY);
    assert_int_equal(bks_table_count(table, &shape), CAPACITY - CAPACITY / 3);
    free(table);
}

static int largest_first(void *context, const void *a, const void *b)
{
    (void)context;
    uint32_t left, right;
    memcpy(&left, a, sizeof(left));
    memcpy(&right, b, sizeof(right));
    return left > right ? -1 : left < right;
}

static void sorted_items_are_walked_by_key_and_found(void **state)
{
    (void)state;
    void *table = make_table();
    model m = {0};
    for (uint32_t i = 0; i < 20; i++) {
        put(table, i * 37 % 101)->bytes[12] = (uint8_t)(i * 37 % 101);
    }
    (void)take(table, 37);
    bks_table_sort(table, &shape, largest_first, NULL);
    for (uint32_t key = 101; key-- > 0;) {
        if (find(table, key) != NULL) {
            m.keys[m.count] = key;
            m.marks[m.count++] = (uint8_t)key;
        }
    }
    assert_int_equal(m.count, 19);
    assert_holds(table, &m);
    bks_table_sort(table, &shape, NULL, NULL);
    uint32_t at = 0;
    const void *key = NULL;
    const void *before = NULL;
    while (bks_table_next(table, &shape, &at, &key) != NULL) {
        assert_true(before == NULL || memcmp(before, key, sizeof(uint32_t)) < 0);
        before = key;
    }
    free(table);
}

static void damaged_tables_are_walked_to_an_end_and_never_left(void **state)
{
    (void)state;
    bks_random random;
    bks_random_seed(&random, 8, 8);
    uint8_t *table = make_table();
    for (uint32_t round = 0; round < 4000; round++) {
        if (round % 40 == 0) {
            memset(table, (int)(round / 40 % 3 * 127), table_bytes);
        }
        for (uint32_t flips = 0; flips < 3; flips++) {
            table[bks_random_below(&random, (uint32_t)table_bytes)] ^=
                (uint8_t)(1u << bks_random_below(&random, 8));
        }
        const uint32_t key = bks_random_below(&random, KEYS);
        thing *item = put(table, key);
        if (item != NULL) {
            memset(item, 0xee, sizeof(*item));
            assert_non_null(find(table, key)); // or one that damage has given the same key
        }
        (void)take(table, key + 1);
        uint32_t at = round % 9 == 0 ? UINT32_MAX : 0;
        uint32_t walked = 0;
        while (bks_table_next(table, &shape, &at, NULL) != NULL) {
            walked++;
        }
        assert_true(walked <= CAPACITY && bks_table_count(table, &shape) <= CAPACITY);
        if (round % 50 == 0) {
            bks_table_sort(table, &shape, NULL, NULL);
        }
    }
    free(table);
}

static void wrong_arguments_are_logged_and_do_nothing(void **state)
{
    (void)state;
    static const bks_table_shape wrong[] = {
        {0, 4, 4}, {BKS_TABLE_CAPACITY_MAX + 1, 4, 4},   {4, 0, 4},
        {4, 4, 0}, {4, BKS_TABLE_ITEM_BYTES_MAX + 1, 4}, {4, 4, BKS_TABLE_ITEM_BYTES_MAX + 1}};
    uint64_t bytes[64] = {0};
    const uint32_t key = 1;
    uint32_t at = 0;
    catch_log log;
    catch_log_begin(&log);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_null(bks_table_put(bytes, &wrong[i], &key));
        assert_non_null(strstr(log.text, "must be 1.."));
    }
    assert_null(bks_table_put(NULL, &shape, &key));
    assert_null(bks_table_put(bytes, NULL, &key));
    assert_null(bks_table_put(bytes, &shape, NULL));
    assert_null(bks_table_find(bytes, &shape, NULL));
    assert_null(bks_table_find(NULL, &shape, &key));
    assert_false(bks_table_remove(bytes, &shape, NULL));
    assert_false(bks_table_remove(NULL, &shape, &key));
    assert_int_equal(bks_table_count(NULL, &shape), 0);
    assert_null(bks_table_next(NULL, &shape, &at, NULL));
    assert_null(bks_table_next(bytes, &shape, NULL, NULL));
    bks_table_sort(NULL, &shape, NULL, NULL);
    bks_log_clear_sink();
    assert_int_equal(log.count, 6 + 11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_stay_in_the_order_in_which_they_were_put),
        cmocka_unit_test(the_same_calls_leave_the_same_bytes_wherever_it_lies),
        cmocka_unit_test(items_may_be_removed_while_they_are_walked),
        cmocka_unit_test(sorted_items_are_walked_by_key_and_found),
        cmocka_unit_test(damaged_tables_are_walked_to_an_end_and_never_left),
        cmocka_unit_test(wrong_arguments_are_logged_and_do_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
