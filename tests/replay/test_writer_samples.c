// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Optional details of every tick, written and read again.

#include "backstitch/toolkit/recording.h"
#include "backstitch/toolkit/writer.h"
#include "recording.h"
#include "replay/format/replay_format.h"
#include "replay/format/replay_samples.h"
#include "replay/write/packed_writer.h"
#include "support/counting_allocator.h"

#define TICKS 100

static memory_file file;
static bks_replay *replay;

static const bks_state_range ranges[] = {
    {.name = "x", .offset_bytes = 0, .count = 2, .type = BKS_STATE_I32, .is_recorded = true},
    {.name = "trail", .offset_bytes = 36, .count = 9000, .type = BKS_STATE_U8},
    {.name = "noise",
     .offset_bytes = offsetof(walk_state, noise),
     .count = 1,
     .type = BKS_STATE_U64,
     .is_recorded = true},
};

static const bks_replay_detail everything = {
    .chunk_ticks = 16,
    .page_hashes = true,
    .rollbacks = true,
    .values = true,
};

/// Make hashes of three pages from a tick.
static void page_hashes(bks_tick tick, uint64_t hashes[3])
{
    for (uint32_t i = 0; i < 3; i++) {
        hashes[i] = UINT64_C(0x123456789) * (uint64_t)(tick + 1) + i;
    }
}

/// Make the guess for a tick before a rollback at `present`.
static void wrong_guess(bks_tick tick, bks_tick present, int32_t values[WALK_VALUES])
{
    memcpy(values, walk_what_happened()->inputs[tick], WALK_VALUES * sizeof(*values));
    values[2] = present;
}

static void say(bks_replay_writer *writer, bks_tick tick)
{
    const walk_truth *truth = walk_what_happened();
    struct {
        int32_t x[2];
        uint8_t noise[8];
    } values;
    memcpy(values.x, truth->states[tick].x, sizeof(values.x));
    memcpy(values.noise, &truth->states[tick].noise, sizeof(values.noise));
    uint64_t hashes[3];
    page_hashes(tick, hashes);
    assert_int_equal(bks_replay_writer_values(writer, tick, &values), BKS_OK);
    assert_int_equal(bks_replay_writer_pages(writer, tick, hashes, tick < 50 ? 2 : 3), BKS_OK);
    if (tick % 10 == 5) {
        int32_t guesses[3][WALK_VALUES];
        for (bks_tick t = tick - 3; t < tick; t++) {
            wrong_guess(t, tick, guesses[t - (tick - 3)]);
        }
        assert_int_equal(bks_replay_writer_rollback(writer, tick, tick - 3, guesses[0]), BKS_OK);
    }
}

static bks_replay_writer *begin(const bks_replay_detail *detail, const bks_allocator *allocator)
{
    memory_file_init(&file);
    bks_replay_config config = walk_replay_config(memory_file_sink(&file));
    const bks_game named = walk_game_with(ranges, 3);
    config.game = &named;
    config.detail = *detail;
    config.allocator = *allocator;
    bks_replay_writer *writer = NULL;
    bks_error error = {0};
    if (bks_replay_writer_create(&config, &writer, &error) != BKS_OK) {
        fail_msg("%s", error.text);
    }
    return writer;
}

static void confirm(bks_replay_writer *writer, bks_tick tick)
{
    const walk_truth *truth = walk_what_happened();
    assert_int_equal(
        bks_replay_writer_confirm(writer, tick, truth->inputs[tick], &truth->hashes[tick]), BKS_OK);
}

static int record_all(void **state)
{
    (void)state;
    const bks_allocator none = {0};
    bks_replay_writer *writer = begin(&everything, &none);
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        say(writer, tick);
        confirm(writer, tick);
    }
    assert_int_equal(bks_replay_writer_finish(writer, NULL), BKS_OK);
    bks_replay_writer_destroy(writer);
    return bks_replay_open(file.bytes, file.count, NULL, &replay, NULL) == BKS_OK ? 0 : -1;
}

static int forget(void **state)
{
    (void)state;
    bks_replay_close(replay);
    replay = NULL;
    memory_file_free(&file);
    return 0;
}

