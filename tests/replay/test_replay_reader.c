// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/recording.h"
#include "base/bytes.h"
#include "recording.h"
#include "replay/format/replay_format.h"
#include "support/counting_allocator.h"

/// Make a recording of `ticks` ticks, to be changed.
static memory_file record(bks_tick ticks, bool finish)
{
    memory_file file;
    memory_file_init(&file);
    walk_record(&file, ticks, finish);
    return file;
}

/// Open a file of exactly these bytes, so that a sanitizer sees every read beyond them.
static bks_status open_exact(const uint8_t *bytes, size_t count, uint8_t **out_copy,
                             bks_replay **out, bks_error *error)
{
    *out_copy = malloc(count + (count == 0));
    assert_non_null(*out_copy);
    memcpy(*out_copy, bytes, count);
    return bks_replay_open(*out_copy, count, NULL, out, error);
}

/// Change each byte of a file in some ways: the reader must report it and never return wrong data.
static void change_every_byte(memory_file *file, size_t end)
{
    static const uint8_t changes[] = {0x01, 0x80, 0xff};
    for (size_t i = 0; i < end; i++) {
        for (size_t change = 0; change < sizeof(changes); change++) {
            bks_replay *replay = NULL;
            bks_error error = {0};
            file->bytes[i] ^= changes[change];
            const bks_status status =
                bks_replay_open(file->bytes, file->count, NULL, &replay, &error);
            if (status == BKS_OK || error.offset_bytes > i) {
                print_error("byte %zu changed by 0x%02x: %s, offset %llu\n", i, changes[change],
                            bks_status_name(status), (unsigned long long)error.offset_bytes);
                fail();
            }
            if (replay != NULL) {
                const bks_recording *info = bks_replay_info(replay);
                assert_true(info->is_damaged);
                assert_false(info->is_complete);
                assert_int_equal(info->damage_offset_bytes, error.offset_bytes);
                walk_assert_true(replay);
            }
            bks_replay_close(replay);
            file->bytes[i] ^= changes[change];
        }
    }
}

static void changed_byte_is_reported_with_its_offset(void **state)
{
    (void)state;
    memory_file file = record(50, true);
    change_every_byte(&file, file.count);
    memory_file_free(&file);
}

static void changed_byte_of_a_stopped_recording_is_reported_too(void **state)
{
    (void)state;
    memory_file file = record(50, false);
    change_every_byte(&file, file.count);
    memory_file_free(&file);
}

static void file_cut_anywhere_is_incomplete_and_true_up_to_there(void **state)
{
    (void)state;
    for (int finish = 0; finish < 2; finish++) {
        memory_file file = record(50, finish == 1);
        bks_tick newest = 0;
        for (size_t count = 0; count <= file.count; count++) {
            uint8_t *copy;
            bks_replay *replay = NULL;
            bks_error error = {0};
            const bks_status status = open_exact(file.bytes, count, &copy, &replay, &error);
            if (replay == NULL) {
                assert_int_equal(status, BKS_ERR_INCOMPLETE);
                assert_int_equal(error.offset_bytes, count);
                assert_true(count < 400);
            } else {
                assert_int_equal(status, BKS_OK);
                const bks_recording *info = bks_replay_info(replay);
                assert_false(info->is_damaged);
                assert_int_equal(info->is_complete, finish == 1 && count == file.count);
                assert_true(finish == 0 || info->ticks >= newest);
                newest = info->ticks;
                walk_assert_true(replay);
            }
            bks_replay_close(replay);
            free(copy);
        }
        assert_int_equal(newest, 50);
        memory_file_free(&file);
    }
}

