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
#include "replay/format/replay_tail.h"
#include "replay/write/writer.h"
#include "support/counting_allocator.h"

/// Open the file as it was after all writes before `write` and the first `count` bytes of that one.
static bks_replay *open_at(const memory_file *from, size_t write, size_t count, memory_file *file,
                           bks_status *out_status)
{
    memory_file_free(file);
    for (size_t i = 0; i < write; i++) {
        memory_file_apply(file, &from->writes[i], from->writes[i].count);
    }
    memory_file_apply(file, &from->writes[write], count);
    bks_replay *replay = NULL;
    *out_status = bks_replay_open(file->bytes, file->count, NULL, &replay, NULL);
    return replay;
}

static void complete_recording_holds_everything(void **state)
{
    (void)state;
    static const bks_tick lengths[] = {0, 1, 4, 6, 19, 20, 21, 25, 26, 100, 400};
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        memory_file file;
        memory_file_init(&file);
        walk_record(&file, lengths[i], true);
        bks_replay *replay = NULL;
        assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
        const bks_recording *info = bks_replay_info(replay);
        assert_true(info->is_complete);
        assert_int_equal(info->ticks, lengths[i]);
        assert_int_equal(info->confirmed, lengths[i]);
        walk_assert_true(replay);
        uint64_t hash = 0;
        uint32_t bits = 0;
        assert_int_equal(bks_replay_hash(replay, lengths[i], &hash, &bits), BKS_OK);
        assert_int_equal(bits, 64);
        assert_true(hash == walk_what_happened()->hashes[lengths[i]]);
        bks_replay_close(replay);
        memory_file_free(&file);
    }
}

static void stopped_recording_holds_the_guesses_too(void **state)
{
    (void)state;
    memory_file file;
    memory_file_init(&file);
    walk_record(&file, 50, false);
    bks_replay *replay = NULL;
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
    const bks_recording *info = bks_replay_info(replay);
    assert_false(info->is_complete);
    assert_int_equal(info->ticks, 50);
    assert_int_equal(info->confirmed, 50 - WALK_LAG - 1); // the newest confirm was not written yet
    walk_assert_true(replay);
    bks_replay_ticks there;
    assert_int_equal(bks_replay_ticks_from(replay, 0, &there), BKS_OK);
    assert_int_equal(there.confirmed, info->confirmed);
    assert_int_equal(there.end, info->ticks);
    assert_int_equal(bks_replay_ticks_from(replay, info->ticks - 1, &there), BKS_OK);
    assert_int_equal(there.confirmed, there.first);
    for (bks_tick tick = info->confirmed; tick < info->ticks; tick++) {
        int32_t used[WALK_VALUES];
        int32_t values[WALK_VALUES];
        walk_guess(tick, info->confirmed, used);
        assert_int_equal(bks_replay_inputs(replay, tick, values), BKS_OK);
        assert_memory_equal(values, used, sizeof(used));
    }
    bks_replay_close(replay);
    memory_file_free(&file);
}

/// Cut every write where a kill can cut it: between two pages of the file, which are whole blocks.
static void kill_at_any_moment_loses_at_most_the_tick_in_hand(void **state)
{
    (void)state;
    memory_file file;
    memory_file left;
    memory_file_init(&file);
    memory_file_init(&left);
    file.keeps_writes = true;
    walk_record(&file, 70, true);
    size_t tried = 0;
    for (size_t w = 1; w < file.write_count; w++) {
        const memory_write *write = &file.writes[w];
        const bool is_appended = write->offset >= file.writes[0].count;
        const size_t stride = is_appended ? 1 : BKSI_BLOCK_BYTES;
        for (size_t count = 0; count <= write->count; count += stride) {
            bks_status status;
            bks_replay *replay = open_at(&file, w, count, &left, &status);
            assert_int_equal(status, BKS_OK);
            const bks_recording *info = bks_replay_info(replay);
            // A tick is announced after its write, so earlier ticks are never lost.
            assert_true(info->ticks >= write->announced);
            assert_int_equal(info->is_complete, w == file.write_count - 1 && count == write->count);
            walk_assert_true(replay);
            bks_replay_close(replay);
            tried++;
        }
    }
    assert_true(tried > 300);
    memory_file_free(&left);
    memory_file_free(&file);
}

