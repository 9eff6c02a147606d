// SPDX-License-Identifier: MIT

// Every bit of a state is flipped in turn, bookkeeping included, and then every call is made on it.

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include "state/arena.h"
#include "state/pool.h"

#include <cmocka.h>

#include "backstitch/toolkit/state_map.h"
#include "state/some_region.h"

/// Where the pools lie, as a game may keep it outside of what is damaged.
typedef struct known_pools {
    size_t shots;
    size_t walls;
} known_pools;

static known_pools pools_of(const bksi_region *region)
{
    return (known_pools){(size_t)((uint8_t *)some_shots(region) - region->bytes),
                         (size_t)((uint8_t *)some_walls(region) - region->bytes)};
}

/// Walk, remove, add and look up, a bounded number of times.
/// @return items that the walk met
static uint32_t use_pool(bks_pool *pool)
{
    uint32_t cursor = 0;
    uint32_t met = 0;
    bks_id id = 0;
    for (uint8_t *item; (item = bks_pool_next(pool, &cursor, &id)) != NULL; met++) {
        assert_true(met < 200);
        item[0] ^= 0x55;
        if (met % 2 == 0) {
            (void)bks_pool_remove(pool, id);
        }
        assert_true(bks_pool_get(pool, id) == NULL || bks_pool_get(pool, id) == item);
    }
    for (uint32_t i = 0; i < 120; i++) {
        void *item = NULL;
        if (bks_pool_add(pool, &item) != 0) {
            memset(item, 0x33, 9); // the smaller item
        }
    }
    return met + bks_pool_count(pool) % 1000;
}

/// What a step of a game might do.
static uint32_t use_all(const bksi_region *region, known_pools at)
{
    bks_arena *arena = (void *)(region->bytes + bksi_arena_place(sizeof(some_root)));
    some_root *root = (void *)region->bytes;
    bks_pool_usage usage[4];
    uint32_t sum = use_pool((void *)(region->bytes + at.shots));
    sum += use_pool((void *)(region->bytes + at.walls));
    sum += bks_arena_inspect(arena, usage, 4);
    bks_arena_baseline(arena);
    sum += bks_ref_in_pool(&root->shots, some_shots(region)) ? 1 : 0;
    sum += bks_ref_is_pool(&root->walls, "walls", 40, 20) ? 1 : 0;
    sum += bks_ref_in_arena(&root->walls, 16, 1) ? 1 : 0;
    uint8_t *block = bks_arena_alloc(arena, 48, 16);
    if (block != NULL) {
        memset(block, 0x77, 48);
    }
    bks_pool *made = bks_pool_create(arena, "made", 24, 9);
    sum += made != NULL ? use_pool(made) : 0;
    return sum + bks_arena_fill_free(arena, 0);
}

/// The same state in both, damaged by one flipped bit.
static void make_damaged(bksi_region *region, size_t offset, uint32_t bit)
{
    bksi_region_reset(region);
    some_region_fill(region);
    bksi_region_flip(region, offset, bit);
}

static void no_flipped_bit_leads_a_call_out_of_the_region(void **state)
{
    bksi_region *region = *state;
    some_region_fill(region);
    const known_pools at = pools_of(region);
    const size_t used = bksi_region_used(region);
    for (size_t i = 0; i < used * 8; i++) {
        make_damaged(region, i / 8, i % 8);
        bksi_region_watch(region);
        (void)use_all(region, at);
        const char *overrun = bksi_region_unwatch(region);
        if (overrun != NULL && strcmp(overrun, "state") == 0) {
            fail_msg("byte %zu bit %zu: the state's end was passed", i / 8, i % 8);
        }
    }
}

/// A machine that rolled back sees the same damage in bytes that were put back.
static void damage_has_the_same_effect_after_a_rollback(void **state)
{
    static uint8_t bytes[SOME_CAPACITY_BYTES];
    bksi_region *straight = *state;
    bksi_region rolled;
    assert_int_equal(some_region_create(&rolled), BKS_OK);
    some_region_fill(straight);
    const known_pools at = pools_of(straight);
    const size_t begin = (size_t)bksi_arena_place(sizeof(some_root));
    const size_t end = at.walls + 112 + 20 * 4 + 8;
    for (size_t i = begin * 8; i < end * 8; i++) {
        make_damaged(straight, i / 8, i % 8);
        make_damaged(&rolled, i / 8, i % 8);
        const size_t used = bksi_region_used(&rolled);
        memcpy(bytes, rolled.bytes, used);
        (void)use_all(&rolled, at);
        bksi_region_put_back(&rolled, bytes, used);
        const uint32_t sum = use_all(straight, at);
        assert_int_equal(use_all(&rolled, at), sum);
        if (bksi_region_hash(straight) != bksi_region_hash(&rolled)) {
            fail_msg("byte %zu bit %zu has two effects", i / 8, i % 8);
        }
    }
    bksi_region_destroy(&rolled);
}

