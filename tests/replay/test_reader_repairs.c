// SPDX-License-Identifier: MIT

// Recordings of a peer that was repaired: the wrong states are known, and nothing is played from
// them.

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/recording.h"
#include "backstitch/toolkit/runner.h"
#include "backstitch/toolkit/writer.h"
#include "recording.h"

enum { TICKS = 200, FLIPPED = 43, AT = 60, UNTIL = 72, KEY_EVERY = 6, UNKNOWN_EVERY = 5 };

static const bks_replay_repair own = {
    .peer = 1, .from = 0, .bytes = 64, .since = FLIPPED, .tick = AT, .until = UNTIL};
static const bks_replay_repair of_another = {
    .peer = 0, .from = 1, .bytes = 8, .since = 20, .tick = 30, .until = 20};

/// Return the wrong state that the peer had before the repair.
static walk_state wrong_states[UNTIL + 1];
static uint64_t wrong_hashes[UNTIL + 1];

static memory_file file;
static bks_replay *replay;
static bool ends_with_keyframe; ///< there is a keyframe of UNTIL before the repair

static void faulty_step(void *state, const bks_step *step)
{
    walk_game.step(state, step);
    if (step->tick == FLIPPED - 1) {
        ((walk_state *)state)->trail[5000] ^= 0x20;
    }
}

static bks_game faulty_game(void)
{
    bks_game game = walk_game;
    game.step = faulty_step;
    return game;
}

static void play_wrongly(void)
{
    const bks_game game = faulty_game();
    const bks_runner_config config = {.game = &game, .players = WALK_PLAYERS, .seed = WALK_SEED};
    bks_runner *runner = NULL;
    assert_int_equal(bks_runner_create(&config, &runner, NULL), BKS_OK);
    for (bks_tick tick = 0; tick <= UNTIL; tick++) {
        wrong_hashes[tick] = bks_runner_hash(runner);
        memcpy(&wrong_states[tick], bks_runner_state(runner), sizeof(walk_state));
        assert_int_equal(bks_runner_step(runner, tick, walk_what_happened()->inputs[tick], NULL),
                         BKS_OK);
    }
    bks_runner_destroy(runner);
    assert_true(wrong_hashes[FLIPPED] != walk_what_happened()->hashes[FLIPPED]);
    assert_true(wrong_hashes[FLIPPED - 1] == walk_what_happened()->hashes[FLIPPED - 1]);
}

static bool is_wrong(bks_tick tick)
{
    return tick >= FLIPPED && tick < UNTIL;
}

static bool is_known(bks_tick tick)
{
    return tick % UNKNOWN_EVERY != 0;
}

/// Record the repair.
static void write_repair(bks_replay_writer *writer)
{
    bks_replay_agreed agreed[UNTIL - FLIPPED];
    bks_replay_repair repair = own;
    for (bks_tick tick = FLIPPED; tick < UNTIL; tick++) {
        if (is_known(tick)) {
            agreed[repair.agreed_count++] =
                (bks_replay_agreed){tick, walk_what_happened()->hashes[tick]};
        }
    }
    assert_int_equal(bks_replay_writer_repair(writer, &of_another, NULL), BKS_OK);
    assert_int_equal(bks_replay_writer_repair(writer, &repair, agreed), BKS_OK);
}

/// Write a keyframe as soon as it is due, before it is known to be wrong.
static void write_end_of_span(bks_replay_writer *writer)
{
    assert_in_range(bks_replay_writer_keyframe_due(writer), 0, UNTIL);
    assert_int_equal(
        bks_replay_writer_keyframe(writer, UNTIL, &wrong_states[UNTIL], sizeof(walk_state)),
        BKS_OK);
}

static void write_tick(bks_replay_writer *writer, bks_tick tick)
{
    const walk_truth *truth = walk_what_happened();
    const uint64_t *hash = is_wrong(tick) ? &wrong_hashes[tick] : &truth->hashes[tick];
    if (tick == UNTIL) {
        if (ends_with_keyframe) {
            write_end_of_span(writer);
        }
        write_repair(writer);
        assert_true(!ends_with_keyframe || bks_replay_writer_keyframe_due(writer) == BKS_TICK_NONE);
    }
    assert_int_equal(bks_replay_writer_confirm(writer, tick, truth->inputs[tick], hash), BKS_OK);
    const bks_tick due = bks_replay_writer_keyframe_due(writer);
    if (due != BKS_TICK_NONE && due <= tick) {
        const walk_state *state = is_wrong(tick) ? &wrong_states[tick] : &truth->states[tick];
        assert_int_equal(bks_replay_writer_keyframe(writer, tick, state, sizeof(*state)), BKS_OK);
    }
}

