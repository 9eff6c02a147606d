// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include "state/arena.h"
#include "state/pool.h"

#include <cmocka.h>

#include "backstitch/toolkit/state_map.h"
#include "state/some_region.h"
#include "support/seed.h"

static void a_removed_items_id_is_stale_for_good(void **state)
{
    bks_pool *pool = bks_pool_create(some_arena(*state), "one", 8, 1);
    bks_id first = bks_pool_add(pool, NULL);
    assert_non_null(bks_pool_get(pool, first));
    assert_true(bks_pool_remove(pool, first));
    assert_null(bks_pool_get(pool, first));
    assert_false(bks_pool_remove(pool, first));
    bks_id second = bks_pool_add(pool, NULL); // the same slot
    assert_int_not_equal(first, second);
    assert_null(bks_pool_get(pool, first));
    assert_false(bks_pool_remove(pool, first));
    assert_non_null(bks_pool_get(pool, second));
    assert_int_equal(bks_pool_count(pool), 1);
}

static void an_id_is_never_null_even_when_its_generation_wraps(void **state)
{
    bks_pool *pool = bks_pool_create(some_arena(*state), "one", 8, 1);
    bks_id first = bks_pool_add(pool, NULL);
    bks_id id = first;
    for (uint32_t i = 0; i < 65536; i++) {
        assert_int_not_equal(id, 0);
        assert_true(bks_pool_remove(pool, id));
        id = bks_pool_add(pool, NULL);
    }
    assert_int_equal(id, first);
}

static void ids_that_were_never_given_find_nothing(void **state)
{
    bks_pool *pool = bks_pool_create(some_arena(*state), "few", 8, 3);
    bks_id id = bks_pool_add(pool, NULL);
    const bks_id strangers[] = {0, id + 1, id + 3, id | 0xffff, id + 0x10000, 0xffff0000};
    for (size_t i = 0; i < 6; i++) {
        assert_null(bks_pool_get(pool, strangers[i]));
        assert_false(bks_pool_remove(pool, strangers[i]));
    }
    assert_null(bks_pool_get(NULL, id));
}

static void only_items_that_are_not_live_are_filled(void **state)
{
    bks_arena *arena = some_arena(*state);
    bks_pool *pool = bks_pool_create(arena, "few", 8, 3);
    uint8_t *kept;
    uint8_t *removed;
    assert_int_not_equal(bks_pool_add(pool, (void **)&kept), 0);
    bks_id id = bks_pool_add(pool, (void **)&removed);
    kept[0] = 7;
    assert_int_equal(bks_arena_fill_free(arena, 0xD5), 1); // the third was never used
    assert_true(bks_pool_remove(pool, id));
    assert_int_equal(bks_arena_fill_free(arena, 0xD5), 1);
    assert_int_equal(kept[0], 7);
    assert_int_equal(removed[7], 0xD5);
    assert_int_equal(bks_arena_fill_free(arena, 0), 2);
    assert_int_equal(removed[7], 0);
    bks_arena_fill_free(arena, 0xD5);
    bks_pool_add(pool, (void **)&removed);
    assert_int_equal(removed[7], 0);
}

static void items_come_zeroed_and_leave_zeros(void **state)
{
    bks_pool *pool = bks_pool_create(some_arena(*state), "odd", 21, 4);
    uint8_t *item;
    bks_id id = bks_pool_add(pool, (void **)&item);
    assert_int_equal((uintptr_t)item % 16, 0);
    memset(item, 0xff, 32); // into the padding behind it too
    uint8_t *neighbour;
    bks_pool_add(pool, (void **)&neighbour);
    assert_int_equal(neighbour - item, 32);
    memset(neighbour, 0xee, 21);
    bks_pool_remove(pool, id);
    for (size_t i = 0; i < 32; i++) {
        assert_int_equal(item[i], 0);
    }
    assert_int_equal(neighbour[0], 0xee);
    void *again;
    bks_pool_add(pool, &again);
    assert_ptr_equal(again, item);
}

static void a_slot_used_again_keeps_no_place_in_the_free_list(void **state)
{
    bks_pool *pool = bks_pool_create(some_arena(*state), "two", 8, 2);
    bks_id first = bks_pool_add(pool, NULL);
    bks_id second = bks_pool_add(pool, NULL);
    bks_pool_remove(pool, first);
    bks_pool_remove(pool, second);
    const bksi_pool_slot *slots = (const void *)(pool + 1);
    assert_int_equal(slots[1].next_free, 1);
    bks_pool_add(pool, NULL); // last in, first out
    assert_int_equal(slots[1].next_free, 0);
    assert_int_equal(slots[1].generation, 1);
}