static void info_describes_the_recording(void **state)
{
    (void)state;
    memory_file file = record(50, true);
    bks_replay *replay = NULL;
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
    const bks_recording *info = bks_replay_info(replay);
    assert_string_equal(info->game, "walk");
    assert_int_equal(info->version, 3);
    assert_string_equal(info->build, "walk 3 test");
    assert_int_equal(info->players, WALK_PLAYERS);
    assert_int_equal(info->tick_rate_hz, WALK_TICK_RATE_HZ);
    assert_int_equal(info->seed, WALK_SEED);
    assert_int_equal(info->bytes, file.count);
    assert_in_range(info->input_bytes, 50, 200);
    // 47 short hashes, 3 long ones, one chunk.
    assert_int_equal(info->hash_bytes, (47 * 16 + 3 * 64) / 8);
    assert_int_equal(info->format, 2);
    assert_int_equal(info->first, 0);
    assert_int_equal(info->end, 50);
    assert_int_equal(info->state_bytes, sizeof(walk_state));
    assert_int_equal(info->keyframes, 0);
    assert_int_equal(info->field_count, WALK_FIELDS);
    assert_string_equal(info->fields[2].name, "aim");
    assert_int_equal(info->option_count, 2);
    assert_string_equal(info->options[0].value, "3");
    assert_true(info->environment_count > 0);
    walk_state start;
    assert_int_equal(bks_replay_state(replay, &start, sizeof(start), NULL), BKS_OK);
    assert_int_equal(start.speed, 3);
    assert_int_equal(bks_replay_state(replay, &start, sizeof(start) - 1, NULL), BKS_ERR_TOO_SMALL);
    bks_replay_close(replay);
    memory_file_free(&file);
}

static void ticks_can_be_asked_for_in_any_order(void **state)
{
    (void)state;
    memory_file file = record(300, true);
    bks_replay *replay = NULL;
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
    uint32_t random = 7;
    for (uint32_t i = 0; i < 2000; i++) {
        random = random * 1664525u + 1013904223u;
        const bks_tick tick = (bks_tick)((random >> 8) % 300);
        int32_t values[WALK_VALUES];
        assert_int_equal(bks_replay_inputs(replay, tick, values), BKS_OK);
        assert_memory_equal(values, walk_what_happened()->inputs[tick], sizeof(values));
    }
    bks_replay_close(replay);
    memory_file_free(&file);
}

/// Append a record with this payload.
static void append_record(memory_file *file, uint32_t type, const void *payload, size_t count)
{
    uint8_t record_bytes[256];
    memcpy(record_bytes + BKSI_RECORD_HEAD_BYTES, payload, count);
    const memory_write write = {
        .offset = file->count,
        .count = bksi_record_finish(record_bytes, type, count, file->count),
        .bytes = record_bytes,
    };
    memory_file_apply(file, &write, write.count);
}

static void assert_opens(const memory_file *file, bks_status status, uint64_t offset)
{
    bks_replay *replay = NULL;
    bks_error error = {0};
    assert_int_equal(bks_replay_open(file->bytes, file->count, NULL, &replay, &error), status);
    assert_int_equal(error.offset_bytes, offset);
    assert_non_null(replay);
    assert_int_equal(bks_replay_info(replay)->is_damaged, status != BKS_OK);
    bks_replay_close(replay);
}

static void unknown_record_with_a_small_letter_is_passed_over(void **state)
{
    (void)state;
    memory_file file = record(0, false);
    append_record(&file, BKSI_RECORD_TYPE('n', 'o', 't', 'e'), "hello", 5);
    const uint8_t done[BKSI_DONE_BYTES] = {0};
    append_record(&file, BKSI_RECORD_DONE, done, sizeof(done));
    assert_opens(&file, BKS_OK, 0);
    file.bytes[file.count - BKSI_DONE_BYTES - BKSI_RECORD_EXTRA_BYTES - 10] ^= 1;
    assert_opens(&file, BKS_ERR_DAMAGED,
                 file.count - BKSI_DONE_BYTES - 2 * BKSI_RECORD_EXTRA_BYTES - 5);
    memory_file_free(&file);
}

static void unknown_record_with_a_capital_is_unsupported(void **state)
{
    (void)state;
    memory_file file = record(0, false);
    const size_t offset = file.count;
    append_record(&file, BKSI_RECORD_TYPE('Z', 'T', 'I', 'C'), "hello", 5);
    assert_opens(&file, BKS_ERR_UNSUPPORTED, offset);
    memory_file_free(&file);
}

