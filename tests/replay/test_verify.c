// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/recording.h"
#include "recording.h"

static memory_file file;
static bks_replay *replay;

static void record(bks_tick ticks, bool finish)
{
    memory_file_init(&file);
    walk_record(&file, ticks, finish);
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
}

static int close_recording(void **state)
{
    (void)state;
    bks_replay_close(replay);
    memory_file_free(&file);
    return 0;
}

static bks_status verify_with(const bks_game *game, bks_tick from, bks_verify_result *result,
                              bks_error *error)
{
    const bks_playback_config config = {.replay = replay, .game = game};
    const bks_verify_part part = {.from = from};
    return bks_replay_verify(&config, &part, result, error);
}

static void complete_recording_is_the_same_to_its_last_hash(void **state)
{
    (void)state;
    bks_verify_result result;
    record(100, true);
    assert_int_equal(verify_with(&walk_game, 0, &result, NULL), BKS_OK);
    assert_true(result.is_same);
    assert_int_equal(result.stepped, 100);
    assert_int_equal(result.compared, 101);
    assert_int_equal(result.first_different, BKS_TICK_NONE);
}

static void stopped_recording_is_the_same_as_far_as_it_is_confirmed(void **state)
{
    (void)state;
    bks_verify_result result;
    record(100, false);
    assert_int_equal(verify_with(&walk_game, 0, &result, NULL), BKS_OK);
    assert_int_equal(result.stepped, 100 - WALK_LAG - 1);
    assert_int_equal(result.compared, 100 - WALK_LAG - 1);
}

static void changed_step(void *state, const bks_step *step)
{
    walk_game.step(state, step);
    if (step->tick == 42) {
        ((walk_state *)state)->trail[5000] ^= 0x20;
    }
}

static void changed_game_is_found_at_its_first_tick(void **state)
{
    (void)state;
    bks_game changed = walk_game;
    bks_verify_result result;
    bks_error error;
    record(100, true);
    changed.step = changed_step;
    assert_int_equal(verify_with(&changed, 0, &result, &error), BKS_ERR_DESYNC);
    assert_false(result.is_same);
    assert_int_equal(result.first_different, 43);
    assert_int_equal(result.stepped, 43);
    assert_int_equal(result.recorded_bits, 16);
    assert_int_equal(result.recorded, walk_what_happened()->hashes[43] & 0xffff);
    assert_non_null(strstr(error.text, "tick 43"));
    assert_int_equal(verify_with(&changed, 60, &result, &error), BKS_ERR_DESYNC);
    assert_int_equal(result.first_different, 60);
    assert_int_equal(result.recorded_bits, 64);
}

static void changed_init(void *state, const bks_start *start)
{
    walk_game.init(state, start);
    ((walk_state *)state)->trail[8900] = 1;
}

static void add_some(const void *state, bks_hasher *hasher)
{
    const walk_state *walk = state;
    bks_hash_add(hasher, walk->x, sizeof(walk->x));
}

static void changed_init_is_found_with_its_page(void **state)
{
    (void)state;
    bks_game changed = walk_game;
    bks_verify_result result;
    bks_error error;
    record(30, true);
    changed.init = changed_init;
    assert_int_equal(verify_with(&changed, 0, &result, &error), BKS_ERR_DESYNC);
    assert_int_equal(result.first_different, 0);
    assert_int_equal(result.recorded_bits, 0);
    assert_int_equal(result.page, 2);
    assert_int_equal(result.stepped, 0);
    assert_non_null(strstr(error.text, "page 2"));
    // The pages of a game with its own hash function are not compared.
    changed.hash = add_some;
    assert_int_equal(verify_with(&changed, 0, &result, &error), BKS_ERR_DESYNC);
    assert_int_equal(result.first_different, 0);
    assert_int_equal(result.recorded_bits, 64);
}

