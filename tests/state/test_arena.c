// SPDX-License-Identifier: MIT

#include "state/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/state_map.h"
#include "state/some_region.h"
#include "support/catch_log.h"

static void the_arena_begins_behind_the_root(void **state)
{
    const bksi_region *region = *state;
    bks_arena *arena = some_arena(region);
    assert_non_null(arena);
    assert_int_equal((uint8_t *)arena - region->bytes, (sizeof(some_root) + 15) / 16 * 16);
    assert_int_equal(bks_arena_used_bytes(arena), (sizeof(some_root) + 15) / 16 * 16 + 64);
    assert_int_equal(bks_arena_capacity_bytes(arena), SOME_CAPACITY_BYTES);
}

static void another_root_size_finds_no_arena(void **state)
{
    const bksi_region *region = *state;
    catch_log log;
    catch_log_begin(&log);
    assert_null(bks_arena_of(NULL, sizeof(some_root)));
    assert_string_equal(log.text, "state is NULL, must not be");
    assert_null(bks_arena_of(region->bytes, 0));
    assert_null(bks_arena_of(region->bytes, sizeof(some_root) + 16));
    assert_non_null(strstr(log.text, "root_bytes is"));
    bks_log_clear_sink();
    assert_int_equal(log.count, 3);
}

static void memory_is_zeroed_aligned_and_apart(void **state)
{
    const bksi_region *region = *state;
    bks_arena *arena = some_arena(region);
    uint8_t *end = (uint8_t *)(arena + 1);
    for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
        uint8_t *memory = bks_arena_alloc(arena, 33, alignment);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % alignment, 0);
        assert_true(memory >= end);
        for (size_t i = 0; i < 33; i++) {
            assert_int_equal(memory[i], 0);
        }
        memset(memory, 0xff, 33);
        end = memory + 33;
        assert_int_equal(bks_arena_used_bytes(arena), (size_t)(end - region->bytes));
    }
}

static void a_full_arena_says_so_and_stays_as_it_is(void **state)
{
    bks_arena *arena = some_arena(*state);
    catch_log log;
    catch_log_begin(&log);
    size_t used = bks_arena_used_bytes(arena);
    assert_null(bks_arena_alloc(arena, SOME_CAPACITY_BYTES - used + 1, 1));
    assert_string_equal(log.id, "bks_arena_alloc");
    assert_null(bks_arena_alloc(arena, SIZE_MAX, 16));
    assert_null(bks_pool_create(arena, "big", 1000, 1000));
    assert_string_equal(log.id, "bks_pool_create");
    assert_null(bks_pool_create(arena, "big", 1048576, BKS_POOL_CAPACITY_MAX));
    assert_null(bks_pool_create(arena, "just too big", 100, 177));
    bks_log_clear_sink();
    assert_int_equal(log.count, 5);
    assert_int_equal(bks_arena_used_bytes(arena), used);
    assert_int_equal(bks_arena_inspect(arena, NULL, 0), 0);

    assert_non_null(bks_arena_alloc(arena, SOME_CAPACITY_BYTES - used, 1));
    assert_int_equal(bks_arena_used_bytes(arena), SOME_CAPACITY_BYTES);
    assert_null(bks_arena_alloc(arena, 1, 1));
    assert_null(bks_arena_alloc(arena, 1, 4096)); // rounded up beyond the capacity
}

