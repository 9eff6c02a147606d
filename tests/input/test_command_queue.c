// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "input/command_queue.h"

static const bksi_command_config config = {.bytes_max = 8, .room_bytes = 20, .room_ticks = 4};
static const bks_allocator by_default;

static void commands_wait_in_order_and_leave_in_pieces_of_any_size(void **state)
{
    (void)state;
    bksi_command_queue queue;
    assert_int_equal(bksi_command_queue_create(&queue, &config, &by_default), BKS_OK);
    assert_int_equal(bksi_command_queue_take(&queue, 10).count, 0);
    bksi_command_queue_put(&queue, "abc", 3);
    bksi_command_queue_put(&queue, "d", 1);
    bksi_blob blob = bksi_command_queue_take(&queue, 4);
    assert_int_equal(blob.count, 4);
    assert_memory_equal(blob.bytes, "\3\0ab", 4);
    blob = bksi_command_queue_take(&queue, 100);
    assert_int_equal(blob.count, 4);
    assert_memory_equal(blob.bytes, "c\1\0d", 4);
    bksi_command_queue_destroy(&queue, &by_default);
    bksi_command_queue_destroy(&queue, &by_default); // a second call is allowed
}

static void a_command_that_does_not_fit_is_not_taken_until_others_have_left(void **state)
{
    (void)state;
    bksi_command_queue queue;
    assert_int_equal(bksi_command_queue_create(&queue, &config, &by_default), BKS_OK);
    bksi_command_queue_put(&queue, "12345678", 8);
    assert_true(bksi_command_queue_has_room(&queue, 8));
    bksi_command_queue_put(&queue, "abcdefg", 7); // now 19 of 20 bytes are used
    assert_false(bksi_command_queue_has_room(&queue, 1));
    (void)bksi_command_queue_take(&queue, 9);
    assert_true(bksi_command_queue_has_room(&queue, 8));
    bksi_command_queue_put(&queue, "ABCDEFGH", 8); // moves the older command to the front
    const bksi_blob blob = bksi_command_queue_take(&queue, 100);
    assert_int_equal(blob.count, 20);
    assert_memory_equal(blob.bytes, "8\7\0abcdefg\x08\0ABCDEFGH", 20);
    bksi_command_queue_destroy(&queue, &by_default);
}

/// Bytes that travel ahead are taken once they have arrived, and all others after them.
static void bytes_that_travel_ahead_are_taken_once_they_are_ready(void **state)
{
    (void)state;
    bksi_command_queue queue;
    assert_int_equal(bksi_command_queue_create(&queue, &config, &by_default), BKS_OK);
    bksi_command_queue_put(&queue, "abcd", 4);
    bksi_command_queue_go_ahead(&queue, 5);
    assert_int_equal(bksi_command_queue_rest(&queue).count, 1);
    bksi_command_queue_put(&queue, "e", 1);
    assert_memory_equal(bksi_command_queue_rest(&queue).bytes, "d\1\0e", 4);
    assert_int_equal(bksi_command_queue_take(&queue, 100).count, 0);
    bksi_command_queue_arrived(&queue, 3);
    assert_int_equal(bksi_command_queue_take(&queue, 2).count, 0); // all or none
    bksi_blob blob = bksi_command_queue_take(&queue, 3);
    assert_int_equal(blob.count, 3);
    assert_true(blob.is_ahead);
    assert_int_equal(bksi_command_queue_take(&queue, 100).count, 0);
    bksi_command_queue_arrived(&queue, 100);
    blob = bksi_command_queue_take(&queue, 100);
    assert_true(blob.count == 2 && blob.is_ahead && blob.bytes[0] == 'b');
    blob = bksi_command_queue_take(&queue, 100);
    assert_int_equal(blob.count, 4);
    assert_false(blob.is_ahead);
    assert_memory_equal(blob.bytes, "d\1\0e", 4);
    bksi_command_queue_arrived(&queue, 7); // none travels ahead
    assert_int_equal(queue.ready, 0);
    bksi_command_queue_destroy(&queue, &by_default);
}

static void a_game_without_commands_has_room_for_none(void **state)
{
    (void)state;
    bksi_command_queue queue;
    assert_int_equal(bksi_command_queue_create(&queue, &(bksi_command_config){0}, &by_default),
                     BKS_OK);
    assert_false(bksi_command_queue_has_room(&queue, 1));
    assert_int_equal(bksi_command_queue_take(&queue, 1).count, 0);
    bksi_command_queue_destroy(&queue, &by_default);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_wait_in_order_and_leave_in_pieces_of_any_size),
        cmocka_unit_test(a_command_that_does_not_fit_is_not_taken_until_others_have_left),
        cmocka_unit_test(bytes_that_travel_ahead_are_taken_once_they_are_ready),
        cmocka_unit_test(a_game_without_commands_has_room_for_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
