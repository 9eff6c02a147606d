// SPDX-License-Identifier: MIT

// Each kind of operation that the owner of the game could not carry out.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "session/toy_network.h"

#define SECONDS (1000 * TOY_MS)
#define TICKS   300
#define PLAYERS 3
#define FAILING 1u ///< the peer
#define FROM    60 ///< nothing fails before this tick
#define WHY     "there is no room"

static toy_network network;
static uint64_t truth[TICKS + 1]; ///< the state of each tick when no peer leaves

static bks_op_kind bad_kind;
static uint32_t failures;
static bks_op first; ///< the first that failed
static bool is_spoilt;
static uint32_t ops_too_many; ///< after a failure, without a LOAD between

static bks_save_policy policy;

static void tune(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->ticks = TICKS;
    config->tuning.save = policy;
    config->custom_prediction = bad_kind == BKS_OP_PREDICT;
}

static void create(bks_op_kind kind, bks_save_policy save)
{
    bad_kind = kind;
    policy = save;
    failures = 0;
    is_spoilt = false;
    ops_too_many = 0;
    toy_create(&network, PLAYERS, 3, tune);
    network.loss_percent = 10;
}

static const char *fail_now(const bks_op *op)
{
    first = failures++ == 0 ? *op : first;
    is_spoilt = true;
    return WHY;
}

/// Count the operations but SAMPLE that the session asks for between a failure and the next LOAD.
static void watch(const bks_op *op)
{
    ops_too_many += is_spoilt && op->kind != BKS_OP_LOAD && op->kind != BKS_OP_SAMPLE;
    is_spoilt = is_spoilt && op->kind != BKS_OP_LOAD;
}

static const char *fail_from_60_on(const toy_peer *peer, const bks_op *op)
{
    (void)peer;
    watch(op);
    return op->kind == bad_kind && op->tick >= FROM ? fail_now(op) : NULL;
}

static bool is_guessed(const toy_peer *peer, const bks_op *op)
{
    bool is_right = peer->state == truth[op->tick];
    for (uint32_t p = 0; p < PLAYERS && op->kind == BKS_OP_STEP; p++) {
        is_right &= op->inputs[2 * p] == toy_input(p, op->tick, network.hold_input_ticks);
    }
    return !is_right;
}

static const char *fail_on_guesses(const toy_peer *peer, const bks_op *op)
{
    watch(op);
    return op->kind == bad_kind && is_guessed(peer, op) ? fail_now(op) : NULL;
}

static const char *fail_before_the_match(const toy_peer *peer, const bks_op *op)
{
    (void)peer;
    return op->kind == bad_kind ? fail_now(op) : NULL;
}

/// The one failed, once, with the tick and the reason.
static void assert_failed(void)
{
    const toy_peer *peer = &network.peers[FAILING];
    const bks_event *event = &peer->last[BKS_EVENT_FAILED];
    char text[sizeof(event->text)];
    (void)snprintf(text, sizeof(text), "the game failed at tick %d: " WHY, (int)event->tick);
    assert_int_equal(bks_session_status(peer->session), BKS_ERR_GAME);
    assert_int_equal(bks_session_phase(peer->session), BKS_PHASE_FAILED);
    assert_int_equal(peer->events[BKS_EVENT_FAILED], 1);
    assert_int_equal(peer->events[BKS_EVENT_ENDED], 0);
    assert_int_equal(event->peer, FAILING);
    assert_string_equal(event->text, text);
    assert_true(bks_session_wake(peer->session) == UINT64_MAX);
}