/// Damage the slot that was being written, as a power failure does, but not the other one.
static void write_cut_anywhere_loses_at_most_one_tick(void **state)
{
    (void)state;
    memory_file file;
    memory_file left;
    memory_file_init(&file);
    memory_file_init(&left);
    file.keeps_writes = true;
    walk_record(&file, 45, false);
    for (size_t w = 1; w < file.write_count; w++) {
        const memory_write *write = &file.writes[w];
        for (size_t count = 0; count <= write->count; count += 37) {
            bks_status status;
            bks_replay *replay = open_at(&file, w, count, &left, &status);
            assert_true(status == BKS_OK || status == BKS_ERR_DAMAGED);
            assert_true(bks_replay_info(replay)->ticks >= write->announced);
            walk_assert_true(replay);
            bks_replay_close(replay);
        }
    }
    memory_file_free(&left);
    memory_file_free(&file);
}

static void cut_while_beginning_is_incomplete(void **state)
{
    (void)state;
    memory_file file;
    memory_file left;
    memory_file_init(&file);
    memory_file_init(&left);
    file.keeps_writes = true;
    walk_record(&file, 1, false);
    for (size_t count = 0; count <= file.writes[0].count; count++) {
        bks_status status;
        bks_replay *replay = open_at(&file, 0, count, &left, &status);
        if (replay == NULL) {
            assert_int_equal(status, BKS_ERR_INCOMPLETE);
        } else {
            assert_int_equal(status, BKS_OK);
            assert_int_equal(bks_replay_info(replay)->ticks, 0);
            assert_false(bks_replay_info(replay)->is_complete);
        }
        bks_replay_close(replay);
    }
    memory_file_free(&left);
    memory_file_free(&file);
}

static void use_is_one_write_most_of_the_time(void **state)
{
    (void)state;
    memory_file file;
    memory_file_init(&file);
    walk_record(&file, 200, false);
    // One write for the beginning, one for each tick, one for each appended second.
    assert_in_range(file.write_count, 201, 201 + 200 / WALK_TICK_RATE_HZ);
    memory_file_free(&file);
}

static void failing_sink_ends_the_recording_for_good(void **state)
{
    (void)state;
    const walk_truth *truth = walk_what_happened();
    for (size_t writes = 0; writes < 12; writes++) {
        memory_file file;
        memory_file_init(&file);
        file.writes_left = writes;
        const bks_replay_config config = walk_replay_config(memory_file_sink(&file));
        bks_replay_writer *writer = NULL;
        const bks_status status = bks_replay_writer_create(&config, &writer, NULL);
        assert_int_equal(status, writes == 0 ? BKS_ERR_IO : BKS_OK);
        if (writes == 0) {
            assert_null(writer);
            continue;
        }
        for (bks_tick tick = 0; tick < 20; tick++) {
            const bool fails = (size_t)tick + 1 >= writes;
            assert_int_equal(bks_replay_writer_use(writer, fails ? (bks_tick)writes - 1 : tick, 1,
                                                   truth->inputs[tick]),
                             fails ? BKS_ERR_IO : BKS_OK);
            if (fails) {
                file.writes_left = SIZE_MAX; // it would go again, but there is a gap now
            }
            assert_int_equal(
                bks_replay_writer_confirm(writer, tick, truth->inputs[tick], &truth->hashes[tick]),
                fails ? BKS_ERR_IO : BKS_OK);
        }
        assert_int_equal(bks_replay_writer_flush(writer), BKS_ERR_IO);
        assert_int_equal(bks_replay_writer_finish(writer, NULL), BKS_ERR_IO);
        bks_replay_writer_destroy(writer);
        bks_replay *replay = NULL;
        assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
        assert_int_equal(bks_replay_info(replay)->ticks, writes - 1);
        walk_assert_true(replay);
        bks_replay_close(replay);
        memory_file_free(&file);
    }
}

