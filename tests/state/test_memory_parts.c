// SPDX-License-Identifier: MIT

#include "backstitch/state.h"
#include "backstitch/toolkit/state_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "state/some_region.h"

enum { PARTS_MAX = 16 };

static uint32_t parts_of(const bksi_region *region, bks_memory_part out[PARTS_MAX])
{
    return bks_state_memory(region->bytes, SOME_CAPACITY_BYTES, sizeof(some_root), out, PARTS_MAX);
}

static void parts_cover_the_state_from_its_start_to_its_end(void **state)
{
    const bksi_region *region = *state;
    bks_memory_part parts[PARTS_MAX];
    const uint32_t count = parts_of(region, parts);
    static const bks_memory_kind kinds[] = {BKS_MEMORY_ROOT, BKS_MEMORY_HEAD, BKS_MEMORY_POOL,
                                            BKS_MEMORY_POOL, BKS_MEMORY_FREE};
    assert_int_equal(count, sizeof(kinds) / sizeof(kinds[0]));
    uint64_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(parts[i].kind, kinds[i]);
        assert_int_equal(parts[i].offset_bytes, at);
        assert_true(parts[i].bytes > 0);
        at += parts[i].bytes;
    }
    assert_int_equal(at, SOME_CAPACITY_BYTES);
    const size_t used = bks_arena_used_bytes(some_arena(region));
    assert_int_equal(parts[count - 1].offset_bytes, used);
}

static void pools_are_reported_with_high_water_and_leaks(void **state)
{
    const bksi_region *region = *state;
    bks_pool *shots = some_shots(region);
    const uint32_t live = bks_pool_count(shots);
    bks_arena_baseline(some_arena(region));
    bks_id ids[5];
    for (uint32_t i = 0; i < 5; i++) {
        ids[i] = bks_pool_add(shots, NULL);
    }
    assert_true(bks_pool_remove(shots, ids[0]) && bks_pool_remove(shots, ids[1]));
    bks_memory_part parts[PARTS_MAX];
    (void)parts_of(region, parts);
    bks_pool_usage usage[2];
    assert_int_equal(bks_arena_inspect(some_arena(region), usage, 2), 2);
    assert_string_equal(parts[2].name, "shots");
    assert_string_equal(parts[3].name, "walls");
    assert_int_equal(parts[2].live, live + 3);
    assert_int_equal(parts[2].leaked, 3);
    assert_int_equal(parts[3].leaked, 0);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(parts[2 + i].item_bytes, usage[i].item_bytes);
        assert_int_equal(parts[2 + i].capacity, usage[i].capacity);
        assert_int_equal(parts[2 + i].high_water, usage[i].high_water);
        assert_int_equal(parts[2 + i].added, usage[i].added);
    }
}

static void memory_between_and_behind_pools_is_blocks(void **state)
{
    const bksi_region *region = *state;
    assert_non_null(bks_arena_alloc(some_arena(region), 160, 16));
    assert_non_null(bks_pool_create(some_arena(region), "late", 8, 4));
    assert_non_null(bks_arena_alloc(some_arena(region), 48, 16));
    bks_memory_part parts[PARTS_MAX];
    assert_int_equal(parts_of(region, parts), 8);
    assert_int_equal(parts[4].kind, BKS_MEMORY_BLOCKS);
    assert_int_equal(parts[4].bytes, 160);
    assert_string_equal(parts[5].name, "late");
    assert_int_equal(parts[6].kind, BKS_MEMORY_BLOCKS);
    assert_int_equal(parts[6].bytes, 48);
}

static void a_state_without_an_arena_is_all_root(void **state)
{
    const bksi_region *region = *state;
    bks_memory_part part;
    assert_int_equal(bks_state_memory(region->bytes, 1000, 0, &part, 1), 1);
    assert_int_equal(part.kind, BKS_MEMORY_ROOT);
    assert_int_equal(part.bytes, 1000);
    assert_int_equal(bks_state_memory(NULL, 0, 0, NULL, 0), 0);
}

static void what_has_no_room_is_counted(void **state)
{
    bks_memory_part two[2];
    const bksi_region *region = *state;
    assert_int_equal(
        bks_state_memory(region->bytes, SOME_CAPACITY_BYTES, sizeof(some_root), two, 2), 5);
    assert_int_equal(two[1].kind, BKS_MEMORY_HEAD);
    assert_int_equal(
        bks_state_memory(region->bytes, SOME_CAPACITY_BYTES, sizeof(some_root), NULL, 0), 5);
}

// Whatever the bookkeeping says, the parts lie one behind the other within the state.
static void damaged_bookkeeping_gives_parts_within_the_state(void **state)
{
    const bksi_region *region = *state;
    static uint8_t copy[SOME_CAPACITY_BYTES];
    const size_t used = bks_arena_used_bytes(some_arena(region));
    for (size_t i = 0; i < used * 8; i++) {
        memcpy(copy, region->bytes, sizeof(copy));
        copy[i / 8] ^= (uint8_t)(1U << i % 8);
        bks_memory_part parts[PARTS_MAX];
        const uint32_t count =
            bks_state_memory(copy, sizeof(copy), sizeof(some_root), parts, PARTS_MAX);
        uint64_t at = 0;
        assert_in_range(count, 1, 6);
        for (uint32_t k = 0; k < count; k++) {
            assert_int_equal(parts[k].offset_bytes, at);
            at += parts[k].bytes;
            assert_non_null(memchr(parts[k].name, '\0', sizeof(parts[k].name)));
        }
        assert_int_equal(at, sizeof(copy));
    }
}

static int set_up(void **state)
{
    const int failed = some_region_set_up(state);
    if (failed == 0) {
        some_region_fill(*state);
    }
    return failed;
}

int main(void)
{
#define EACH(test) cmocka_unit_test_setup_teardown(test, set_up, some_region_tear_down)
    const struct CMUnitTest tests[] = {
        EACH(parts_cover_the_state_from_its_start_to_its_end),
        EACH(pools_are_reported_with_high_water_and_leaks),
        EACH(memory_between_and_behind_pools_is_blocks),
        EACH(a_state_without_an_arena_is_all_root),
        EACH(what_has_no_room_is_counted),
        EACH(damaged_bookkeeping_gives_parts_within_the_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