static void values_of_every_tick_are_there_in_any_order(void **state)
{
    (void)state;
    const walk_truth *truth = walk_what_happened();
    assert_int_equal(bks_replay_info(replay)->range_count, 3);
    uint32_t random = 1;
    for (uint32_t i = 0; i < 300; i++) {
        random = random * 1664525u + 1013904223u;
        const bks_tick tick = i < TICKS ? (bks_tick)i : (bks_tick)((random >> 8) % TICKS);
        int32_t x[2];
        uint64_t noise = 0;
        assert_int_equal(bks_replay_values(replay, tick, 0, x, sizeof(x)), BKS_OK);
        assert_memory_equal(x, truth->states[tick].x, sizeof(x));
        assert_int_equal(bks_replay_values(replay, tick, 2, &noise, sizeof(noise)), BKS_OK);
        assert_true(noise == truth->states[tick].noise);
    }
}

static void page_hashes_of_every_tick_are_there(void **state)
{
    (void)state;
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        uint32_t read[4] = {0};
        size_t count = 0;
        uint64_t hashes[3];
        page_hashes(tick, hashes);
        assert_int_equal(bks_replay_page_hashes(replay, tick, read, 4, &count), BKS_OK);
        assert_in_range(count, tick < 50 ? 2 : 3, 3);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(read[i], tick < 50 && i == 2 ? 0 : (uint32_t)hashes[i]);
        }
    }
}

static void rollbacks_are_there_with_what_was_guessed(void **state)
{
    (void)state;
    assert_int_equal(bks_replay_info(replay)->rollback_count, 10);
    for (uint32_t i = 0; i < 10; i++) {
        bks_replay_rollback rollback;
        assert_int_equal(bks_replay_rollback_at(replay, i, &rollback), BKS_OK);
        assert_int_equal(rollback.present, 10 * i + 5);
        assert_int_equal(rollback.from, rollback.present - 3);
        for (bks_tick tick = rollback.from; tick < rollback.present; tick++) {
            int32_t read[WALK_VALUES];
            int32_t guess[WALK_VALUES];
            wrong_guess(tick, rollback.present, guess);
            assert_int_equal(bks_replay_rollback_inputs(replay, i, tick, read), BKS_OK);
            assert_memory_equal(read, guess, sizeof(guess));
        }
    }
}

static void what_is_not_said_of_a_tick_is_zero(void **state)
{
    (void)state;
    const bks_allocator none = {0};
    bks_replay_writer *writer = begin(&everything, &none);
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        if (tick % 3 == 0) {
            say(writer, tick);
        }
        confirm(writer, tick);
    }
    assert_int_equal(bks_replay_writer_finish(writer, NULL), BKS_OK);
    bks_replay_writer_destroy(writer);
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        uint64_t noise = 1;
        uint32_t pages[3] = {1, 1, 1};
        size_t count = 0;
        assert_int_equal(bks_replay_values(replay, tick, 2, &noise, sizeof(noise)), BKS_OK);
        assert_int_equal(bks_replay_page_hashes(replay, tick, pages, 3, &count), BKS_OK);
        const bool is_said = tick % 3 == 0;
        assert_true(noise == (is_said ? walk_what_happened()->states[tick].noise : 0));
        assert_true((pages[0] != 0) == is_said && (pages[1] != 0) == is_said);
    }
}

static void asking_for_what_is_not_there_is_refused(void **state)
{
    (void)state;
    int32_t values[WALK_VALUES];
    uint32_t hashes[3];
    size_t count = 0;
    bks_replay_rollback rollback;
    assert_int_equal(bks_replay_values(replay, TICKS, 0, values, 8), BKS_ERR_INCOMPLETE);
    assert_int_equal(bks_replay_values(replay, -1, 0, values, 8), BKS_ERR_INCOMPLETE);
    assert_int_equal(bks_replay_values(replay, 0, 1, values, 9000), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_values(replay, 0, 3, values, 8), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_values(replay, 0, 0, values, 7), BKS_ERR_TOO_SMALL);
    assert_int_equal(bks_replay_values(NULL, 0, 0, values, 8), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_page_hashes(replay, TICKS, hashes, 3, &count), BKS_ERR_INCOMPLETE);
    assert_int_equal(bks_replay_page_hashes(replay, 60, hashes, 2, &count), BKS_ERR_TOO_SMALL);
    assert_int_equal(count, 3);
    assert_int_equal(bks_replay_page_hashes(replay, 0, NULL, 3, &count), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_rollback_at(replay, 10, &rollback), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_rollback_inputs(replay, 0, 1, values), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_rollback_inputs(replay, 0, 5, values), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_rollback_inputs(replay, 10, 2, values), BKS_ERR_BAD_ARGUMENT);
}

