// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/heap.h"

enum { BLOCKS = 40 };

// A volatile pointer, so that no compiler takes the pair of calls away.
static void *volatile kept;

static int begin(void **state)
{
    (void)state;
    heap_reverse_begin();
    return 0;
}

/// Take blocks without giving any back; each must lie where it is asked to.
static void assert_order(size_t bytes, bool is_upward)
{
    uint8_t *last = heap_reverse_take(bytes);
    assert_non_null(last);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        uint8_t *next = heap_reverse_take(bytes);
        assert_non_null(next);
        assert_int_equal((uintptr_t)next % 16, 0);
        assert_true(is_upward ? next >= last + bytes : next + bytes <= last);
        memset(next, 0xFF, bytes);
        last = next;
    }
}

static void blocks_lie_below_those_before_them(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 24, 1024, 1025, 1281, 5000, 100000};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        assert_order(sizes[i], false);
    }
}

static void large_blocks_lie_above_those_before_them_and_below_small_ones(void **state)
{
    (void)state;
    assert_order(200000, true);
    assert_order((size_t)1 << 20, true);
    assert_true((uint8_t *)heap_reverse_take(200000) < (uint8_t *)heap_reverse_take(10));
    void *largest = heap_reverse_take(HEAP_REVERSE_BYTES_MAX);
    assert_true(heap_reverse_room(largest) >= HEAP_REVERSE_BYTES_MAX);
    assert_null(heap_reverse_take(HEAP_REVERSE_BYTES_MAX + 1));
    assert_null(heap_reverse_take(SIZE_MAX));
}

static void a_block_holds_what_was_asked_and_is_handed_out_again(void **state)
{
    (void)state;
    for (size_t bytes = 0; bytes < HEAP_REVERSE_BYTES_MAX; bytes += bytes / 7 + 1) {
        void *memory = heap_reverse_take(bytes);
        const size_t room = heap_reverse_room(memory);
        assert_true(room >= bytes && room <= bytes + bytes / 4 + 16);
        assert_true(heap_reverse_give(memory));
        assert_ptr_equal(heap_reverse_take(room), memory);
        assert_true(heap_reverse_give(memory));
    }
}

static void memory_of_others_is_not_taken_for_its_own(void **state)
{
    (void)state;
    int here = 0;
    assert_false(heap_reverse_give(NULL));
    assert_false(heap_reverse_give(&here));
    assert_int_equal(heap_reverse_room(&here), 0);
}

static void malloc_and_its_kin_use_it(void **state)
{
    (void)state;
    if (!alloc_count_works()) {
        skip();
    }
    kept = malloc(100);
    assert_true(heap_reverse_room(kept) >= 100);
    assert_true(malloc_usable_size(kept) == heap_reverse_room(kept));
    memset(kept, 7, 100);
    kept = realloc(kept, 5000);
    assert_int_equal(((uint8_t *)kept)[99], 7);
    assert_true(heap_reverse_room(kept) >= 5000);
    kept = realloc(kept, 10); // stays where it is
    assert_true(heap_reverse_room(kept) >= 5000);
    kept = realloc(kept, (size_t)9 << 20); // too large for it
    assert_int_equal(heap_reverse_room(kept), 0);
    assert_int_equal(((uint8_t *)kept)[9], 7);
    free(kept);
    kept = calloc(50, 2);
    assert_true(heap_reverse_room(kept) >= 100);
    assert_int_equal(((uint8_t *)kept)[99], 0);
    free(kept);
    volatile size_t many = SIZE_MAX / 2;
    assert_null(calloc(many, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_lie_below_those_before_them),
        cmocka_unit_test(large_blocks_lie_above_those_before_them_and_below_small_ones),
        cmocka_unit_test(a_block_holds_what_was_asked_and_is_handed_out_again),
        cmocka_unit_test(memory_of_others_is_not_taken_for_its_own),
        cmocka_unit_test(malloc_and_its_kin_use_it),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
