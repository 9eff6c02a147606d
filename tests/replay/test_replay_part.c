// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Recordings that begin at a later tick: a part of another one, or a match that was continued.

#include "backstitch/toolkit/writer.h"
#include "base/bytes.h"
#include "recording.h"
#include "replay/format/replay_format.h"
#include "replay/play/playback_parts.h"

#define FIRST 137
#define TICKS 300

static memory_file file;
static bks_replay *replay;
static uint32_t keyframe_ticks = 20;
static uint32_t refused; ///< number of states that the game refused

/// Record the ticks FIRST to TICKS of the match.
static int record_part(void **state)
{
    (void)state;
    const walk_truth *truth = walk_what_happened();
    memory_file_init(&file);
    bks_replay_config config = walk_replay_config(memory_file_sink(&file));
    config.first_tick = FIRST;
    config.state = &truth->states[FIRST];
    config.page_hashes = NULL;
    config.detail =
        (bks_replay_detail){.keyframe_ticks = keyframe_ticks, .keyframe_bytes = 1u << 30};
    bks_replay_writer *writer = NULL;
    assert_int_equal(bks_replay_writer_create(&config, &writer, NULL), BKS_OK);
    assert_int_equal(bks_replay_writer_use(writer, 0, 1, truth->inputs[0]), BKS_ERR_BAD_ARGUMENT);
    for (bks_tick tick = FIRST; tick < TICKS; tick++) {
        assert_int_equal(bks_replay_writer_use(writer, tick, 1, truth->inputs[tick]), BKS_OK);
        assert_int_equal(
            bks_replay_writer_confirm(writer, tick, truth->inputs[tick], &truth->hashes[tick]),
            BKS_OK);
        const bks_tick due = bks_replay_writer_keyframe_due(writer);
        if (due != BKS_TICK_NONE) {
            assert_int_equal(bks_replay_writer_keyframe(writer, tick + 1, &truth->states[tick + 1],
                                                        sizeof(walk_state)),
                             BKS_OK);
        }
    }
    assert_int_equal(bks_replay_writer_finish(writer, &truth->hashes[TICKS]), BKS_OK);
    bks_replay_writer_destroy(writer);
    return bks_replay_open(file.bytes, file.count, NULL, &replay, NULL) == BKS_OK ? 0 : -1;
}

static int forget(void **state)
{
    (void)state;
    bks_replay_close(replay);
    memory_file_free(&file);
    return 0;
}

static void a_part_states_its_ticks(void **state)
{
    (void)state;
    const bks_recording *info = bks_replay_info(replay);
    assert_int_equal(info->first, FIRST);
    assert_int_equal(info->ticks, TICKS);
    assert_int_equal(info->confirmed, TICKS);
    assert_int_equal(info->end, TICKS);
    assert_int_equal(info->keyframes, (TICKS - FIRST) / 20);
    assert_true(info->is_complete);
    walk_assert_true(replay);
    int32_t values[WALK_VALUES];
    assert_int_equal(bks_replay_inputs(replay, FIRST - 1, values), BKS_ERR_BAD_ARGUMENT);
    bks_replay_keyframe key;
    assert_int_equal(bks_replay_keyframe_at(replay, 0, &key), BKS_OK);
    assert_int_equal(key.tick, FIRST + 20);
}

static void part_is_played_from_its_own_state(void **state)
{
    (void)state;
    const walk_truth *truth = walk_what_happened();
    const bks_playback_config config = {.replay = replay, .game = &walk_game};
    bks_playback *playback = NULL;
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_OK);
    assert_int_equal(bks_playback_tick(playback), FIRST);
    assert_true(bks_playback_hash(playback) == truth->hashes[FIRST]);
    while (bks_playback_step(playback) == BKS_OK) {
    }
    assert_int_equal(bks_playback_tick(playback), TICKS);
    assert_true(bks_playback_hash(playback) == truth->hashes[TICKS]);
    static const bks_tick ticks[] = {FIRST, TICKS, 200, FIRST + 1, 156, 157, 158};
    for (size_t i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++) {
        assert_int_equal(bks_playback_seek(playback, ticks[i], NULL), BKS_OK);
        assert_true(bks_playback_hash(playback) == truth->hashes[ticks[i]]);
    }
    assert_int_equal(bks_playback_seek(playback, FIRST - 1, NULL), BKS_ERR_BAD_ARGUMENT);
    bks_playback_destroy(playback);
}

