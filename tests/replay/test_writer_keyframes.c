// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/recording.h"
#include "backstitch/toolkit/writer.h"
#include "recording.h"
#include "replay/format/replay_keyframe.h"
#include "support/catch_log.h"

/// Make a recording of `ticks` ticks with these keyframes.
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
    const bks_recording *info = bks_replay_info(replay);
    assert_int_equal(info->keyframes, 400 / 7);
    for (uint32_t i = 0; i < info->keyframes; i++) {
        bks_replay_keyframe key;
        assert_int_equal(bks_replay_keyframe_at(replay, i, &key), BKS_OK);
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
    assert_int_equal(bks_replay_info(replay)->keyframes, 0);
    assert_int_equal(bks_replay_info(replay)->keyframe_bytes, 0);
    bks_replay_close(replay);
    memory_file_free(&file);
}

/// Ticks of a long recording. Its states need not be those of a game.
#define LONG_TICKS      20000
#define LONG_TICK_BYTES 1000 ///< bytes of budget for each tick

/// Content of a state.
typedef enum look {
    STILL,  ///< always the same
    SPECKS, ///< some bytes change
    NOISE,  ///< every byte changes
    GROWS,  ///< noise that grows
    SIZES,  ///< noise of any size
    LOOKS,
    CHASES = LOOKS, ///< noise that is always a little too large for the budget
} look;

static size_t paint(look kind, bks_tick tick, uint8_t *state, size_t capacity)
{
    static uint32_t random = 1;
    size_t size = kind == GROWS ? 1 + capacity * (size_t)tick / (LONG_TICKS + 1) : capacity;
    if (kind == SIZES) {
        random = random * 1664525u + 1013904223u;
        size = 1 + (size_t)(random >> 8) % capacity;
    }
    if (kind == CHASES) {
        size = LONG_TICK_BYTES * (size_t)tick + 1;
    }
    const size_t step = kind == STILL ? capacity : kind == SPECKS ? 97 : 1;
    for (size_t i = 0; i < size; i += step) {
        random = random * 1664525u + 1013904223u;
        state[i] = kind == STILL ? 1 : (uint8_t)(random >> 24);
    }
    return size;
}

/// Make a long recording with such states, with a keyframe every 100 ticks.
/// @param given_max  most keyframes that may be due
/// @return number of keyframes that were due
static uint32_t record_long(memory_file *file, bks_tick ticks, look kind, size_t capacity,
                            uint32_t given_max)
{
    const walk_truth *truth = walk_what_happened();
    memory_file_init(file);
    bks_replay_config config = walk_replay_config(memory_file_sink(file));
    config.state_bytes_max = capacity;
    config.detail =
        (bks_replay_detail){.keyframe_ticks = 100,
                            .keyframe_bytes = (uint64_t)LONG_TICK_BYTES * 60 * WALK_TICK_RATE_HZ};
    bks_replay_writer *writer = NULL;
    assert_int_equal(bks_replay_writer_create(&config, &writer, NULL), BKS_OK);
    uint8_t *state = calloc(capacity, 1);
    assert_non_null(state);
    uint32_t given = 0;
    for (bks_tick tick = 0; tick < ticks; tick++) {
        const int32_t *inputs = truth->inputs[tick % WALK_TICKS_MAX];
        assert_int_equal(bks_replay_writer_confirm(writer, tick, inputs, NULL), BKS_OK);
        if (bks_replay_writer_keyframe_due(writer) != BKS_TICK_NONE) {
            const size_t size = paint(kind, tick + 1, state, capacity);
            assert_int_equal(bks_replay_writer_keyframe(writer, tick + 1, state, size), BKS_OK);
            given++;
            assert_true(given <= given_max);
        }
    }
    free(state);
    assert_int_equal(bks_replay_writer_finish(writer, NULL), BKS_OK);
    bks_replay_writer_destroy(writer);
    return given;
}

/// At each keyframe, all keyframes so far have taken at most the budget.
static void assert_paid(const bks_replay *replay)
{
    const bks_recording *info = bks_replay_info(replay);
    uint64_t spent = 0;
    for (uint32_t i = 0; i < info->keyframes; i++) {
        bks_replay_keyframe key;
        assert_int_equal(bks_replay_keyframe_at(replay, i, &key), BKS_OK);
        spent += key.bytes;
        if (spent > (uint64_t)LONG_TICK_BYTES * (uint64_t)key.tick) {
            print_error("%llu bytes by tick %d\n", (unsigned long long)spent, key.tick);
            fail();
        }
    }
    assert_true(spent == info->keyframe_bytes);
}

