// SPDX-License-Identifier: MIT

#include "state/region.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/state_map.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "state/arena.h"
#include "state/some_region.h"
#include "support/catch_log.h"
#include "support/counting_allocator.h"
#include "support/seed.h"

static const bks_allocator standard_allocator;

static void assert_zero(const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(bytes[i], 0);
    }
}

static void a_new_region_is_zeroed_pages(void **state)
{
    (void)state;
    counting_allocator counter;
    bks_allocator hooks = counting_allocator_hooks(&counter);
    bksi_region region;
    assert_int_equal(bksi_region_create(&region, 4097, 0, &hooks, NULL), BKS_OK);
    assert_int_equal((uintptr_t)region.bytes % BKSI_PAGE_BYTES, 0);
    assert_int_equal(region.allocated_bytes, 8192);
    assert_int_equal(bksi_region_used(&region), 4097);
    assert_zero(region.bytes, region.allocated_bytes);
    bksi_region_destroy(&region);
    bksi_region_destroy(&region);
    bksi_region_destroy(NULL);
    assert_int_equal(counter.live_bytes, 0);
    assert_false(counter.is_wrong);
}

static void a_region_too_small_for_root_and_arena_is_refused(void **state)
{
    (void)state;
    bksi_region region;
    bks_error error;
    assert_int_equal(bksi_region_create(&region, 143, 80, &standard_allocator, &error),
                     BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "state_bytes");
    assert_non_null(strstr(error.text, "143, must be at least 144"));
    assert_int_equal(bksi_region_create(&region, 100, SIZE_MAX - 3, &standard_allocator, &error),
                     BKS_ERR_BAD_CONFIG);
    assert_int_equal(bksi_region_create(&region, 144, 80, &standard_allocator, &error), BKS_OK);
    bksi_region_destroy(&region);
}

static void no_memory_is_reported_and_nothing_is_lost(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        counting_allocator counter;
        bks_allocator hooks = counting_allocator_hooks(&counter);
        counter.fail_after = i;
        bksi_region region;
        assert_int_equal(bksi_region_create(&region, 100, 0, &hooks, NULL), BKS_ERR_OUT_OF_MEMORY);
        assert_int_equal(counter.live_bytes, 0);
    }
}

static void a_reset_leaves_no_old_byte(void **state)
{
    (void)state;
    bksi_region region;
    bksi_region fresh;
    assert_int_equal(some_region_create(&region), BKS_OK);
    assert_int_equal(some_region_create(&fresh), BKS_OK);
    some_region_fill(&region);
    bksi_region_reset(&region);
    assert_memory_equal(region.bytes, fresh.bytes, region.allocated_bytes);
    bksi_region_destroy(&region);
    bksi_region_destroy(&fresh);
}

static void a_restored_region_is_the_same_with_its_pools_and_their_usage(void **state)
{
    (void)state;
    bksi_region from;
    bksi_region to;
    assert_int_equal(some_region_create(&from), BKS_OK);
    assert_int_equal(some_region_create(&to), BKS_OK);
    some_region_fill(&from);
    bks_arena_alloc(some_arena(&to), 9000, 1); // what lies behind must become zero
    memset(to.bytes + 3000, 0xff, 6000);
    size_t used = bksi_region_used(&from);
    assert_int_equal(bksi_region_restore(&to, from.bytes, used, NULL), BKS_OK);
    assert_memory_equal(to.bytes, from.bytes, from.allocated_bytes);
    assert_true(bksi_region_hash(&to) == bksi_region_hash(&from));

    bks_pool_usage usage;
    bks_arena_inspect(some_arena(&to), &usage, 1);
    assert_int_equal(usage.live, 6);
    assert_int_equal(usage.high_water, 10);
    assert_int_equal(usage.removed, 4);
    assert_int_equal(bks_pool_add(some_shots(&to), NULL), bks_pool_add(some_shots(&from), NULL));
    bksi_region_destroy(&from);
    bksi_region_destroy(&to);
}

