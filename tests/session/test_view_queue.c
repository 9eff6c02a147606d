// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/members/view_queue.h"
#include "support/seed.h"

static void messages_go_in_their_order_whatever_was_queued_first(void **state)
{
    (void)state;
    session_view_queue queue = {0};
    assert_int_equal(bksi_view_queue_first(&queue, 2), VIEW_MESSAGES);
    assert_int_equal(bksi_view_queue_peers(&queue) >> 2 & 1, 0);
    bksi_view_queue_set(&queue, 2, VIEW_COMMIT, true);
    bksi_view_queue_set(&queue, 2, VIEW_ANSWER, true);
    assert_int_equal(bksi_view_queue_first(&queue, 2), VIEW_ANSWER);
    assert_int_equal(bksi_view_queue_first(&queue, 1), VIEW_MESSAGES); // peer 1 is owed nothing
    bksi_view_queue_set(&queue, 2, VIEW_ANSWER, false);
    assert_int_equal(bksi_view_queue_first(&queue, 2), VIEW_COMMIT);
    bksi_view_queue_set(&queue, 2, VIEW_COMMIT, false);
    assert_int_equal(bksi_view_queue_peers(&queue) >> 2 & 1, 0);
}

static void a_peer_that_is_out_still_hears_that_it_is(void **state)
{
    (void)state;
    session_view_queue queue = {0};
    for (int message = VIEW_GONE; message < VIEW_MESSAGES; message++) {
        bksi_view_queue_set(&queue, 0, (view_message)message, true);
    }
    bksi_view_queue_clear(&queue, 0);
    assert_int_equal(bksi_view_queue_first(&queue, 0), VIEW_GONE);
    bksi_view_queue_set(&queue, 0, VIEW_GONE, false);
    assert_int_equal(bksi_view_queue_peers(&queue) >> 0 & 1, 0);
}

/// A caller that asks for the mask alone leaves out no peer, and looks at none in vain.
static void the_mask_of_peers_is_that_of_what_is_owed(void **state)
{
    (void)state;
    session_view_queue queue = {0};
    for (int round = 0; round < 2000; round++) {
        const uint32_t peer = seed_below(BKS_PEERS_MAX);
        if (seed_below(8) == 0) {
            bksi_view_queue_clear(&queue, peer);
        } else {
            const view_message message = (view_message)seed_below(VIEW_MESSAGES);
            bksi_view_queue_set(&queue, peer, message, seed_below(3) == 0);
        }
        uint32_t wanted = 0;
        for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
            wanted |= bksi_view_queue_first(&queue, i) != VIEW_MESSAGES ? PEER_BIT(i) : 0;
        }
        assert_int_equal(bksi_view_queue_peers(&queue), wanted);
    }
}

static void each_peer_has_its_time_of_repeats(void **state)
{
    (void)state;
    session_view_queue queue = {0};
    bksi_view_queue_repeat_at(&queue, 3, 77);
    assert_true(queue.repeat_ns[3] == 77);
    assert_true(queue.repeat_ns[2] == 0);
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 3);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_go_in_their_order_whatever_was_queued_first),
        cmocka_unit_test(a_peer_that_is_out_still_hears_that_it_is),
        cmocka_unit_test(the_mask_of_peers_is_that_of_what_is_owed),
        cmocka_unit_test(each_peer_has_its_time_of_repeats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
