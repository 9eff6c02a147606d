// SPDX-License-Identifier: MIT

#include "state/snapshot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "state/some_region.h"
#include "support/counting_allocator.h"

static const bks_allocator standard_allocator;

static void a_loaded_slot_is_what_was_saved(void **state)
{
    (void)state;
    bksi_region region;
    bksi_region copy;
    bksi_snapshots *snapshots;
    assert_int_equal(some_region_create(&region), BKS_OK);
    assert_int_equal(some_region_create(&copy), BKS_OK);
    assert_int_equal(bksi_snapshots_create(3, SOME_CAPACITY_BYTES, &standard_allocator, &snapshots),
                     BKS_OK);
    some_region_fill(&region);
    some_region_fill(&copy);
    size_t used = bksi_region_used(&region);
    assert_int_equal(bksi_snapshots_save(snapshots, 2, &region), used);
    assert_int_equal(bksi_snapshots_count(snapshots, 2), used);
    assert_int_equal(bksi_snapshots_count(snapshots, 0), 0);

    // The state changes and grows; going back leaves nothing of it.
    bks_pool_add(some_shots(&region), NULL);
    uint8_t *more = bks_arena_alloc(some_arena(&region), 6000, 1);
    memset(more, 0x99, 6000);
    bksi_snapshots_save(snapshots, 0, &region);
    bksi_snapshots_load(snapshots, 2, &region);
    assert_memory_equal(region.bytes, copy.bytes, region.allocated_bytes);

    // And forward again, which grows the part in use.
    bksi_snapshots_load(snapshots, 0, &region);
    assert_int_equal(bksi_region_used(&region), used + 6000);
    assert_int_equal(more[5999], 0x99);
    bksi_snapshots_destroy(snapshots);
    bksi_region_destroy(&region);
    bksi_region_destroy(&copy);
}

static void a_borrowed_slot_is_what_lies_elsewhere_until_it_is_saved_again(void **state)
{
    (void)state;
    bksi_region region;
    bksi_region copy;
    bksi_snapshots *snapshots;
    static uint8_t elsewhere[SOME_CAPACITY_BYTES];
    assert_int_equal(some_region_create(&region), BKS_OK);
    assert_int_equal(some_region_create(&copy), BKS_OK);
    assert_int_equal(bksi_snapshots_create(2, SOME_CAPACITY_BYTES, &standard_allocator, &snapshots),
                     BKS_OK);
    some_region_fill(&region);
    some_region_fill(&copy);
    const size_t used = bksi_region_used(&region);
    memcpy(elsewhere, region.bytes, used);
    bks_pool_add(some_shots(&region), NULL);
    bksi_snapshots_save(snapshots, 1, &region);
    bksi_snapshots_borrow(snapshots, 1, elsewhere, used);
    assert_int_equal(bksi_snapshots_count(snapshots, 1), used);
    assert_ptr_equal(bksi_snapshots_bytes(snapshots, 1), elsewhere);
    bksi_snapshots_load(snapshots, 1, &region);
    assert_memory_equal(region.bytes, copy.bytes, region.allocated_bytes);

    bksi_snapshots_save(snapshots, 1, &region);
    memset(elsewhere, 0xEE, used);
    bksi_snapshots_load(snapshots, 1, &region);
    assert_memory_equal(region.bytes, copy.bytes, region.allocated_bytes);
    bksi_snapshots_destroy(snapshots);
    bksi_region_destroy(&region);
    bksi_region_destroy(&copy);
}

static void slots_are_apart_and_aligned(void **state)
{
    (void)state;
    bksi_snapshots *snapshots;
    assert_int_equal(bksi_snapshots_create(256, 65, &standard_allocator, &snapshots), BKS_OK);
    for (uint32_t i = 0; i < 256; i++) {
        uint8_t *bytes = bksi_snapshots_room(snapshots, i);
        assert_int_equal((uintptr_t)bytes % 64, 0);
        memset(bytes, (int)i, 65);
        bksi_snapshots_set_count(snapshots, i, i % 66);
    }
    for (uint32_t i = 0; i < 256; i++) {
        const uint8_t *bytes = bksi_snapshots_bytes(snapshots, i);
        assert_int_equal(bytes[0], i);
        assert_int_equal(bytes[64], i);
        assert_int_equal(bksi_snapshots_count(snapshots, i), i % 66);
    }
    bksi_snapshots_destroy(snapshots);
}

static void no_slots_are_allowed(void **state)
{
    (void)state;
    bksi_snapshots *snapshots;
    assert_int_equal(bksi_snapshots_create(0, 1000, &standard_allocator, &snapshots), BKS_OK);
    bksi_snapshots_destroy(snapshots);
    bksi_snapshots_destroy(NULL);
}

static void no_memory_is_reported_and_nothing_is_lost(void **state)
{
    (void)state;
    bksi_snapshots *snapshots;
    for (uint32_t i = 0; i < 3; i++) {
        counting_allocator counter;
        bks_allocator hooks = counting_allocator_hooks(&counter);
        counter.fail_after = i;
        assert_int_equal(bksi_snapshots_create(4, 1000, &hooks, &snapshots), BKS_ERR_OUT_OF_MEMORY);
        assert_null(snapshots);
        assert_int_equal(counter.live_bytes, 0);
        assert_false(counter.is_wrong);
    }
    assert_int_equal(bksi_snapshots_create(256, SIZE_MAX / 2, &standard_allocator, &snapshots),
                     BKS_ERR_OUT_OF_MEMORY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loaded_slot_is_what_was_saved),
        cmocka_unit_test(a_borrowed_slot_is_what_lies_elsewhere_until_it_is_saved_again),
        cmocka_unit_test(slots_are_apart_and_aligned),
        cmocka_unit_test(no_slots_are_allowed),
        cmocka_unit_test(no_memory_is_reported_and_nothing_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