static void wrong_sizes_are_refused_and_reset_the_region(void **state)
{
    (void)state;
    catch_log log;
    catch_log_begin(&log);
    bksi_region from;
    bksi_region to;
    assert_int_equal(some_region_create(&from), BKS_OK);
    assert_int_equal(some_region_create(&to), BKS_OK);
    some_region_fill(&from);
    size_t used = bksi_region_used(&from);
    const size_t sizes[] = {0, 1, 100, used - 1, used + 1, SOME_CAPACITY_BYTES, 20001, SIZE_MAX};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        some_region_fill(&to);
        assert_int_equal(bksi_region_restore(&to, from.bytes, sizes[i], NULL), BKS_ERR_DAMAGED);
        assert_string_equal(log.id, "region.restore");
        assert_int_equal(bksi_region_used(&to), bksi_region_bytes_min(sizeof(some_root)));
        assert_zero(to.bytes, sizeof(some_root));
    }
    bks_log_clear_sink();
    bksi_region_destroy(&from);
    bksi_region_destroy(&to);

    bksi_region plain;
    const uint8_t bytes[100] = {1};
    assert_int_equal(bksi_region_create(&plain, 100, 0, &standard_allocator, NULL), BKS_OK);
    assert_int_equal(bksi_region_restore(&plain, bytes, 99, NULL), BKS_ERR_DAMAGED);
    assert_int_equal(plain.bytes[0], 0);
    assert_int_equal(bksi_region_restore(&plain, bytes, 100, NULL), BKS_OK);
    assert_int_equal(plain.bytes[0], 1);
    bksi_region_destroy(&plain);
}

/// Everything a game can do with the pools of a region, found by their offsets: the root's
/// references are the game's own, and hostile here.
static void use_every_pool(bksi_region *region)
{
    bks_arena *arena = some_arena(region);
    bks_pool_usage usage[8];
    uint32_t pools = bks_arena_inspect(arena, usage, 8);
    for (uint32_t i = 0; i < pools && i < 8; i++) {
        assert_true(strlen(usage[i].name) < BKSI_POOL_NAME_BYTES);
    }
    for (uint64_t at = arena->first_pool_offset; at != 0;) {
        bks_pool *pool = (void *)(region->bytes + at);
        at = pool->next_pool_offset;
        uint32_t cursor = 0;
        bks_id id;
        for (uint8_t *item; (item = bks_pool_next(pool, &cursor, &id)) != NULL;) {
            memset(item, 0xcd, (size_t)pool->item_bytes);
            if (seed_below(3) == 0) {
                assert_true(bks_pool_remove(pool, id));
            }
            bks_pool_get(pool, (bks_id)seed_next());
        }
        void *item;
        while (bks_pool_add(pool, &item) != 0) {
            memset(item, 0xef, (size_t)pool->item_bytes);
        }
        assert_int_equal(bks_pool_count(pool), pool->capacity);
    }
    bks_arena_baseline(arena);
    bks_pool_create(arena, "more", 10, 10);
}

/// Bookkeeping is what a mutation must hit to matter: the arena's header and those of the pools.
static size_t random_place(const bksi_region *from, size_t used)
{
    const size_t arena_at = (sizeof(some_root) + 15) / 16 * 16;
    const size_t pools[] = {(size_t)((uint8_t *)some_shots(from) - from->bytes),
                            (size_t)((uint8_t *)some_walls(from) - from->bytes)};
    switch (seed_below(4)) {
    case 0:
        return arena_at + seed_below(sizeof(bks_arena));
    case 1:
        return pools[seed_below(2)] + seed_below(sizeof(bks_pool));
    case 2:
        return pools[seed_below(2)] + seed_below(700);
    default:
        return seed_below((uint32_t)used);
    }
}

/// One to four changes: a bit, a byte, a small number, or a value from elsewhere in the bytes.
static void mutate(uint8_t *bytes, const bksi_region *from, size_t used)
{
    for (uint32_t left = 1 + seed_below(4); left > 0; left--) {
        size_t at = random_place(from, used) % used;
        switch (seed_below(4)) {
        case 0:
            bytes[at] ^= (uint8_t)(1u << seed_below(8));
            break;
        case 1:
            bytes[at] = (uint8_t)seed_next();
            break;
        case 2:
            bytes[at] = (uint8_t)(bytes[at] + seed_below(5) - 2);
            break;
        default:
            at = at / 8 * 8;
            memmove(bytes + at, bytes + random_place(from, used) / 8 * 8 % (used - 8),
                    at + 8 <= used ? 8 : used - at);
        }
    }
}

