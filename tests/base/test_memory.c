// SPDX-License-Identifier: MIT

#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "support/counting_allocator.h"

static void assert_zeroed_and_aligned(const uint8_t *memory, size_t bytes, size_t alignment)
{
    assert_non_null(memory);
    assert_int_equal((uintptr_t)memory % alignment, 0);
    for (size_t i = 0; i < bytes; i++) {
        assert_int_equal(memory[i], 0);
    }
}

static void memory_is_zeroed_and_aligned(void **state)
{
    (void)state;
    counting_allocator counter;
    const bks_allocator allocators[] = {{0}, counting_allocator_hooks(&counter)};
    const size_t sizes[] = {1, 7, 16, 100, 4096, 70000};
    for (size_t a = 0; a < 2; a++) {
        for (size_t s = 0; s < 6; s++) {
            for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
                uint8_t *memory = bksi_alloc(&allocators[a], sizes[s], alignment);
                assert_zeroed_and_aligned(memory, sizes[s], alignment);
                memset(memory, 0xff, sizes[s]); // and all of it can be written
                bksi_free(&allocators[a], memory, sizes[s]);
            }
        }
    }
    assert_int_equal(counter.live_bytes, 0);
    assert_false(counter.is_wrong);
}

static void no_bytes_are_still_an_address_of_their_own(void **state)
{
    (void)state;
    counting_allocator counter;
    const bks_allocator allocators[] = {{0}, counting_allocator_hooks(&counter)};
    for (size_t a = 0; a < 2; a++) {
        void *memory = bksi_alloc(&allocators[a], 0, 8);
        assert_non_null(memory);
        bksi_free(&allocators[a], memory, 0);
        bksi_free(&allocators[a], NULL, 100);
    }
    assert_int_equal(counter.allocs, 1);
    assert_int_equal(counter.releases, 1);
    assert_false(counter.is_wrong);
}

static void an_impossible_size_gives_null(void **state)
{
    (void)state;
    counting_allocator counter;
    bks_allocator hooks = counting_allocator_hooks(&counter);
    counter.fail_after = 0;
    assert_null(bksi_alloc(&hooks, 10, 8));
    const bks_allocator standard = {0};
    assert_null(bksi_alloc(&standard, SIZE_MAX, 4096));
}

static void half_an_allocator_is_not_ok(void **state)
{
    (void)state;
    counting_allocator counter;
    bks_allocator allocator = counting_allocator_hooks(&counter);
    assert_true(bksi_allocator_ok(&allocator));
    allocator.alloc = NULL;
    assert_false(bksi_allocator_ok(&allocator));
    allocator.release = NULL;
    assert_true(bksi_allocator_ok(&allocator));
    allocator.alloc = counting_alloc;
    assert_false(bksi_allocator_ok(&allocator));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_and_aligned),
        cmocka_unit_test(no_bytes_are_still_an_address_of_their_own),
        cmocka_unit_test(an_impossible_size_gives_null),
        cmocka_unit_test(half_an_allocator_is_not_ok),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
