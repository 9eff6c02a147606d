// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/state_map.h"
#include "some_region.h"
#include "state/arena.h"
#include "state/region.h"

typedef struct root {
    uint32_t score[2];
    uint8_t phase;
    uint8_t unnamed[7];
} root;

static const bks_state_range ranges[] = {BKS_RANGE(root, score, true),
                                         BKS_RANGE(root, phase, true)};

enum { RANGES = sizeof(ranges) / sizeof(ranges[0]), ITEM_BYTES = 20 };

static const char *name_of(const void *state, size_t count, uint64_t offset)
{
    static bks_state_place place;
    assert_int_equal(bks_state_find(state, count, ranges, RANGES, offset, &place), BKS_OK);
    assert_true(place.begin_bytes <= offset && offset < place.end_bytes);
    return place.name;
}

/// A region with a root, a pool of ships and a block without a name.
static bksi_region make_region(uint64_t *out_ship, uint64_t *out_block)
{
    const bks_allocator none = {0};
    bksi_region region;
    assert_int_equal(bksi_region_create(&region, 8192, sizeof(root), &none, NULL), BKS_OK);
    bks_arena *arena = bks_arena_of(region.bytes, sizeof(root));
    bks_pool *ships = bks_pool_create(arena, "ships", ITEM_BYTES, 4);
    void *ship = NULL;
    (void)bks_pool_add(ships, NULL);
    (void)bks_pool_add(ships, &ship);
    *out_ship = (uint64_t)((uint8_t *)ship - region.bytes);
    *out_block = (uint64_t)((uint8_t *)bks_arena_alloc(arena, 64, 16) - region.bytes);
    return region;
}

static void bytes_are_named_by_range_pool_and_arena(void **state)
{
    (void)state;
    uint64_t ship = 0;
    uint64_t block = 0;
    bksi_region region = make_region(&ship, &block);
    const size_t used = bksi_region_used(&region);
    assert_string_equal(name_of(region.bytes, used, 5), "score[1]");
    assert_string_equal(name_of(region.bytes, used, 8), "phase");
    assert_string_equal(name_of(region.bytes, used, 11), "(root).byte 11");
    assert_string_equal(name_of(region.bytes, used, 16), "(arena).byte 0");
    assert_string_equal(name_of(region.bytes, used, 80), "(pool ships).byte 0");
    assert_string_equal(name_of(region.bytes, used, ship + 7), "ships[1].byte 7");
    assert_string_equal(name_of(region.bytes, used, ship + ITEM_BYTES),
                        "ships[1].(padding) byte 20");
    assert_string_equal(name_of(region.bytes, used, block + 3), "(arena).byte 3");
    assert_string_equal(name_of(region.bytes, used, used + 2), "(free).byte 2");
    assert_string_equal(name_of(region.bytes, 64, 20), "(state).byte 20");
    assert_string_equal(name_of(NULL, 0, 4), "score[1]");
    bksi_region_destroy(&region);
}

/// The narrowest range counts, and what has none ends where a range begins.
static void ranges_within_ranges_and_behind_gaps(void **state)
{
    (void)state;
    static const bks_state_range some[] = {
        {.name = "all", .offset_bytes = 8, .count = 8, .type = BKS_STATE_BYTES},
        {.name = "part", .offset_bytes = 12, .count = 1, .type = BKS_STATE_U16},
    };
    const uint8_t bytes[32] = {0};
    bks_state_place place;
    assert_int_equal(bks_state_find(bytes, sizeof(bytes), some, 2, 13, &place), BKS_OK);
    assert_string_equal(place.name, "part");
    assert_int_equal(place.range, 1);
    assert_int_equal(bks_state_find(bytes, sizeof(bytes), some, 2, 9, &place), BKS_OK);
    assert_string_equal(place.name, "all.byte 1");
    assert_int_equal(bks_state_find(bytes, sizeof(bytes), some, 2, 0, &place), BKS_OK);
    assert_int_equal(place.range, UINT32_MAX);
    assert_int_equal(place.end_bytes, 8);
}

/// Bytes from a file may say anything of arena and pools.
static void no_byte_of_a_state_leads_out_of_it(void **state)
{
    (void)state;
    uint64_t ship = 0;
    uint64_t block = 0;
    bksi_region region = make_region(&ship, &block);
    const size_t used = bksi_region_used(&region);
    uint8_t *copy = malloc(used);
    assert_non_null(copy);
    srand(7);
    for (int round = 0; round < 4000; round++) {
        memcpy(copy, region.bytes, used);
        for (int i = 0; i < 3; i++) {
            const size_t at = 16 + (size_t)rand() % 180;
            copy[at] = (uint8_t)(rand() % 2 == 0 ? rand() : 0xFF);
        }
        bks_state_place place;
        const uint64_t offset = (uint64_t)rand() % (used + 16);
        assert_int_equal(bks_state_find(copy, used, ranges, RANGES, offset, &place), BKS_OK);
        assert_in_range(strlen(place.name), 1, sizeof(place.name) - 1);
        assert_true(place.begin_bytes <= offset && offset < place.end_bytes);
        assert_true(place.end_bytes <= used || offset >= used);
    }
    free(copy);
    bksi_region_destroy(&region);
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    bks_state_place place;
    const uint8_t byte = 0;
    assert_int_equal(bks_state_find(&byte, 1, NULL, 0, 0, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_state_find(NULL, 1, NULL, 0, 0, &place), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_state_find(&byte, 1, NULL, 1, 0, &place), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_state_find(&byte, 1, ranges, 1000, 0, &place), BKS_ERR_BAD_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_named_by_range_pool_and_arena),
        cmocka_unit_test(ranges_within_ranges_and_behind_gaps),
        cmocka_unit_test(no_byte_of_a_state_leads_out_of_it),
        cmocka_unit_test(wrong_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
