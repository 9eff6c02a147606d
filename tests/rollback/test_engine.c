// SPDX-License-Identifier: MIT

#include "rollback/engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"

#define PLAYERS  2u
#define WINDOW   8u
#define CAPACITY 64u
#define SLOTS    (WINDOW + 2)

static const bks_field fields[] = {{.name = "aim", .bits = 8}};

/// Game whose state is one number. Inputs below 100 change nothing; a step with 255 fails.
typedef struct toy {
    bksi_layout layout;
    bksi_rollback engine;
    uint64_t state;
    uint64_t slots[SLOTS];
    int32_t sample;    ///< next sample of player 0
    int32_t guess;     ///< answer to PREDICT
    uint32_t failing;  ///< 1 + kind of operation that fails; 0: none
    char string[2048]; ///< operations that were carried out
    uint32_t count[BKS_OP_RANGES + 1];
} toy;

static toy game;

static uint64_t step(uint64_t state, const int32_t *inputs)
{
    for (uint32_t p = 0; p < PLAYERS; p++) {
        state = inputs[p] >= 100 ? bksi_hash64_pair(state, (uint64_t)inputs[p] + p * 1000) : state;
    }
    return state;
}

static void begin_at(bks_tick first, bks_save_policy save, uint32_t window_ticks,
                     bool custom_prediction)
{
    memset(&game, 0, sizeof(game));
    assert_int_equal(bksi_layout_init(&game.layout, fields, 1, NULL), BKS_OK);
    const bksi_rollback_config config = {
        .layout = &game.layout,
        .players_max = PLAYERS,
        .capacity_ticks = CAPACITY,
        .window_ticks = window_ticks,
        .save = save,
        .custom_prediction = custom_prediction,
    };
    assert_int_equal(bksi_rollback_create(&game.engine, &config, NULL), BKS_OK);
    const bksi_rollback_match match = {.players = PLAYERS, .local_count = 1, .hash_every = 1};
    bksi_rollback_begin(&game.engine, first);
    bksi_rollback_start(&game.engine, &match);
}

/// Begin a match of a game with commands.
static void begin_with(const bksi_command_config *commands)
{
    memset(&game, 0, sizeof(game));
    assert_int_equal(bksi_layout_init(&game.layout, fields, 1, NULL), BKS_OK);
    const bksi_rollback_config config = {
        .layout = &game.layout,
        .players_max = PLAYERS,
        .capacity_ticks = CAPACITY,
        .window_ticks = WINDOW,
        .commands = *commands,
    };
    assert_int_equal(bksi_rollback_create(&game.engine, &config, NULL), BKS_OK);
    const bksi_rollback_match match = {.players = PLAYERS, .local_count = 1, .hash_every = 1};
    bksi_rollback_start(&game.engine, &match);
}

static void begin(bks_save_policy save, uint32_t window_ticks, bool custom_prediction)
{
    begin_at(0, save, window_ticks, custom_prediction);
}

static int end(void **state)
{
    (void)state;
    bksi_rollback_destroy(&game.engine);
    return 0;
}

static void note(const bks_op *op)
{
    static const char letters[] = {
        [BKS_OP_SAMPLE] = 'I', [BKS_OP_SAVE] = 'V', [BKS_OP_LOAD] = 'L',
        [BKS_OP_STEP] = 'S',   [BKS_OP_HASH] = 'H', [BKS_OP_PREDICT] = 'P',
    };
    const size_t at = strlen(game.string);
    (void)snprintf(game.string + at, sizeof(game.string) - at, "%s%c%d", at > 0 ? " " : "",
                   letters[op->kind], (int)op->tick);
    game.count[op->kind]++;
}

/// Return the newest tick whose input of a player is known.
static bks_tick newest_of(uint32_t player)
{
    const bks_tick head = bksi_rollback_head(&game.engine, player);
    return head > game.engine.first ? head - 1 : BKS_TICK_NONE;
}

