// SPDX-License-Identifier: MIT

#include "state/region_table.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "backstitch/toolkit/state_map.h"
#include "state/arena.h"
#include "state/some_region.h"
#include "support/catch_log.h"

enum { REGIONS = 200, POOLS = 2000, POOLS_BYTES = 1 << 20 };

static int set_up(void **state)
{
    static bksi_region region;
    *state = &region;
    const bks_status status = some_region_create(&region);
    some_region_fill(&region);
    return status;
}

static int tear_down(void **state)
{
    bksi_region_destroy(*state);
    return 0;
}

static some_root *root_of(const bksi_region *region)
{
    return (void *)region->bytes;
}

static void a_reference_in_a_region_cannot_leave_it(void **state)
{
    const bksi_region *region = *state;
    bks_ref *ref = &root_of(region)->shots;
    const int64_t end = (int64_t)region->allocated_bytes;
    const int64_t distances[] = {-1, end, end + 1, INT64_MIN, INT64_MAX, INT64_C(1) << 40, -end};
    catch_log log;
    catch_log_begin(&log);
    for (size_t i = 0; i < sizeof(distances) / sizeof(distances[0]); i++) {
        ref->distance_bytes = distances[i];
        assert_null(bks_ref_get(ref));
    }
    bks_log_clear_sink();
    assert_int_equal(log.count, sizeof(distances) / sizeof(distances[0]));
    assert_string_equal(log.id, "bks_ref_get");
    ref->distance_bytes = end - 1;
    assert_ptr_equal(bks_ref_get(ref), region->bytes + end - 1);
}

static void a_reference_is_not_set_to_what_lies_outside_its_region(void **state)
{
    const bksi_region *region = *state;
    bks_ref *ref = &root_of(region)->shots;
    const bks_ref before = *ref;
    assert_int_equal(bks_ref_set(ref, &before), BKS_ERR_BAD_ARGUMENT);
    assert_memory_equal(ref, &before, sizeof(before));
    assert_int_equal(bks_ref_set(ref, NULL), BKS_OK);
}

static void each_of_many_regions_keeps_its_own_references(void **state)
{
    (void)state;
    static bksi_region regions[REGIONS];
    for (uint32_t i = 0; i < REGIONS; i++) {
        assert_int_equal(some_region_create(&regions[i]), BKS_OK);
        some_region_fill(&regions[i]);
    }
    for (uint32_t i = 0; i < REGIONS; i++) {
        const bksi_region *other = &regions[(i + 1) % REGIONS];
        bks_ref *ref = &root_of(&regions[i])->walls;
        assert_int_equal(bks_pool_count(some_shots(&regions[i])), 6);
        assert_int_equal(bks_ref_set(ref, other->bytes), BKS_ERR_BAD_ARGUMENT);
        ref->distance_bytes = other->bytes - (uint8_t *)ref;
        assert_null(bks_ref_get(ref));
    }
    for (uint32_t i = 0; i < REGIONS; i++) {
        bksi_region_destroy(&regions[i * 7 % REGIONS]);
    }
}

static void memory_that_was_a_region_is_free_again(void **state)
{
    (void)state;
    bksi_region region;
    assert_int_equal(some_region_create(&region), BKS_OK);
    some_region_fill(&region);
    bksi_region_entry found;
    assert_true(bksi_region_table_find(region.bytes + 100, &found));
    assert_int_equal(bks_state_bytes(region.bytes), SOME_CAPACITY_BYTES);
    assert_int_equal(bks_state_bytes(region.bytes + 1), 0);
    const void *bytes = region.bytes;
    const bks_pool *pool = some_shots(&region);
    assert_true(bksi_region_table_allows(bytes, pool));
    bksi_region_destroy(&region);
    assert_false(bksi_region_table_find(bytes, &found));
    assert_true(bksi_region_table_allows(bytes, &found));
    assert_false(bksi_region_table_has_pool(pool));
    assert_int_equal(bks_state_bytes(bytes), 0);
}

static void bytes_that_look_like_a_pool_are_none(void **state)
{
    const bksi_region *region = *state;
    bks_arena *arena = some_arena(region);
    bks_pool *pool = some_shots(region);
    uint8_t *fake = bks_arena_alloc(arena, 4096, 16);
    memcpy(fake, pool, sizeof(*pool));
    const bks_pool *liar = (const void *)fake;
    uint32_t cursor = 0;
    void *item = NULL;
    assert_int_equal(bks_pool_count(liar), 0);
    assert_null(bks_pool_next(liar, &cursor, NULL));
    assert_null(bks_pool_get(liar, 1u << 16 | 1));
    assert_int_equal(bks_pool_add((bks_pool *)(void *)fake, &item), 0);
    assert_false(bks_pool_remove((bks_pool *)(void *)fake, 1));
    assert_memory_equal(fake, pool, sizeof(*pool));
    assert_int_equal(bks_pool_count(pool), 6);
    memcpy(fake, arena, sizeof(*arena));
    assert_null(bks_arena_alloc((bks_arena *)(void *)fake, 16, 16));
    assert_int_equal(bks_arena_inspect((bks_arena *)(void *)fake, NULL, 0), 0);
}

