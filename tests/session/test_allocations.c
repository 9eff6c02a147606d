// SPDX-License-Identifier: MIT

// All memory of a session is taken by create and given back by destroy.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/toy_network.h"
#include "support/counting_allocator.h"

static toy_network network;
static counting_allocator counters[TOY_PEERS_MAX];

static uint32_t tuned_window;
static bks_save_policy tuned_policy;

static void tune_counted(bks_session_config *config, uint32_t peer)
{
    config->allocator = counting_allocator_hooks(&counters[peer]);
    config->tuning.window_ticks = tuned_window;
    config->tuning.save = tuned_policy;
    config->tuning.delay_ticks = tuned_window == 0 ? 6 : BKS_AUTO;
    config->tuning.bulk_bytes = tuned_window == 0 ? 0 : 4096;
    config->command_bytes_max = tuned_window == 20 ? 600 : 0;
}

/// Give a burst of commands, which waits for the start.
static void give_burst(const toy_peer *peer)
{
    static const uint8_t bytes[600] = {1};
    for (uint32_t i = 0; i < 20; i++) {
        assert_int_equal(bks_session_command(peer->session, 0, bytes, sizeof(bytes)), BKS_OK);
    }
}

static void nothing_is_allocated_after_create(void **context)
{
    (void)context;
    static const uint32_t windows[] = {0, 1, 20, 64};
    for (uint32_t w = 0; w < 4; w++) {
        tuned_window = windows[w];
        tuned_policy = (bks_save_policy)(w % 4);
        toy_create(&network, 3, 1, tune_counted);
        uint32_t allocs[3];
        for (uint32_t i = 0; i < 3; i++) {
            assert_true(counters[i].allocs > 0);
            allocs[i] = counters[i].allocs;
            if (tuned_window == 20) {
                give_burst(&network.peers[i]);
            }
        }
        network.jitter_ns = 20 * TOY_MS;
        network.loss_percent = 10;
        network.duplicate_percent = 10;
        network.corrupt_percent = 5;
        network.peers[1].flip_tick = 300; // a desync and its HASHES allocate nothing either
        (void)toy_run_to_end(&network, 20000 * TOY_MS);
        assert_true(network.peers[0].events[BKS_EVENT_DESYNC] > 0);
        for (uint32_t i = 0; i < 3; i++) {
            assert_int_equal(counters[i].allocs, allocs[i]);
            assert_int_equal(counters[i].releases, 0);
        }
        toy_destroy(&network);
        for (uint32_t i = 0; i < 3; i++) {
            assert_int_equal(counters[i].live_bytes, 0);
            assert_int_equal(counters[i].releases, allocs[i]);
            assert_false(counters[i].is_wrong);
        }
    }
}

static void any_allocation_that_fails_is_reported_and_nothing_is_kept(void **context)
{
    (void)context;
    for (uint32_t peer = 0; peer < 2; peer++) {
        uint32_t failed = 0;
        for (uint32_t succeed = 0;; succeed++) {
            bks_session_config config = toy_config(peer, 2);
            config.allocator = counting_allocator_hooks(&counters[0]);
            config.tuning.bulk_bytes = 2048;
            counters[0].fail_after = succeed;
            bks_session *session = (bks_session *)&session;
            bks_error error = {0};
            bks_status status = bks_session_create(&config, &session, &error);
            if (status == BKS_OK) {
                bks_session_destroy(session);
                break;
            }
            failed++;
            assert_int_equal(status, BKS_ERR_OUT_OF_MEMORY);
            assert_null(session);
            assert_int_equal(error.code, BKS_ERR_OUT_OF_MEMORY);
            assert_string_equal(error.field, "allocator");
            assert_int_equal(counters[0].live_bytes, 0);
            assert_false(counters[0].is_wrong);
        }
        assert_true(failed > 5);
        assert_int_equal(counters[0].live_bytes, 0);
    }
}

static void dirty_memory_makes_no_difference(void **context)
{
    (void)context;
    // The counting allocator hands out bytes of 0xa5.
    tuned_window = 20;
    tuned_policy = BKS_SAVE_TWO;
    toy_create(&network, 2, 1, tune_counted);
    assert_true(toy_run_to_end(&network, 20000 * TOY_MS));
    uint64_t hash = 0;
    assert_int_equal(bks_session_hash(network.peers[0].session, 600, &hash), BKS_OK);
    assert_true(hash == toy_straight_run(2, 600, network.hold_input_ticks));
    toy_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_allocated_after_create),
        cmocka_unit_test(any_allocation_that_fails_is_reported_and_nothing_is_kept),
        cmocka_unit_test(dirty_memory_makes_no_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
