// SPDX-License-Identifier: MIT

// How inputs are guessed changes how often is rolled back, and nothing else.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "input/votes.h"
#include "session/toy_network.h"
#include "support/counting_allocator.h"

static toy_network network;
static counting_allocator counters[TOY_PEERS_MAX];

/// The toy's fields, to be predicted in any way.
static bks_field fields[2] = {
    {.name = "move", .bits = 9, .is_signed = true, .kind = BKS_FIELD_AXIS},
    {.name = "jump", .bits = 1},
};
static bool asks_the_game;
static uint32_t window;
static const void *votes;
static size_t votes_bytes;

static void tune(bks_session_config *config, uint32_t peer)
{
    config->fields = fields;
    config->custom_prediction = asks_the_game;
    config->tuning.window_ticks = window;
    config->tuning.delay_ticks = window == 0 ? 6 : 0;
    config->votes = votes;
    config->votes_bytes = votes_bytes;
    config->allocator = counting_allocator_hooks(&counters[peer]);
}

static int setup(void **context)
{
    (void)context;
    asks_the_game = false;
    window = 20;
    votes = NULL;
    votes_bytes = 0;
    fields[0].predictor = fields[1].predictor = BKS_PREDICT_HOLD;
    return 0;
}

static void predict_by(bks_predictor move, bks_predictor jump)
{
    fields[0].predictor = move;
    fields[1].predictor = jump;
}

static uint64_t rollbacks_of(uint32_t peer)
{
    bks_stats stats;
    assert_int_equal(bks_session_stats(network.peers[peer].session, &stats), BKS_OK);
    return stats.rollbacks;
}

/// Play to the end; all end where a straight run over the inputs does.
static void play(uint32_t peers, uint32_t loss_percent)
{
    network.jitter_ns = 15 * TOY_MS;
    network.loss_percent = loss_percent;
    assert_true(toy_run_to_end(&network, 30000 * TOY_MS));
    for (uint32_t i = 0; i < peers; i++) {
        uint64_t hash = 0;
        assert_int_equal(network.peers[i].events[BKS_EVENT_DESYNC], 0);
        assert_int_equal(bks_session_hash(network.peers[i].session, 600, &hash), BKS_OK);
        assert_true(hash == toy_straight_run(peers, 600, network.hold_input_ticks));
    }
}

static void every_predictor_comes_to_the_same_state(void **context)
{
    (void)context;
    for (int p = BKS_PREDICT_HOLD; p <= BKS_PREDICT_VOTE; p++) {
        const bool moves = p == BKS_PREDICT_LINEAR || p == BKS_PREDICT_SPLINE;
        predict_by((bks_predictor)p, moves ? BKS_PREDICT_HOLD : (bks_predictor)p);
        toy_create(&network, 3, 5, tune);
        play(3, 10);
        assert_true(rollbacks_of(0) > 20);
        assert_int_equal(network.peers[0].predict_ops, 0);
        toy_destroy(&network);
    }
}

static void no_predictor_allocates_after_create(void **context)
{
    (void)context;
    predict_by(BKS_PREDICT_SPLINE, BKS_PREDICT_VOTE);
    asks_the_game = true;
    toy_create(&network, 2, 5, tune);
    const uint32_t allocs[2] = {counters[0].allocs, counters[1].allocs};
    play(2, 5);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(counters[i].allocs, allocs[i]);
    }
    toy_destroy(&network);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(counters[i].live_bytes, 0);
        assert_false(counters[i].is_wrong);
    }
}

static void a_lack_of_memory_for_prediction_is_reported(void **context)
{
    (void)context;
    predict_by(BKS_PREDICT_LINEAR, BKS_PREDICT_VOTE);
    for (uint32_t succeed = 0;; succeed++) {
        bks_session_config config = toy_config(0, 2);
        tune(&config, 0);
        counters[0].fail_after = succeed;
        bks_session *session = NULL;
        bks_error error = {0};
        const bks_status status = bks_session_create(&config, &session, &error);
        if (status == BKS_OK) {
            bks_session_destroy(session);
            assert_true(succeed > 15);
            break;
        }
        assert_int_equal(status, BKS_ERR_OUT_OF_MEMORY);
        assert_string_equal(error.field, "allocator");
        assert_int_equal(counters[0].live_bytes, 0);
        assert_false(counters[0].is_wrong);
    }
}

// ---- the game's own predictor ----

static uint32_t wrong_states;
static uint32_t unknown_ticks;

/// All that the operation says must be so; the guess is the truth.
static void know_all(toy_network *toys, const toy_peer *peer, const bks_op *op, int32_t *guess)
{
    // The state is that of the tick as it was stepped last.
    wrong_states += op->tick > 0 && peer->state != peer->stepped[op->tick - 1] ? 1 : 0;
    assert_true(op->last_tick < op->tick && op->last_tick >= -1);
    const uint32_t hold = toys->hold_input_ticks;
    if (op->last_tick >= 0) {
        assert_int_equal(op->inputs[0], toy_input(op->player, op->last_tick, hold));
    } else {
        unknown_ticks++;
        assert_int_equal(op->inputs[0], 0);
    }
    assert_int_equal(op->guess[0], op->inputs[0]); // the field's own predictor holds
    guess[0] = toy_input(op->player, op->tick, hold);
    guess[1] = guess[0] & 1;
}

static void a_game_that_knows_its_players_is_never_rolled_back(void **context)
{
    (void)context;
    asks_the_game = true;
    wrong_states = unknown_ticks = 0;
    toy_create(&network, 3, 5, tune);
    network.predict = know_all;
    play(3, 10);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(rollbacks_of(i), 0);
        assert_true(network.peers[i].predict_ops > 600);
    }
    assert_int_equal(wrong_states, 0);
    assert_true(unknown_ticks > 0);
    toy_destroy(&network);
}