/// Under a sanitizer every access outside the region shows.
static void hostile_bytes_are_refused_or_harmless(void **state)
{
    (void)state;
    bksi_region from;
    assert_int_equal(some_region_create(&from), BKS_OK);
    some_region_fill(&from);
    size_t used = bksi_region_used(&from);
    uint8_t *bytes = malloc(used); // exactly these, so that reading beyond shows
    assert_non_null(bytes);
    uint32_t refused = 0;
    uint32_t taken = 0;
    for (uint32_t round = 0; round < 20000; round++) {
        memcpy(bytes, from.bytes, used);
        mutate(bytes, &from, used);
        bksi_region to;
        assert_int_equal(some_region_create(&to), BKS_OK);
        if (bksi_region_restore(&to, bytes, used, NULL) == BKS_OK) {
            use_every_pool(&to);
            taken++;
        } else {
            refused++;
        }
        bksi_region_hash(&to);
        bksi_region_destroy(&to);
    }
    free(bytes);
    bksi_region_destroy(&from);
    assert_true(refused > 2000); // both ways were taken
    assert_true(taken > 2000);
}

/// Each kind of lie, one at a time.
static void every_lie_in_the_bookkeeping_is_found(void **state)
{
    (void)state;
    bksi_region region;
    assert_int_equal(some_region_create(&region), BKS_OK);
    some_region_fill(&region);
    size_t used = bksi_region_used(&region);
    const size_t arena_at = (sizeof(some_root) + 15) / 16 * 16;
    const size_t pool_at = (size_t)((uint8_t *)some_shots(&region) - region.bytes);
    const size_t walls_at = (size_t)((uint8_t *)some_walls(&region) - region.bytes);
    const struct {
        size_t at;
        size_t bytes;
        uint64_t value;
    } lies[] = {
        {arena_at + offsetof(bks_arena, magic), 8, 0},
        {arena_at + offsetof(bks_arena, offset_bytes), 8, 0},
        {arena_at + offsetof(bks_arena, used_bytes), 8, used - 1},
        {arena_at + offsetof(bks_arena, used_bytes), 8, UINT64_MAX},
        {arena_at + offsetof(bks_arena, capacity_bytes), 8, SOME_CAPACITY_BYTES + 1},
        {arena_at + offsetof(bks_arena, first_pool_offset), 8, 16},
        {arena_at + offsetof(bks_arena, first_pool_offset), 8, UINT64_MAX - 15},
        {arena_at + offsetof(bks_arena, first_pool_offset), 8, 0},
        {arena_at + offsetof(bks_arena, first_pool_offset), 8, pool_at + 8},
        {arena_at + offsetof(bks_arena, last_pool_offset), 8, pool_at},
        {arena_at + offsetof(bks_arena, pool_count), 8, 3},
        {arena_at + offsetof(bks_arena, unused), 8, 1},
        {pool_at + offsetof(bks_pool, magic), 8, 0},
        {pool_at + offsetof(bks_pool, next_pool_offset), 8, pool_at}, // a cycle
        {pool_at + offsetof(bks_pool, next_pool_offset), 8, 0},
        {pool_at + offsetof(bks_pool, name) + 23, 1, 'x'}, // the name has no end
        {pool_at + offsetof(bks_pool, live_bits_at), 8, 8},
        {pool_at + offsetof(bks_pool, items_at), 8, UINT64_MAX - 100},
        {pool_at + offsetof(bks_pool, item_bytes), 8, 0},
        {pool_at + offsetof(bks_pool, item_bytes), 8, 17},
        {pool_at + offsetof(bks_pool, item_bytes), 8, UINT64_MAX},
        {pool_at + offsetof(bks_pool, stride_bytes), 8, 32},
        {pool_at + offsetof(bks_pool, added), 8, 11},
        {pool_at + offsetof(bks_pool, removed), 8, 5},
        {pool_at + offsetof(bks_pool, capacity), 4, 0},
        {pool_at + offsetof(bks_pool, capacity), 4, 101},
        {pool_at + offsetof(bks_pool, capacity), 4, UINT32_MAX},
        {pool_at + offsetof(bks_pool, live), 4, 7},
        {pool_at + offsetof(bks_pool, fresh), 4, 101},
        {pool_at + offsetof(bks_pool, fresh), 4, 9},
        {pool_at + offsetof(bks_pool, first_free), 4, 0},
        {pool_at + offsetof(bks_pool, first_free), 4, 2},  // live
        {pool_at + offsetof(bks_pool, first_free), 4, 11}, // never used
        {pool_at + offsetof(bks_pool, high_water), 4, 5},
        {pool_at + offsetof(bks_pool, high_water), 4, 101},
        {pool_at + offsetof(bks_pool, baseline), 4, 101},
        {pool_at + sizeof(bks_pool) + 2, 2, 10}, // slot 0, the last of the list, closes a circle
        {walls_at + offsetof(bks_pool, capacity), 4, 30}, // beyond the bytes in use
    };
    uint8_t *bytes = malloc(used);
    assert_non_null(bytes);
    for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
        memcpy(bytes, region.bytes, used);
        uint8_t value[8];
        bksi_put_u64(value, lies[i].value);
        memcpy(bytes + lies[i].at, value, lies[i].bytes);
        assert_memory_not_equal(bytes, region.bytes, used);
        bksi_region to;
        assert_int_equal(some_region_create(&to), BKS_OK);
        if (bksi_region_restore(&to, bytes, used, NULL) != BKS_ERR_DAMAGED) {
            fail_msg("lie %zu (offset %zu, value %llu) was believed", i, lies[i].at,
                     (unsigned long long)lies[i].value);
        }
        bksi_region_destroy(&to);
    }
    free(bytes);
    bksi_region_destroy(&region);
}

