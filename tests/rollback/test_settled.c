// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rollback/settled.h"

enum { CAPACITY = 8 };

static const bks_allocator by_default;

static bksi_settled made(uint32_t every, bks_tick last)
{
    bksi_settled settled;
    assert_int_equal(bksi_settled_create(&settled, CAPACITY, &by_default), BKS_OK);
    bksi_settled_start(&settled, every, 0, last);
    return settled;
}

/// Enter a tick with its number as hash, confirm its input, and settle it.
static void settle(bksi_settled *settled)
{
    const uint8_t packed = (uint8_t)settled->tick;
    bksi_settled_link(settled, 0, &packed, 1);
    bksi_settled_advance(settled);
    if (bksi_settled_wants(settled, settled->tick)) {
        (void)bksi_settled_keep(settled, settled->tick, (uint64_t)settled->tick);
    }
    bksi_settled_publish(settled);
}

static void a_hash_is_published_once_its_tick_is_settled_and_not_before(void **state)
{
    (void)state;
    bksi_settled settled = made(1, 0);
    (void)bksi_settled_keep(&settled, 0, 100);
    (void)bksi_settled_keep(&settled, 1, 101);
    assert_null(bksi_settled_hash(&settled, 0));
    assert_null(bksi_settled_newest(&settled));
    bksi_settled_publish(&settled);
    assert_int_equal(bksi_settled_hash(&settled, 0)->state, 100);
    assert_null(bksi_settled_hash(&settled, 1));
    bksi_settled_advance(&settled);
    bksi_settled_publish(&settled);
    assert_int_equal(bksi_settled_newest(&settled)->state, 101);
    assert_int_equal(bksi_settled_newest(&settled)->tick, 1);
    bksi_settled_destroy(&settled, &by_default);
}

static void the_first_tick_has_a_hash_whatever_its_number(void **state)
{
    (void)state;
    bksi_settled settled;
    assert_int_equal(bksi_settled_create(&settled, CAPACITY, &by_default), BKS_OK);
    bksi_settled_start(&settled, 4, 6001, 0);
    assert_true(bksi_settled_wants(&settled, 6001));
    assert_false(bksi_settled_wants(&settled, 6002));
    assert_true(bksi_settled_wants(&settled, 6004));
    (void)bksi_settled_keep(&settled, 6001, 100);
    bksi_settled_publish(&settled);
    assert_int_equal(bksi_settled_hash(&settled, 6001)->state, 100);
    assert_null(bksi_settled_hash(&settled, 0));
    bksi_settled_destroy(&settled, &by_default);
}

static void a_tick_entered_again_has_the_hash_of_the_last_time(void **state)
{
    (void)state;
    bksi_settled settled = made(1, 0);
    assert_false(bksi_settled_keep(&settled, 3, 7)); // it was never here
    assert_true(bksi_settled_keep(&settled, 3, 7));
    assert_false(bksi_settled_keep(&settled, 3, 8));
    assert_true(bksi_settled_keep(&settled, 3, 8));
    bksi_settled_forget(&settled, 3);
    assert_false(bksi_settled_keep(&settled, 3, 8));
    bksi_settled_destroy(&settled, &by_default);
}

static void hashes_come_every_so_many_ticks_and_at_the_last(void **state)
{
    (void)state;
    bksi_settled settled = made(3, 7);
    bks_tick wanted = 0;
    for (bks_tick tick = 0; tick <= 8; tick++) {
        wanted = wanted * 10 + bksi_settled_wants(&settled, tick);
    }
    assert_int_equal(wanted, 100100110);
    (void)bksi_settled_keep(&settled, 0, 0);
    bksi_settled_publish(&settled);
    for (bks_tick tick = 1; tick <= 7; tick++) {
        settle(&settled);
        assert_int_equal(settled.published, tick == 7 ? 7 : tick / 3 * 3);
    }
    assert_null(bksi_settled_hash(&settled, 5));
    bksi_settled_destroy(&settled, &by_default);
}

static void the_newest_ticks_are_kept_and_older_ones_make_room(void **state)
{
    (void)state;
    bksi_settled settled = made(1, 0);
    for (bks_tick tick = 1; tick <= 2 * CAPACITY; tick++) {
        settle(&settled);
    }
    assert_non_null(bksi_settled_hash(&settled, CAPACITY + 1));
    assert_null(bksi_settled_hash(&settled, CAPACITY));
    assert_null(bksi_settled_hash(&settled, -1));
    assert_null(bksi_settled_hash(&settled, 2 * CAPACITY + 1));
    // The hash of a tick that is entered long before it is settled replaces the newest published
    // one.
    (void)bksi_settled_keep(&settled, 3 * CAPACITY, 1);
    assert_null(bksi_settled_newest(&settled));
    bksi_settled_destroy(&settled, &by_default);
}

static void the_chain_depends_on_every_input_its_player_and_its_place(void **state)
{
    (void)state;
    static const uint8_t inputs[2] = {1, 2};
    uint64_t chains[4];
    for (uint32_t i = 0; i < 4; i++) {
        bksi_settled settled = made(1, 0);
        const uint32_t swapped = i == 1 ? 1 : 0;
        bksi_settled_link(&settled, i == 2 ? 1 : 0, &inputs[swapped], 1);
        bksi_settled_link(&settled, i == 2 ? 0 : 1, &inputs[1 - swapped], 1);
        chains[i] = settled.chain;
        bksi_settled_advance(&settled);
        (void)bksi_settled_keep(&settled, 1, 0);
        bksi_settled_publish(&settled);
        assert_true(bksi_settled_hash(&settled, 1)->inputs == chains[i]);
        bksi_settled_destroy(&settled, &by_default);
    }
    assert_true(chains[0] != chains[1]);
    assert_true(chains[0] != chains[2]);
    assert_true(chains[0] == chains[3]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hash_is_published_once_its_tick_is_settled_and_not_before),
        cmocka_unit_test(the_first_tick_has_a_hash_whatever_its_number),
        cmocka_unit_test(a_tick_entered_again_has_the_hash_of_the_last_time),
        cmocka_unit_test(hashes_come_every_so_many_ticks_and_at_the_last),
        cmocka_unit_test(the_newest_ticks_are_kept_and_older_ones_make_room),
        cmocka_unit_test(the_chain_depends_on_every_input_its_player_and_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
