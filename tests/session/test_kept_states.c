// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/one_network.h"
#include "session/session_internal.h"

static uint32_t tuned_window;
static uint32_t tuned_keep;

static void tune(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->ticks = 900;
    config->tuning.window_ticks = tuned_window;
    config->tuning.hash_every_ticks = 1;
    config->tuning.keep_ticks = tuned_keep;
}

/// Every final state from the newest that all agreed on to the present lies in its slot.
/// @return how many there are
static uint32_t look(const toy_peer *peer)
{
    const bksi_rollback *engine = &peer->session->common.engine;
    const bks_tick published = bks_session_published(peer->session);
    const bks_tick agreed = engine->kept.agreed < 0 ? 0 : engine->kept.agreed;
    uint32_t count = 0;
    for (bks_tick tick = agreed; published != BKS_TICK_NONE && tick <= published; tick++) {
        const uint32_t slot = bksi_kept_states_find(&engine->kept, tick);
        uint64_t hash = 0;
        assert_in_range(slot, 0, bks_session_kept_slots(peer->session) - 1);
        assert_int_equal(bks_session_hash(peer->session, tick, &hash), BKS_OK);
        assert_int_equal(peer->kept_ticks[slot], tick);
        assert_int_equal(peer->kept[slot], hash);
        count++;
    }
    return count;
}

static uint64_t lost(const toy_peer *peer)
{
    bks_stats stats;
    assert_int_equal(bks_session_stats(peer->session, &stats), BKS_OK);
    return stats.kept_lost;
}

static void begin(uint32_t window, uint32_t keep)
{
    tuned_window = window;
    tuned_keep = keep;
    toy_create(&network, 3, 11, tune);
    network.delay_ns = 80 * NS_PER_MS;
    network.jitter_ns = 20 * NS_PER_MS;
    network.loss_percent = 5;
}

static void every_state_is_kept_until_all_agree_on_it(void **state)
{
    (void)state;
    static const uint32_t windows[] = {0, 20};
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t most = 0;
        begin(windows[i], 64);
        for (uint64_t at_ms = 0; at_ms < 12000; at_ms += 7) {
            toy_run_until(&network, at_ms * NS_PER_MS);
            for (uint32_t p = 0; p < network.peer_count; p++) {
                const uint32_t count = look(&network.peers[p]);
                most = count > most ? count : most;
            }
        }
        assert_in_range(most, 2, 64);
        for (uint32_t p = 0; p < network.peer_count; p++) {
            assert_int_equal(lost(&network.peers[p]), 0);
        }
        toy_destroy(&network);
    }
}

static void what_no_longer_fits_is_said(void **state)
{
    (void)state;
    begin(20, 4);
    toy_run_until(&network, 12000 * NS_PER_MS);
    for (uint32_t p = 0; p < network.peer_count; p++) {
        assert_in_range(lost(&network.peers[p]), 100, 2000);
    }
    toy_destroy(&network);
}

static void where_states_differ_the_last_that_was_the_same_stays(void **state)
{
    (void)state;
    begin(20, 64);
    network.peers[1].flip_tick = 300;
    toy_run_until(&network, 12000 * NS_PER_MS);
    for (uint32_t p = 0; p < network.peer_count; p++) {
        const bksi_kept_states *kept = &network.peers[p].session->common.engine.kept;
        assert_true(network.peers[p].desynced_from != 0);
        assert_true(bks_session_published(network.peers[p].session) > 500);
        assert_in_range(kept->agreed, 250, 300);
        assert_int_not_equal(bksi_kept_states_find(kept, kept->agreed), BKS_KEEP_NONE);
    }
    toy_destroy(&network);
}

static void nothing_is_kept_on_request_or_alone(void **state)
{
    (void)state;
    begin(20, 0);
    toy_run_until(&network, 3000 * NS_PER_MS);
    assert_true(bks_session_tick(network.peers[0].session) > 60);
    assert_int_equal(bks_session_kept_slots(network.peers[0].session), 0);
    assert_int_equal(lost(&network.peers[0]), 0);
    toy_destroy(&network);

    tuned_keep = 64;
    toy_create(&network, 1, 11, tune);
    toy_run_until(&network, 3000 * NS_PER_MS);
    assert_true(bks_session_tick(network.peers[0].session) > 60);
    assert_int_equal(bksi_kept_states_find(&network.peers[0].session->common.engine.kept, 60),
                     BKS_KEEP_NONE);
    toy_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_state_is_kept_until_all_agree_on_it),
        cmocka_unit_test(what_no_longer_fits_is_said),
        cmocka_unit_test(where_states_differ_the_last_that_was_the_same_stays),
        cmocka_unit_test(nothing_is_kept_on_request_or_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
