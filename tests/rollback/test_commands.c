// SPDX-License-Identifier: MIT

// Tests engines of several peers in one process, which get each other's fields and blobs late. All
// must step the same commands at the same ticks, and none may ever wait for room.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "rollback/engine.h"
#include "support/seed.h"

enum {
    PEERS = 3,
    WINDOW = 8,
    DELAY = 4,
    AHEAD = WINDOW + DELAY + 1,
    CAPACITY = 1024,
    ROOM = 4000,
    LONGEST = 600,
    ROUNDS = 6000,
    BYTES_MAX = 1 << 22,
};

static const bks_field fields[] = {{.name = "aim", .bits = 8}};

/// Inputs and blobs that a player sampled, in the order of ticks.
typedef struct past {
    uint8_t aims[ROUNDS + 64];
    uint32_t ends[ROUNDS + 64]; ///< end of each tick's blob in `bytes`
    uint8_t *bytes;
    bks_tick head;
    uint32_t read; ///< number of bytes that the reference has stepped
} past;

typedef struct machine {
    bksi_rollback engine;
    uint64_t state;
    uint64_t slots[WINDOW + 2];
    uint64_t kept[BKS_KEPT_SLOTS_MAX];
    bks_tick compared; ///< number of published ticks compared with the reference
    bks_tick held;
} machine;

static bksi_layout layout;
static machine machines[PEERS];
static past pasts[PEERS];
static uint64_t reference[ROUNDS + 64]; ///< states at the start of ticks
static bks_tick reference_tick;
static bool has_meetings;

static uint64_t mix(uint64_t state, uint64_t number)
{
    return bksi_hash64_pair(state, number);
}

/// Return the state after a step with the inputs and commands of the operation STEP.
static uint64_t step(uint64_t state, const int32_t *inputs, const bks_commands *commands)
{
    for (uint32_t p = 0; p < PEERS; p++) {
        state = inputs[p] >= 128 ? mix(state, (uint64_t)inputs[p]) : state;
        const uint8_t *at = commands != NULL ? commands[p].bytes : NULL;
        const uint8_t *end = commands != NULL ? at + commands[p].count : NULL;
        while (at < end) {
            const uint32_t count = at[0] | (uint32_t)at[1] << 8;
            state = mix(state, bksi_hash64(at + 2, count, 7 + p));
            at += 2 + count;
        }
        assert_ptr_equal(at, end);
    }
    return state;
}

/// Step the reference by the bytes that the players sampled, without any engine.
static void step_reference(void)
{
    const bks_tick tick = reference_tick;
    uint64_t state = reference[tick];
    for (uint32_t p = 0; p < PEERS; p++) {
        past *it = &pasts[p];
        state = it->aims[tick] >= 128 ? mix(state, it->aims[tick]) : state;
        for (;;) {
            const uint8_t *at = it->bytes + it->read;
            const uint32_t left = it->ends[tick] - it->read;
            const uint32_t count = left >= 2 ? at[0] | (uint32_t)at[1] << 8 : 0;
            if (left < 2 || left < 2 + count) {
                break;
            }
            state = mix(state, bksi_hash64(at + 2, count, 7 + p));
            it->read += 2 + count;
        }
    }
    reference[++reference_tick] = state;
}

static void begin(bool meets)
{
    has_meetings = meets;
    reference_tick = 0;
    reference[0] = 1;
    assert_int_equal(bksi_layout_init(&layout, fields, 1, NULL), BKS_OK);
    const bksi_rollback_config config = {
        .layout = &layout,
        .players_max = PEERS,
        .capacity_ticks = CAPACITY,
        .window_ticks = WINDOW,
        .save = BKS_SAVE_EVERY,
        .keep_ticks = 64,
        .commands = {.bytes_max = LONGEST,
                     .room_bytes = ROOM,
                     .room_ticks = meets ? BKSI_HELD_TICKS_MAX + 2 * AHEAD : 3 * AHEAD},
    };
    for (uint32_t i = 0; i < PEERS; i++) {
        pasts[i] = (past){.bytes = malloc(BYTES_MAX)};
        machines[i] = (machine){.state = 1, .held = BKS_TICK_NONE};
        assert_int_equal(bksi_rollback_create(&machines[i].engine, &config, NULL), BKS_OK);
        const bksi_rollback_match match = {.players = PEERS,
                                           .first_local = i,
                                           .local_count = 1,
                                           .hash_every = 1,
                                           .has_others = true};
        bksi_rollback_begin(&machines[i].engine, 0);
        bksi_rollback_start(&machines[i].engine, &match);
    }
}