/// The others heard that it goes, played on to the end, and hold the same states all along.
static void assert_others_played_on(void)
{
    for (uint32_t i = 0; i < PLAYERS; i++) {
        const toy_peer *peer = &network.peers[i];
        if (i == FAILING) {
            continue;
        }
        assert_int_equal(bks_session_status(peer->session), BKS_OVER);
        assert_int_equal(peer->events[BKS_EVENT_FAILED], 0);
        assert_int_equal(peer->events[BKS_EVENT_DESYNC], 0);
        assert_int_equal(peer->events[BKS_EVENT_SILENT], 0); // the peer said goodbye
        assert_int_equal(peer->events[BKS_EVENT_LEFT], 1);
        assert_int_equal(peer->last[BKS_EVENT_LEFT].peer, FAILING);
        assert_int_equal(peer->seen, TICKS + 1);
        assert_memory_equal(peer->published, network.peers[0].published,
                            (TICKS + 1) * sizeof(uint64_t));
        bks_tick end = peer->last[BKS_EVENT_LEFT].tick;
        assert_in_range(end, FROM, FROM + 30);
        assert_memory_equal(peer->published, truth, ((size_t)end + 1) * sizeof(uint64_t));
        assert_true(peer->published[end + 1] != truth[end + 1]); // the peer no longer moves
    }
}

static void assert_ends_for_one(bks_op_kind kind, bks_save_policy save)
{
    create(kind, save);
    network.peers[FAILING].fails = fail_from_60_on;
    toy_run_until(&network, 20 * SECONDS);
    assert_true(failures > 0);
    assert_failed();
    assert_int_equal(ops_too_many, 0);
    const bks_tick tick = network.peers[FAILING].last[BKS_EVENT_FAILED].tick;
    if (kind == BKS_OP_STEP) {
        assert_int_equal(tick, FROM); // whatever was guessed before it was known
    } else {
        assert_in_range(tick, FROM, FROM + 30);
    }
    assert_others_played_on();
    // All that it published is true, and nothing of what failed is published.
    const toy_peer *peer = &network.peers[FAILING];
    assert_true(kind != BKS_OP_STEP || peer->seen <= FROM + 1);
    assert_memory_equal(peer->published, truth, (size_t)peer->seen * sizeof(uint64_t));
    toy_destroy(&network);
}

static void a_failure_on_a_final_state_ends_the_match_for_its_peer_alone(void **context)
{
    (void)context;
    const bks_op_kind kinds[] = {BKS_OP_STEP, BKS_OP_SAVE, BKS_OP_HASH, BKS_OP_PREDICT};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        for (bks_save_policy save = BKS_SAVE_EVERY; save <= BKS_SAVE_AUTO; save++) {
            assert_ends_for_one(kinds[i], save);
        }
    }
}

static void a_load_or_a_sample_that_fails_ends_the_match_at_once(void **context)
{
    (void)context;
    const bks_op_kind kinds[] = {BKS_OP_LOAD, BKS_OP_SAMPLE};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        for (bks_save_policy save = BKS_SAVE_EVERY; save <= BKS_SAVE_AUTO; save++) {
            assert_ends_for_one(kinds[i], save);
            assert_int_equal(failures, 1); // nothing was asked for after it
            assert_int_equal(network.peers[FAILING].last[BKS_EVENT_FAILED].tick, first.tick);
        }
    }
}

/// Loads of what is not settled yet.
static const char *fail_to_load_news(const toy_peer *peer, const bks_op *op)
{
    bool is_news = op->tick > bks_session_published(peer->session);
    return op->kind == BKS_OP_LOAD && op->tick >= FROM && is_news ? fail_now(op) : NULL;
}

static void a_load_that_fails_is_not_asked_for_again(void **context)
{
    (void)context;
    create(BKS_OP_LOAD, BKS_SAVE_EVERY);
    network.jitter_ns = 30 * TOY_MS;
    network.peers[FAILING].fails = fail_to_load_news;
    toy_run_until(&network, 20 * SECONDS);
    assert_int_equal(failures, 1);
    assert_failed();
    assert_int_equal(network.peers[FAILING].last[BKS_EVENT_FAILED].tick, first.tick);
    toy_destroy(&network);
}

