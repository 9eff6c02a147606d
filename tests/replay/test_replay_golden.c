// SPDX-License-Identifier: MIT

// Files that were written once and must read the same for ever: valid ones, and ones that must be
// refused. `test_replay_golden --write FOLDER` makes them anew, for a new version of the format.

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "recording.h"
#include "replay/replay_format.h"
#include "replay/replay_tail.h"

#define TICKS 50

/// A file, what it must read as, and how it is made from a recording of TICKS ticks.
typedef struct golden {
    const char *name;
    bks_status status;
    uint64_t offset; ///< where it is wrong
    bool is_open;    ///< a replay comes back
    bool is_complete;
    bks_tick ticks;
    bks_tick confirmed;
    bool finish; ///< made from a complete recording
    void (*change)(memory_file *file);
} golden;

static void append(memory_file *file, const void *bytes, size_t count)
{
    uint8_t copy[512];
    memcpy(copy, bytes, count);
    const memory_write write = {.offset = file->count, .count = count, .bytes = copy};
    memory_file_apply(file, &write, count);
}

static void append_record(memory_file *file, uint32_t type, const void *payload, size_t count)
{
    uint8_t record[256];
    memcpy(record + BKSI_RECORD_HEAD_BYTES, payload, count);
    append(file, record, bksi_record_seal(record, type, count, file->count));
}

static bksi_record record_of(const memory_file *file, uint32_t type)
{
    bksi_record record;
    size_t offset = BKSI_PREAMBLE_BYTES;
    while (bksi_record_skim(file->bytes, file->count, offset, &record) == BKSI_RECORD_OK &&
           record.type != type) {
        offset = record.end;
        if (record.type == BKSI_RECORD_STATE) {
            offset = (size_t)bksi_tail_offset(offset) + 2 * 4 * BKSI_BLOCK_BYTES;
        }
    }
    assert_int_equal(record.type, type);
    return record;
}

static void leave_as_it_is(memory_file *file)
{
    (void)file;
}
static void cut_in_last_record(memory_file *file)
{
    file->count -= 10;
}
static void cut_in_ticks(memory_file *file)
{
    file->count = record_of(file, BKSI_RECORD_TICKS).end + 30;
}
static void cut_in_state(memory_file *file)
{
    file->count = record_of(file, BKSI_RECORD_STATE).offset + 20;
}
static void cut_in_head(memory_file *file)
{
    file->count = 100;
}
static void unknown_record(memory_file *file)
{
    file->count = record_of(file, BKSI_RECORD_DONE).offset;
    append_record(file, BKSI_RECORD_TYPE('n', 'o', 't', 'e'), "from a later version", 20);
    uint8_t done[BKSI_DONE_BYTES] = {TICKS};
    append_record(file, BKSI_RECORD_DONE, done, sizeof(done));
}
static void other_file(memory_file *file)
{
    file->count = 0;
    append(file, "RIFF, perhaps", 13);
}
static void later_version(memory_file *file)
{
    bksi_put_u32(file->bytes + 8, 2);
    bksi_put_u32(file->bytes + 12, bksi_check32(file->bytes, 12, 0));
}
static void damaged_version(memory_file *file)
{
    file->bytes[8] ^= 2;
}
static void damaged_head(memory_file *file)
{
    file->bytes[BKSI_PREAMBLE_BYTES + BKSI_RECORD_HEAD_BYTES + 3] ^= 1;
}
static void damaged_state(memory_file *file)
{
    file->bytes[record_of(file, BKSI_RECORD_STATE).offset + 40] ^= 0x80;
}
static void damaged_ticks(memory_file *file)
{
    file->bytes[record_of(file, BKSI_RECORD_TICKS).offset + 40] ^= 0x80;
}
static void damaged_length(memory_file *file)
{
    file->bytes[record_of(file, BKSI_RECORD_TICKS).offset + 5] ^= 0x40;
}
static void damaged_tail(memory_file *file)
{
    const size_t offset = (size_t)bksi_tail_offset(record_of(file, BKSI_RECORD_STATE).end);
    file->bytes[offset + 100] ^= 1;
}
static void bytes_behind_the_end(memory_file *file)
{
    append(file, "!", 1);
}
static void later_record(memory_file *file)
{
    file->count = record_of(file, BKSI_RECORD_DONE).offset;
    append_record(file, BKSI_RECORD_TYPE('Z', 'T', 'I', 'C'), "packed", 6);
}
static void gap(memory_file *file)
{
    file->count = record_of(file, BKSI_RECORD_DONE).offset;
    const uint8_t run[] = {TICKS + 1, 1, 0, 1, 0, 0};
    append_record(file, BKSI_RECORD_TICKS, run, sizeof(run));
}