/// Lies that agree with each other: only the bounds themselves can find them.
static void lies_that_agree_with_each_other_are_found(void **state)
{
    (void)state;
    bksi_region region;
    bksi_region to;
    assert_int_equal(some_region_create(&region), BKS_OK);
    assert_int_equal(some_region_create(&to), BKS_OK);
    some_region_fill(&region);
    size_t used = bksi_region_used(&region);

    bks_pool *walls = some_walls(&region); // the last one: larger items reach beyond what is used
    walls->item_bytes = 100;
    walls->stride_bytes = 112;
    assert_int_equal(bksi_region_restore(&to, region.bytes, used, NULL), BKS_ERR_DAMAGED);
    walls->item_bytes = 40;
    walls->stride_bytes = 48;
    assert_int_equal(bksi_region_restore(&to, region.bytes, used, NULL), BKS_OK);

    bks_pool *shots = some_shots(&region); // the same number live, but one in a fresh place
    uint64_t *live_bits = (void *)((uint8_t *)shots + shots->live_bits_at);
    live_bits[0] ^= UINT64_C(1) << 1 | UINT64_C(1) << 50;
    assert_int_equal(bksi_region_restore(&to, region.bytes, used, NULL), BKS_ERR_DAMAGED);
    bksi_region_destroy(&region);
    bksi_region_destroy(&to);
}

static void any_flipped_byte_changes_the_hash(void **state)
{
    (void)state;
    bksi_region region;
    assert_int_equal(some_region_create(&region), BKS_OK);
    some_region_fill(&region);
    bks_arena_alloc(some_arena(&region), 5000, 1); // more than one page
    size_t used = bksi_region_used(&region);
    assert_true(bksi_pages(used) > 2);
    uint64_t hash = bksi_region_hash(&region);
    const size_t used_at = (sizeof(some_root) + 15) / 16 * 16 + offsetof(bks_arena, used_bytes);
    for (size_t i = 0; i < used; i++) {
        if (i >= used_at && i < used_at + 8) {
            continue; // says how much is hashed at all; its own test is below
        }
        uint8_t bit = (uint8_t)(1u << i % 8);
        region.bytes[i] ^= bit;
        assert_true(bksi_region_hash(&region) != hash);
        region.bytes[i] ^= bit;
    }
    assert_true(bksi_region_hash(&region) == hash);
    bks_arena_alloc(some_arena(&region), 1, 1);
    assert_true(bksi_region_hash(&region) != hash);
    bksi_region_destroy(&region);
}