static void records_that_lie_are_damage_despite_right_checks(void **state)
{
    (void)state;
    uint8_t done[BKSI_DONE_BYTES] = {0};
    const uint8_t gap[] = {1, 1, 2, 0};                // begins with tick 1
    const uint8_t empty[] = {0, 0, 2, 0};              // no tick at all
    const uint8_t long_one[] = {0, 0x81, 8, 2, 0};     // 1025 ticks
    const uint8_t flags[] = {0, 1, 14, 0};             // flags that there are not
    const uint8_t one[] = {0, 1, 2, 0};                // tick 0, neutral, not hashed
    const uint8_t beyond[] = {0, 1, 2 | 1 << 2, 2, 0}; // a hash that is not there
    const struct {
        uint32_t type;
        const void *payload;
        size_t count;
    } lies[] = {
        {BKSI_RECORD_TICKS, gap, sizeof(gap)},
        {BKSI_RECORD_TICKS, empty, sizeof(empty)},
        {BKSI_RECORD_TICKS, long_one, sizeof(long_one)},
        {BKSI_RECORD_TICKS, flags, sizeof(flags)},
        {BKSI_RECORD_TICKS, beyond, sizeof(beyond)},
        {BKSI_RECORD_KEYFRAME, one, sizeof(one)},
        {BKSI_RECORD_EVENT, one, sizeof(one)},
        {BKSI_RECORD_INDEX, one, sizeof(one)},
        {BKSI_RECORD_TICKS, "", 0},
        {BKSI_RECORD_HEAD, "x", 1},
        {BKSI_RECORD_STATE, "x", 1},
        {BKSI_RECORD_DONE, done, sizeof(done) - 1},
    };
    for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
        memory_file file = record(0, false);
        const size_t offset = file.count;
        append_record(&file, lies[i].type, lies[i].payload, lies[i].count);
        assert_opens(&file, BKS_ERR_DAMAGED, offset);
        memory_file_free(&file);
    }
    memory_file file = record(0, false);
    append_record(&file, BKSI_RECORD_TICKS, one, sizeof(one));
    assert_opens(&file, BKS_OK, 0);
    const size_t offset = file.count;
    const uint8_t coded[] = {1, 1, 1}; // continues a plain one
    append_record(&file, BKSI_RECORD_TICKS, coded, sizeof(coded));
    assert_opens(&file, BKS_ERR_DAMAGED, offset);
    file.count = offset;
    append_record(&file, BKSI_RECORD_DONE, done, sizeof(done)); // says 0 ticks
    assert_opens(&file, BKS_ERR_DAMAGED, offset);
    memory_file_free(&file);
}

static void complete_file_with_a_tail_is_damage(void **state)
{
    (void)state;
    memory_file file = record(1, false);
    bks_replay *replay = NULL;
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
    assert_int_equal(bks_replay_info(replay)->ticks, 1);
    bks_replay_close(replay);
    const uint8_t done[BKSI_DONE_BYTES] = {0};
    const size_t slots = file.count - 2 * 2 * 512;
    append_record(&file, BKSI_RECORD_DONE, done, sizeof(done));
    assert_opens(&file, BKS_ERR_DAMAGED, slots + 2 * 512); // the first write goes to slot 1
    memory_file_free(&file);
}

static void bytes_behind_the_end_are_damage(void **state)
{
    (void)state;
    memory_file file = record(30, true);
    const memory_write more = {.offset = file.count, .count = 1, .bytes = (uint8_t *)""};
    const size_t offset = file.count;
    memory_file_apply(&file, &more, 1);
    assert_opens(&file, BKS_ERR_DAMAGED, offset);
    memory_file_free(&file);
}

