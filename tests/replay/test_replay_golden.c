// SPDX-License-Identifier: MIT

// Files that were written once and must read the same for ever, of every version: valid ones, and
// ones that must be refused. `replay_replay_golden --write FOLDER` makes those of the newest
// version anew, while that may still change.

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
    bks_tick lost;    ///< ticks lost to damage, with readable ones behind them
    bks_tick resumed; ///< ticks that can be stepped behind them
    bool finish;      ///< made from a complete recording
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
    const bks_replay_piece piece = {.bytes = file->bytes, .count = file->count};
    uint64_t offset = BKSI_PREAMBLE_BYTES;
    while (bksi_record_skim(&piece, offset, &record) == BKSI_RECORD_OK && record.type != type) {
        offset = record.end;
        if (record.type == BKSI_RECORD_STATE) {
            offset = bksi_tail_offset(offset) + 2 * 2 * BKSI_BLOCK_BYTES;
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
    const bksi_record last = record_of(file, BKSI_RECORD_DONE);
    uint8_t done[BKSI_DONE_BYTES];
    memcpy(done, last.payload, sizeof(done));
    file->count = last.offset;
    append_record(file, BKSI_RECORD_TYPE('n', 'o', 't', 'e'), "from a later version", 20);
    append_record(file, BKSI_RECORD_DONE, done, sizeof(done));
}
static void other_file(memory_file *file)
{
    file->count = 0;
    append(file, "RIFF, perhaps", 13);
}
static void later_version(memory_file *file)
{
    bksi_put_u32(file->bytes + 8, 3);
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
    const uint8_t chunk[] = {TICKS + 1, 1, 2, 0};
    append_record(file, BKSI_RECORD_TICKS, chunk, sizeof(chunk));
}

#define OK         BKS_OK, 0, true
#define DAMAGED    BKS_ERR_DAMAGED, 0, true
#define AT(offset) offset, false, false, 0, 0, 0, 0, true

// Version 1, as the library wrote it once. They cannot be made any more.
static const golden files_1[] = {
    {"complete", OK, true, TICKS, TICKS, 0, 0, true, NULL},
    {"stopped", OK, false, TICKS, 44, 0, 0, false, NULL},
    {"cut_in_last_record", OK, false, TICKS, TICKS, 0, 0, true, NULL},
    {"cut_in_ticks", OK, false, 20, 20, 0, 0, true, NULL},
    {"cut_in_state", OK, false, 0, 0, 0, 0, true, NULL},
    {"unknown_record", OK, true, TICKS, TICKS, 0, 0, true, NULL},
    {"bad_cut_in_head", BKS_ERR_INCOMPLETE, AT(100), NULL},
    {"bad_other_file", BKS_ERR_UNSUPPORTED, AT(0), NULL},
    {"bad_version", BKS_ERR_DAMAGED, AT(8), NULL},
    {"bad_head", BKS_ERR_DAMAGED, AT(16), NULL},
    {"bad_state", DAMAGED, false, 0, 0, 0, 0, true, NULL},
    {"bad_ticks", DAMAGED, false, 0, 0, 20, 0, true, NULL},
    {"bad_length", DAMAGED, false, 0, 0, 20, 0, true, NULL},
    {"bad_tail", DAMAGED, false, TICKS, TICKS, 0, 0, true, NULL},
    {"bad_bytes_behind", DAMAGED, false, TICKS, TICKS, 0, 0, true, NULL},
    {"bad_later_record", BKS_ERR_UNSUPPORTED, 0, true, false, TICKS, TICKS, 0, 0, true, NULL},
    {"bad_gap", DAMAGED, false, TICKS, TICKS, 0, 0, true, NULL},
};

static const golden files_2[] = {
    {"complete", OK, true, TICKS, TICKS, 0, 0, true, leave_as_it_is},
    {"stopped", OK, false, TICKS, 44, 0, 0, false, leave_as_it_is},
    {"cut_in_last_record", OK, false, TICKS, TICKS, 0, 0, true, cut_in_last_record},
    {"cut_in_ticks", OK, false, 12, 12, 0, 0, true, cut_in_ticks},
    {"cut_in_state", OK, false, 0, 0, 0, 0, true, cut_in_state},
    {"unknown_record", OK, true, TICKS, TICKS, 0, 0, true, unknown_record},
    {"bad_cut_in_head", BKS_ERR_INCOMPLETE, AT(100), cut_in_head},
    {"bad_other_file", BKS_ERR_UNSUPPORTED, AT(0), other_file},
    {"bad_later_version", BKS_ERR_UNSUPPORTED, AT(8), later_version},
    {"bad_version", BKS_ERR_DAMAGED, AT(8), damaged_version},
    {"bad_head", BKS_ERR_DAMAGED, AT(16), damaged_head},
    {"bad_state", DAMAGED, false, TICKS, TICKS, 0, 0, true, damaged_state},
    {"bad_ticks", DAMAGED, false, 0, 0, 12, TICKS - 12, true, damaged_ticks},
    {"bad_length", DAMAGED, false, 0, 0, 12, TICKS - 12, true, damaged_length},
    {"bad_tail", DAMAGED, false, TICKS, TICKS, 0, 0, true, damaged_tail},
    {"bad_bytes_behind", DAMAGED, false, TICKS, TICKS, 0, 0, true, bytes_behind_the_end},
    {"bad_later_record", BKS_ERR_UNSUPPORTED, 0, true, false, TICKS, TICKS, 0, 0, true,
     later_record},
    {"bad_gap", DAMAGED, false, TICKS, TICKS, 0, 0, true, gap},
};

#define COUNT_OF(list) (sizeof(list) / sizeof((list)[0]))

static void make_file(const golden *g, memory_file *file)
{
    memory_file_init(file);
    const bks_replay_detail detail = {
        .chunk_ticks = 20, .keyframe_ticks = 12, .keyframe_bytes = 1u << 30};
    walk_record_with(file, TICKS, g->finish, &detail);
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
    bks_tick lost_ticks = 0;
    for (uint32_t i = 0; i < info->lost_count; i++) {
        bks_replay_lost lost;
        assert_int_equal(bks_replay_get_lost(replay, i, &lost), BKS_OK);
        lost_ticks += lost.ticks;
    }
    assert_int_equal(lost_ticks, g->lost);
    assert_string_equal(info->game, "walk");
    assert_int_equal(info->seed, WALK_SEED);
    walk_assert_true(replay);
    const bks_playback_config config = {.replay = replay, .game = &walk_game};
    bks_verify_result result;
    assert_int_equal(bks_replay_verify(&config, 0, NULL, NULL, &result, &error), status);
    assert_true(result.is_same);
    assert_int_equal(result.stepped, g->confirmed + g->resumed);
    bks_replay_close(replay);
}

static void check_files(const golden *files, size_t file_count, uint32_t version)
{
    for (size_t i = 0; i < file_count; i++) {
        char path[512];
        snprintf(path, sizeof(path), "%s/tests/golden/replay_%u/%s.bks", BKS_TEST_SOURCE_DIR,
                 version, files[i].name);
        size_t count = 0;
        uint8_t *bytes = read_whole_file(path, &count);
        check_file(&files[i], bytes, count);
        free(bytes);
    }
}

static void golden_files_of_version_1_read_as_they_always_did(void **state)
{
    (void)state;
    check_files(files_1, COUNT_OF(files_1), 1);
}

static void files_made_now_read_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(files_2); i++) {
        memory_file file;
        make_file(&files_2[i], &file);
        check_file(&files_2[i], file.bytes, file.count);
        memory_file_free(&file);
    }
}

static int write_files(const char *folder)
{
    for (size_t i = 0; i < COUNT_OF(files_2); i++) {
        char path[512];
        snprintf(path, sizeof(path), "%s/%s.bks", folder, files_2[i].name);
        memory_file file;
        make_file(&files_2[i], &file);
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
        cmocka_unit_test(golden_files_of_version_1_read_as_they_always_did),
        cmocka_unit_test(files_made_now_read_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