static const char *carry_out(const bks_op *op, bks_op_result *result)
{
    if (game.failing == (uint32_t)op->kind + 1) {
        return "ordered";
    }
    switch (op->kind) {
    case BKS_OP_SAMPLE:
        result->input = &game.sample;
        break;
    case BKS_OP_SAVE:
        assert_in_range(op->slot, 0, game.engine.slots.count - 1);
        game.slots[op->slot] = game.state;
        break;
    case BKS_OP_LOAD:
        game.state = game.slots[op->slot];
        break;
    case BKS_OP_STEP:
        if (op->inputs[0] == 255 || op->inputs[1] == 255) {
            return "255";
        }
        game.state = step(game.state, op->inputs);
        break;
    case BKS_OP_HASH:
        result->hash = game.state;
        break;
    case BKS_OP_PREDICT:
        assert_int_equal(op->last_tick, newest_of(op->player));
        result->input = &game.guess;
        break;
    default:
        fail_msg("operation %d", (int)op->kind);
    }
    return NULL;
}

/// Run one update.
static void update(uint32_t due, uint32_t delay)
{
    bks_op op;
    game.string[0] = '\0';
    bksi_rollback_schedule(&game.engine, &(bksi_schedule){.due_ticks = due, .delay_ticks = delay});
    while (bksi_rollback_next(&game.engine, &op)) {
        bks_op_result result = {0};
        note(&op);
        result.problem = carry_out(&op, &result);
        bksi_rollback_done(&game.engine, &op, &result);
        if (result.problem != NULL && op.kind == BKS_OP_LOAD) {
            return;
        }
    }
    bksi_rollback_settle(&game.engine);
}

static void learn(int32_t aim)
{
    const uint8_t packed = (uint8_t)aim;
    bksi_rollback_append(&game.engine, 1, &packed, NULL);
}

static void late_input_resimulates_only_from_the_wrong_tick(void **state)
{
    (void)state;
    begin(BKS_SAVE_EVERY, WINDOW, false);
    game.sample = 100;
    update(1, 0);
    assert_string_equal(game.string, "H0 V0 I0 S0 H1 V1");
    for (uint32_t i = 1; i < 6; i++) {
        update(1, 0);
    }
    assert_string_equal(game.string, "I5 S5 H6 V6");
    learn(0);
    learn(0); // as it was guessed
    update(0, 0);
    assert_string_equal(game.string, "");
    learn(120); // tick 2
    learn(120);
    update(1, 0);
    assert_string_equal(game.string, "L2 S2 H3 S3 H4 V4 S4 H5 V5 S5 H6 V6 I6 S6 H7 V7");
    assert_int_equal(game.engine.progress.counts.rollbacks, 1);
    assert_int_equal(game.engine.progress.counts.depth_sum, 4);
    assert_int_equal(game.engine.progress.counts.resimulated, 4);
}

/// Return the running hash of the inputs of four ticks.
/// @param blobs  player 1's blob of each tick, after a byte with its size
static uint64_t chain_of(const char *const *blobs)
{
    begin_with(&(bksi_command_config){.bytes_max = 8, .room_bytes = 64, .room_ticks = 32});
    for (uint32_t i = 0; i < 4; i++) {
        const uint8_t packed = 7;
        const bksi_blob blob = {.bytes = (const uint8_t *)blobs[i] + 1,
                                .count = (uint32_t)blobs[i][0]};
        bksi_rollback_append(&game.engine, 1, &packed, &blob);
        update(1, 0);
    }
    assert_int_equal(bksi_rollback_settled(&game.engine), 4);
    const uint64_t chain = game.engine.settled.chain;
    bksi_rollback_destroy(&game.engine);
    return chain;
}