static void keyframes_have_never_taken_more_than_their_budget(void **state)
{
    (void)state;
    static const size_t capacities[] = {9101, 99991, 700001};
    for (uint32_t i = 0; i < 3 * LOOKS; i++) {
        const look kind = (look)(i % LOOKS);
        const size_t capacity = capacities[i / LOOKS];
        memory_file file;
        bks_replay *replay = NULL;
        (void)record_long(&file, LONG_TICKS, kind, capacity, 8 * LONG_TICKS / 100);
        assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
        assert_paid(replay);
        const bks_recording *info = bks_replay_info(replay);
        // With enough budget they keep their spacing; otherwise most of the budget is used.
        const uint64_t most = (uint64_t)LONG_TICK_BYTES * LONG_TICKS;
        if (info->keyframes != LONG_TICKS / 100 &&
            info->keyframe_bytes + 2 * capacity < most - most / 8) {
            print_error("look %u, %zu bytes: %u keyframes, %llu bytes of %llu\n", kind, capacity,
                        info->keyframes, (unsigned long long)info->keyframe_bytes,
                        (unsigned long long)most);
            fail();
        }
        bks_replay_close(replay);
        memory_file_free(&file);
    }
}

static void state_that_is_never_paid_is_seldom_packed(void **state)
{
    (void)state;
    memory_file file;
    bks_replay *replay = NULL;
    const size_t capacity = (size_t)LONG_TICK_BYTES * LONG_TICKS * 2;
    assert_int_equal(record_long(&file, LONG_TICKS, NOISE, capacity, 2), 1);
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
    assert_int_equal(bks_replay_info(replay)->keyframes, 0);
    bks_replay_close(replay);
    memory_file_free(&file);
}

static void state_that_grows_with_the_budget_is_not_packed_on_every_tick(void **state)
{
    (void)state;
    memory_file file;
    const bks_tick ticks = 1000;
    const size_t capacity = (size_t)LONG_TICK_BYTES * (size_t)(ticks + 1);
    const uint32_t given_max = 8 * (uint32_t)ticks / 100;
    assert_true(record_long(&file, ticks, CHASES, capacity, given_max) > given_max / 2);
    memory_file_free(&file);
}

static void budget_of_a_part_begins_with_it(void **state)
{
    (void)state;
    const walk_truth *truth = walk_what_happened();
    memory_file file;
    memory_file_init(&file);
    bks_replay_config config = walk_replay_config(memory_file_sink(&file));
    config.first_tick = 1000000; // 833 minutes
    config.detail = (bks_replay_detail){.keyframe_ticks = 1, .keyframe_bytes = 60000};
    bks_replay_writer *writer = NULL;
    assert_int_equal(bks_replay_writer_create(&config, &writer, NULL), BKS_OK);
    for (bks_tick tick = 0; tick < 400; tick++) {
        assert_int_equal(bks_replay_writer_confirm(writer, config.first_tick + tick,
                                                   truth->inputs[tick], &truth->hashes[tick]),
                         BKS_OK);
        if (bks_replay_writer_keyframe_due(writer) != BKS_TICK_NONE) {
            assert_int_equal(bks_replay_writer_keyframe(writer, config.first_tick + tick + 1,
                                                        &truth->states[tick + 1],
                                                        sizeof(walk_state)),
                             BKS_OK);
        }
    }
    assert_int_equal(bks_replay_writer_finish(writer, NULL), BKS_OK);
    bks_replay_writer_destroy(writer);
    bks_replay *replay = NULL;
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
    const bks_recording *info = bks_replay_info(replay);
    assert_true(info->keyframes > 20);
    assert_true(info->keyframe_bytes <= 60000 * 400 / (60 * WALK_TICK_RATE_HZ));
    bks_replay_close(replay);
    memory_file_free(&file);
}

static void damage_takes_few_more_ticks_than_lie_between_keyframes(void **state)
{
    (void)state;
    memory_file file;
    (void)record_long(&file, LONG_TICKS, SPECKS, 9101, UINT32_MAX);
    bks_tick most = 0;
    for (size_t at = 0; at < file.count - 100; at++) {
        if (memcmp(file.bytes + at, "TICK", 4) != 0) {
            continue;
        }
        bks_replay *replay = NULL;
        file.bytes[at] ^= 1;
        assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL),
                         BKS_ERR_DAMAGED);
        for (uint32_t i = 0; i < bks_replay_info(replay)->lost_count; i++) {
            bks_replay_lost lost;
            assert_int_equal(bks_replay_lost_at(replay, i, &lost), BKS_OK);
            most = lost.ticks > most ? lost.ticks : most;
        }
        bks_replay_close(replay);
        file.bytes[at] ^= 1;
    }
    // The coder restarts with every third keyframe only, because they are close together.
    assert_in_range(most, 101, 300);
    memory_file_free(&file);
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
    assert_int_equal(bks_replay_info(replay)->keyframes, 2);
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