static void a_full_pool_adds_nothing(void **state)
{
    bks_pool *pool = bks_pool_create(some_arena(*state), "two", 8, 2);
    bks_id id = bks_pool_add(pool, NULL);
    bks_pool_add(pool, NULL);
    void *item = pool;
    assert_int_equal(bks_pool_add(pool, &item), 0);
    assert_null(item);
    assert_int_equal(bks_pool_add(NULL, &item), 0);
    assert_int_equal(bks_pool_count(pool), 2);
    assert_true(bks_pool_remove(pool, id));
    assert_int_not_equal(bks_pool_add(pool, NULL), 0);
    assert_int_equal(bks_pool_count(NULL), 0);
}

static void a_walk_meets_every_live_item_in_slot_order(void **state)
{
    bks_pool *pool = bks_pool_create(some_arena(*state), "many", 4, 200);
    bks_id ids[200];
    for (uint32_t i = 0; i < 200; i++) {
        void *item;
        ids[i] = bks_pool_add(pool, &item);
        *(uint32_t *)item = i;
    }
    for (uint32_t i = 0; i < 200; i++) {
        if (i % 70 != 3) { // leaves 3, 73 and 143: in three words of live bits
            bks_pool_remove(pool, ids[i]);
        }
    }
    uint32_t cursor = 0;
    uint32_t expected = 3;
    bks_id id;
    for (uint32_t *item; (item = bks_pool_next(pool, &cursor, &id)) != NULL; expected += 70) {
        assert_int_equal(*item, expected);
        assert_int_equal(id, ids[expected]);
        assert_ptr_equal(bks_pool_get(pool, id), item);
        bks_pool_remove(pool, id); // the item just returned may go
    }
    assert_int_equal(expected, 213);
    assert_int_equal(id, 0);
    assert_int_equal(bks_pool_count(pool), 0);
    assert_null(bks_pool_next(pool, &cursor, NULL));
    cursor = UINT32_MAX;
    assert_null(bks_pool_next(pool, &cursor, NULL));
    assert_null(bks_pool_next(NULL, &cursor, &id));
    assert_null(bks_pool_next(pool, NULL, &id));
}

/// Random use, against a list of what must be there; after each round the pool checks itself.
static void random_use_keeps_every_item(void **state)
{
    enum { CAPACITY = 130 };
    bks_pool *pool = bks_pool_create(some_arena(*state), "random", 8, CAPACITY);
    struct {
        bks_id id;
        uint64_t value;
    } live[CAPACITY];
    uint32_t count = 0;
    for (uint32_t i = 0; i < 20000; i++) {
        if (count < CAPACITY && seed_below(200) < 100 + (i / 2000 % 2) * 60) {
            void *item;
            live[count].id = bks_pool_add(pool, &item);
            assert_non_null(item);
            assert_true(*(uint64_t *)item == 0);
            *(uint64_t *)item = live[count++].value = seed_next() | 1;
        } else if (count > 0) {
            uint32_t which = seed_below(count);
            assert_true(bks_pool_remove(pool, live[which].id));
            assert_null(bks_pool_get(pool, live[which].id));
            live[which] = live[--count];
        }
        assert_int_equal(bks_pool_count(pool), count);
        if (count > 0) {
            uint32_t which = seed_below(count);
            assert_true(*(uint64_t *)bks_pool_get(pool, live[which].id) == live[which].value);
        }
    }
    uint64_t offset = 0;
    assert_null(bksi_pool_fault(pool, bksi_pool_total_bytes(pool), &offset));
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 2);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_removed_items_id_is_stale_for_good, some_region_set_up,
                                        some_region_tear_down),
        cmocka_unit_test_setup_teardown(an_id_is_never_null_even_when_its_generation_wraps,
                                        some_region_set_up, some_region_tear_down),
        cmocka_unit_test_setup_teardown(ids_that_were_never_given_find_nothing, some_region_set_up,
                                        some_region_tear_down),
        cmocka_unit_test_setup_teardown(items_come_zeroed_and_leave_zeros, some_region_set_up,
                                        some_region_tear_down),
        cmocka_unit_test_setup_teardown(a_slot_used_again_keeps_no_place_in_the_free_list,
                                        some_region_set_up, some_region_tear_down),
        cmocka_unit_test_setup_teardown(only_items_that_are_not_live_are_filled, some_region_set_up,
                                        some_region_tear_down),
        cmocka_unit_test_setup_teardown(a_full_pool_adds_nothing, some_region_set_up,
                                        some_region_tear_down),
        cmocka_unit_test_setup_teardown(a_walk_meets_every_live_item_in_slot_order,
                                        some_region_set_up, some_region_tear_down),
        cmocka_unit_test_setup_teardown(random_use_keeps_every_item, some_region_set_up,
                                        some_region_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