static void nothing_and_other_files_are_refused(void **state)
{
    (void)state;
    bks_replay *replay = NULL;
    bks_error error = {0};
    assert_int_equal(bks_replay_open(NULL, 0, NULL, &replay, &error), BKS_ERR_INCOMPLETE);
    assert_int_equal(bks_replay_open("hello", 5, NULL, &replay, &error), BKS_ERR_UNSUPPORTED);
    assert_null(replay);
    assert_int_equal(bks_replay_open(NULL, 1, NULL, &replay, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_open("x", 1, NULL, NULL, NULL), BKS_ERR_BAD_ARGUMENT);
    const bks_allocator half = {.alloc = counting_alloc};
    assert_int_equal(bks_replay_open("x", 1, &half, &replay, NULL), BKS_ERR_BAD_ARGUMENT);
}

static void random_bytes_behind_a_right_beginning_never_crash(void **state)
{
    (void)state;
    memory_file file = record(0, false);
    uint32_t random = 1;
    for (uint32_t round = 0; round < 300; round++) {
        uint8_t noise[64];
        for (size_t i = 0; i < sizeof(noise); i++) {
            random = random * 1664525u + 1013904223u;
            noise[i] = (uint8_t)(random >> (20 + round % 8)) & (uint8_t)(0xff >> round % 7);
        }
        const size_t before = file.count;
        append_record(&file, BKSI_RECORD_TICKS, noise, round % 65);
        bks_replay *replay = NULL;
        uint8_t *copy;
        const bks_status status = open_exact(file.bytes, file.count, &copy, &replay, NULL);
        assert_true(status == BKS_OK || status == BKS_ERR_DAMAGED);
        bks_replay_close(replay);
        free(copy);
        file.count = before;
    }
    memory_file_free(&file);
}

static void memory_comes_from_the_hooks_and_goes_back(void **state)
{
    (void)state;
    memory_file file = record(50, false);
    counting_allocator counter;
    const bks_allocator hooks = counting_allocator_hooks(&counter);
    bks_replay *replay = NULL;
    assert_int_equal(bks_replay_open(file.bytes, file.count, &hooks, &replay, NULL), BKS_OK);
    const uint32_t allocs = counter.allocs;
    walk_assert_true(replay);
    assert_int_equal(counter.allocs, allocs);
    bks_replay_close(replay);
    assert_int_equal(counter.live_bytes, 0);
    assert_false(counter.is_wrong);
    for (uint32_t i = 0; i < allocs; i++) {
        counter.fail_after = i;
        assert_int_equal(bks_replay_open(file.bytes, file.count, &hooks, &replay, NULL),
                         BKS_ERR_OUT_OF_MEMORY);
        assert_null(replay);
        assert_int_equal(counter.live_bytes, 0);
    }
    memory_file_free(&file);
}

static void asking_for_what_is_not_there_is_refused(void **state)
{
    (void)state;
    memory_file file = record(30, false);
    bks_replay *replay = NULL;
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
    const bks_recording *info = bks_replay_info(replay);
    int32_t values[WALK_VALUES];
    uint64_t hash;
    uint32_t bits;
    assert_int_equal(bks_replay_inputs(replay, -1, values), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_inputs(replay, info->ticks, values), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_inputs(replay, 0, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_inputs(NULL, 0, values), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_hash(replay, -1, &hash, &bits), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_hash(replay, info->end + 1, &hash, &bits), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_hash(replay, 0, NULL, &bits), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_hash(replay, 0, &hash, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_hash(NULL, 0, &hash, &bits), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_hash(replay, info->confirmed, &hash, &bits), BKS_OK);
    assert_int_equal(bits, 0);
    assert_true(bks_replay_hash_agrees(replay, info->confirmed, 1));
    assert_false(bks_replay_hash_agrees(replay, 0, 1));
    assert_null(bks_replay_info(NULL));
    bks_replay_close(replay);
    bks_replay_close(NULL);

    // A file that is cut within its state describes itself and has no tick.
    bksi_record head;
    const bks_replay_piece piece = {.bytes = file.bytes, .count = file.count};
    assert_int_equal(bksi_record_read(&piece, BKSI_PREAMBLE_BYTES, &head), BKSI_RECORD_OK);
    assert_int_equal(bks_replay_open(file.bytes, (size_t)head.end + 20, NULL, &replay, NULL),
                     BKS_OK);
    assert_int_equal(bks_replay_info(replay)->ticks, 0);
    assert_int_equal(bks_replay_state(replay, values, sizeof(values), NULL), BKS_ERR_INCOMPLETE);
    assert_int_equal(bks_replay_state(NULL, values, 1, NULL), BKS_ERR_BAD_ARGUMENT);
    bks_replay_close(replay);
    memory_file_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changed_byte_is_reported_with_its_offset),
        cmocka_unit_test(changed_byte_of_a_stopped_recording_is_reported_too),
        cmocka_unit_test(file_cut_anywhere_is_incomplete_and_true_up_to_there),
        cmocka_unit_test(info_describes_the_recording),
        cmocka_unit_test(ticks_can_be_asked_for_in_any_order),
        cmocka_unit_test(unknown_record_with_a_small_letter_is_passed_over),
        cmocka_unit_test(unknown_record_with_a_capital_is_unsupported),
        cmocka_unit_test(records_that_lie_are_damage_despite_right_checks),
        cmocka_unit_test(complete_file_with_a_tail_is_damage),
        cmocka_unit_test(bytes_behind_the_end_are_damage),
        cmocka_unit_test(nothing_and_other_files_are_refused),
        cmocka_unit_test(random_bytes_behind_a_right_beginning_never_crash),
        cmocka_unit_test(memory_comes_from_the_hooks_and_goes_back),
        cmocka_unit_test(asking_for_what_is_not_there_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