static void blobs_are_part_of_the_running_hash_of_inputs(void **state)
{
    (void)state;
    static const char *const none[4] = {"\0", "\0", "\0", "\0"};
    static const char *const one[4] = {"\0", "\3\1\0a", "\0", "\0"};
    static const char *const other[4] = {"\0", "\3\1\0b", "\0", "\0"};
    static const char *const later[4] = {"\0", "\0", "\3\1\0a", "\0"};
    static const char *const apart[4] = {"\0", "\2\1\0", "\1a", "\0"};
    const uint64_t chains[5] = {chain_of(none), chain_of(one), chain_of(other), chain_of(later),
                                chain_of(apart)};
    for (uint32_t i = 0; i < 5; i++) {
        for (uint32_t k = 0; k < i; k++) {
            assert_true(chains[i] != chains[k]);
        }
    }
    // A game that allows no commands has the same hash as a match in which none were given.
    begin(BKS_SAVE_EVERY, WINDOW, false);
    for (uint32_t i = 0; i < 4; i++) {
        learn(7);
        update(1, 0);
    }
    assert_true(game.engine.settled.chain == chains[0]);
}

static void a_match_begins_at_any_tick(void **state)
{
    (void)state;
    begin_at(1000, BKS_SAVE_EVERY, WINDOW, false);
    assert_int_equal(bksi_rollback_confirmed(&game.engine), 1000);
    assert_true(bksi_rollback_holds(&game.engine, 1, 999)); // neutral
    assert_false(bksi_rollback_holds(&game.engine, 1, 998));
    update(0, 2); // before the first tick is due
    assert_string_equal(game.string, "H1000 V1000 I1000 I1001");
    assert_int_equal(bksi_rollback_published(&game.engine), 1000);
    update(2, 2);
    assert_string_equal(game.string, "I1002 S1000 H1001 V1001 I1003 S1001 H1002 V1002");
    learn(150); // tick 1000
    update(0, 2);
    assert_string_equal(game.string, "L1000 S1000 H1001 V1001 S1001 H1002 V1002");
    assert_int_equal(bksi_rollback_settled(&game.engine), 1001);
    assert_int_equal(game.engine.progress.counts.depth_sum, 2);
}

static void before_its_first_input_a_player_has_no_last_tick(void **state)
{
    (void)state;
    begin_at(1000, BKS_SAVE_EVERY, WINDOW, true);
    update(1, 0);
    learn(7);
    update(1, 0);
    assert_true(game.count[BKS_OP_PREDICT] > 1);
}

static void oldest_of_several_wrong_ticks_counts(void **state)
{
    (void)state;
    begin(BKS_SAVE_EVERY, WINDOW, false);
    update(5, 0);
    for (uint32_t i = 0; i < 4; i++) {
        learn(i % 2 == 0 ? 0 : 150); // ticks 1 and 3, and 2 for being guessed from 1
    }
    update(0, 0);
    assert_memory_equal(game.string, "L1 S1", 5);
    assert_int_equal(game.engine.progress.counts.rollbacks, 1);
}

static void state_that_comes_out_as_before_ends_it_early(void **state)
{
    (void)state;
    begin(BKS_SAVE_EVERY, WINDOW, false);
    update(6, 0);
    learn(1); // tick 0 was guessed differently, without effect
    for (uint32_t i = 1; i < 6; i++) {
        learn(0);
    }
    update(0, 0);
    assert_string_equal(game.string, "L0 S0 H1 L6");
    assert_int_equal(game.engine.progress.counts.early_ends, 1);
    assert_int_equal(game.engine.progress.counts.early_end_ticks, 5);
}

static void it_does_not_end_early_while_later_inputs_changed(void **state)
{
    (void)state;
    begin(BKS_SAVE_EVERY, WINDOW, false);
    update(6, 0);
    learn(1);
    learn(0);
    learn(0);
    learn(130);
    update(0, 0);
    assert_memory_equal(game.string, "L0 S0 H1 S1 H2 S2 H3 S3 H4", 26);
    assert_int_equal(game.engine.progress.counts.early_ends, 0);
}