static void memory_is_taken_at_create_only_and_all_given_back(void **state)
{
    (void)state;
    counting_allocator counter;
    memory_file file;
    memory_file_init(&file);
    bks_replay_config config = walk_replay_config(memory_file_sink(&file));
    config.allocator = counting_allocator_hooks(&counter);
    bks_replay_writer *writer = NULL;
    assert_int_equal(bks_replay_writer_create(&config, &writer, NULL), BKS_OK);
    const uint32_t allocs = counter.allocs;
    const walk_truth *truth = walk_what_happened();
    for (bks_tick tick = 0; tick < 100; tick++) {
        assert_int_equal(bks_replay_writer_use(writer, tick, 1, truth->inputs[tick]), BKS_OK);
        assert_int_equal(
            bks_replay_writer_confirm(writer, tick, truth->inputs[tick], &truth->hashes[tick]),
            BKS_OK);
    }
    assert_int_equal(bks_replay_writer_finish(writer, NULL), BKS_OK);
    assert_int_equal(counter.allocs, allocs);
    bks_replay_writer_destroy(writer);
    assert_int_equal(counter.live_bytes, 0);
    assert_false(counter.is_wrong);
    for (uint32_t i = 0; i < allocs; i++) {
        counter.fail_after = i;
        assert_int_equal(bks_replay_writer_create(&config, &writer, NULL), BKS_ERR_OUT_OF_MEMORY);
        assert_null(writer);
        assert_int_equal(counter.live_bytes, 0);
    }
    memory_file_free(&file);
}