static void damage_comes_before_all_else(void **state)
{
    (void)state;
    bks_verify_result result;
    bks_error error;
    memory_file_init(&file);
    walk_record(&file, 100, true);
    const size_t changed_at = file.count - 100;
    file.bytes[changed_at] ^= 1;
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_ERR_DAMAGED);
    assert_int_equal(verify_with(&walk_game, 0, &result, &error), BKS_ERR_DAMAGED);
    assert_true(result.is_same);
    assert_int_equal(result.stepped, 80); // the fifth second is damaged
    assert_in_range(error.offset_bytes, changed_at - 200, changed_at);
    bks_game changed = walk_game;
    changed.step = changed_step;
    assert_int_equal(verify_with(&changed, 0, &result, &error), BKS_ERR_DAMAGED);
    assert_false(result.is_same);
    assert_int_equal(result.first_different, 43);
}

static void comparing_from_a_tick_on_steps_all_and_compares_the_rest(void **state)
{
    (void)state;
    bks_verify_result result;
    record(100, true);
    assert_int_equal(verify_with(&walk_game, 70, &result, NULL), BKS_OK);
    assert_int_equal(result.stepped, 100);
    assert_int_equal(result.compared, 31);
    assert_int_equal(verify_with(&walk_game, 101, &result, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(verify_with(&walk_game, -1, &result, NULL), BKS_ERR_BAD_ARGUMENT);
}

static bool stop_at_64(void *context, bks_tick done, bks_tick total)
{
    assert_int_equal(total, 100);
    *(bks_tick *)context = done;
    return done < 64;
}

static void progress_may_end_it(void **state)
{
    (void)state;
    bks_tick stopped = -1;
    bks_verify_result result;
    record(100, true);
    const bks_playback_config config = {.replay = replay, .game = &walk_game};
    const bks_verify_part part = {.progress = stop_at_64, .context = &stopped};
    assert_int_equal(bks_replay_verify(&config, &part, &result, NULL), BKS_OVER);
    assert_int_equal(stopped, 64);
}

static void record_with_keyframes(bks_tick ticks)
{
    const bks_replay_detail detail = {.keyframe_ticks = 10, .keyframe_bytes = 1 << 24};
    memory_file_init(&file);
    walk_record_with(&file, ticks, true, &detail);
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
}

static void a_part_ends_where_it_should(void **state)
{
    (void)state;
    bks_game changed = walk_game;
    bks_verify_result result;
    record(100, true);
    changed.step = changed_step;
    const bks_playback_config config = {.replay = replay, .game = &changed};
    bks_verify_part part = {.from = 10, .until = 42};
    assert_int_equal(bks_replay_verify(&config, &part, &result, NULL), BKS_OK);
    assert_int_equal(result.stepped, 42);
    assert_int_equal(result.compared, 33);
    part.until = 43;
    assert_int_equal(bks_replay_verify(&config, &part, &result, NULL), BKS_ERR_DESYNC);
    assert_int_equal(result.first_different, 43);
}

static void state_at_a_keyframe_is_stepped_to(void **state)
{
    (void)state;
    bks_game changed = walk_game;
    bks_verify_result result;
    record_with_keyframes(100);
    bks_replay_keyframe keyframe;
    uint32_t index = 0;
    do { // the first one behind what the changed game does
        assert_int_equal(bks_replay_keyframe_at(replay, index++, &keyframe), BKS_OK);
    } while (keyframe.tick < 43);
    changed.step = changed_step;
    assert_int_equal(verify_with(&changed, keyframe.tick, &result, NULL), BKS_ERR_DESYNC);
    assert_int_equal(result.first_different, keyframe.tick);
}

/// Verify part after part.
/// @return the first tick that differs
static bks_tick verify_split(const bks_game *game, uint32_t parts, bks_verify_result *sum)
{
    const bks_playback_config config = {.replay = replay, .game = game};
    bks_tick untils[8];
    const uint32_t count = bks_replay_split(&config, parts, untils);
    assert_in_range(count, 1, parts);
    *sum = (bks_verify_result){.first_different = BKS_TICK_NONE};
    for (uint32_t i = 0; i < count; i++) {
        const bks_verify_part part = {.from = i > 0 ? untils[i - 1] + 1 : 0, .until = untils[i]};
        bks_verify_result result;
        const bks_status status = bks_replay_verify(&config, &part, &result, NULL);
        assert_int_equal(status, result.is_same ? BKS_OK : BKS_ERR_DESYNC);
        sum->stepped += result.stepped;
        sum->compared += result.compared;
        sum->keyframes += result.keyframes;
        if (!result.is_same && sum->first_different == BKS_TICK_NONE) {
            sum->first_different = result.first_different;
        }
    }
    return sum->first_different;
}

static void parts_together_compare_as_much_as_the_whole(void **state)
{
    (void)state;
    bks_verify_result whole;
    bks_verify_result sum;
    record_with_keyframes(300);
    assert_int_equal(verify_with(&walk_game, 0, &whole, NULL), BKS_OK);
    for (uint32_t parts = 1; parts <= 8; parts++) {
        assert_int_equal(verify_split(&walk_game, parts, &sum), BKS_TICK_NONE);
        assert_int_equal(sum.stepped, 300);
        assert_int_equal(sum.compared, 301);
        assert_int_equal(sum.keyframes, whole.keyframes);
    }
    bks_game changed = walk_game;
    changed.step = changed_step;
    assert_int_equal(verify_split(&changed, 8, &sum), 43);
}

static void parts_are_about_alike(void **state)
{
    (void)state;
    bks_tick untils[4];
    record_with_keyframes(300);
    const bks_playback_config config = {.replay = replay, .game = &walk_game};
    assert_int_equal(bks_replay_split(&config, 4, untils), 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_in_range(untils[i] - (i > 0 ? untils[i - 1] : 0), 60, 90);
    }
    assert_int_equal(untils[3], 300);
}

static void ticks_without_proven_keyframes_are_one_part(void **state)
{
    (void)state;
    bks_tick untils[4];
    record_with_keyframes(300);
    bks_game other = walk_game;
    other.hash = add_some;
    bks_playback_config config = {.replay = replay, .game = &other};
    assert_int_equal(bks_replay_split(&config, 4, untils), 1);
    assert_int_equal(untils[0], 300);
    config = (bks_playback_config){
        .replay = replay, .game = &walk_game, .perspective = BKS_PERSPECTIVE_PLAYER};
    assert_int_equal(bks_replay_split(&config, 4, untils), 1);
}

static void misuse_is_refused(void **state)
{
    (void)state;
    bks_verify_result result;
    record(1, true);
    bks_playback_config config = {.replay = replay, .game = &walk_game};
    assert_int_equal(bks_replay_verify(NULL, NULL, &result, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_verify(&config, NULL, NULL, NULL), BKS_ERR_BAD_ARGUMENT);
    config.from_recorded_state = true;
    assert_int_equal(bks_replay_verify(&config, NULL, &result, NULL), BKS_ERR_BAD_ARGUMENT);
    config = (bks_playback_config){.game = &walk_game};
    assert_int_equal(bks_replay_verify(&config, NULL, &result, NULL), BKS_ERR_BAD_ARGUMENT);
    config = (bks_playback_config){.replay = replay};
    assert_int_equal(bks_replay_verify(&config, NULL, &result, NULL), BKS_ERR_BAD_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(complete_recording_is_the_same_to_its_last_hash, close_recording),
        cmocka_unit_test_teardown(stopped_recording_is_the_same_as_far_as_it_is_confirmed,
                                  close_recording),
        cmocka_unit_test_teardown(changed_game_is_found_at_its_first_tick, close_recording),
        cmocka_unit_test_teardown(changed_init_is_found_with_its_page, close_recording),
        cmocka_unit_test_teardown(damage_comes_before_all_else, close_recording),
        cmocka_unit_test_teardown(comparing_from_a_tick_on_steps_all_and_compares_the_rest,
                                  close_recording),
        cmocka_unit_test_teardown(progress_may_end_it, close_recording),
        cmocka_unit_test_teardown(a_part_ends_where_it_should, close_recording),
        cmocka_unit_test_teardown(state_at_a_keyframe_is_stepped_to, close_recording),
        cmocka_unit_test_teardown(parts_together_compare_as_much_as_the_whole, close_recording),
        cmocka_unit_test_teardown(parts_are_about_alike, close_recording),
        cmocka_unit_test_teardown(ticks_without_proven_keyframes_are_one_part, close_recording),
        cmocka_unit_test_teardown(misuse_is_refused, close_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
