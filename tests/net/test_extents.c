// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "net/extents.h"
#include "support/seed.h"

static void assert_extents(const bksi_extents *extents, uint32_t count, const bksi_extent *wanted)
{
    assert_int_equal(extents->count, count);
    assert_memory_equal(extents->extents, wanted, count * sizeof(bksi_extent));
}

static void extents_that_touch_become_one(void **context)
{
    (void)context;
    bksi_extents extents = {0};
    assert_true(bksi_extents_add(&extents, 10, 20));
    assert_true(bksi_extents_add(&extents, 30, 40));
    assert_true(bksi_extents_add(&extents, 5, 5));
    assert_extents(&extents, 2, (bksi_extent[]){{10, 20}, {30, 40}});
    assert_true(bksi_extents_add(&extents, 20, 22));
    assert_true(bksi_extents_add(&extents, 28, 30));
    assert_extents(&extents, 2, (bksi_extent[]){{10, 22}, {28, 40}});
    assert_true(bksi_extents_add(&extents, 15, 35));
    assert_extents(&extents, 1, (bksi_extent[]){{10, 40}});
}

static void removing_cuts_and_divides(void **context)
{
    (void)context;
    bksi_extents extents = {.count = 2, .extents = {{10, 20}, {30, 40}}};
    assert_true(bksi_extents_remove(&extents, 20, 30));
    assert_extents(&extents, 2, (bksi_extent[]){{10, 20}, {30, 40}});
    assert_true(bksi_extents_remove(&extents, 33, 35));
    assert_extents(&extents, 3, (bksi_extent[]){{10, 20}, {30, 33}, {35, 40}});
    assert_true(bksi_extents_remove(&extents, 15, 31));
    assert_extents(&extents, 3, (bksi_extent[]){{10, 15}, {31, 33}, {35, 40}});
    assert_true(bksi_extents_remove(&extents, 0, 100));
    assert_int_equal(extents.count, 0);
}

static void a_full_set_refuses_one_more_and_stays_as_it_is(void **context)
{
    (void)context;
    bksi_extents extents = {0};
    for (uint64_t i = 0; i < BKSI_EXTENTS_MAX; i++) {
        assert_true(bksi_extents_add(&extents, 100 * i, 100 * i + 50));
    }
    bksi_extents before = extents;
    assert_false(bksi_extents_add(&extents, 60, 70));
    assert_false(bksi_extents_remove(&extents, 10, 20));
    assert_memory_equal(&before, &extents, sizeof(before));
    assert_true(bksi_extents_add(&extents, 50, 70));
    assert_true(bksi_extents_remove(&extents, 0, 10));
    assert_int_equal(extents.count, BKSI_EXTENTS_MAX);
}

#define PLACES 300u

static void random_changes_agree_with_a_map(void **context)
{
    (void)context;
    bool map[PLACES] = {false};
    bksi_extents extents = {0};
    for (int round = 0; round < 100000; round++) {
        uint32_t begin = seed_below(PLACES);
        uint32_t end = begin + seed_below(seed_below(10) == 0 ? PLACES - begin : 6);
        end = end > PLACES ? PLACES : end;
        bool adds = seed_below(2) == 0;
        bool is_done = adds ? bksi_extents_add(&extents, begin, end)
                            : bksi_extents_remove(&extents, begin, end);
        if (is_done) {
            memset(map + begin, adds, end - begin);
        } else {
            assert_int_equal(extents.count, BKSI_EXTENTS_MAX);
        }
        uint32_t at = seed_below(PLACES - 10);
        uint32_t length = 1 + seed_below(10);
        bool is_there = true;
        for (uint32_t i = 0; i < length; i++) {
            is_there &= map[at + i];
        }
        assert_int_equal(bksi_extents_has(&extents, at, at + length), is_there);
    }
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 13);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extents_that_touch_become_one),
        cmocka_unit_test(removing_cuts_and_divides),
        cmocka_unit_test(a_full_set_refuses_one_more_and_stays_as_it_is),
        cmocka_unit_test(random_changes_agree_with_a_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