static void damaged_rows_lose_no_tick(void **state)
{
    (void)state;
    const bks_replay_piece piece = {.bytes = file.bytes, .count = file.count};
    uint32_t tried = 0;
    bksi_record record;
    for (uint64_t offset = BKSI_PREAMBLE_BYTES; offset < file.count;) {
        if (bksi_record_skim(&piece, offset, &record) != BKSI_RECORD_OK) {
            offset = bksi_record_find(&piece, offset);
            continue;
        }
        offset = record.end;
        if (record.type != BKSI_RECORD_VALUES && record.type != BKSI_RECORD_PAGES &&
            record.type != BKSI_RECORD_ROLLBACKS) {
            continue;
        }
        file.bytes[record.offset + 20] ^= 1;
        bks_replay_close(replay);
        assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL),
                         BKS_ERR_DAMAGED);
        assert_int_equal(bks_replay_info(replay)->ticks, TICKS);
        bks_replay_lost lost;
        assert_int_equal(bks_replay_lost_at(replay, 0, &lost), BKS_OK);
        assert_int_equal(lost.ticks, 0);
        file.bytes[record.offset + 20] ^= 1;
        tried++;
    }
    assert_true(tried >= 3 * (TICKS / 16));
}

static void count_line(void *context, bks_log_level level, const char *id, const char *text)
{
    (void)level;
    (void)id;
    (void)text;
    ++*(uint32_t *)context;
}

/// Forge rows that do not unpack inside records with valid checks.
static void forged_rows_are_unpacked_once(void **state)
{
    (void)state;
    const bks_replay_piece piece = {.bytes = file.bytes, .count = file.count};
    bksi_record record = {.end = BKSI_PREAMBLE_BYTES};
    bksi_packed_samples rows = {0};
    while (!rows.deltas.is_packed) {
        const uint64_t at = record.end;
        if (bksi_record_skim(&piece, at, &record) != BKSI_RECORD_OK) {
            record.end = bksi_record_find(&piece, at);
        } else if (record.type == BKSI_RECORD_PAGES) {
            assert_true(bksi_samples_read(&rows, record.payload, record.payload_bytes));
        }
    }
    uint32_t lines = 0;
    const bks_log_sink sink = {.write = count_line, .context = &lines};
    assert_int_equal(bks_log_set_sink(&sink), BKS_OK);
    uint8_t *const bytes = file.bytes + record.offset;
    bks_status status = BKS_OK;
    uint32_t hashes[3];
    size_t count = 0;
    for (size_t i = record.payload_bytes - 1; status == BKS_OK; i--) {
        bytes[BKSI_RECORD_HEAD_BYTES + i] ^= 0x55;
        (void)bksi_record_finish(bytes, record.type, record.payload_bytes, record.offset);
        bks_replay_close(replay);
        assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
        status = bks_replay_page_hashes(replay, rows.first, hashes, 3, &count);
        bytes[BKSI_RECORD_HEAD_BYTES + i] ^= status == BKS_OK ? 0x55 : 0;
    }
    assert_int_equal(status, BKS_ERR_DAMAGED);
    assert_int_equal(lines, 1);
    for (bks_tick tick = rows.first; tick < rows.first + (bks_tick)rows.ticks; tick++) {
        assert_int_equal(bks_replay_page_hashes(replay, tick, hashes, 3, &count), BKS_ERR_DAMAGED);
    }
    assert_int_equal(lines, 1); // logged once for each attempt to unpack
    const bks_tick next = rows.first + (bks_tick)rows.ticks;
    assert_int_equal(bks_replay_page_hashes(replay, next, hashes, 3, &count), BKS_OK);
    bks_log_clear_sink();
}