static void regions_at_different_addresses_hash_alike(void **state)
{
    (void)state;
    bksi_region regions[3];
    uint64_t hashes[3];
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(some_region_create(&regions[i]), BKS_OK);
        some_region_fill(&regions[i]);
        hashes[i] = bksi_region_hash(&regions[i]);
    }
    assert_ptr_not_equal(regions[0].bytes, regions[1].bytes);
    assert_memory_equal(regions[0].bytes, regions[1].bytes, regions[0].allocated_bytes);
    assert_true(hashes[0] == hashes[1] && hashes[1] == hashes[2]);
    for (size_t i = 0; i < 3; i++) {
        bksi_region_destroy(&regions[i]);
    }
}

/// The words of docs/spec/state-hash.md, done by hand.
static void the_hash_is_the_one_of_the_specification(void **state)
{
    (void)state;
    bksi_region region;
    assert_int_equal(bksi_region_create(&region, 5000, 0, &standard_allocator, NULL), BKS_OK);
    for (size_t i = 0; i < 5000; i++) {
        region.bytes[i] = (uint8_t)(i * 7);
    }
    uint8_t pages[8192] = {0};
    memcpy(pages, region.bytes, 5000);
    uint8_t hashes[16];
    bksi_put_u64(hashes, bksi_hash64(pages, 4096, 0));
    bksi_put_u64(hashes + 8, bksi_hash64(pages + 4096, 4096, 0));
    assert_true(bksi_region_hash(&region) == bksi_hash64(hashes, 16, 5000));
    assert_true(bksi_region_hash(&region) == UINT64_C(0x516271976efe401b)); // must never change

    uint64_t out[2];
    assert_int_equal(bksi_region_page_hashes(&region, out, 2), 2);
    assert_true(out[0] == bksi_get_u64(hashes) && out[1] == bksi_get_u64(hashes + 8));
    bksi_region_destroy(&region);
}

static void a_trampled_header_keeps_copies_inside_the_region(void **state)
{
    (void)state;
    bksi_region region;
    assert_int_equal(some_region_create(&region), BKS_OK);
    memset(region.bytes, 0xff, 200);
    assert_int_equal(bksi_region_used(&region), SOME_CAPACITY_BYTES);
    bksi_region_hash(&region);
    bksi_region_destroy(&region);
}

static void a_drawn_byte_is_no_bookkeeping_and_no_reference(void **state)
{
    (void)state;
    bksi_region region;
    assert_int_equal(some_region_create(&region), BKS_OK);
    some_region_fill(&region);
    const size_t used = bksi_region_used(&region);
    const bks_pool *shots = some_shots(&region);
    for (uint64_t draw = 0; draw < 2 * used; draw++) {
        size_t offset = bksi_region_draw_offset(&region, draw);
        assert_int_equal(offset, bksi_region_draw_offset(&region, draw));
        region.bytes[offset] ^= 1;
        assert_ptr_equal(some_shots(&region), shots);
        uint64_t at = 0;
        assert_null(
            bksi_arena_fault(region.bytes, sizeof(some_root), SOME_CAPACITY_BYTES, used, &at));
        region.bytes[offset] ^= 1;
    }
    bksi_region_destroy(&region);
}

/// Whether the region is found to hold pointers with this word at this byte.
static bool holds(bksi_region *region, size_t offset, uint64_t word)
{
    memcpy(region->bytes + offset, &word, sizeof(word));
    bool found = bksi_region_has_pointers(region, region->bytes, bksi_region_used(region));
    memset(region->bytes + offset, 0, sizeof(word));
    return found;
}

static void an_address_in_the_region_is_found_and_nothing_else(void **state)
{
    (void)state;
    bksi_region region;
    const bks_allocator allocator = {0};
    assert_int_equal(bksi_region_create(&region, 10000, 0, &allocator, NULL), BKS_OK);
    const uint64_t start = (uint64_t)(uintptr_t)region.bytes;
    if (start <= UINT32_MAX) { // a pointer of 32 bits looks like any number
        assert_false(holds(&region, 8, start));
        bksi_region_destroy(&region);
        return;
    }
    assert_true(holds(&region, 0, start));
    assert_true(holds(&region, 9992, start + 9999));
    assert_false(holds(&region, 8, start - 1));
    assert_false(holds(&region, 8, start + 10000));
    for (uint32_t i = 0; i < 10000; i++) {
        assert_false(holds(&region, 8, seed_next()));
    }
    // References, sizes, counters, hashes: what bookkeeping consists of.
    bksi_region filled;
    assert_int_equal(some_region_create(&filled), BKS_OK);
    some_region_fill(&filled);
    assert_false(bksi_region_has_pointers(&filled, filled.bytes, bksi_region_used(&filled)));
    bksi_region_destroy(&filled);
    bksi_region_destroy(&region);
}