static void a_failure_on_a_wrong_guess_is_forgotten_with_it(void **context)
{
    (void)context;
    const bks_op_kind kinds[] = {BKS_OP_STEP, BKS_OP_SAVE, BKS_OP_HASH, BKS_OP_PREDICT};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        for (bks_save_policy save = BKS_SAVE_EVERY; save <= BKS_SAVE_AUTO; save++) {
            create(kinds[i], save);
            network.peers[FAILING].fails = fail_on_guesses;
            assert_true(toy_run_to_end(&network, 20 * SECONDS));
            // With one snapshot only certain states are saved.
            if (kinds[i] != BKS_OP_SAVE || save == BKS_SAVE_EVERY) {
                assert_true(failures > 20);
            }
            assert_int_equal(ops_too_many, 0);
            for (uint32_t k = 0; k < PLAYERS; k++) {
                const toy_peer *peer = &network.peers[k];
                assert_int_equal(bks_session_status(peer->session), BKS_OVER);
                assert_int_equal(peer->events[BKS_EVENT_FAILED], 0);
                assert_int_equal(peer->events[BKS_EVENT_DESYNC], 0);
                assert_int_equal(peer->wrong_loads, 0);
                assert_int_equal(peer->seen, TICKS + 1);
                assert_memory_equal(peer->published, truth, sizeof(truth));
                assert_true(peer->state == truth[TICKS]);
            }
            toy_destroy(&network);
        }
    }
}

static void a_failure_before_the_match_reaches_all_and_no_peer_starts(void **context)
{
    (void)context;
    static const uint64_t parts[] = {1, 2};
    const bks_op_kind kinds[] = {BKS_OP_START, BKS_OP_HASH, BKS_OP_RANGES};
    for (size_t i = 0; i < 3 * sizeof(kinds) / sizeof(kinds[0]); i++) {
        const uint32_t failing = (uint32_t)i % 3;
        create(kinds[i / 3], BKS_SAVE_AUTO);
        for (uint32_t k = 0; k < PLAYERS; k++) {
            network.peers[k].ranges = parts;
            network.peers[k].range_count = 2;
            network.peers[k].skew = kinds[i / 3] == BKS_OP_RANGES && k == 1;
        }
        network.peers[failing].fails = fail_before_the_match;
        toy_run_until(&network, 10 * SECONDS);
        assert_int_equal(failures, 1);
        for (uint32_t k = 0; k < PLAYERS; k++) {
            const toy_peer *peer = &network.peers[k];
            assert_int_equal(peer->step_ops, 0);
            assert_int_equal(peer->events[BKS_EVENT_STARTED], 0);
            assert_int_equal(peer->events[BKS_EVENT_FAILED], 0);
            if (k != failing && k != 0 && failing != 0) {
                continue; // waits for another in its place
            }
            if (kinds[i / 3] == BKS_OP_RANGES && failing == 2 && k == 0) {
                continue; // knows by peer 1's parts alone, maybe before it hears of the failure
            }
            assert_true(peer->events[BKS_EVENT_REFUSED] > 0);
            if (strstr(peer->last[BKS_EVENT_REFUSED].text, WHY) == NULL) {
                fail_msg("\"%s\" does not say why", peer->last[BKS_EVENT_REFUSED].text);
            }
        }
        assert_int_equal(bks_session_status(network.peers[failing].session), BKS_ERR_REFUSED);
        toy_destroy(&network);
    }
}

static int set_up(void **context)
{
    (void)context;
    for (bks_tick t = 0; t <= TICKS; t++) {
        truth[t] = toy_straight_run(PLAYERS, t, 4);
    }
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_on_a_final_state_ends_the_match_for_its_peer_alone),
        cmocka_unit_test(a_load_or_a_sample_that_fails_ends_the_match_at_once),
        cmocka_unit_test(a_load_that_fails_is_not_asked_for_again),
        cmocka_unit_test(a_failure_on_a_wrong_guess_is_forgotten_with_it),
        cmocka_unit_test(a_failure_before_the_match_reaches_all_and_no_peer_starts),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
