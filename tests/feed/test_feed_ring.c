// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "feed/feed_ring.h"

static const bks_allocator none = {0};

static void readers_get_every_byte_in_order_and_not_before_its_time(void **state)
{
    (void)state;
    bksi_feed_ring ring;
    assert_int_equal(bksi_feed_ring_create(&ring, 200, &none), BKS_OK);
    bksi_feed_cursor reader = {0};
    uint8_t next = 0;
    uint8_t expected = 0;
    for (uint64_t now = 1; now < 500; now++) {
        uint8_t record[40];
        const size_t count = 1 + (size_t)(now % 37);
        for (size_t i = 0; i < count; i++) {
            record[i] = next++;
        }
        assert_true(bksi_feed_ring_put(&ring, now, record, count));
        assert_true(bksi_feed_ring_holds(&ring, &reader));
        uint8_t out[17];
        size_t got;
        while ((got = bksi_feed_ring_peek(&ring, &reader, now - 1, out, 1 + (size_t)(now % 17))) >
               0) {
            for (size_t i = 0; i < got; i++) {
                assert_int_equal(out[i], expected++);
            }
            bksi_feed_ring_pass(&ring, &reader, got);
        }
        assert_int_equal((uint8_t)(next - expected), count); // the newest is not due yet
    }
    bksi_feed_ring_destroy(&ring, &none);
}

static void a_reader_that_is_too_slow_is_told(void **state)
{
    (void)state;
    bksi_feed_ring ring;
    assert_int_equal(bksi_feed_ring_create(&ring, 100, &none), BKS_OK);
    const bksi_feed_cursor slow = {0};
    const uint8_t record[30] = {0};
    assert_true(bksi_feed_ring_put(&ring, 1, record, 30));
    assert_true(bksi_feed_ring_put(&ring, 2, record, 30));
    assert_true(bksi_feed_ring_holds(&ring, &slow));
    assert_true(bksi_feed_ring_put(&ring, 3, record, 30));
    assert_false(bksi_feed_ring_holds(&ring, &slow));
    bksi_feed_ring_destroy(&ring, &none);
}

static void a_record_larger_than_the_ring_is_refused(void **state)
{
    (void)state;
    bksi_feed_ring ring;
    assert_int_equal(bksi_feed_ring_create(&ring, 100, &none), BKS_OK);
    const uint8_t record[100] = {0};
    assert_true(bksi_feed_ring_put(&ring, 1, record, 88));
    assert_false(bksi_feed_ring_put(&ring, 2, record, 89));
    bksi_feed_ring_destroy(&ring, &none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_get_every_byte_in_order_and_not_before_its_time),
        cmocka_unit_test(a_reader_that_is_too_slow_is_told),
        cmocka_unit_test(a_record_larger_than_the_ring_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
