// SPDX-License-Identifier: MIT

#include "state/kept_pages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "state/region.h"
#include "support/counting_allocator.h"

enum { PAGE = BKSI_PAGE_BYTES, PAGES = 4, SLOTS = 5, MOST = PAGES * PAGE };

static const bks_allocator standard_allocator;

static uint8_t now[MOST];
static uint8_t hashes[PAGES * sizeof(uint64_t)];

static bksi_kept_pages *made(size_t pages)
{
    bksi_kept_pages *kept = NULL;
    assert_int_equal(bksi_kept_pages_create(SLOTS, MOST, pages * PAGE, &standard_allocator, &kept),
                     BKS_OK);
    memset(now, 0, sizeof(now));
    return kept;
}

/// The present state, of which `count` bytes are in use.
static bool put(bksi_kept_pages *kept, uint32_t slot, size_t count, bool by_hash)
{
    memset(now + count, 0, MOST - count);
    for (uint32_t i = 0; i < PAGES; i++) {
        bksi_put_u64(hashes + i * sizeof(uint64_t), bksi_hash64(now + (size_t)i * PAGE, PAGE, 0));
    }
    return bksi_kept_pages_put(kept, slot, now, count, by_hash ? hashes : NULL);
}

static void assert_holds(const bksi_kept_pages *kept, uint32_t slot, const uint8_t *bytes,
                         size_t count)
{
    static uint8_t back[MOST];
    assert_int_equal(bksi_kept_pages_count(kept, slot), count);
    bksi_kept_pages_read(kept, slot, 0, back, count);
    assert_memory_equal(back, bytes, count);
}

static void every_kept_state_is_as_it_was_however_states_grow_and_shrink(void **state)
{
    (void)state;
    for (uint32_t by_hash = 0; by_hash < 2; by_hash++) {
        static uint8_t was[SLOTS][MOST];
        size_t counts[SLOTS] = {0};
        bksi_kept_pages *kept = made((size_t)SLOTS * PAGES);
        srand(7);
        for (uint32_t round = 0; round < 2000; round++) {
            const uint32_t slot = (uint32_t)rand() % SLOTS;
            const size_t count = 1 + (size_t)rand() % MOST;
            now[(size_t)rand() % count] = (uint8_t)rand();
            if (round % 10 == 0) {
                memset(now, (int)round, MOST);
            }
            assert_true(put(kept, slot, count, by_hash == 1));
            memcpy(was[slot], now, MOST);
            counts[slot] = count;
            for (uint32_t i = 0; i < SLOTS; i++) {
                assert_holds(kept, i, was[i], counts[i]);
            }
        }
        bksi_kept_pages_destroy(kept);
    }
}

static void states_share_the_pages_that_did_not_change(void **state)
{
    (void)state;
    bksi_kept_pages *kept = made(PAGES + SLOTS - 1); // one whole, and one page of each other
    for (uint32_t i = 0; i < SLOTS; i++) {
        now[PAGE + 5] = (uint8_t)(i + 1);
        assert_true(put(kept, i, MOST, true));
    }
    for (uint32_t i = 0; i < SLOTS; i++) {
        uint8_t byte = 0;
        bksi_kept_pages_read(kept, i, PAGE + 5, &byte, 1);
        assert_int_equal(byte, i + 1);
    }
    bksi_kept_pages_destroy(kept);
}

static void what_does_not_fit_is_refused_and_leaves_the_others(void **state)
{
    (void)state;
    bksi_kept_pages *kept = made(PAGES + 1);
    uint8_t was[MOST];
    assert_true(put(kept, 0, MOST, true));
    memcpy(was, now, MOST);
    now[0] = 1;
    assert_true(put(kept, 1, MOST, true));
    now[0] = 2;
    now[PAGE] = 2;
    assert_false(put(kept, 2, MOST, true));
    assert_int_equal(bksi_kept_pages_count(kept, 2), 0);
    assert_holds(kept, 0, was, MOST);
    assert_false(put(kept, 1, MOST, true)); // not even in place of what is there
    assert_int_equal(bksi_kept_pages_count(kept, 1), 0);
    now[PAGE] = 0;
    assert_true(put(kept, 1, MOST, true)); // its page is free again
    assert_holds(kept, 0, was, MOST);
    bksi_kept_pages_destroy(kept);
}

static void nothing_is_kept_where_one_state_does_not_fit(void **state)
{
    (void)state;
    bksi_kept_pages *kept = made(PAGES - 1);
    assert_false(put(kept, 0, 1, true));
    assert_int_equal(bksi_kept_pages_count(kept, 0), 0);
    bksi_kept_pages_destroy(kept);
}

static void a_part_is_read_across_pages(void **state)
{
    (void)state;
    bksi_kept_pages *kept = made((size_t)SLOTS * PAGES);
    for (size_t i = 0; i < MOST; i++) {
        now[i] = (uint8_t)(i * 7 + i / PAGE);
    }
    assert_true(put(kept, 3, MOST - 10, false));
    uint8_t part[PAGE + 20];
    bksi_kept_pages_read(kept, 3, PAGE - 10, part, sizeof(part));
    assert_memory_equal(part, now + PAGE - 10, sizeof(part));
    bksi_kept_pages_destroy(kept);
}