static void smaller_one_takes_the_place_of_one_left_out_for_the_budget(void **state)
{
    (void)state;
    memory_file file;
    memory_file_init(&file);
    bks_replay_config config = walk_replay_config(memory_file_sink(&file));
    config.detail = (bks_replay_detail){.keyframe_ticks = 10,
                                        .keyframe_bytes = UINT64_C(60) * WALK_TICK_RATE_HZ * 100};
    bks_replay_writer *writer = NULL;
    assert_int_equal(bks_replay_writer_create(&config, &writer, NULL), BKS_OK);
    static uint8_t noise[sizeof(walk_state)];
    (void)paint(NOISE, 0, noise, sizeof(noise));
    confirm(writer, 0, 10);
    assert_int_equal(give(writer, 10), BKS_OK);
    confirm(writer, 10, 20);
    assert_int_equal(bks_replay_writer_keyframe_due(writer), 20);
    assert_int_equal(bks_replay_writer_keyframe(writer, 20, noise, sizeof(noise)), BKS_OK);
    confirm(writer, 20, 200);
    // The budget has room for it at about tick 94; an earlier one may be smaller.
    assert_in_range(bks_replay_writer_keyframe_due(writer), 21, 60);
    assert_int_equal(give(writer, 200), BKS_OK);
    assert_int_equal(bks_replay_writer_finish(writer, NULL), BKS_OK);
    bks_replay_writer_destroy(writer);
    bks_replay *replay = NULL;
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
    assert_int_equal(bks_replay_info(replay)->keyframes, 2);
    walk_assert_true(replay);
    bks_replay_close(replay);
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
    assert_int_equal(bks_replay_info(replay)->ticks, 10); // what was appended for it
    bks_replay_close(replay);
    memory_file_free(&file);
}

/// Room for the keyframes of the largest automatic budget.
#define COSTLY_BYTES ((size_t)600000)

/// Record ticks of a match with expensive steps and states of noise.
/// @param size  bytes of each state; consecutive ones share nothing
static bks_replay *record_costly(memory_file *file, bks_tick ticks, uint64_t step_ns, size_t size,
                                 uint64_t budget)
{
    const walk_truth *truth = walk_what_happened();
    memory_file_init(file);
    bks_replay_config config = walk_replay_config(memory_file_sink(file));
    config.state_bytes_max = COSTLY_BYTES;
    config.detail = (bks_replay_detail){.keyframe_ticks = BKS_AUTO, .keyframe_bytes = budget};
    bks_replay_writer *writer = NULL;
    assert_int_equal(bks_replay_writer_create(&config, &writer, NULL), BKS_OK);
    assert_int_equal(bks_replay_writer_step_cost(writer, step_ns), BKS_OK);
    static uint8_t state[COSTLY_BYTES];
    for (bks_tick tick = 0; tick < ticks; tick++) {
        const int32_t *inputs = truth->inputs[tick % WALK_TICKS_MAX];
        assert_int_equal(bks_replay_writer_confirm(writer, tick, inputs, NULL), BKS_OK);
        if (bks_replay_writer_keyframe_due(writer) != BKS_TICK_NONE) {
            (void)paint(NOISE, tick + 1, state, size);
            assert_int_equal(bks_replay_writer_keyframe(writer, tick + 1, state, size), BKS_OK);
        }
    }
    assert_int_equal(bks_replay_writer_finish(writer, NULL), BKS_OK);
    bks_replay_writer_destroy(writer);
    bks_replay *replay = NULL;
    assert_int_equal(bks_replay_open(file->bytes, file->count, NULL, &replay, NULL), BKS_OK);
    return replay;
}

/// Return the most ticks that a seek steps in such a recording.
static bks_tick seek_ticks(bks_tick ticks, uint64_t step_ns, size_t size, uint64_t budget)
{
    memory_file file;
    bks_replay *replay = record_costly(&file, ticks, step_ns, size, budget);
    bks_tick last = 0;
    bks_tick most = 0;
    for (uint32_t i = 0; i < bks_replay_info(replay)->keyframes; i++) {
        bks_replay_keyframe key;
        assert_int_equal(bks_replay_keyframe_at(replay, i, &key), BKS_OK);
        most = key.tick - last > most ? key.tick - last : most;
        last = key.tick;
    }
    bks_replay_close(replay);
    memory_file_free(&file);
    return ticks - last > most ? ticks - last : most;
}

#define MS UINT64_C(1000000)