static bks_replay_writer *begin(uint32_t keyframe_ticks)
{
    memory_file_init(&file);
    bks_replay_config config = walk_replay_config(memory_file_sink(&file));
    config.detail = (bks_replay_detail){.keyframe_ticks = keyframe_ticks,
                                        .keyframe_bytes = keyframe_ticks > 0 ? 1u << 30 : 0};
    bks_replay_writer *writer = NULL;
    assert_int_equal(bks_replay_writer_create(&config, &writer, NULL), BKS_OK);
    return writer;
}

static void record(uint32_t keyframe_ticks)
{
    play_wrongly();
    bks_replay_writer *writer = begin(keyframe_ticks);
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        write_tick(writer, tick);
    }
    assert_int_equal(bks_replay_writer_finish(writer, &walk_what_happened()->hashes[TICKS]),
                     BKS_OK);
    bks_replay_writer_destroy(writer);
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
}

static int close_recording(void **state)
{
    (void)state;
    bks_replay_close(replay);
    replay = NULL;
    memory_file_free(&file);
    ends_with_keyframe = false;
    return 0;
}

static void repairs_are_listed_as_they_were_written(void **state)
{
    (void)state;
    bks_replay_repair found;
    record(0);
    assert_int_equal(bks_replay_info(replay)->repair_count, 2);
    assert_int_equal(bks_replay_repair_at(replay, 0, &found), BKS_OK);
    assert_memory_equal(&found, &of_another, sizeof(found));
    assert_int_equal(bks_replay_repair_at(replay, 1, &found), BKS_OK);
    assert_int_equal(found.agreed_count, 23);
    found.agreed_count = 0;
    assert_memory_equal(&found, &own, sizeof(found));
}

static void ticks_before_a_repair_of_this_peer_are_reported_from_the_others(void **state)
{
    (void)state;
    record(0);
    for (bks_tick tick = 0; tick <= TICKS; tick++) {
        uint64_t agreed = 1;
        const bks_status status = bks_replay_agreed_hash(replay, tick, &agreed);
        assert_int_equal(bks_replay_is_repaired(replay, tick), is_wrong(tick));
        assert_int_equal(status, is_wrong(tick) && is_known(tick) ? BKS_OK : BKS_ERR_INCOMPLETE);
        assert_true(agreed == (status == BKS_OK ? walk_what_happened()->hashes[tick] : 1));
    }
}

static void what_was_recorded_is_still_there_and_the_right_hash_agrees_too(void **state)
{
    (void)state;
    const walk_truth *truth = walk_what_happened();
    record(0);
    for (bks_tick tick = FLIPPED; tick < UNTIL; tick++) {
        uint64_t hash = 0;
        uint32_t bits = 0;
        assert_int_equal(bks_replay_hash(replay, tick, &hash, &bits), BKS_OK);
        assert_true(hash == (wrong_hashes[tick] & (UINT64_MAX >> (64 - bits))));
        assert_true(bks_replay_hash_agrees(replay, tick, wrong_hashes[tick]));
        assert_true(bks_replay_hash_agrees(replay, tick, truth->hashes[tick]));
        assert_int_equal(bks_replay_hash_agrees(replay, tick, ~wrong_hashes[tick]),
                         !is_known(tick));
    }
    assert_false(bks_replay_hash_agrees(replay, UNTIL, wrong_hashes[UNTIL]));
    assert_false(bks_replay_hash_agrees(replay, FLIPPED - 1, ~truth->hashes[FLIPPED - 1]));
}

static void a_keyframe_comes_with_the_repair(void **state)
{
    (void)state;
    bks_replay_keyframe key;
    record(150);
    assert_int_equal(bks_replay_info(replay)->keyframes, 1);
    assert_int_equal(bks_replay_keyframe_at(replay, 0, &key), BKS_OK);
    assert_in_range(key.tick, UNTIL, UNTIL + 1);
    assert_false(key.is_wrong);
}

static void nothing_is_played_from_a_keyframe_that_was_wrong(void **state)
{
    (void)state;
    const walk_truth *truth = walk_what_happened();
    record(KEY_EVERY);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < bks_replay_info(replay)->keyframes; i++) {
        bks_replay_keyframe key;
        assert_int_equal(bks_replay_keyframe_at(replay, i, &key), BKS_OK);
        assert_int_equal(key.is_wrong, is_wrong(key.tick));
        assert_true(key.is_usable);
        wrong += key.is_wrong;
    }
    assert_int_equal(wrong, 4);
    const bks_playback_config config = {.replay = replay, .game = &walk_game};
    bks_playback *playback = NULL;
    for (bks_tick tick = FLIPPED - 1; tick < UNTIL + 12; tick++) {
        assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_OK);
        assert_int_equal(bks_playback_seek(playback, tick, NULL), BKS_OK);
        assert_true(bks_playback_hash(playback) == truth->hashes[tick]);
        bks_playback_destroy(playback);
    }
}