static void finish(void)
{
    for (uint32_t i = 0; i < PEERS; i++) {
        bksi_rollback_destroy(&machines[i].engine);
        free(pasts[i].bytes);
    }
}

static void carry_out(machine *it, const bks_op *op, bks_op_result *result, int32_t *aim)
{
    switch (op->kind) {
    case BKS_OP_SAMPLE:
        *aim = (int32_t)seed_below(256);
        result->input = aim;
        break;
    case BKS_OP_SAVE:
        it->slots[op->slot] = it->state;
        break;
    case BKS_OP_LOAD:
        it->state = it->slots[op->slot];
        break;
    case BKS_OP_STEP:
        it->state = step(it->state, op->inputs, op->commands);
        break;
    case BKS_OP_HASH:
        result->hash = it->state;
        result->is_kept = op->keep != BKS_KEEP_NONE;
        if (result->is_kept) {
            it->kept[op->keep] = it->state;
        }
        break;
    case BKS_OP_RESTORE:
        it->state = it->kept[op->keep];
        result->state_bytes = 8;
        break;
    default:
        fail_msg("operation %d", (int)op->kind);
    }
}

/// Copy what a player sampled since the last call, before the log overwrites it.
static void note_sampled(uint32_t player)
{
    const bksi_rollback *engine = &machines[player].engine;
    past *it = &pasts[player];
    for (; it->head < bksi_rollback_head(engine, player); it->head++) {
        const bksi_blob blob = bksi_command_log_blob(&engine->known.commands, player, it->head);
        const uint32_t from = it->head > 0 ? it->ends[it->head - 1] : 0;
        it->aims[it->head] = *bksi_rollback_known(engine, player, it->head);
        it->ends[it->head] = from + blob.count;
        assert_true(it->ends[it->head] <= BYTES_MAX);
        memcpy(it->bytes + from, blob.bytes, blob.count);
    }
}

/// Queue a few commands, or in a burst as many as there is room for.
static void give_commands(machine *it)
{
    static const uint8_t bytes[LONGEST] = {1, 2, 3};
    const bool is_burst = seed_below(20) == 0;
    for (uint32_t left = is_burst ? 1000 : seed_below(3); left > 0; left--) {
        const uint32_t count = 1 + seed_below(is_burst ? LONGEST : 20);
        if (!bksi_rollback_has_room_for(&it->engine, 0, count)) {
            return;
        }
        bksi_command_queue_put(bksi_rollback_queue(&it->engine, 0),
                               bytes + seed_below(LONGEST - count + 1), count);
    }
}

static void update(uint32_t number, uint32_t due)
{
    machine *it = &machines[number];
    bks_op op;
    int32_t aim;
    give_commands(it);
    bksi_rollback_schedule(&it->engine, &(bksi_schedule){.due_ticks = due,
                                                         .delay_ticks = seed_below(DELAY + 1),
                                                         .command_bytes = UINT32_MAX});
    while (bksi_rollback_next(&it->engine, &op)) {
        bks_op_result result = {0};
        carry_out(it, &op, &result, &aim);
        bksi_rollback_done(&it->engine, &op, &result);
        note_sampled(number);
    }
    bksi_rollback_settle(&it->engine);
}

/// Pass the next ticks of a player on to a machine, at most `most`.
static void deliver(uint32_t to, uint32_t player, uint32_t most)
{
    bksi_rollback *engine = &machines[to].engine;
    const past *it = &pasts[player];
    for (; most > 0 && bksi_rollback_head(engine, player) < it->head; most--) {
        const bks_tick tick = bksi_rollback_head(engine, player);
        const uint32_t from = tick > 0 ? it->ends[tick - 1] : 0;
        const bksi_blob blob = {.bytes = it->bytes + from, .count = it->ends[tick] - from};
        assert_true(bksi_rollback_has_room(engine, tick));
        assert_true(bksi_rollback_admits(engine, player, &blob)); // there is room for every blob
        bksi_rollback_append(engine, player, &it->aims[tick], &blob);
    }
}