/// Play many ticks with the other player's inputs up to a window late, in bursts: the final states
/// are those of the known inputs.
static void play_late(bks_save_policy save, uint32_t slots)
{
    enum { TICKS = 400 };
    static int32_t truth[TICKS][PLAYERS];
    begin(save, WINDOW, false);
    srand(7);
    uint64_t straight = 0;
    for (bks_tick t = 0; t < TICKS; t++) {
        truth[t][0] = rand() % 255;
        truth[t][1] = t > 0 && rand() % 3 != 0 ? truth[t - 1][1] : rand() % 255;
    }
    for (bks_tick t = 0; t < TICKS; t++) {
        while (rand() % 4 != 0 && bksi_rollback_head(&game.engine, 1) < t) {
            learn(truth[bksi_rollback_head(&game.engine, 1)][1]);
        }
        while (bksi_rollback_head(&game.engine, 1) <= t - (bks_tick)WINDOW) {
            learn(truth[bksi_rollback_head(&game.engine, 1)][1]);
        }
        game.sample = truth[t][0];
        update(1, 0);
        assert_int_equal(game.engine.progress.front, t + 1);
    }
    for (bks_tick t = bksi_rollback_head(&game.engine, 1); t < TICKS; t++) {
        learn(truth[t][1]);
    }
    update(0, 0);
    assert_int_equal(game.engine.slots.count, slots);
    assert_int_equal(game.engine.settled.published, TICKS);
    for (bks_tick t = 0; t <= TICKS; t++) {
        const bksi_tick_hash *hash = bksi_settled_hash(&game.engine.settled, t);
        assert_true(hash == NULL || hash->state == straight);
        assert_true(hash != NULL || t < TICKS - 32);
        straight = t < TICKS ? step(straight, truth[t]) : straight;
    }
    assert_true(game.engine.progress.counts.rollbacks > 20);
    bksi_rollback_destroy(&game.engine);
}

static void every_save_policy_comes_out_the_same(void **state)
{
    (void)state;
    play_late(BKS_SAVE_EVERY, SLOTS);
    const uint32_t every = game.count[BKS_OP_SAVE];
    play_late(BKS_SAVE_TWO, 2);
    assert_true(game.count[BKS_OP_SAVE] < every);
    play_late(BKS_SAVE_ONE, 1);
    assert_true(game.count[BKS_OP_LOAD] > 390); // every update
    play_late(BKS_SAVE_AUTO, SLOTS);
    assert_true(game.count[BKS_OP_SAVE] < every);
    memset(&game, 0, sizeof(game));
}

static void spacing_says_how_far_snapshots_lie_apart(void **state)
{
    (void)state;
    begin(BKS_SAVE_AUTO, WINDOW, false);
    assert_int_equal(bksi_slots_needed(&game.engine.slots, 1), 9);
    assert_int_equal(bksi_slots_needed(&game.engine.slots, 3), 4);
    bksi_slots_space(&game.engine.slots, 3);
    bksi_slots_limit(&game.engine.slots, 4);
    assert_int_equal(game.engine.slots.count, 4);
    update(7, 0);
    assert_string_equal(game.string, "H0 V0 I0 S0 H1 I1 S1 H2 I2 S2 H3 V3 I3 S3 H4 I4 S4 H5 I5 S5 "
                                     "H6 V6 I6 S6 H7");
    learn(0);
    learn(0);
    learn(200); // tick 2 lies after the snapshot of tick 0; the newest certain tick is saved
    update(0, 0);
    assert_memory_equal(game.string, "L0 S0 H1 S1 H2 S2 H3 V3 S3", 26);
}

static void snapshot_that_a_rollback_may_need_is_not_overwritten(void **state)
{
    (void)state;
    begin(BKS_SAVE_AUTO, WINDOW, false);
    bksi_slots *slots = &game.engine.slots;
    bksi_slots_limit(slots, 1); // two are least
    bksi_slots_space(slots, 3);
    bksi_slots_saved(slots, 0, 5);
    bksi_slots_saved(slots, 1, 8);
    assert_int_equal(bksi_slots_place(slots, 10, 6, false), -1);
    assert_int_equal(bksi_slots_place(slots, 11, 6, false), 1);
    assert_int_equal(bksi_slots_place(slots, 11, 8, false), 0);
    assert_int_equal(bksi_slots_place(slots, 6, 7, true), -1);
    assert_int_equal(bksi_slots_place(slots, 7, 7, true), 1);
}