static void a_pool_that_was_rolled_back_is_none_until_it_is_made_again(void **state)
{
    bksi_region *region = *state;
    const size_t used = bksi_region_used(region);
    uint8_t *before = malloc(used);
    assert_non_null(before);
    memcpy(before, region->bytes, used);
    bks_pool *late = bks_pool_create(some_arena(region), "late", 8, 4);
    assert_true(bks_pool_add(late, NULL) != 0);
    bksi_region_put_back(region, before, used);
    assert_int_equal(bks_pool_add(late, NULL), 0);
    assert_ptr_equal(bks_pool_create(some_arena(region), "late", 8, 4), late);
    assert_true(bks_pool_add(late, NULL) != 0);
    free(before);
}

/// Regions with more pools than are cached: a copy has all of them after a restore, and none that
/// only lies in an item of one; put back to before they were made it has none.
static void all_of_many_pools_are_found_again(void **state)
{
    (void)state;
    const bks_allocator allocator = {0};
    bksi_region from;
    bksi_region to;
    assert_int_equal(bksi_region_create(&from, POOLS_BYTES, 16, &allocator, NULL), BKS_OK);
    assert_int_equal(bksi_region_create(&to, POOLS_BYTES, 16, &allocator, NULL), BKS_OK);
    const size_t used_before = bksi_region_used(&from);
    static uint8_t before[256];
    static size_t at[POOLS];
    static size_t in_item[POOLS];
    memcpy(before, from.bytes, used_before);
    for (uint32_t i = 0; i < POOLS; i++) {
        bks_pool *pool = bks_pool_create(bks_arena_of(from.bytes, 16), "some", sizeof(*pool), 1);
        void *item = NULL;
        assert_true(bks_pool_add(pool, &item) != 0);
        memcpy(item, pool, sizeof(*pool));
        at[i] = (size_t)((uint8_t *)pool - from.bytes);
        in_item[i] = (size_t)((uint8_t *)item - from.bytes);
    }
    const size_t used = bksi_region_used(&from);
    assert_int_equal(bksi_region_restore(&to, from.bytes, used, NULL), BKS_OK);
    for (uint32_t i = 0; i < POOLS; i++) {
        assert_true(bksi_region_table_has_pool((void *)(to.bytes + at[i])));
        assert_false(bksi_region_table_has_pool((void *)(to.bytes + at[i] + 8)));
        assert_false(bksi_region_table_has_pool((void *)(to.bytes + in_item[i])));
    }
    bksi_region_put_back(&to, before, used_before);
    for (uint32_t i = 0; i < POOLS; i++) {
        assert_false(bksi_region_table_has_pool((void *)(to.bytes + at[i])));
    }
    bksi_region_put_back(&to, from.bytes, used);
    for (uint32_t i = 0; i < POOLS; i++) {
        assert_true(bksi_region_table_has_pool((void *)(to.bytes + at[i])));
    }
    bksi_region_reset(&to);
    for (uint32_t i = 0; i < POOLS; i++) {
        assert_false(bksi_region_table_has_pool((void *)(to.bytes + at[i])));
    }
    bksi_region_destroy(&to);
    bksi_region_destroy(&from);
}

static void as_many_bytes_may_hold_other_pools(void **state)
{
    bksi_region *region = *state;
    const size_t used = bksi_region_used(region);
    uint8_t *before = malloc(used);
    uint8_t *after = malloc(SOME_CAPACITY_BYTES);
    assert_non_null(before);
    assert_non_null(after);
    memcpy(before, region->bytes, used);
    bks_pool *late = bks_pool_create(some_arena(region), "late", 8, 4);
    const size_t used_after = bksi_region_used(region);
    memcpy(after, region->bytes, used_after);
    bksi_region_put_back(region, before, used);
    assert_non_null(bks_arena_alloc(some_arena(region), used_after - used, 1));
    assert_int_equal(bks_pool_add(late, NULL), 0);
    bksi_region_put_back(region, after, used_after);
    assert_true(bks_pool_add(late, NULL) != 0);
    free(before);
    free(after);
}