/// What is found after this change within a step; all behind the end is zero afterwards.
static const char *found_after(bksi_region *region, size_t offset, uint8_t value)
{
    const uint64_t before = bksi_region_hash(region);
    uint64_t hashes[8];
    bksi_region_watch(region);
    assert_true(bksi_region_hash(region) == before); // as at a mark
    assert_in_range(bksi_region_page_hashes(region, hashes, 8), 1, 8);
    const uint8_t old = region->bytes[offset];
    region->bytes[offset] = value;
    const char *found = bksi_region_unwatch(region);
    assert_zero(region->bytes + region->capacity_bytes,
                region->allocated_bytes - region->capacity_bytes);
    if (offset < region->capacity_bytes) {
        region->bytes[offset] = old;
    }
    assert_true(bksi_region_hash(region) == before);
    return found;
}

static void a_write_past_the_end_is_found(void **state)
{
    (void)state;
    const size_t sizes[] = {100, 4095, 4096, 4097, 8191, 10000};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        bksi_region region;
        assert_int_equal(bksi_region_create(&region, sizes[i], 0, &standard_allocator, NULL),
                         BKS_OK);
        assert_null(found_after(&region, 0, 7));
        assert_null(found_after(&region, sizes[i] - 1, 7));
        if (sizes[i] < region.allocated_bytes) {
            assert_string_equal(found_after(&region, sizes[i], 0), "state"); // zeros too
            assert_string_equal(found_after(&region, sizes[i], 7), "state");
            assert_string_equal(found_after(&region, region.allocated_bytes - 1, 7), "state");
        }
        bksi_region_destroy(&region);
    }
}

static void a_write_past_the_root_is_found(void **state)
{
    (void)state;
    for (size_t root_bytes = 17; root_bytes <= 48; root_bytes++) {
        bksi_region region;
        assert_int_equal(bksi_region_create(&region, 10000, root_bytes, &standard_allocator, NULL),
                         BKS_OK);
        assert_null(found_after(&region, root_bytes - 1, 7));
        assert_string_equal(found_after(&region, root_bytes, 7), "root struct");
        assert_non_null(bks_arena_alloc(bks_arena_of(region.bytes, root_bytes), 500, 16));
        assert_null(found_after(&region, bksi_region_used(&region) - 1, 7));
        const size_t head = (root_bytes + 15) / 16 * 16;
        assert_string_equal(found_after(&region, head, 0), "root struct"); // zeros too
        assert_string_equal(found_after(&region, 10000, 0), "state");
        bksi_region_destroy(&region);
    }
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 3);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_region_is_zeroed_pages),
        cmocka_unit_test(a_region_too_small_for_root_and_arena_is_refused),
        cmocka_unit_test(no_memory_is_reported_and_nothing_is_lost),
        cmocka_unit_test(a_reset_leaves_no_old_byte),
        cmocka_unit_test(a_restored_region_is_the_same_with_its_pools_and_their_usage),
        cmocka_unit_test(wrong_sizes_are_refused_and_reset_the_region),
        cmocka_unit_test(hostile_bytes_are_refused_or_harmless),
        cmocka_unit_test(every_lie_in_the_bookkeeping_is_found),
        cmocka_unit_test(lies_that_agree_with_each_other_are_found),
        cmocka_unit_test(any_flipped_byte_changes_the_hash),
        cmocka_unit_test(regions_at_different_addresses_hash_alike),
        cmocka_unit_test(the_hash_is_the_one_of_the_specification),
        cmocka_unit_test(a_trampled_header_keeps_copies_inside_the_region),
        cmocka_unit_test(a_drawn_byte_is_no_bookkeeping_and_no_reference),
        cmocka_unit_test(an_address_in_the_region_is_found_and_nothing_else),
        cmocka_unit_test(a_write_past_the_end_is_found),
        cmocka_unit_test(a_write_past_the_root_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
