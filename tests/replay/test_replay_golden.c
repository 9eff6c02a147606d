// SPDX-License-Identifier: MIT

// Files of every version that must read the same for ever: valid ones, and ones that must be
// refused. tests/golden/verdicts.txt has the expected result of each; the reader in Python, which
// knows the specification alone, uses the same list. `replay_test_replay_golden --write FOLDER`
// makes those that are not there yet and prints their lines for the lists.

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/recording.h"
#include "golden_changes.h"
#include "recording.h"
#include "replay_verdict.h"

#define GOLDEN_FOLDER BKS_TEST_SOURCE_DIR "/tests/golden/"

/// A line of the list.
typedef struct verdict {
    uint32_t version;
    char name[64];
    char said[32]; ///< complete, incomplete, damaged, unsupported, unreadable
    unsigned long long offset;
    bks_tick first;
    bks_tick ticks;
    bks_tick confirmed;
    bks_tick end;
    uint32_t keyframes;
    uint32_t lost; ///< number of damaged parts
    char why[192]; ///< beginning of the reason, "-" for none
} verdict;

static bool read_verdict(FILE *list, verdict *v)
{
    char line[512];
    while (fgets(line, sizeof(line), list) != NULL) {
        if (line[0] == '#' || line[0] == '\n') {
            continue;
        }
        const int count = sscanf(line, "%u/%63s %31s %llu %d %d %d %d %u %u %191[^\n]", &v->version,
                                 v->name, v->said, &v->offset, &v->first, &v->ticks, &v->confirmed,
                                 &v->end, &v->keyframes, &v->lost, v->why);
        if (count != 11) {
            fail_msg("not a verdict: %s", line);
        }
        return true;
    }
    return false;
}

/// Read a file as far as possible. Its damage becomes `status` and `error`.
static bks_replay *read_bytes(const uint8_t *bytes, size_t count, bks_status *status,
                              bks_error *error)
{
    bks_replay *replay = NULL;
    *error = (bks_error){0};
    *status = bks_replay_open(bytes, count, NULL, &replay, error);
    if (*status == BKS_OK) {
        *status = bks_replay_check(replay, error);
    }
    return replay;
}

/// Check that everything that can be played equals the truth.
static void check_play(bks_replay *replay, bks_status status)
{
    bks_game game = walk_game;
    game.command_bytes_max = BKS_COMMAND_BYTES_MAX;
    const bks_playback_config config = {.replay = replay, .game = &game};
    bks_verify_result result;
    bks_error error = {0};
    if (bks_replay_verify(&config, NULL, &result, &error) != status) {
        fail_msg("%s", error.text);
    }
    assert_true(result.is_same);
    assert_true(result.stepped >=
                bks_replay_info(replay)->confirmed - bks_replay_info(replay)->first);
}

static void check_verdict(const verdict *v, const uint8_t *bytes, size_t count)
{
    bks_status status;
    bks_error error;
    bks_replay *replay = read_bytes(bytes, count, &status, &error);
    verdict is = {.version = v->version};
    snprintf(is.said, sizeof(is.said), "%s", verdict_of(status, replay));
    is.offset = error.offset_bytes;
    snprintf(is.why, sizeof(is.why), "%s", status == BKS_OK ? "-" : error.text);
    if (replay != NULL) {
        const bks_recording *info = bks_replay_info(replay);
        is.first = info->first;
        is.ticks = info->ticks;
        is.confirmed = info->confirmed;
        is.end = info->end;
        is.keyframes = info->keyframes;
        is.lost = info->lost_count;
        assert_int_equal(info->format, v->version);
    }
    if (strcmp(is.said, v->said) != 0 || is.offset != v->offset || is.first != v->first ||
        is.ticks != v->ticks || is.confirmed != v->confirmed || is.end != v->end ||
        is.keyframes != v->keyframes || is.lost != v->lost ||
        strncmp(is.why, v->why, strlen(v->why)) != 0) {
        fail_msg("%u/%s reads as\n%s %llu %d %d %d %d %u %u %s", v->version, v->name, is.said,
                 is.offset, is.first, is.ticks, is.confirmed, is.end, is.keyframes, is.lost,
                 is.why);
    }
    if (replay != NULL) {
        walk_assert_true(replay);
        check_play(replay, status);
    }
    bks_replay_close(replay);
}

static void golden_files_read_as_they_always_did(void **state)
{
    (void)state;
    FILE *list = fopen(GOLDEN_FOLDER "verdicts.txt", "r");
    assert_non_null(list);
    uint32_t files[3] = {0};
    for (verdict v; read_verdict(list, &v);) {
        char path[512];
        snprintf(path, sizeof(path), GOLDEN_FOLDER "replay_%u/%s.bks", v.version, v.name);
        size_t count = 0;
        uint8_t *bytes = read_whole_file(path, &count);
        check_verdict(&v, bytes, count);
        free(bytes);
        files[v.version]++;
    }
    fclose(list);
    size_t made[3] = {0, 17, 0}; // by the writer of version 1
    const golden_change *change;
    for (size_t i = 0; (change = golden_change_at(i)) != NULL; i++) {
        made[golden_change_version(change)]++;
    }
    assert_int_equal(files[1], made[1]);
    assert_int_equal(files[2], made[2]);
}

/// The golden file of the newest version is written with the same bytes as ever, apart from the
/// environment.
static void files_made_now_read_the_same(void **state)
{
    (void)state;
    if (sizeof(void *) != 8) {
        skip(); // the environment in HEAD has other lengths, so all offsets differ
    }
    FILE *list = fopen(GOLDEN_FOLDER "verdicts.txt", "r");
    assert_non_null(list);
    for (verdict v; read_verdict(list, &v);) {
        const golden_change *change;
        for (size_t i = 0; (change = golden_change_at(i)) != NULL; i++) {
            if (strcmp(change->name, v.name) != 0 || golden_change_version(change) != v.version) {
                continue;
            }
            memory_file file;
            golden_make(change, &file);
            check_verdict(&v, file.bytes, file.count);
            memory_file_free(&file);
        }
    }
    fclose(list);
}

static int write_file(const char *folder, const golden_change *change)
{
    char path[512];
    const unsigned version = golden_change_version(change);
    snprintf(path, sizeof(path), "%s/replay_%u/%s.bks", folder, version, change->name);
    FILE *there = fopen(path, "rb");
    if (there != NULL) {
        return fclose(there); // it must never change
    }
    memory_file file;
    golden_make(change, &file);
    FILE *out = fopen(path, "wb");
    const bool is_written = out != NULL && fwrite(file.bytes, 1, file.count, out) == file.count;
    bks_status status;
    bks_error error;
    bks_replay *replay = read_bytes(file.bytes, file.count, &status, &error);
    const bks_recording nothing = {0};
    const bks_recording *info = replay != NULL ? bks_replay_info(replay) : &nothing;
    printf("%u/%s %s %llu %d %d %d %d %u %u %s\n", version, change->name,
           verdict_of(status, replay), (unsigned long long)error.offset_bytes, info->first,
           info->ticks, info->confirmed, info->end, info->keyframes, info->lost_count,
           status == BKS_OK ? "-" : error.text);
    bks_replay_close(replay);
    memory_file_free(&file);
    return is_written && fclose(out) == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--write") == 0) {
        int status = 0;
        const golden_change *change;
        for (size_t i = 0; (change = golden_change_at(i)) != NULL; i++) {
            status |= write_file(argv[2], change);
        }
        return status;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_files_read_as_they_always_did),
        cmocka_unit_test(files_made_now_read_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