static void one_snapshot_lies_a_window_back(void **state)
{
    (void)state;
    begin(BKS_SAVE_ONE, WINDOW, false);
    for (bks_tick t = 0; t < 30; t++) {
        if (t >= 10) {
            learn(0);
        }
        update(t < 10 && t > 6 ? 0 : 1, 0);
    }
    // 27 ticks are stepped and 20 known; the nearest snapshot is that of the newest certain tick.
    assert_int_equal(game.engine.progress.front, 27);
    assert_int_equal(game.engine.slots.ticks[0], 27 - (bks_tick)WINDOW);
    update(1, 0);
    assert_int_equal(game.engine.slots.ticks[0], 20);
    update(0, 0);
    assert_int_equal(game.engine.slots.ticks[0], 20);
}

static void a_resimulated_tick_is_trusted_by_its_hash_alone(void **state)
{
    (void)state;
    begin(BKS_SAVE_EVERY, WINDOW, false);
    bksi_slots *slots = &game.engine.slots;
    for (uint32_t slot = 0; slot < 4; slot++) {
        bksi_slots_saved(slots, slot, 10 * (bks_tick)slot);
    }
    assert_int_equal(bksi_slots_surest(slots, 0, 100), 3);
    assert_int_equal(bksi_slots_surest(slots, 0, 29), 2);
    assert_int_equal(bksi_slots_surest(slots, 11, 19), -1);
    bksi_slots_loaded(slots, 1);
    assert_int_equal(bksi_slots_surest(slots, 0, 100), 1);
    assert_int_equal(bksi_slots_newest(slots, 100), 3); // to roll back to they all do
    bksi_slots_loaded(slots, 3);                        // it was found to be right, and is loaded
    assert_int_equal(bksi_slots_surest(slots, 0, 100), 3);
    assert_int_equal(bksi_slots_surest(slots, 0, 29), 1);
    bksi_slots_saved(slots, 2, 21);
    assert_int_equal(bksi_slots_surest(slots, 0, 29), 2);
}

static void window_that_is_used_up_starves(void **state)
{
    (void)state;
    begin(BKS_SAVE_EVERY, 3, false);
    update(5, 0);
    assert_int_equal(game.engine.progress.front, 3);
    assert_true(game.engine.is_starved);
    update(0, 0);
    assert_false(game.engine.is_starved);
    assert_true(bksi_rollback_is_blocked(&game.engine));
    learn(0);
    update(1, 0);
    assert_int_equal(game.engine.progress.front, 4);
    assert_false(game.engine.is_starved);
}

static void lockstep_steps_what_is_confirmed_and_saves_nothing(void **state)
{
    (void)state;
    begin(BKS_SAVE_AUTO, 0, false);
    update(1, 0);
    assert_string_equal(game.string, "H0 I0");
    assert_true(game.engine.is_starved);
    learn(140);
    update(1, 0);
    assert_string_equal(game.string, "S0 H1");
    assert_int_equal(game.engine.slots.count, 0);
}

static void delay_samples_ahead_and_may_change(void **state)
{
    (void)state;
    begin(BKS_SAVE_EVERY, WINDOW, false);
    update(1, 2);
    assert_string_equal(game.string, "H0 V0 I0 I1 I2 S0 H1 V1");
    game.string[0] = '\0';
    const bksi_schedule raised = {.due_ticks = 1, .delay_ticks = 3, .samples_only = true};
    bks_op op;
    bksi_rollback_schedule(&game.engine, &raised);
    while (bksi_rollback_next(&game.engine, &op)) {
        bks_op_result result = {0};
        note(&op);
        (void)carry_out(&op, &result);
        bksi_rollback_done(&game.engine, &op, &result);
    }
    assert_string_equal(game.string, "I3");
    update(2, 2); // lowered: a step more, and no sample for it
    assert_string_equal(game.string, "S1 H2 V2 I4 S2 H3 V3");
}