static void a_pool_with_a_damaged_header_refuses_and_the_others_do_not(void **state)
{
    bksi_region *region = *state;
    some_region_fill(region);
    const known_pools at = pools_of(region);
    bksi_region_flip(region, at.shots + offsetof(bks_pool, items_at), 4);
    uint32_t cursor = 0;
    bks_pool *shots = (void *)(region->bytes + at.shots);
    assert_int_equal(bks_pool_add(shots, NULL), 0);
    assert_null(bks_pool_next(shots, &cursor, NULL));
    assert_int_equal(bks_pool_count(shots), 0);
    assert_int_equal(bks_pool_count(some_walls(region)), 1);
    assert_int_equal(bks_arena_inspect(some_arena(region), NULL, 0), 1);
    bksi_region_flip(region, at.shots + offsetof(bks_pool, items_at), 4);
    assert_int_equal(bks_pool_count(some_shots(region)), 6);
}

static void a_live_bit_behind_the_last_item_makes_a_pool_unusable(void **state)
{
    bksi_region *region = *state;
    some_region_fill(region);
    const known_pools at = pools_of(region);
    bks_pool *walls = some_walls(region);
    bksi_region_flip(region, at.walls + (size_t)walls->live_bits_at + 5, 3); // item 43 of 20
    assert_int_equal(bks_pool_count(walls), 0);
    bksi_region_flip(region, at.walls + (size_t)walls->live_bits_at + 5, 3);
    assert_int_equal(bks_pool_count(walls), 1);
}

static void a_free_list_that_leads_out_of_the_pool_adds_nothing(void **state)
{
    bksi_region *region = *state;
    some_region_fill(region);
    const known_pools at = pools_of(region);
    const bks_pool *shots = some_shots(region);
    // The slot that comes first in the free list names the next one; bit 14 leads far beyond.
    const size_t slot = at.shots + sizeof(bks_pool) + (shots->first_free - 1) * 4u + 2;
    bksi_region_flip(region, slot + 1, 6);
    assert_int_not_equal(bks_pool_add(some_shots(region), NULL), 0);
    assert_int_equal(bks_pool_add(some_shots(region), NULL), 0);
    assert_int_equal(bks_pool_count(some_shots(region)), 7);
}

static void a_pool_over_another_is_none(void **state)
{
    bksi_region *region = *state;
    some_region_fill(region);
    const known_pools at = pools_of(region);
    // A whole header of a pool, within the items of the first.
    const size_t within = at.shots + (size_t)some_shots(region)->items_at + 160;
    const bks_pool small = bksi_pool_planned(8, 1);
    memcpy(region->bytes + within, &small, sizeof(small));
    ((bks_pool *)(void *)(region->bytes + within))->next_pool_offset = at.walls;
    bks_pool *shots = some_shots(region);
    shots->next_pool_offset = within;
    bksi_region_flip(region, 0, 0); // anywhere: all is looked at again
    assert_int_equal(bks_arena_inspect(some_arena(region), NULL, 0), 2);
    assert_int_equal(bks_pool_add((bks_pool *)(void *)(region->bytes + within), NULL), 0);
}

/// What is no longer in use is zero, as it is after a rollback.
static void a_flip_that_shortens_the_state_leaves_zeros_behind_it(void **state)
{
    bksi_region *region = *state;
    some_region_fill(region);
    const size_t used = bksi_region_used(region);
    const size_t at = (size_t)bksi_arena_place(sizeof(some_root)) + offsetof(bks_arena, used_bytes);
    uint32_t highest = 0;
    while ((used >> highest) > 1) {
        highest++;
    }
    bksi_region_flip(region, at + highest / 8, highest % 8);
    const size_t left = bksi_region_used(region);
    assert_true(left < used);
    for (size_t i = left; i < used; i++) {
        assert_int_equal(region->bytes[i], 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(no_flipped_bit_leads_a_call_out_of_the_region,
                                        some_region_set_up, some_region_tear_down),
        cmocka_unit_test_setup_teardown(damage_has_the_same_effect_after_a_rollback,
                                        some_region_set_up, some_region_tear_down),
        cmocka_unit_test_setup_teardown(a_pool_with_a_damaged_header_refuses_and_the_others_do_not,
                                        some_region_set_up, some_region_tear_down),
        cmocka_unit_test_setup_teardown(a_live_bit_behind_the_last_item_makes_a_pool_unusable,
                                        some_region_set_up, some_region_tear_down),
        cmocka_unit_test_setup_teardown(a_free_list_that_leads_out_of_the_pool_adds_nothing,
                                        some_region_set_up, some_region_tear_down),
        cmocka_unit_test_setup_teardown(a_pool_over_another_is_none, some_region_set_up,
                                        some_region_tear_down),
        cmocka_unit_test_setup_teardown(a_flip_that_shortens_the_state_leaves_zeros_behind_it,
                                        some_region_set_up, some_region_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