static void config_out_of_range_is_refused_by_name(void **state)
{
    (void)state;
    memory_file file;
    memory_file_init(&file);
    bks_replay_writer *writer = NULL;
    bks_error error = {0};
#define REFUSED(FIELD, ...)                                                                       \
    do {                                                                                          \
        bks_replay_config config = walk_replay_config(memory_file_sink(&file));                   \
        __VA_ARGS__;                                                                              \
        assert_int_equal(bks_replay_writer_create(&config, &writer, &error), BKS_ERR_BAD_CONFIG); \
        assert_string_equal(error.field, FIELD);                                                  \
        assert_null(writer);                                                                      \
    } while (0)
    REFUSED("game", config.game = NULL);
    const bks_game unnamed = {0};
    REFUSED("game", config.game = &unnamed);
    REFUSED("players", config.players = 0);
    REFUSED("players", config.players = 3);
    REFUSED("tick_rate_hz", config.tick_rate_hz = 0);
    REFUSED("tick_rate_hz", config.tick_rate_hz = 1001);
    REFUSED("unconfirmed_ticks_max", config.unconfirmed_ticks_max = 0);
    REFUSED("unconfirmed_ticks_max", config.unconfirmed_ticks_max = 513);
    REFUSED("state", config.state = NULL);
    REFUSED("state_bytes", config.state_bytes = 0);
    REFUSED("state_bytes", config.state_bytes = (UINT64_C(1) << 30) + 1);
    REFUSED("page_count", config.page_count = 1u << 20);
    REFUSED("sink", config.sink.write = NULL);
    REFUSED("allocator", config.allocator.release = counting_release);
#undef REFUSED
    assert_int_equal(bks_replay_writer_create(NULL, &writer, NULL), BKS_ERR_BAD_ARGUMENT);
    const bks_replay_config config = walk_replay_config(memory_file_sink(&file));
    assert_int_equal(bks_replay_writer_create(&config, NULL, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(file.count, 0);
}

static void misuse_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    memory_file file;
    memory_file_init(&file);
    const walk_truth *truth = walk_what_happened();
    const bks_replay_config config = walk_replay_config(memory_file_sink(&file));
    bks_replay_writer *writer = NULL;
    assert_int_equal(bks_replay_writer_create(&config, &writer, NULL), BKS_OK);
    const int32_t *inputs = truth->inputs[0];
    assert_int_equal(bks_replay_writer_use(NULL, 0, 1, inputs), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_writer_use(writer, 1, 1, inputs), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_writer_use(writer, -1, 1, inputs), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_writer_use(writer, 0, 9, inputs), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_writer_use(writer, 0, 1, NULL), BKS_ERR_BAD_ARGUMENT);
    int32_t wrong[WALK_VALUES] = {0};
    wrong[2] = 512;
    assert_int_equal(bks_replay_writer_use(writer, 0, 1, wrong), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_writer_confirm(writer, 0, wrong, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_writer_confirm(writer, 1, inputs, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_writer_confirm(writer, 0, NULL, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_writer_confirm(NULL, 0, inputs, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_writer_flush(NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_writer_finish(NULL, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(file.write_count, 1);
    assert_int_equal(bks_replay_writer_confirm(writer, 0, inputs, NULL), BKS_OK);
    assert_int_equal(bks_replay_writer_finish(writer, NULL), BKS_OK);
    assert_int_equal(bks_replay_writer_finish(writer, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_writer_flush(writer), BKS_ERR_BAD_ARGUMENT);
    bks_replay_writer_destroy(writer);
    bks_replay_writer_destroy(NULL);
    memory_file_free(&file);
}

static void flush_writes_what_was_confirmed_and_nothing_twice(void **state)
{
    (void)state;
    memory_file file;
    memory_file_init(&file);
    const walk_truth *truth = walk_what_happened();
    const bks_replay_config config = walk_replay_config(memory_file_sink(&file));
    bks_replay_writer *writer = NULL;
    assert_int_equal(bks_replay_writer_create(&config, &writer, NULL), BKS_OK);
    assert_int_equal(bks_replay_writer_use(writer, 0, 3, truth->inputs[0]), BKS_OK);
    for (bks_tick tick = 0; tick < 2; tick++) {
        assert_int_equal(
            bks_replay_writer_confirm(writer, tick, truth->inputs[tick], &truth->hashes[tick]),
            BKS_OK);
    }
    assert_int_equal(bks_replay_writer_flush(writer), BKS_OK);
    const size_t writes = file.write_count;
    assert_int_equal(bks_replay_writer_flush(writer), BKS_OK);
    assert_int_equal(file.write_count, writes);
    bks_replay *replay = NULL;
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
    assert_int_equal(bks_replay_info(replay)->confirmed, 2);
    assert_int_equal(bks_replay_info(replay)->ticks, 3); // the third is still used
    int32_t values[WALK_VALUES];
    assert_int_equal(bks_replay_inputs(replay, 2, values), BKS_OK);
    assert_memory_equal(values, truth->inputs[2], sizeof(values));
    bks_replay_close(replay);
    bks_replay_writer_destroy(writer);
    memory_file_free(&file);
}

/// The most expensive inputs: everything changes on every tick, with the most ticks and players.
static void widest_inputs_fit_their_slots(void **state)
{
    (void)state;
    static char names[BKS_FIELDS_MAX][8];
    static bks_field fields[BKS_FIELDS_MAX];
    for (uint32_t i = 0; i < BKS_FIELDS_MAX; i++) {
        snprintf(names[i], sizeof(names[i]), "f%u", i);
        fields[i] = (bks_field){.name = names[i], .bits = 8};
    }
    bks_game wide = walk_game;
    wide.fields = fields;
    wide.field_count = BKS_FIELDS_MAX;
    wide.players_max = BKS_PLAYERS_MAX;
    memory_file file;
    memory_file_init(&file);
    bks_replay_config config = walk_replay_config(memory_file_sink(&file));
    config.game = &wide;
    config.players = BKS_PLAYERS_MAX;
    config.tick_rate_hz = 1000;
    config.unconfirmed_ticks_max = 512;
    bks_replay_writer *writer = NULL;
    assert_int_equal(bks_replay_writer_create(&config, &writer, NULL), BKS_OK);
    const size_t values = BKS_PLAYERS_MAX * BKS_FIELDS_MAX;
    int32_t *inputs = malloc(512 * values * sizeof(*inputs));
    assert_non_null(inputs);
    for (size_t i = 0; i < 512 * values; i++) {
        inputs[i] = (int32_t)(i / values + i) % 256;
    }
    const uint64_t hash = UINT64_MAX;
    for (bks_tick tick = 0; tick < 63; tick++) {
        assert_int_equal(
            bks_replay_writer_confirm(writer, tick, inputs + (size_t)tick * values, &hash), BKS_OK);
    }
    assert_int_equal(bks_replay_writer_use(writer, 63, 512, inputs), BKS_OK);
    bks_replay *replay = NULL;
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
    assert_int_equal(bks_replay_info(replay)->ticks, 63 + 512);
    int32_t read[BKS_PLAYERS_MAX * BKS_FIELDS_MAX];
    assert_int_equal(bks_replay_inputs(replay, 63 + 511, read), BKS_OK);
    assert_memory_equal(read, inputs + 511 * values, sizeof(read));
    bks_replay_close(replay);
    free(inputs);
    bks_replay_writer_destroy(writer);
    memory_file_free(&file);
}

static bks_replay_writer *begin_chunks(memory_file *file, uint32_t chunk_ticks)
{
    memory_file_init(file);
    bks_replay_config config = walk_replay_config(memory_file_sink(file));
    config.detail.chunk_ticks = chunk_ticks;
    bks_replay_writer *writer = NULL;
    assert_int_equal(bks_replay_writer_create(&config, &writer, NULL), BKS_OK);
    return writer;
}

/// Inputs are appended as plain bits where coding does not pay, and later chunks must not depend on
/// what the coder learnt from them.
static void inputs_that_cannot_be_coded_are_written_plain(void **state)
{
    (void)state;
    const walk_truth *truth = walk_what_happened();
    memory_file file;
    bks_replay_writer *writer = begin_chunks(&file, 30);
    const size_t capacity = writer->coded.capacity;
    for (bks_tick tick = 0; tick < 300; tick++) {
        writer->coded.capacity = tick / 30 % 3 == 1 ? 4 : capacity;
        assert_int_equal(
            bks_replay_writer_confirm(writer, tick, truth->inputs[tick], &truth->hashes[tick]),
            BKS_OK);
    }
    assert_int_equal(bks_replay_writer_finish(writer, NULL), BKS_OK);
    bks_replay_writer_destroy(writer);
    bks_replay *replay = NULL;
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
    assert_int_equal(bks_replay_check(replay, NULL), BKS_OK);
    assert_int_equal(bks_replay_info(replay)->ticks, 300);
    walk_assert_true(replay);
    bks_replay_close(replay);
    memory_file_free(&file);
}

static void no_more_ticks_hang_together_than_may(void **state)
{
    (void)state;
    memory_file file;
    bks_replay_writer *writer = begin_chunks(&file, 1000);
    const int32_t neutral[WALK_VALUES] = {0, 0, 90, 0, 0, 0, 90, 0};
    for (bks_tick tick = 0; tick < 40000; tick++) {
        assert_int_equal(bks_replay_writer_confirm(writer, tick, neutral, NULL), BKS_OK);
    }
    assert_int_equal(bks_replay_writer_finish(writer, NULL), BKS_OK);
    bks_replay_writer_destroy(writer);
    bks_replay *replay = NULL;
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
    assert_int_equal(bks_replay_check(replay, NULL), BKS_OK);
    assert_int_equal(bks_replay_info(replay)->ticks, 40000);
    assert_true(file.count < 8000);
    bks_replay_close(replay);
    memory_file_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(complete_recording_holds_everything),
        cmocka_unit_test(stopped_recording_holds_the_guesses_too),
        cmocka_unit_test(kill_at_any_moment_loses_at_most_the_tick_in_hand),
        cmocka_unit_test(write_cut_anywhere_loses_at_most_one_tick),
        cmocka_unit_test(cut_while_beginning_is_incomplete),
        cmocka_unit_test(use_is_one_write_most_of_the_time),
        cmocka_unit_test(failing_sink_ends_the_recording_for_good),
        cmocka_unit_test(memory_is_taken_at_create_only_and_all_given_back),
        cmocka_unit_test(config_out_of_range_is_refused_by_name),
        cmocka_unit_test(misuse_is_refused_and_changes_nothing),
        cmocka_unit_test(flush_writes_what_was_confirmed_and_nothing_twice),
        cmocka_unit_test(widest_inputs_fit_their_slots),
        cmocka_unit_test(inputs_that_cannot_be_coded_are_written_plain),
        cmocka_unit_test(no_more_ticks_hang_together_than_may),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