/// As know_all() in what it looks at, but wrong every so often.
static void know_some(toy_network *toys, const toy_peer *peer, const bks_op *op, int32_t *guess)
{
    know_all(toys, peer, op, guess);
    guess[0] = op->tick % 7 == 0 ? 100000 : guess[0];
}

static void its_guess_sees_the_mended_state_and_is_clamped(void **context)
{
    (void)context;
    asks_the_game = true;
    wrong_states = 0;
    toy_create(&network, 2, 5, tune);
    network.predict = know_some;
    play(2, 10);
    assert_true(rollbacks_of(0) > 20);
    assert_int_equal(wrong_states, 0);
    toy_destroy(&network);
}

static void a_game_with_nothing_to_say_leaves_it_to_the_fields(void **context)
{
    (void)context;
    uint64_t rollbacks[2];
    for (uint32_t i = 0; i < 2; i++) {
        asks_the_game = i == 1;
        toy_create(&network, 2, 5, tune);
        play(2, 0);
        rollbacks[i] = rollbacks_of(0);
        toy_destroy(&network);
    }
    assert_true(rollbacks[0] > 20);
    assert_int_equal(rollbacks[0], rollbacks[1]);
}

static void lockstep_never_asks(void **context)
{
    (void)context;
    asks_the_game = true;
    window = 0;
    toy_create(&network, 2, 5, tune);
    play(2, 5);
    assert_int_equal(network.peers[0].predict_ops, 0);
    toy_destroy(&network);
}

// ---- a table shipped with the game ----

static uint8_t *learn(size_t *count)
{
    bksi_layout layout;
    bksi_votes table;
    const bks_allocator libc = {0};
    assert_int_equal(bksi_layout_init(&layout, fields, 2, NULL), BKS_OK);
    assert_int_equal(bksi_votes_create(&table, &layout, true, &libc), BKS_OK);
    for (uint32_t i = 0; i < 10; i++) {
        const uint32_t player = i % 2;
        bksi_unit_past past[2] = {{0}};
        for (bks_tick t = 0; t < 600; t++) {
            const int32_t move = toy_input(player, t, 4);
            const uint32_t values[2] = {(uint32_t)move & 511, (uint32_t)(move & 1)};
            for (uint32_t unit = 0; unit < 2; unit++) {
                bksi_votes_learn(&table, unit, &past[unit], values[unit]);
                bksi_unit_past_push(&past[unit], values[unit]);
            }
        }
    }
    *count = bksi_votes_write(&table, NULL, 0);
    uint8_t *bytes = malloc(*count);
    assert_non_null(bytes);
    assert_int_equal(bksi_votes_write(&table, bytes, *count), *count);
    bksi_votes_destroy(&table, &libc);
    return bytes;
}

static void a_shipped_table_is_used_from_the_first_tick(void **context)
{
    (void)context;
    uint64_t rollbacks[2];
    predict_by(BKS_PREDICT_VOTE, BKS_PREDICT_VOTE);
    size_t count = 0;
    uint8_t *bytes = learn(&count); // inputs that come again, each held for four ticks
    for (uint32_t i = 0; i < 2; i++) {
        votes = i == 1 ? bytes : NULL;
        votes_bytes = i == 1 ? count : 0;
        toy_create(&network, 2, 5, tune);
        play(2, 0);
        rollbacks[i] = rollbacks_of(0);
        toy_destroy(&network);
    }
    assert_true(rollbacks[1] < rollbacks[0]);
    free(bytes);
}

static bks_status create_with_votes(const void *bytes, size_t count, bks_error *error)
{
    bks_session_config config = toy_config(0, 2);
    votes = bytes;
    votes_bytes = count;
    tune(&config, 0);
    bks_session *session = NULL;
    const bks_status status = bks_session_create(&config, &session, error);
    bks_session_destroy(session);
    assert_int_equal(counters[0].live_bytes, 0);
    return status;
}

static void a_table_that_does_not_fit_is_refused(void **context)
{
    (void)context;
    predict_by(BKS_PREDICT_HOLD, BKS_PREDICT_VOTE);
    size_t count = 0;
    uint8_t *bytes = learn(&count);
    bks_error error = {0};
    assert_int_equal(create_with_votes(bytes, count, &error), BKS_OK);
    assert_int_equal(create_with_votes(bytes, count - 1, &error), BKS_ERR_DAMAGED);
    assert_int_equal(create_with_votes(NULL, count, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "votes");
    fields[1].bits = 2;
    assert_int_equal(create_with_votes(bytes, count, &error), BKS_ERR_UNSUPPORTED);
    fields[1].bits = 1;
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_predictor_comes_to_the_same_state, setup),
        cmocka_unit_test_setup(no_predictor_allocates_after_create, setup),
        cmocka_unit_test_setup(a_lack_of_memory_for_prediction_is_reported, setup),
        cmocka_unit_test_setup(a_game_that_knows_its_players_is_never_rolled_back, setup),
        cmocka_unit_test_setup(its_guess_sees_the_mended_state_and_is_clamped, setup),
        cmocka_unit_test_setup(a_game_with_nothing_to_say_leaves_it_to_the_fields, setup),
        cmocka_unit_test_setup(lockstep_never_asks, setup),
        cmocka_unit_test_setup(a_shipped_table_is_used_from_the_first_tick, setup),
        cmocka_unit_test_setup(a_table_that_does_not_fit_is_refused, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