static void
a_keyframe_of_the_end_of_the_span_is_wrong_where_it_stands_before_the_repair(void **state)
{
    (void)state;
    bks_replay_keyframe key;
    ends_with_keyframe = true;
    record(UNTIL / 2);
    assert_int_equal(bks_replay_keyframe_at(replay, 1, &key), BKS_OK);
    assert_int_equal(key.tick, UNTIL);
    assert_true(key.is_wrong && key.is_usable);
    assert_int_equal(bks_replay_keyframe_at(replay, 2, &key), BKS_OK);
    assert_true(key.tick == UNTIL + 1 && !key.is_wrong);
    assert_false(bks_replay_is_repaired(replay, UNTIL));
    const bks_playback_config config = {.replay = replay, .game = &walk_game};
    bks_playback *playback = NULL;
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_OK);
    assert_int_equal(bks_playback_seek(playback, UNTIL, NULL), BKS_OK);
    assert_true(bks_playback_hash(playback) == walk_what_happened()->hashes[UNTIL]);
    bks_playback_destroy(playback);
    bks_verify_result result;
    assert_int_equal(bks_replay_verify(&config, NULL, &result, NULL), BKS_OK);
    assert_true(result.is_same);
    memory_file copied;
    memory_file_init(&copied);
    const bks_replay_copy_config copying = {
        .replay = replay, .from = 0, .until = TICKS, .sink = memory_file_sink(&copied)};
    assert_int_equal(bks_replay_copy(&copying, NULL, NULL), BKS_OK);
    bks_replay *copy = NULL;
    assert_int_equal(bks_replay_open(copied.bytes, copied.count, NULL, &copy, NULL), BKS_OK);
    const bks_playback_config of_copy = {.replay = copy, .game = &walk_game};
    assert_int_equal(bks_replay_verify(&of_copy, NULL, &result, NULL), BKS_OK);
    bks_replay_close(copy);
    memory_file_free(&copied);
}

static bks_status verify_with(const bks_game *game, bks_verify_result *result, bks_error *error)
{
    const bks_playback_config config = {.replay = replay, .game = game};
    return bks_replay_verify(&config, NULL, result, error);
}

static void verify_compares_the_span_with_what_was_agreed(void **state)
{
    (void)state;
    bks_verify_result result;
    record(KEY_EVERY);
    assert_int_equal(verify_with(&walk_game, &result, NULL), BKS_OK);
    assert_true(result.is_same);
    assert_int_equal(result.stepped, TICKS);
    assert_int_equal(result.compared, TICKS + 1 - (UNTIL - FLIPPED - 23));
    assert_int_equal(result.repaired, 23);
    assert_int_equal(result.repeated, 0);
    assert_int_equal(result.keyframes, bks_replay_info(replay)->keyframes - 4); // as above
}

static void parts_that_verify_do_not_begin_in_the_span(void **state)
{
    (void)state;
    bks_tick untils[16];
    record(KEY_EVERY);
    const bks_playback_config config = {.replay = replay, .game = &walk_game};
    const uint32_t count = bks_replay_split(&config, 16, untils);
    assert_in_range(count, 8, 16);
    for (uint32_t i = 0; i < count; i++) {
        const bks_verify_part part = {.from = i > 0 ? untils[i - 1] + 1 : 0, .until = untils[i]};
        bks_verify_result result;
        assert_false(is_wrong(untils[i]));
        assert_int_equal(bks_replay_verify(&config, &part, &result, NULL), BKS_OK);
    }
}

static void a_fault_that_shows_again_goes_on_from_the_repaired_state(void **state)
{
    (void)state;
    bks_verify_result result;
    bks_error error;
    const bks_game game = faulty_game();
    record(KEY_EVERY);
    assert_int_equal(verify_with(&game, &result, NULL), BKS_OK);
    assert_true(result.is_same);
    assert_int_equal(result.repaired, 23);
    assert_int_equal(result.repeated, 23);
    assert_in_range(result.compared, TICKS - 3, TICKS + 1);
    close_recording(NULL);
    record(0);
    assert_int_equal(verify_with(&game, &result, &error), BKS_ERR_DESYNC);
    assert_int_equal(result.first_different, UNTIL);
    assert_non_null(strstr(error.text, "no keyframe"));
}

