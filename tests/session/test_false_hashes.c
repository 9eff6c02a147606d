// SPDX-License-Identifier: MIT

// A member of a match with repairs sends false hashes while its states are right: one report, and
// the match plays on.

#include "session/one_network.h"
#include "session/session_internal.h"

enum { LIAR = 1, TICKS = 1200 };

static bool is_lying;

static void let_repair(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->ticks = TICKS;
    config->tuning.on_desync = BKS_ON_DESYNC_RESYNC;
    config->tuning.keep_ticks = 64;
}

/// Change all hashes that the liar's session knows of its own states just before it sends, and put
/// them right afterwards.
static void lie(toy_network *net, const toy_peer *peer)
{
    bks_session *session = net->peers[LIAR].session;
    const bool wants = peer == &net->peers[LIAR] && phase_of(LIAR) == BKS_PHASE_RUNNING;
    if (wants == is_lying) {
        return;
    }
    is_lying = wants;
    for (bks_tick tick = 1; tick <= TICKS; tick++) {
        bksi_tick_hash *own =
            (bksi_tick_hash *)(uintptr_t)bksi_rollback_hash(&session->common.engine, tick);
        if (own != NULL) {
            own->state ^= 1;
            own->states ^= 1;
        }
    }
}

static void play(uint32_t peers)
{
    is_lying = false;
    toy_create(&network, peers, 7, let_repair);
    network.delay_ns = 20 * TOY_MS;
    network.before_sending = lie;
    assert_true(toy_run_to_end(&network, 60000 * TOY_MS));
    for (uint32_t i = 0; i < peers; i++) {
        if (i != LIAR) {
            assert_int_equal(network.peers[i].events[BKS_EVENT_DESYNC], 1);
            assert_int_equal(bks_session_status(session_of(i)), BKS_OVER);
            assert_int_equal(network.peers[i].published[TICKS - 1],
                             network.peers[LIAR].published[TICKS - 1]);
        }
    }
    toy_destroy(&network);
}

static void one_liar_makes_one_report_among_two(void **state)
{
    (void)state;
    play(2);
}

static void one_liar_makes_one_report_among_four(void **state)
{
    (void)state;
    play(4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_liar_makes_one_report_among_two),
        cmocka_unit_test(one_liar_makes_one_report_among_four),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