static void arguments_out_of_range_are_refused_by_name(void **state)
{
    bks_arena *arena = some_arena(*state);
    catch_log log;
    catch_log_begin(&log);
    assert_null(bks_arena_alloc(NULL, 1, 1));
    assert_string_equal(log.text, "arena is NULL, must not be");
    assert_null(bks_arena_alloc(arena, 0, 1));
    assert_string_equal(log.text, "bytes is 0, must be at least 1");
    const size_t alignments[] = {0, 3, 24, 8192};
    for (size_t i = 0; i < 4; i++) {
        assert_null(bks_arena_alloc(arena, 1, alignments[i]));
        assert_non_null(strstr(log.text, "must be a power of two in 1..4096"));
    }
    assert_null(bks_pool_create(NULL, "a", 1, 1));
    assert_string_equal(log.text, "arena is NULL, must not be");
    assert_null(bks_pool_create(arena, NULL, 1, 1));
    assert_string_equal(log.text, "name is NULL, must not be");
    assert_null(bks_pool_create(arena, "a", 0, 1));
    assert_string_equal(log.text, "item_bytes is 0, must be 1..1048576");
    assert_null(bks_pool_create(arena, "a", 1048577, 1));
    assert_null(bks_pool_create(arena, "a", 1, 0));
    assert_null(bks_pool_create(arena, "a", 1, 65536));
    assert_string_equal(log.text, "capacity is 65536, must be 1..65535");
    bks_log_clear_sink();
    assert_int_equal(bks_arena_used_bytes(NULL), 0);
    assert_int_equal(bks_arena_capacity_bytes(NULL), 0);
    assert_int_equal(bks_arena_inspect(NULL, NULL, 0), 0);
    bks_arena_baseline(NULL);
}

static void usage_lists_every_pool_in_order(void **state)
{
    bks_arena *arena = some_arena(*state);
    some_region_fill(*state);
    bks_pool_create(arena, "a name of more than 23 bytes", 1, 1);
    bks_pool_usage usage[3];
    assert_int_equal(bks_arena_inspect(arena, NULL, 0), 3);
    memset(usage, 0x55, sizeof(usage));
    assert_int_equal(bks_arena_inspect(arena, usage, 1), 3);
    assert_int_equal(usage[1].capacity, 0x55555555); // only those that fit
    assert_int_equal(bks_arena_inspect(arena, usage, 3), 3);
    assert_string_equal(usage[0].name, "shots");
    assert_int_equal(usage[0].item_bytes, sizeof(some_shot));
    assert_int_equal(usage[0].capacity, 100);
    assert_int_equal(usage[0].live, 6);
    assert_int_equal(usage[0].high_water, 10);
    assert_int_equal(usage[0].added, 10);
    assert_int_equal(usage[0].removed, 4);
    assert_string_equal(usage[1].name, "walls");
    assert_string_equal(usage[2].name, "a name of more than 23 ");
}

static void leaks_are_counted_from_the_baseline(void **state)
{
    bks_arena *arena = some_arena(*state);
    some_region_fill(*state);
    bks_pool_usage usage;
    bks_arena_inspect(arena, &usage, 1);
    assert_int_equal(usage.leaked, 6);
    bks_arena_baseline(arena);
    bks_id id = bks_pool_add(some_shots(*state), NULL);
    bks_arena_inspect(arena, &usage, 1);
    assert_int_equal(usage.leaked, 1);
    bks_pool_remove(some_shots(*state), id);
    bks_pool_next(some_shots(*state), &(uint32_t){0}, &id);
    bks_pool_remove(some_shots(*state), id); // below the baseline is no leak either
    bks_arena_inspect(arena, &usage, 1);
    assert_int_equal(usage.leaked, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_arena_begins_behind_the_root, some_region_set_up,
                                        some_region_tear_down),
        cmocka_unit_test_setup_teardown(another_root_size_finds_no_arena, some_region_set_up,
                                        some_region_tear_down),
        cmocka_unit_test_setup_teardown(memory_is_zeroed_aligned_and_apart, some_region_set_up,
                                        some_region_tear_down),
        cmocka_unit_test_setup_teardown(a_full_arena_says_so_and_stays_as_it_is, some_region_set_up,
                                        some_region_tear_down),
        cmocka_unit_test_setup_teardown(arguments_out_of_range_are_refused_by_name,
                                        some_region_set_up, some_region_tear_down),
        cmocka_unit_test_setup_teardown(usage_lists_every_pool_in_order, some_region_set_up,
                                        some_region_tear_down),
        cmocka_unit_test_setup_teardown(leaks_are_counted_from_the_baseline, some_region_set_up,
                                        some_region_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