static void another_fault_step(void *state, const bks_step *step)
{
    walk_game.step(state, step);
    if (step->tick == 50) {
        ((walk_state *)state)->trail[5001] ^= 0x20;
    }
}

static void a_state_that_is_neither_is_a_difference_in_the_span_too(void **state)
{
    (void)state;
    bks_verify_result result;
    bks_error error;
    bks_game game = walk_game;
    game.step = another_fault_step;
    record(KEY_EVERY);
    assert_int_equal(verify_with(&game, &result, &error), BKS_ERR_DESYNC);
    assert_int_equal(result.first_different, 51);
    assert_non_null(strstr(error.text, "was right"));
}

/// Record the same match as another peer did: with the range of ticks alone, and with another hash
/// at a tick.
static bks_replay *record_other(memory_file *out, bks_tick other_at)
{
    const walk_truth *truth = walk_what_happened();
    bks_replay_writer *writer = begin(KEY_EVERY);
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        const uint64_t hash = truth->hashes[tick] ^ (tick == other_at ? 1 : 0);
        if (tick == UNTIL) {
            bks_replay_repair repair = own;
            repair.until = repair.since;
            assert_int_equal(bks_replay_writer_repair(writer, &repair, NULL), BKS_OK);
        }
        assert_int_equal(bks_replay_writer_confirm(writer, tick, truth->inputs[tick], &hash),
                         BKS_OK);
        const bks_tick due = bks_replay_writer_keyframe_due(writer);
        if (due != BKS_TICK_NONE && due <= tick) {
            assert_int_equal(
                bks_replay_writer_keyframe(writer, tick, &truth->states[tick], sizeof(walk_state)),
                BKS_OK);
        }
    }
    assert_int_equal(bks_replay_writer_finish(writer, &truth->hashes[TICKS]), BKS_OK);
    bks_replay_writer_destroy(writer);
    *out = file;
    bks_replay *other = NULL;
    assert_int_equal(bks_replay_open(out->bytes, out->count, NULL, &other, NULL), BKS_OK);
    return other;
}

static bks_replay_comparison compare_with_other(bks_tick other_at)
{
    memory_file others;
    bks_replay_comparison found;
    bks_replay *other = record_other(&others, other_at);
    assert_false(bks_replay_is_repaired(other, AT));
    record(KEY_EVERY);
    assert_int_equal(bks_replay_compare(replay, other, &found, NULL), BKS_OK);
    bks_replay_close(other);
    memory_file_free(&others);
    return found;
}

static void recordings_of_both_peers_differ_nowhere_outside_the_span(void **state)
{
    (void)state;
    const bks_replay_comparison found = compare_with_other(BKS_TICK_NONE);
    assert_int_equal(found.hash_tick, BKS_TICK_NONE);
    assert_int_equal(found.state_tick, BKS_TICK_NONE);
    assert_int_equal(found.repaired, UNTIL - FLIPPED);
    assert_int_equal(found.inputs_compared, TICKS);
    assert_int_equal(found.hashes_compared, TICKS + 1 - (UNTIL - FLIPPED - 23));
    assert_in_range(found.states_compared, 10, 40);
}

static void what_was_agreed_must_be_what_the_other_recorded(void **state)
{
    (void)state;
    const bks_replay_comparison found = compare_with_other(51);
    assert_int_equal(found.hash_tick, 51);
    assert_true(found.hash_a == (walk_what_happened()->hashes[51] & 0xffff));
}

static void a_copy_keeps_the_repairs_of_its_ticks(void **state)
{
    (void)state;
    const bks_tick parts[][2] = {{20, 50}, {30, 80}, {54, 100}, {80, 150}};
    const uint32_t counts[] = {2, 1, 1, 0};
    record(KEY_EVERY);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        memory_file copied;
        memory_file_init(&copied);
        const bks_replay_copy_config config = {.replay = replay,
                                               .from = parts[i][0],
                                               .until = parts[i][1],
                                               .state = &walk_what_happened()->states[parts[i][0]],
                                               .state_bytes = sizeof(walk_state),
                                               .sink = memory_file_sink(&copied)};
        assert_int_equal(bks_replay_copy(&config, NULL, NULL), BKS_OK);
        bks_replay *copy = NULL;
        assert_int_equal(bks_replay_open(copied.bytes, copied.count, NULL, &copy, NULL), BKS_OK);
        assert_int_equal(bks_replay_info(copy)->repair_count, counts[i]);
        const bks_playback_config playing = {.replay = copy, .game = &walk_game};
        bks_verify_result result;
        assert_int_equal(bks_replay_verify(&playing, NULL, &result, NULL), BKS_OK);
        for (bks_tick tick = parts[i][0]; tick < parts[i][1]; tick++) {
            assert_int_equal(bks_replay_is_repaired(copy, tick), is_wrong(tick));
        }
        bks_replay_close(copy);
        memory_file_free(&copied);
    }
}

