// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/common/common.h"

static session_common common;

static void a_head_lies_at_most_a_window_and_a_delay_beyond_our_own(void **state)
{
    (void)state;
    common = (session_common){0};
    common.seats = (session_seats){.all = 0x7, .self = 1};
    bksi_membership_begin(&common.membership, 0, 0, common.seats.all);
    common.seats.peers[1].first_player = 1;
    common.seats.peers[2].first_player = 3;
    common.engine.known.timelines[0].head = 7;
    common.engine.known.timelines[1].head = 20;
    common.engine.known.timelines[3].head = 30;
    assert_int_equal(bksi_common_head(&common, 0), 7);
    assert_int_equal(bksi_common_head(&common, 2), 30);
    assert_int_equal(bksi_common_own_head(&common), 20);
    const bks_tick most[BKS_PEERS_MAX] = {340, 340, 340};
    const bks_tick beyond[BKS_PEERS_MAX] = {0, 0, 341};
    assert_true(bksi_common_heads_can_be(&common, 0x7, most));
    assert_false(bksi_common_heads_can_be(&common, 0x4, beyond));
    assert_true(bksi_common_heads_can_be(&common, 0x3, beyond)); // says nothing of that peer
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_head_lies_at_most_a_window_and_a_delay_beyond_our_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