static void keyframes_are_a_second_of_stepping_apart_where_steps_cost_much(void **state)
{
    (void)state;
    const bks_tick ten_seconds = 10 * WALK_TICK_RATE_HZ;
    assert_int_equal(seek_ticks(2000, 0, 1000, 0), ten_seconds); // not known
    assert_int_equal(seek_ticks(2000, 1000, 1000, 0), ten_seconds);
    assert_int_equal(seek_ticks(2000, 10 * MS, 1000, 0), 100);
    assert_int_equal(seek_ticks(2000, 20 * MS, 1000, 0), 50);
    assert_int_equal(seek_ticks(2000, 100 * MS, 1000, 0), 10);
    assert_int_equal(seek_ticks(2000, 1000 * MS, 1000, 0), 1);
    assert_int_equal(seek_ticks(2000, UINT64_MAX, 1000, 0), 1);
}

static void an_automatic_budget_gives_way_to_seeking_up_to_4_MiB(void **state)
{
    (void)state;
    // Ten keyframes a minute of 20 kB are more than 64 KiB.
    assert_true(seek_ticks(6000, 1000, 20000, 0) > 10 * (bks_tick)WALK_TICK_RATE_HZ);
    assert_int_equal(seek_ticks(6000, 20 * MS, 20000, 0), 50);
    catch_log log;
    catch_log_begin(&log);
    assert_int_equal(seek_ticks(6000, 20 * MS, 150000, 0), 50); // 3.6 MB
    assert_int_equal(log.count, 0);
    assert_true(seek_ticks(6000, 20 * MS, COSTLY_BYTES, 0) > 100); // 14.4 MB
    assert_int_equal(log.count, 1);
    assert_string_equal(log.id, "replay.keyframes");
    assert_non_null(strstr(log.text, "keyframe_bytes is 4194304 a minute, 144"));
    bks_log_clear_sink();
}

static void budget_that_was_set_is_kept_and_said_to_be_too_small_once(void **state)
{
    (void)state;
    catch_log log;
    catch_log_begin(&log);
    assert_true(seek_ticks(6000, 20 * MS, 20000, 65536) > 2 * 50);
    assert_int_equal(log.count, 1);
    assert_int_equal(log.level, BKS_LOG_WARNING);
    assert_string_equal(log.id, "replay.keyframes");
    bks_log_clear_sink();
    memory_file file;
    bks_replay *replay = record_costly(&file, 6000, 20 * MS, 20000, 65536);
    assert_in_range(bks_replay_info(replay)->keyframe_bytes, 250000, 5 * 65536);
    bks_replay_close(replay);
    memory_file_free(&file);
}

static void larger_budget_gives_more_keyframes(void **state)
{
    (void)state;
    const bks_tick ten_seconds = 10 * WALK_TICK_RATE_HZ;
    assert_int_equal(seek_ticks(2000, 1000, 1000, 65536), ten_seconds);
    assert_int_equal(seek_ticks(2000, 1000, 1000, 2 * 65536), ten_seconds / 2);
    assert_int_equal(seek_ticks(2000, 1000, 1000, 10 * 65536), ten_seconds / 10);
    assert_int_equal(seek_ticks(2000, 1000, 1000, UINT64_C(1) << 40), WALK_TICK_RATE_HZ / 4);
    assert_int_equal(bks_replay_writer_step_cost(NULL, 1), BKS_ERR_BAD_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(budget_of_a_part_begins_with_it),
        cmocka_unit_test(every_sixteenth_keyframe_is_whole_and_they_keep_their_distance),
        cmocka_unit_test(no_keyframes_unless_asked_for),
        cmocka_unit_test(keyframes_have_never_taken_more_than_their_budget),
        cmocka_unit_test(state_that_is_never_paid_is_seldom_packed),
        cmocka_unit_test(state_that_grows_with_the_budget_is_not_packed_on_every_tick),
        cmocka_unit_test(damage_takes_few_more_ticks_than_lie_between_keyframes),
        cmocka_unit_test(state_may_come_later_than_it_is_due_and_be_older_than_the_newest),
        cmocka_unit_test(states_out_of_range_are_refused),
        cmocka_unit_test(smaller_one_takes_the_place_of_one_left_out_for_the_budget),
        cmocka_unit_test(keyframes_are_a_second_of_stepping_apart_where_steps_cost_much),
        cmocka_unit_test(an_automatic_budget_gives_way_to_seeking_up_to_4_MiB),
        cmocka_unit_test(budget_that_was_set_is_kept_and_said_to_be_too_small_once),
        cmocka_unit_test(larger_budget_gives_more_keyframes),
        cmocka_unit_test(full_disk_while_a_keyframe_is_written_ends_the_recording_before_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
