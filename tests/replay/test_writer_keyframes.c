// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "recording.h"
#include "replay/format/replay_keyframe.h"

/// A recording of so many ticks with these keyframes.
static bks_replay *record(memory_file *file, bks_tick ticks, uint32_t every, uint64_t bytes)
{
    const bks_replay_detail detail = {.keyframe_ticks = every, .keyframe_bytes = bytes};
    bks_replay *replay = NULL;
    memory_file_init(file);
    walk_record_with(file, ticks, true, &detail);
    assert_int_equal(bks_replay_open(file->bytes, file->count, NULL, &replay, NULL), BKS_OK);
    return replay;
}

static void every_sixteenth_keyframe_is_whole_and_they_keep_their_distance(void **state)
{
    (void)state;
    memory_file file;
    bks_replay *replay = record(&file, 400, 7, UINT64_C(1) << 40);
    const bks_replay_info *info = bks_replay_get_info(replay);
    assert_int_equal(info->keyframes, 400 / 7);
    for (uint32_t i = 0; i < info->keyframes; i++) {
        bks_replay_keyframe key;
        assert_int_equal(bks_replay_get_keyframe(replay, i, &key), BKS_OK);
        assert_int_equal(key.tick, 7 * (i + 1));
        assert_int_equal(key.is_whole, i % 16 == 0);
    }
    walk_assert_true(replay);
    bks_replay_close(replay);
    memory_file_free(&file);
}

static void no_keyframes_unless_asked_for(void **state)
{
    (void)state;
    memory_file file;
    bks_replay *replay = record(&file, 400, 0, 0);
    assert_int_equal(bks_replay_get_info(replay)->keyframes, 0);
    assert_int_equal(bks_replay_get_info(replay)->keyframe_bytes, 0);
    bks_replay_close(replay);
    memory_file_free(&file);
}

static void keyframes_stay_within_their_budget(void **state)
{
    (void)state;
    // What all of them take, a minute, if nothing holds them back.
    memory_file file;
    bks_replay *replay = record(&file, 400, 1, UINT64_C(1) << 40);
    const uint64_t ticks_per_minute = 60 * WALK_TICK_RATE_HZ;
    const uint64_t most = bks_replay_get_info(replay)->keyframe_bytes * ticks_per_minute / 400;
    bks_replay_close(replay);
    memory_file_free(&file);
    for (uint64_t share = 2; share <= 8; share++) {
        const uint64_t budget = most / share;
        replay = record(&file, 400, 1, budget);
        const bks_replay_info *info = bks_replay_get_info(replay);
        const uint64_t taken = info->keyframe_bytes * ticks_per_minute / 400;
        if (taken > budget + budget / 10 || taken < budget / 2) {
            print_error("%llu bytes a minute of %llu\n", (unsigned long long)taken,
                        (unsigned long long)budget);
            fail();
        }
        bks_replay_close(replay);
        memory_file_free(&file);
    }
}

static bks_replay_writer *begin(memory_file *file, uint32_t every)
{
    memory_file_init(file);
    bks_replay_config config = walk_replay_config(memory_file_sink(file));
    config.detail = (bks_replay_detail){
        .keyframe_ticks = every, .keyframe_bytes = UINT64_C(1) << 40, .chunk_ticks = 1000};
    bks_replay_writer *writer = NULL;
    assert_int_equal(bks_replay_writer_create(&config, &writer, NULL), BKS_OK);
    return writer;
}

static void confirm(bks_replay_writer *writer, bks_tick from, bks_tick until)
{
    const walk_truth *truth = walk_what_happened();
    for (bks_tick tick = from; tick < until; tick++) {
        assert_int_equal(
            bks_replay_writer_confirm(writer, tick, truth->inputs[tick], &truth->hashes[tick]),
            BKS_OK);
    }
}

static bks_status give(bks_replay_writer *writer, bks_tick tick)
{
    return bks_replay_writer_keyframe(writer, tick, &walk_what_happened()->states[tick],
                                      sizeof(walk_state));
}

static void state_may_come_later_than_it_is_due_and_be_older_than_the_newest(void **state)
{
    (void)state;
    memory_file file;
    bks_replay_writer *writer = begin(&file, 10);
    confirm(writer, 0, 9);
    assert_int_equal(bks_replay_writer_keyframe_due(writer), BKS_TICK_NONE);
    assert_int_equal(give(writer, 9), BKS_ERR_BAD_ARGUMENT);
    confirm(writer, 9, 31);
    assert_int_equal(bks_replay_writer_keyframe_due(writer), 10);
    assert_int_equal(give(writer, 9), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(give(writer, 32), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(give(writer, 17), BKS_OK);
    assert_int_equal(bks_replay_writer_keyframe_due(writer), 27);
    assert_int_equal(give(writer, 31), BKS_OK); // the first unconfirmed tick
    assert_int_equal(bks_replay_writer_keyframe_due(writer), BKS_TICK_NONE);
    confirm(writer, 31, 60);
    assert_int_equal(bks_replay_writer_keyframe_due(writer), 41);
    assert_int_equal(bks_replay_writer_finish(writer, NULL), BKS_OK);
    assert_int_equal(bks_replay_writer_keyframe_due(writer), BKS_TICK_NONE);
    bks_replay_writer_destroy(writer);
    bks_replay *replay = NULL;
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
    assert_int_equal(bks_replay_get_info(replay)->keyframes, 2);
    walk_assert_true(replay);
    bks_replay_close(replay);
    memory_file_free(&file);
}

static void states_out_of_range_are_refused(void **state)
{
    (void)state;
    memory_file file;
    bks_replay_writer *writer = begin(&file, 10);
    confirm(writer, 0, 20);
    const void *bytes = &walk_what_happened()->states[20];
    assert_int_equal(bks_replay_writer_keyframe(NULL, 20, bytes, 10), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_writer_keyframe(writer, 20, NULL, 10), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_writer_keyframe(writer, 20, bytes, 0), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_writer_keyframe(writer, 20, bytes, sizeof(walk_state) + 1),
                     BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_writer_keyframe_due(NULL), BKS_TICK_NONE);
    assert_int_equal(give(writer, 20), BKS_OK);
    bks_replay_writer_destroy(writer);
    memory_file_free(&file);
}

static void full_disk_while_a_keyframe_is_written_ends_the_recording_before_it(void **state)
{
    (void)state;
    memory_file file;
    bks_replay_writer *writer = begin(&file, 10);
    confirm(writer, 0, 30);
    file.writes_left = 0;
    assert_int_equal(give(writer, 30), BKS_ERR_IO);
    assert_int_equal(bks_replay_writer_keyframe_due(writer), BKS_TICK_NONE);
    assert_int_equal(bks_replay_writer_flush(writer), BKS_ERR_IO);
    bks_replay_writer_destroy(writer);
    bks_replay *replay = NULL;
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
    assert_int_equal(bks_replay_get_info(replay)->ticks, 10); // what was sealed for it
    bks_replay_close(replay);
    memory_file_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sixteenth_keyframe_is_whole_and_they_keep_their_distance),
        cmocka_unit_test(no_keyframes_unless_asked_for),
        cmocka_unit_test(keyframes_stay_within_their_budget),
        cmocka_unit_test(state_may_come_later_than_it_is_due_and_be_older_than_the_newest),
        cmocka_unit_test(states_out_of_range_are_refused),
        cmocka_unit_test(full_disk_while_a_keyframe_is_written_ends_the_recording_before_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