static void a_copy_does_not_begin_with_a_wrong_keyframe(void **state)
{
    (void)state;
    bks_replay_keyframe key = {0};
    record(KEY_EVERY);
    for (uint32_t i = 0; !key.is_wrong; i++) {
        assert_int_equal(bks_replay_keyframe_at(replay, i, &key), BKS_OK);
    }
    memory_file copied;
    memory_file_init(&copied);
    const bks_replay_copy_config config = {
        .replay = replay, .from = key.tick, .sink = memory_file_sink(&copied)};
    assert_int_equal(bks_replay_copy(&config, NULL, NULL), BKS_ERR_INCOMPLETE);
    memory_file_free(&copied);
}

static void repairs_come_in_order_and_of_confirmed_ticks(void **state)
{
    (void)state;
    const walk_truth *truth = walk_what_happened();
    bks_replay_writer *writer = begin(0);
    for (bks_tick tick = 0; tick < UNTIL; tick++) {
        assert_int_equal(
            bks_replay_writer_confirm(writer, tick, truth->inputs[tick], &truth->hashes[tick]),
            BKS_OK);
    }
    bks_replay_repair repair = own;
    repair.until = UNTIL + 1;
    assert_int_equal(bks_replay_writer_repair(writer, &repair, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_writer_repair(writer, &own, NULL), BKS_OK);
    repair = own;
    repair.since--;
    assert_int_equal(bks_replay_writer_repair(writer, &repair, NULL), BKS_ERR_BAD_ARGUMENT);
    repair = own;
    repair.until--;
    assert_int_equal(bks_replay_writer_repair(writer, &repair, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_writer_repair(writer, &of_another, NULL), BKS_OK);
    assert_int_equal(bks_replay_writer_repair(writer, NULL, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_writer_repair(NULL, &own, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_writer_finish(writer, NULL), BKS_OK);
    assert_int_equal(bks_replay_writer_repair(writer, &of_another, NULL), BKS_ERR_BAD_ARGUMENT);
    bks_replay_writer_destroy(writer);
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
    assert_int_equal(bks_replay_info(replay)->repair_count, 2);
}

static void misuse_is_refused(void **state)
{
    (void)state;
    bks_replay_repair repair;
    uint64_t hash = 0;
    record(0);
    assert_int_equal(bks_replay_repair_at(NULL, 0, &repair), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_repair_at(replay, 0, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_repair_at(replay, 2, &repair), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_agreed_hash(NULL, 0, &hash), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_agreed_hash(replay, 0, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_false(bks_replay_is_repaired(NULL, AT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(repairs_are_listed_as_they_were_written, close_recording),
        cmocka_unit_test_teardown(ticks_before_a_repair_of_this_peer_are_reported_from_the_others,
                                  close_recording),
        cmocka_unit_test_teardown(what_was_recorded_is_still_there_and_the_right_hash_agrees_too,
                                  close_recording),
        cmocka_unit_test_teardown(a_keyframe_comes_with_the_repair, close_recording),
        cmocka_unit_test_teardown(nothing_is_played_from_a_keyframe_that_was_wrong,
                                  close_recording),
        cmocka_unit_test_teardown(
            a_keyframe_of_the_end_of_the_span_is_wrong_where_it_stands_before_the_repair,
            close_recording),
        cmocka_unit_test_teardown(verify_compares_the_span_with_what_was_agreed, close_recording),
        cmocka_unit_test_teardown(parts_that_verify_do_not_begin_in_the_span, close_recording),
        cmocka_unit_test_teardown(a_fault_that_shows_again_goes_on_from_the_repaired_state,
                                  close_recording),
        cmocka_unit_test_teardown(a_state_that_is_neither_is_a_difference_in_the_span_too,
                                  close_recording),
        cmocka_unit_test_teardown(recordings_of_both_peers_differ_nowhere_outside_the_span,
                                  close_recording),
        cmocka_unit_test_teardown(what_was_agreed_must_be_what_the_other_recorded, close_recording),
        cmocka_unit_test_teardown(a_copy_keeps_the_repairs_of_its_ticks, close_recording),
        cmocka_unit_test_teardown(a_copy_does_not_begin_with_a_wrong_keyframe, close_recording),
        cmocka_unit_test_teardown(repairs_come_in_order_and_of_confirmed_ticks, close_recording),
        cmocka_unit_test_teardown(misuse_is_refused, close_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