/// Now and then hold a tick back. Some time later, at the latest when the engine cannot go on, load
/// its state and step from there again, as after a repair.
static void meet(machine *it)
{
    bksi_rollback *engine = &it->engine;
    if (it->held == BKS_TICK_NONE && seed_below(100) == 0) {
        it->held = bksi_rollback_published(engine) + 1 + (bks_tick)seed_below(3);
        bksi_rollback_hold(engine, it->held);
    } else if (it->held != BKS_TICK_NONE && bksi_rollback_waiting(engine) != NULL &&
               (bksi_rollback_is_held_up(engine) || seed_below(400) == 0)) {
        assert_true(bksi_rollback_can_restore(engine));
        bksi_rollback_restore(engine, bksi_rollback_waiting(engine)->state);
        bksi_rollback_let_go(engine, true);
        it->held = BKS_TICK_NONE;
    }
}

static void compare(machine *it)
{
    for (; it->compared <= bksi_rollback_published(&it->engine); it->compared++) {
        const bksi_tick_hash *hash = bksi_rollback_hash(&it->engine, it->compared);
        assert_non_null(hash);
        assert_true(hash->state == reference[it->compared]);
        const bksi_tick_hash *first = bksi_rollback_hash(&machines[0].engine, it->compared);
        assert_true(first == NULL || first->inputs == hash->inputs);
    }
}

static void play_round(uint32_t round)
{
    const bool is_held_up = round / 40 % 3 == 0; // most deliveries come later
    for (uint32_t i = 0; i < PEERS; i++) {
        for (uint32_t p = 0; p < PEERS; p++) {
            if (p != i && !(is_held_up && seed_below(8) > 0)) {
                deliver(i, p, seed_below(6));
            }
        }
        update(i, seed_below(3));
        if (has_meetings) {
            meet(&machines[i]);
        }
    }
    while (reference_tick < ROUNDS && pasts[0].head > reference_tick &&
           pasts[1].head > reference_tick && pasts[2].head > reference_tick) {
        step_reference();
    }
    for (uint32_t i = 0; i < PEERS; i++) {
        compare(&machines[i]);
    }
}

/// Deliver all bytes, then assert that every peer whose window allows it steps on.
static void all_move_on(void)
{
    for (uint32_t i = 0; i < PEERS; i++) {
        for (uint32_t p = 0; p < PEERS; p++) {
            deliver(i, p, p == i ? 0 : ROUNDS);
        }
    }
    bks_tick least = BKS_FIRST_TICK_MAX;
    for (uint32_t p = 0; p < PEERS; p++) {
        least = pasts[p].head < least ? pasts[p].head : least;
    }
    for (uint32_t i = 0; i < PEERS; i++) {
        bksi_rollback *engine = &machines[i].engine;
        if (!bksi_rollback_is_held_up(engine)) {
            const bks_tick front = bksi_rollback_front(engine);
            assert_int_equal(bksi_rollback_confirmed(engine), least);
            update(i, 1);
            assert_true(bksi_rollback_front(engine) > front || front - least >= WINDOW);
        }
    }
}

static void play(bool meets)
{
    begin(meets);
    uint64_t burst = 0;
    for (uint32_t round = 0; reference_tick < (bks_tick)seed_rounds(ROUNDS) - 64; round++) {
        play_round(round);
        if (round % 50 == 0) {
            all_move_on();
        }
        assert_true(round < 20 * ROUNDS);
    }
    for (uint32_t i = 0; i < PEERS; i++) {
        burst += pasts[i].ends[pasts[i].head - 1];
        assert_true(machines[i].engine.progress.counts.rollbacks > 0);
        assert_true(machines[i].compared > reference_tick / 2);
    }
    assert_true(burst * ROUNDS > UINT64_C(10) * ROOM * seed_rounds(ROUNDS));
    finish();
}

static void all_step_the_same_commands_at_the_same_ticks_and_always_move_on(void **state)
{
    (void)state;
    play(false);
}

static void a_tick_held_back_for_a_meeting_can_be_restored_with_all_its_commands(void **state)
{
    (void)state;
    play(true);
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 31);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_step_the_same_commands_at_the_same_ticks_and_always_move_on),
        cmocka_unit_test(a_tick_held_back_for_a_meeting_can_be_restored_with_all_its_commands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