static void part_is_verified(void **state)
{
    (void)state;
    const bks_playback_config config = {.replay = replay, .game = &walk_game};
    static const bks_tick from[] = {0, FIRST, 200, TICKS};
    for (size_t i = 0; i < 4; i++) {
        bks_verify_result result;
        bks_error error = {0};
        const bks_verify_part part = {.from = from[i]};
        if (bks_replay_verify(&config, &part, &result, &error) != BKS_OK) {
            fail_msg("%s", error.text);
        }
        assert_true(result.is_same);
        assert_int_equal(result.compared, TICKS + 1 - (from[i] > FIRST ? from[i] : FIRST));
    }
}

static void part_without_its_state_is_played_from_a_keyframe_on(void **state)
{
    (void)state;
    const walk_truth *truth = walk_what_happened();
    bks_replay_close(replay);
    const size_t stat = BKSI_PREAMBLE_BYTES + BKSI_RECORD_EXTRA_BYTES +
                        bksi_get_u32(file.bytes + BKSI_PREAMBLE_BYTES + 4);
    file.bytes[stat + 100] ^= 1;
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_ERR_DAMAGED);
    walk_state first;
    assert_int_equal(bks_replay_state(replay, &first, sizeof(first), NULL), BKS_ERR_DAMAGED);
    const bks_playback_config config = {.replay = replay, .game = &walk_game};
    bks_playback *playback = NULL;
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_OK);
    assert_int_equal(bks_playback_tick(playback), FIRST + 20);
    assert_int_equal(bks_playback_seek(playback, TICKS, NULL), BKS_OK);
    assert_true(bks_playback_hash(playback) == truth->hashes[TICKS]);
    assert_int_equal(bks_playback_seek(playback, FIRST + 20, NULL), BKS_OK);
    assert_true(bks_playback_hash(playback) == truth->hashes[FIRST + 20]);
    bks_error error = {0};
    assert_int_equal(bks_playback_seek(playback, FIRST + 19, &error), BKS_ERR_DAMAGED);
    assert_non_null(strstr(error.text, "the state at tick"));
    bks_playback_destroy(playback);
    bks_verify_result result;
    assert_int_equal(bks_replay_verify(&config, NULL, &result, NULL), BKS_ERR_DAMAGED);
    assert_true(result.is_same);
    assert_int_equal(result.compared, TICKS + 1 - (FIRST + 20));
}

static const char *refuse_all(const void *state)
{
    (void)state;
    refused++;
    return "nothing is good enough";
}

/// The cost of a file is bounded, however many keyframes of few bytes it has.
static void few_of_many_refused_keyframes_are_tried(void **state)
{
    forget(state);
    keyframe_ticks = 4;
    record_part(state);
    keyframe_ticks = 20;
    assert_true(bks_replay_info(replay)->keyframes > 2 * BKSI_KEYFRAME_TRIES_MAX);
    bks_game game = walk_game;
    game.check = refuse_all;
    const bks_playback_config config = {.replay = replay, .game = &game};
    bks_playback *playback = NULL;
    refused = 0;
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_ERR_DAMAGED);
    assert_null(playback);
    // Builds with asserts also inspect the state that init makes, here twice.
    assert_in_range(refused, 1 + BKSI_KEYFRAME_TRIES_MAX, 3 + BKSI_KEYFRAME_TRIES_MAX);
}

#define WITH_FILE(test) cmocka_unit_test_setup_teardown(test, record_part, forget)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FILE(a_part_states_its_ticks),
        WITH_FILE(part_is_played_from_its_own_state),
        WITH_FILE(part_is_verified),
        WITH_FILE(part_without_its_state_is_played_from_a_keyframe_on),
        WITH_FILE(few_of_many_refused_keyframes_are_tried),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