static void a_reference_is_held_against_what_it_must_lead_to(void **state)
{
    const bksi_region *region = *state;
    some_root *root = root_of(region);
    bks_ref *ref = &root->shots;
    bks_pool *shots = some_shots(region);
    assert_true(bks_ref_is_pool(ref, "shots", sizeof(some_shot), 100));
    assert_true(bks_ref_is_pool(ref, NULL, sizeof(some_shot), 100));
    assert_false(bks_ref_is_pool(ref, "walls", sizeof(some_shot), 100));
    assert_false(bks_ref_is_pool(ref, "shots", sizeof(some_shot) + 1, 100));
    assert_false(bks_ref_is_pool(ref, "shots", sizeof(some_shot), 99));
    assert_false(bks_ref_in_arena(ref, 1, 1));
    assert_false(bks_ref_in_pool(ref, shots));

    uint32_t cursor = 0;
    uint8_t *item = bks_pool_next(shots, &cursor, NULL);
    bks_ref_set(ref, item);
    assert_true(bks_ref_in_pool(ref, shots));
    assert_false(bks_ref_in_pool(ref, some_walls(region)));
    assert_false(bks_ref_in_pool(ref, NULL));
    assert_false(bks_ref_is_pool(ref, NULL, sizeof(some_shot), 100));
    bks_ref_set(ref, item + 1);
    assert_false(bks_ref_in_pool(ref, shots));
    bks_ref_set(ref, item - 16); // the first was removed
    assert_false(bks_ref_in_pool(ref, shots));
    bks_ref_set(ref, item + 16 * 99);
    assert_false(bks_ref_in_pool(ref, shots));
}

static void arena_memory_is_what_the_game_was_given(void **state)
{
    const bksi_region *region = *state;
    bks_ref *ref = &root_of(region)->shots;
    uint8_t *memory = bks_arena_alloc(some_arena(region), 100, 16);
    bks_pool *behind = bks_pool_create(some_arena(region), "behind", 8, 2);
    assert_non_null(behind);
    bks_ref_set(ref, memory);
    assert_true(bks_ref_in_arena(ref, 100, 16));
    assert_false(bks_ref_in_arena(ref, 113, 1)); // reaches into the pool
    assert_false(bks_ref_in_arena(ref, SIZE_MAX, 1));
    assert_false(bks_ref_in_arena(ref, 0, 1));
    bks_ref_set(ref, memory + 1);
    assert_true(bks_ref_in_arena(ref, 99, 1));
    assert_false(bks_ref_in_arena(ref, 98, 2));
    bks_ref_set(ref, region->bytes + 40); // the root
    assert_false(bks_ref_in_arena(ref, 1, 1));
    bks_ref_set(ref, region->bytes + bksi_region_used(region)); // not given yet
    assert_false(bks_ref_in_arena(ref, 1, 1));
    ref->distance_bytes = 0;
    assert_false(bks_ref_in_arena(ref, 1, 1));
}

static void a_table_of_another_version_is_not_joined(void **state)
{
    (void)state;
    bks_library other = {.version = BKSI_REGION_TABLE_VERSION + 1};
    assert_int_equal(bks_library_join(&other), BKS_ERR_UNSUPPORTED);
    assert_int_equal(bks_library_join(NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_library_join(bks_library_here()), BKS_OK);
}

/// Regions of several threads come and go, and each thread's references stay right.
static void *churn(void *context)
{
    uint32_t *wrong = context;
    for (int round = 0; round < 300; round++) {
        bksi_region region;
        if (some_region_create(&region) != BKS_OK) {
            (*wrong)++;
            break;
        }
        some_region_fill(&region);
        bks_ref *ref = &root_of(&region)->shots;
        *wrong += bks_pool_count(some_shots(&region)) != 6;
        *wrong += bks_ref_set(ref, &region) != BKS_ERR_BAD_ARGUMENT;
        ref->distance_bytes = (uint8_t *)&region - (uint8_t *)ref;
        *wrong += bks_ref_get(ref) != NULL;
        bksi_region_destroy(&region);
    }
    return NULL;
}

static void threads_may_own_regions_of_their_own(void **state)
{
    (void)state;
    pthread_t threads[4];
    uint32_t wrong[4] = {0};
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, churn, &wrong[i]), 0);
    }
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(wrong[i], 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_reference_in_a_region_cannot_leave_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_reference_is_not_set_to_what_lies_outside_its_region,
                                        set_up, tear_down),
        cmocka_unit_test(each_of_many_regions_keeps_its_own_references),
        cmocka_unit_test(memory_that_was_a_region_is_free_again),
        cmocka_unit_test_setup_teardown(bytes_that_look_like_a_pool_are_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_pool_that_was_rolled_back_is_none_until_it_is_made_again,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(as_many_bytes_may_hold_other_pools, set_up, tear_down),
        cmocka_unit_test(all_of_many_pools_are_found_again),
        cmocka_unit_test_setup_teardown(a_reference_is_held_against_what_it_must_lead_to, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(arena_memory_is_what_the_game_was_given, set_up, tear_down),
        cmocka_unit_test(a_table_of_another_version_is_not_joined),
        cmocka_unit_test(threads_may_own_regions_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