static void without_being_asked_for_nothing_is_kept(void **state)
{
    (void)state;
    const bks_allocator none = {0};
    const bks_replay_detail nothing = {0};
    bks_replay_writer *writer = begin(&nothing, &none);
    for (bks_tick tick = 0; tick < 20; tick++) {
        say(writer, tick);
        confirm(writer, tick);
    }
    assert_int_equal(bks_replay_writer_finish(writer, NULL), BKS_OK);
    bks_replay_writer_destroy(writer);
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
    assert_int_equal(bks_replay_info(replay)->rollback_count, 0);
    uint32_t hash;
    size_t count;
    assert_int_equal(bks_replay_page_hashes(replay, 0, &hash, 1, &count), BKS_ERR_INCOMPLETE);
}

static void many_rollbacks_between_two_chunks_are_all_kept(void **state)
{
    (void)state;
    const bks_allocator none = {0};
    bks_replay_writer *writer = begin(&everything, &none);
    int32_t guesses[8][WALK_VALUES];
    for (uint32_t i = 0; i < 8; i++) {
        memcpy(guesses[i], walk_what_happened()->inputs[i * 3], sizeof(guesses[i]));
    }
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(bks_replay_writer_rollback(writer, 8, 0, guesses[0]), BKS_OK);
    }
    assert_int_equal(bks_replay_writer_rollback(writer, 8, 8, guesses[0]), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_writer_rollback(writer, 9, 0, guesses[0]), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_writer_rollback(writer, 3, -1, guesses[0]), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_writer_rollback(writer, 8, 0, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_writer_values(writer, 1, guesses), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_writer_values(writer, 0, NULL), BKS_ERR_BAD_ARGUMENT);
    uint64_t hashes[4] = {0};
    assert_int_equal(bks_replay_writer_pages(writer, 0, hashes, 4), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_writer_pages(writer, 1, hashes, 1), BKS_ERR_BAD_ARGUMENT);
    confirm(writer, 0);
    assert_int_equal(bks_replay_writer_finish(writer, NULL), BKS_OK);
    bks_replay_writer_destroy(writer);
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
    assert_int_equal(bks_replay_info(replay)->rollback_count, 1000);
}

static void unwanted_rollbacks_wait_in_memory_and_the_newest_are_there_once_wanted(void **state)
{
    (void)state;
    const bks_allocator none = {0};
    const bks_replay_detail nothing = {0};
    bks_replay_writer *writer = begin(&nothing, &none);
    int32_t guesses[8][WALK_VALUES] = {{0}};
    assert_int_equal(bksi_writer_spare_rollbacks(writer), BKS_OK);
    const size_t before = file.count;
    const uint32_t made = 20000;
    for (uint32_t i = 0; i < made; i++) {
        for (uint32_t k = 0; k < 8; k++) {
            memcpy(guesses[k], walk_what_happened()->inputs[(i + k) % TICKS], sizeof(guesses[k]));
        }
        const bks_tick present = (bks_tick)(i + 8);
        assert_int_equal(bks_replay_writer_rollback(writer, present, present - 8, guesses[0]),
                         BKS_OK);
    }
    assert_int_equal(file.count, before);
    assert_int_equal(bksi_writer_want_rollbacks(writer), BKS_OK);
    assert_in_range(file.count - before, 8 << 10, 66 << 10);
    assert_int_equal(bks_replay_writer_finish(writer, NULL), BKS_OK);
    bks_replay_writer_destroy(writer);
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
    const uint32_t count = bks_replay_info(replay)->rollback_count;
    assert_in_range(count, 100, made - 1);
    for (uint32_t i = 0; i < count; i++) {
        bks_replay_rollback rollback = {0};
        assert_int_equal(bks_replay_rollback_at(replay, i, &rollback), BKS_OK);
        assert_int_equal(rollback.present, made - count + i + 8);
    }
}