static void memory_is_taken_at_create_alone_and_given_back(void **state)
{
    (void)state;
    for (uint32_t fail_after = 0; fail_after < 8; fail_after++) {
        counting_allocator counter;
        const bks_allocator allocator = counting_allocator_hooks(&counter);
        counter.fail_after = fail_after;
        bksi_kept_pages *kept = NULL;
        const bks_status status =
            bksi_kept_pages_create(SLOTS, MOST, (size_t)SLOTS * MOST, &allocator, &kept);
        assert_int_equal(status, fail_after < 7 ? BKS_ERR_OUT_OF_MEMORY : BKS_OK);
        const uint32_t allocs = counter.allocs;
        for (uint32_t i = 0; kept != NULL && i < 3 * SLOTS; i++) {
            memset(now, (int)i, MOST);
            assert_true(put(kept, i % SLOTS, MOST, true));
        }
        assert_int_equal(counter.allocs, allocs);
        bksi_kept_pages_destroy(kept);
        assert_int_equal(counter.live_bytes, 0);
        assert_false(counter.is_wrong);
    }
}

// A state that is changed in its slot is as if it had been put so, and others stay as they are.
static void a_kept_state_is_changed_alone(void **state)
{
    (void)state;
    static uint8_t other[MOST];
    static uint8_t wanted[MOST];
    for (uint32_t by_hash = 0; by_hash < 2; by_hash++) {
        bksi_kept_pages *kept = made((size_t)SLOTS * PAGES);
        memset(now, 7, MOST);
        memcpy(other, now, MOST);
        assert_true(put(kept, 0, MOST - 100, by_hash == 1));
        assert_true(put(kept, 1, MOST - 100, by_hash == 1));
        memset(other + MOST - 100, 0, 100);
        memcpy(wanted, other, MOST);
        srand(3);
        for (uint32_t round = 0; round < 500; round++) {
            const size_t count = 1 + (size_t)rand() % MOST;
            assert_true(bksi_kept_pages_resize(kept, 1, count));
            memset(wanted + count, 0, MOST - count);
            const size_t from = (size_t)rand() % count;
            const size_t part = 1 + (size_t)rand() % (count - from);
            memset(wanted + from, rand(), part);
            assert_true(bksi_kept_pages_write(kept, 1, from, wanted + from, part));
            assert_holds(kept, 1, wanted, count);
            assert_holds(kept, 0, other, MOST - 100);
            memcpy(now, wanted, MOST);
            assert_true(put(kept, 2, count, by_hash == 1));
            for (uint32_t page = 0; page < PAGES; page++) {
                assert_true(bksi_kept_pages_part(kept, 1, 6, page) ==
                            bksi_kept_pages_part(kept, 2, 6, page));
            }
        }
        bksi_kept_pages_destroy(kept);
    }
}

// A repair goes before what else is kept.
static void to_change_a_state_others_are_given_up(void **state)
{
    (void)state;
    bksi_kept_pages *kept = made(PAGES);
    memset(now, 9, MOST);
    assert_true(put(kept, 0, MOST, true));
    assert_true(put(kept, 1, MOST, true));
    const uint8_t byte = 1;
    assert_true(bksi_kept_pages_write(kept, 1, 5, &byte, 1));
    now[5] = 1;
    assert_holds(kept, 1, now, MOST);
    assert_int_equal(bksi_kept_pages_count(kept, 0), 0);
    assert_false(bksi_kept_pages_resize(kept, 0, 1));
    assert_false(bksi_kept_pages_resize(kept, 1, MOST + 1));
    bksi_kept_pages_destroy(kept);
}

// A peer can say of its state that it is as large as any. That costs the others one page.
static void a_state_that_is_said_to_be_large_leaves_the_others(void **state)
{
    (void)state;
    static uint8_t wanted[MOST];
    bksi_kept_pages *kept = made(PAGES + 1);
    for (uint32_t slot = 0; slot < PAGES; slot++) {
        memset(now, 'a' + (int)slot, PAGE);
        assert_true(put(kept, slot, PAGE, true));
    }
    assert_true(bksi_kept_pages_resize(kept, PAGES - 1, MOST - 5));
    memcpy(wanted, now, PAGE);
    assert_holds(kept, PAGES - 1, wanted, MOST - 5);
    for (uint32_t slot = 0; slot + 1 < PAGES; slot++) {
        memset(now, 'a' + (int)slot, PAGE);
        assert_holds(kept, slot, now, PAGE);
    }
    wanted[PAGE + 9] = 1; // what is written has a page of its own
    assert_true(bksi_kept_pages_write(kept, PAGES - 1, PAGE + 9, wanted + PAGE + 9, 1));
    assert_holds(kept, PAGES - 1, wanted, MOST - 5);
    assert_int_equal(bksi_kept_pages_count(kept, 0), 0);
    assert_int_equal(bksi_kept_pages_count(kept, 1), PAGE);
    bksi_kept_pages_destroy(kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kept_state_is_as_it_was_however_states_grow_and_shrink),
        cmocka_unit_test(states_share_the_pages_that_did_not_change),
        cmocka_unit_test(what_does_not_fit_is_refused_and_leaves_the_others),
        cmocka_unit_test(nothing_is_kept_where_one_state_does_not_fit),
        cmocka_unit_test(a_part_is_read_across_pages),
        cmocka_unit_test(a_kept_state_is_changed_alone),
        cmocka_unit_test(to_change_a_state_others_are_given_up),
        cmocka_unit_test(a_state_that_is_said_to_be_large_leaves_the_others),
        cmocka_unit_test(memory_is_taken_at_create_alone_and_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