static const golden files[] = {
    {"complete", BKS_OK, 0, true, true, TICKS, TICKS, true, leave_as_it_is},
    {"stopped", BKS_OK, 0, true, false, TICKS, 44, false, leave_as_it_is},
    {"cut_in_last_record", BKS_OK, 0, true, false, TICKS, TICKS, true, cut_in_last_record},
    {"cut_in_ticks", BKS_OK, 0, true, false, 20, 20, true, cut_in_ticks},
    {"cut_in_state", BKS_OK, 0, true, false, 0, 0, true, cut_in_state},
    {"unknown_record", BKS_OK, 0, true, true, TICKS, TICKS, true, unknown_record},
    {"bad_cut_in_head", BKS_ERR_INCOMPLETE, 100, false, false, 0, 0, true, cut_in_head},
    {"bad_other_file", BKS_ERR_UNSUPPORTED, 0, false, false, 0, 0, true, other_file},
    {"bad_later_version", BKS_ERR_UNSUPPORTED, 8, false, false, 0, 0, true, later_version},
    {"bad_version", BKS_ERR_DAMAGED, 8, false, false, 0, 0, true, damaged_version},
    {"bad_head", BKS_ERR_DAMAGED, 16, false, false, 0, 0, true, damaged_head},
    {"bad_state", BKS_ERR_DAMAGED, 0, true, false, 0, 0, true, damaged_state},
    {"bad_ticks", BKS_ERR_DAMAGED, 0, true, false, 0, 0, true, damaged_ticks},
    {"bad_length", BKS_ERR_DAMAGED, 0, true, false, 0, 0, true, damaged_length},
    {"bad_tail", BKS_ERR_DAMAGED, 0, true, false, TICKS, TICKS, true, damaged_tail},
    {"bad_bytes_behind", BKS_ERR_DAMAGED, 0, true, false, TICKS, TICKS, true, bytes_behind_the_end},
    {"bad_later_record", BKS_ERR_UNSUPPORTED, 0, true, false, TICKS, TICKS, true, later_record},
    {"bad_gap", BKS_ERR_DAMAGED, 0, true, false, TICKS, TICKS, true, gap},
};

#define FILES (sizeof(files) / sizeof(files[0]))

static void make_file(const golden *g, memory_file *file)
{
    memory_file_init(file);
    walk_record(file, TICKS, g->finish);
    g->change(file);
}

/// Check one file against what it must read as; `offset` 0 with an open replay: any but none.
static void check_file(const golden *g, const uint8_t *bytes, size_t count)
{
    bks_replay *replay = NULL;
    bks_error error = {0};
    const bks_status status = bks_replay_open(bytes, count, NULL, &replay, &error);
    if (status != g->status || (replay != NULL) != g->is_open) {
        print_error("%s: %s %s\n", g->name, bks_status_name(status), error.text);
        fail();
    }
    if (!g->is_open) {
        assert_int_equal(error.offset_bytes, g->offset);
        return;
    }
    const bks_replay_info *info = bks_replay_get_info(replay);
    assert_int_equal(info->is_complete, g->is_complete);
    assert_int_equal(info->is_damaged, status != BKS_OK);
    assert_int_equal(info->damage_offset_bytes > 0, status != BKS_OK);
    assert_int_equal(info->ticks, g->ticks);
    assert_int_equal(info->confirmed, g->confirmed);
    assert_string_equal(info->game, "walk");
    assert_int_equal(info->seed, WALK_SEED);
    walk_assert_true(replay);
    const bks_playback_config config = {.replay = replay, .game = &walk_game};
    bks_verify_result result;
    assert_int_equal(bks_replay_verify(&config, 0, NULL, NULL, &result, &error), status);
    assert_true(result.is_same);
    assert_int_equal(result.stepped, g->confirmed);
    bks_replay_close(replay);
}

static void golden_files_read_as_they_always_did(void **state)
{
    (void)state;
    for (size_t i = 0; i < FILES; i++) {
        char path[512];
        snprintf(path, sizeof(path), "%s/tests/golden/replay/%s.bks", BKS_TEST_SOURCE_DIR,
                 files[i].name);
        size_t count = 0;
        uint8_t *bytes = read_whole_file(path, &count);
        check_file(&files[i], bytes, count);
        free(bytes);
    }
}

static void files_made_now_read_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < FILES; i++) {
        memory_file file;
        make_file(&files[i], &file);
        check_file(&files[i], file.bytes, file.count);
        memory_file_free(&file);
    }
}

static int write_files(const char *folder)
{
    for (size_t i = 0; i < FILES; i++) {
        char path[512];
        snprintf(path, sizeof(path), "%s/%s.bks", folder, files[i].name);
        memory_file file;
        make_file(&files[i], &file);
        FILE *out = fopen(path, "wb");
        const bool is_written = out != NULL && fwrite(file.bytes, 1, file.count, out) == file.count;
        memory_file_free(&file);
        if (!is_written || fclose(out) != 0) {
            fprintf(stderr, "%s cannot be written\n", path);
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--write") == 0) {
        return write_files(argv[2]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_files_read_as_they_always_did),
        cmocka_unit_test(files_made_now_read_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