static void more_than_may_be_kept_is_refused_by_name(void **state)
{
    (void)state;
    memory_file_init(&file);
    bks_replay_config config = walk_replay_config(memory_file_sink(&file));
    bks_replay_writer *writer = NULL;
    bks_error error = {0};
    bks_state_range large = ranges[0];
    large.count = BKS_VALUES_BYTES_MAX / 4 + 1;
    const bks_game game = walk_game_with(&large, 1);
    config.game = &game;
    config.detail.values = true;
    assert_int_equal(bks_replay_writer_create(&config, &writer, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "detail.values");
    large.count--;
    assert_int_equal(bks_replay_writer_create(&config, &writer, &error), BKS_OK);
    bks_replay_writer_destroy(writer);
    config.detail = (bks_replay_detail){.page_hashes = true};
    config.state_bytes_max = ((size_t)16 << 20) + 1;
    assert_int_equal(bks_replay_writer_create(&config, &writer, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "detail.page_hashes");
    config.first_tick = -1;
    assert_int_equal(bks_replay_writer_create(&config, &writer, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "first_tick");
}

static void memory_is_taken_at_create_only(void **state)
{
    (void)state;
    counting_allocator counter;
    const bks_allocator hooks = counting_allocator_hooks(&counter);
    bks_replay_detail detail = everything;
    detail.keyframe_ticks = 10;
    bks_replay_writer *writer = begin(&detail, &hooks);
    const uint32_t allocs = counter.allocs;
    for (bks_tick tick = 0; tick < 60; tick++) {
        say(writer, tick);
        confirm(writer, tick);
    }
    assert_int_equal(counter.allocs, allocs);
    bks_replay_writer_destroy(writer);
    assert_int_equal(counter.live_bytes, 0);
    bks_replay_config config = walk_replay_config(memory_file_sink(&file));
    const bks_game named = walk_game_with(ranges, 3);
    config.game = &named;
    config.detail = detail;
    config.allocator = hooks;
    for (uint32_t i = 0; i < allocs; i++) {
        counter.fail_after = i;
        assert_int_equal(bks_replay_writer_create(&config, &writer, NULL), BKS_ERR_OUT_OF_MEMORY);
        assert_int_equal(counter.live_bytes, 0);
    }
}

static void rows_that_a_reader_would_refuse_are_left_out(void **state)
{
    (void)state;
    const bks_tick ticks = 60000;
    const bks_state_range all = {
        .name = "all", .count = BKS_VALUES_BYTES_MAX, .type = BKS_STATE_U8, .is_recorded = true};
    const bks_game named = walk_game_with(&all, 1);
    memory_file_init(&file);
    bks_replay_config config = walk_replay_config(memory_file_sink(&file));
    config.game = &named;
    config.detail = (bks_replay_detail){.values = true, .chunk_ticks = 1024};
    bks_replay_writer *writer = NULL;
    assert_int_equal(bks_replay_writer_create(&config, &writer, NULL), BKS_OK);
    const int32_t *inputs = walk_what_happened()->inputs[0];
    for (bks_tick tick = 0; tick < ticks; tick++) {
        // Without values and hashes a tick takes hardly a byte.
        assert_int_equal(bks_replay_writer_confirm(writer, tick, inputs, NULL), BKS_OK);
    }
    assert_int_equal(bks_replay_writer_finish(writer, NULL), BKS_OK);
    bks_replay_writer_destroy(writer);
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
    const bks_recording *info = bks_replay_info(replay);
    assert_int_equal(info->ticks, ticks);
    assert_in_range(info->value_ticks, BKSI_SAMPLES_FILE_BYTES / BKS_VALUES_BYTES_MAX, ticks - 1);
}

#define WITH_FILE(test) cmocka_unit_test_setup_teardown(test, record_all, forget)
#define ALONE(test)     cmocka_unit_test_teardown(test, forget)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FILE(values_of_every_tick_are_there_in_any_order),
        WITH_FILE(page_hashes_of_every_tick_are_there),
        WITH_FILE(rollbacks_are_there_with_what_was_guessed),
        WITH_FILE(asking_for_what_is_not_there_is_refused),
        WITH_FILE(damaged_rows_lose_no_tick),
        WITH_FILE(forged_rows_are_unpacked_once),
        ALONE(what_is_not_said_of_a_tick_is_zero),
        ALONE(without_being_asked_for_nothing_is_kept),
        ALONE(many_rollbacks_between_two_chunks_are_all_kept),
        ALONE(unwanted_rollbacks_wait_in_memory_and_the_newest_are_there_once_wanted),
        ALONE(rows_that_a_reader_would_refuse_are_left_out),
        ALONE(more_than_may_be_kept_is_refused_by_name),
        ALONE(memory_is_taken_at_create_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