static void game_is_asked_for_what_is_not_known(void **state)
{
    (void)state;
    begin(BKS_SAVE_EVERY, WINDOW, true);
    game.guess = 180;
    update(1, 0);
    assert_string_equal(game.string, "H0 V0 I0 P0 S0 H1 V1");
    learn(180);
    update(1, 0);
    assert_string_equal(game.string, "I1 P1 S1 H2 V2");
    learn(181);
    update(0, 0);
    assert_string_equal(game.string, "L1 S1 H2 V2");
}

static void a_tick_in_doubt_is_stepped_again_whatever_is_known(void **state)
{
    (void)state;
    begin(BKS_SAVE_EVERY, WINDOW, true);
    update(4, 0);
    game.guess = 111;
    bksi_rollback_doubt(&game.engine, 2);
    update(0, 0);
    assert_string_equal(game.string, "L2 P2 S2 H3 V3 P3 S3 H4 V4");
}

static void failure_that_came_of_a_guess_is_taken_back(void **state)
{
    (void)state;
    begin(BKS_SAVE_EVERY, WINDOW, false);
    learn(100);
    update(1, 0);
    game.sample = 0;
    learn(254);
    update(1, 0);
    game.failing = BKS_OP_STEP + 1;
    update(2, 0); // ticks 2 and 3, guessed: the first fails, the second passes without the game
    assert_string_equal(game.string, "I2 S2 I3");
    assert_int_equal(game.engine.progress.front, 4);
    assert_true(bksi_rollback_is_spoilt(&game.engine, 3));
    assert_false(bksi_rollback_is_spoilt(&game.engine, game.engine.settled.tick));
    assert_false(bksi_rollback_advances(&game.engine));
    game.failing = 0;
    learn(120);
    update(0, 0);
    assert_string_equal(game.string, "L2 S2 H3 V3 S3 H4 V4");
    assert_false(bksi_rollback_is_spoilt(&game.engine, 4));
}

static void failure_with_the_truth_is_settled(void **state)
{
    (void)state;
    begin(BKS_SAVE_EVERY, WINDOW, false);
    learn(100);
    learn(255);
    update(1, 0);
    update(1, 0);
    assert_int_equal(game.engine.settled.published, 1);
    assert_true(bksi_rollback_is_spoilt(&game.engine, game.engine.settled.tick));
    assert_null(bksi_settled_hash(&game.engine.settled, 2));
}

static void state_that_could_not_be_saved_is_in_no_slot(void **state)
{
    (void)state;
    begin(BKS_SAVE_EVERY, WINDOW, false);
    update(1, 0);
    game.failing = BKS_OP_SAVE + 1;
    update(1, 0);
    assert_string_equal(game.string, "I1 S1 H2 V2");
    assert_int_equal(bksi_slots_newest(&game.engine.slots, 9), 1);
    assert_int_equal(game.engine.slots.ticks[1], 1);
    game.failing = 0;
    learn(200);
    update(1, 0);
    assert_memory_equal(game.string, "L0 S0", 5);
}

static void slot_that_could_not_be_written_holds_nothing(void **state)
{
    (void)state;
    begin(BKS_SAVE_EVERY, WINDOW, false);
    for (uint32_t t = 0; t < 30; t++) {
        learn(0);
        update(1, 0);
    }
    game.failing = BKS_OP_SAVE + 1;
    update(1, 0);
    assert_int_equal(game.engine.slots.kept, game.engine.slots.count - 1);
}

