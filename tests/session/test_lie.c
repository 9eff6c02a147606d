// SPDX-License-Identifier: MIT

#include "session/lie.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/toy_network.h"

#define SECONDS (1000 * TOY_MS)

static toy_network network;

static void nobody_who_is_honest_tells_a_lie(void **context)
{
    (void)context;
    toy_create(&network, 3, 1, NULL);
    toy_run_until(&network, 5 * SECONDS);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(bksi_session_lies_told(network.peers[i].session), 0);
        assert_int_equal(network.peers[i].events[BKS_EVENT_DESYNC], 0);
    }
    toy_destroy(&network);
}

// The liar and the third hold one story, the victim the other: each sees who differs.
static void two_stories_are_found_out_by_the_chain_of_inputs(void **context)
{
    (void)context;
    toy_create(&network, 3, 1, NULL);
    toy_run_until(&network, 3 * SECONDS);
    bks_session *liar = network.peers[1].session;
    const bks_tick tick = bksi_session_head(liar);
    bksi_session_lie(liar, tick, 2);
    toy_run_until(&network, 6 * SECONDS);
    assert_true(bksi_session_lies_told(liar) > 0);
    assert_int_equal(bksi_session_lie_tick(liar), tick);
    assert_true(network.peers[0].seen > tick + 60 && network.peers[2].seen > tick + 60);
    for (bks_tick t = 0; t <= tick; t++) {
        assert_true(network.peers[0].published[t] == network.peers[2].published[t]);
    }
    assert_true(network.peers[0].published[tick + 1] == network.peers[1].published[tick + 1]);
    assert_true(network.peers[0].published[tick + 1] != network.peers[2].published[tick + 1]);
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(network.peers[i].events[BKS_EVENT_DESYNC] > 0);
        assert_int_equal(network.peers[i].last[BKS_EVENT_DESYNC].tick, tick + 1);
        assert_true(network.peers[i].last[BKS_EVENT_DESYNC].inputs_differ);
    }
    toy_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_who_is_honest_tells_a_lie),
        cmocka_unit_test(two_stories_are_found_out_by_the_chain_of_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