static void hash_is_published_once_the_inputs_are_known(void **state)
{
    (void)state;
    begin(BKS_SAVE_EVERY, WINDOW, false);
    update(4, 0);
    assert_int_equal(game.engine.settled.published, 0);
    learn(0);
    learn(0);
    learn(222);
    assert_int_equal(bksi_rollback_confirmed(&game.engine), 3);
    update(0, 0);
    assert_int_equal(game.engine.settled.published, 3);
    assert_null(bksi_settled_hash(&game.engine.settled, 4));
    const bksi_tick_hash three = *bksi_settled_newest(&game.engine.settled);
    assert_int_equal(three.tick, 3);
    assert_true(three.state == step(0, (const int32_t[]){0, 222}));

    // Pass the inputs at once, without guesses: the same inputs have the same chain.
    bksi_rollback_destroy(&game.engine);
    begin(BKS_SAVE_TWO, WINDOW, false);
    learn(0);
    learn(0);
    learn(222);
    assert_int_equal(bksi_rollback_confirmed(&game.engine), 0); // of player 0 nothing is known
    update(3, 0);
    const bksi_tick_hash *again = bksi_settled_newest(&game.engine.settled);
    assert_true(again->inputs == three.inputs && again->state == three.state);

    // Another input changes the chain even if it does not change the state.
    bksi_rollback_destroy(&game.engine);
    begin(BKS_SAVE_TWO, WINDOW, false);
    learn(0);
    learn(1);
    learn(222);
    update(3, 0);
    again = bksi_settled_newest(&game.engine.settled);
    assert_true(again->inputs != three.inputs && again->state == three.state);
}

static void inputs_of_long_ago_are_gone(void **state)
{
    (void)state;
    begin(BKS_SAVE_EVERY, WINDOW, false);
    assert_true(bksi_rollback_has_room(&game.engine, CAPACITY - 2 * WINDOW - 3));
    assert_false(bksi_rollback_has_room(&game.engine, CAPACITY - 2 * WINDOW - 2));
    for (uint32_t t = 0; t < CAPACITY + 5; t++) {
        learn((int32_t)t);
        update(1, 0);
    }
    assert_true(bksi_rollback_holds(&game.engine, 1, 5));
    assert_false(bksi_rollback_holds(&game.engine, 1, 4));
    assert_false(bksi_rollback_holds(&game.engine, 1, CAPACITY + 5));
    assert_int_equal(*bksi_rollback_known(&game.engine, 1, 7), 7);
    uint8_t packed[PLAYERS];
    bksi_rollback_inputs(&game.engine, CAPACITY + 9, packed);
    assert_int_equal(packed[1], CAPACITY + 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(late_input_resimulates_only_from_the_wrong_tick, end),
        cmocka_unit_test_teardown(oldest_of_several_wrong_ticks_counts, end),
        cmocka_unit_test_teardown(state_that_comes_out_as_before_ends_it_early, end),
        cmocka_unit_test_teardown(it_does_not_end_early_while_later_inputs_changed, end),
        cmocka_unit_test_teardown(every_save_policy_comes_out_the_same, end),
        cmocka_unit_test_teardown(spacing_says_how_far_snapshots_lie_apart, end),
        cmocka_unit_test_teardown(snapshot_that_a_rollback_may_need_is_not_overwritten, end),
        cmocka_unit_test_teardown(one_snapshot_lies_a_window_back, end),
        cmocka_unit_test_teardown(a_resimulated_tick_is_trusted_by_its_hash_alone, end),
        cmocka_unit_test_teardown(window_that_is_used_up_starves, end),
        cmocka_unit_test_teardown(lockstep_steps_what_is_confirmed_and_saves_nothing, end),
        cmocka_unit_test_teardown(delay_samples_ahead_and_may_change, end),
        cmocka_unit_test_teardown(game_is_asked_for_what_is_not_known, end),
        cmocka_unit_test_teardown(a_tick_in_doubt_is_stepped_again_whatever_is_known, end),
        cmocka_unit_test_teardown(failure_that_came_of_a_guess_is_taken_back, end),
        cmocka_unit_test_teardown(failure_with_the_truth_is_settled, end),
        cmocka_unit_test_teardown(state_that_could_not_be_saved_is_in_no_slot, end),
        cmocka_unit_test_teardown(slot_that_could_not_be_written_holds_nothing, end),
        cmocka_unit_test_teardown(hash_is_published_once_the_inputs_are_known, end),
        cmocka_unit_test_teardown(inputs_of_long_ago_are_gone, end),
        cmocka_unit_test_teardown(blobs_are_part_of_the_running_hash_of_inputs, end),
        cmocka_unit_test_teardown(a_match_begins_at_any_tick, end),
        cmocka_unit_test_teardown(before_its_first_input_a_player_has_no_last_tick, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
