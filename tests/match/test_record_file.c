// SPDX-License-Identifier: MIT

#define _POSIX_C_SOURCE 200809L // mkdtemp, fdopen

#include "match/record_file.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "backstitch/toolkit/writer.h"
#include "support/folder.h"

static uint32_t log_count;
static char log_text[512];

static void hear_log(void *context, bks_log_level level, const char *id, const char *text)
{
    (void)context, (void)level, (void)id;
    snprintf(log_text, sizeof(log_text), "%s", text);
    log_count++;
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void assert_holds(const char *path, const char *text)
{
    char bytes[256] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t count = fread(bytes, 1, sizeof(bytes) - 1, file);
    fclose(file);
    bytes[count] = '\0';
    assert_string_equal(bytes, text);
}

static void write_at(bks_record_file *file, uint64_t offset, const char *text)
{
    bks_sink sink = bks_record_file_sink(file);
    assert_int_equal(sink.write(sink.context, offset, text, strlen(text)), BKS_OK);
}

static void every_write_is_in_the_file_at_once(void **state)
{
    (void)state;
    bks_record_file file;
    assert_int_equal(bks_record_file_open(&file, "a.bks", "game", NULL), BKS_OK);
    assert_string_equal(file.path, "a.bks");
    write_at(&file, 0, "header tail");
    assert_holds("a.bks", "header tail");
    write_at(&file, 7, "record tail");
    assert_holds("a.bks", "header record tail");
    bks_record_file_close(&file);
    bks_record_file_close(&file);
    assert_holds("a.bks", "header record tail");
    assert_int_equal(unlink("a.bks"), 0);
}

static void an_older_file_is_kept_until_the_first_write(void **state)
{
    (void)state;
    bks_record_file file;
    put("a.bks", "a recording of yesterday");
    assert_int_equal(bks_record_file_open(&file, "a.bks", "game", NULL), BKS_OK);
    bks_record_file_close(&file);
    assert_holds("a.bks", "a recording of yesterday");

    assert_int_equal(bks_record_file_open(&file, "a.bks", "game", NULL), BKS_OK);
    write_at(&file, 0, "today's");
    bks_record_file_close(&file);
    assert_holds("a.bks", "today's");
    assert_int_equal(unlink("a.bks"), 0);
}

static void a_file_without_a_byte_does_not_stay(void **state)
{
    (void)state;
    bks_record_file file;
    assert_int_equal(bks_record_file_open(&file, "a.bks", "game", NULL), BKS_OK);
    assert_int_equal(access("a.bks", F_OK), 0);
    bks_record_file_close(&file);
    assert_int_equal(access("a.bks", F_OK), -1);
}

static void names_are_made_of_game_date_and_process_and_never_taken_twice(void **state)
{
    (void)state;
    bks_record_file files[3];
    char end[64];
    snprintf(end, sizeof(end), "-%ld", (long)getpid());
    for (int i = 0; i < 3; i++) {
        assert_int_equal(bks_record_file_open(&files[i], NULL, "../o dd", NULL), BKS_OK);
        // GAME-YYYYMMDD-HHMMSS-PID
        assert_memory_equal(files[i].path, "___o_dd-20", 10);
        assert_int_equal(strspn(files[i].path + 8, "0123456789"), 8);
        assert_int_equal(strspn(files[i].path + 17, "0123456789"), 6);
        assert_memory_equal(files[i].path + 23, end, strlen(end));
        assert_string_equal(files[i].path + strlen(files[i].path) - 4, ".bks");
        for (int k = 0; k < i; k++) {
            assert_string_not_equal(files[i].path, files[k].path);
        }
    }
    for (int i = 0; i < 3; i++) {
        bks_record_file_close(&files[i]);
    }
}

static void assert_cannot_open(const char *path, bks_status status, const char *says)
{
    bks_record_file file;
    bks_error error = {0};
    assert_int_equal(bks_record_file_open(&file, path, "game", &error), status);
    assert_string_equal(error.field, "record_path");
    if (strstr(error.text, says) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", error.text, says);
    }
    assert_string_equal(file.path, "");
    bks_record_file_close(&file);
}

static void an_unwritable_place_is_reported(void **state)
{
    (void)state;
    assert_cannot_open("no/such/folder/a.bks", BKS_ERR_IO, "no/such/folder/a.bks");
    assert_cannot_open(".", BKS_ERR_IO, "directory");
    assert_cannot_open("", BKS_ERR_BAD_CONFIG, "0 bytes");
    char *longest = malloc(BKS_RECORD_PATH_BYTES_MAX + 1);
    memset(longest, 'a', BKS_RECORD_PATH_BYTES_MAX);
    longest[BKS_RECORD_PATH_BYTES_MAX] = '\0';
    assert_cannot_open(longest, BKS_ERR_BAD_CONFIG, "must have 1..4095");
    free(longest);
}

static void a_full_disk_is_reported(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0) {
        skip();
    }
    bks_record_file file;
    assert_int_equal(bks_record_file_open(&file, "/dev/full", "game", NULL), BKS_OK);
    bks_sink sink = bks_record_file_sink(&file);
    log_count = 0;
    assert_int_equal(sink.write(sink.context, 0, "x", 1), BKS_ERR_IO);
    assert_true(file.is_failed);
    assert_int_equal(log_count, 1);
    assert_non_null(strstr(log_text, "'/dev/full' at byte 0: No space left on device; make room"));
    bks_record_file_close(&file);
    assert_int_equal(access("/dev/full", F_OK), 0);
}

/// Let files be so large and no larger, for what is written meanwhile.
static struct rlimit limit_files(rlim_t bytes)
{
    struct rlimit before;
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit limit = {.rlim_cur = bytes, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    return before;
}

static void write_that_is_cut_short_is_a_failure(void **state)
{
    (void)state;
    bks_record_file file;
    assert_int_equal(bks_record_file_open(&file, "a.bks", "game", NULL), BKS_OK);
    write_at(&file, 0, "header");
    assert_false(file.is_failed);
    const struct rlimit before = limit_files(9);
    bks_sink sink = bks_record_file_sink(&file);
    assert_int_equal(sink.write(sink.context, 6, " record", 7), BKS_ERR_IO);
    assert_true(file.is_failed);
    bks_record_file_close(&file);
    assert_holds("a.bks", "header re");

    // A file without a whole header is deleted, unless it was there before.
    for (int is_old = 0; is_old < 2; is_old++) {
        if (is_old == 0) {
            assert_int_equal(unlink("a.bks"), 0);
        } else {
            put("a.bks", "older");
        }
        assert_int_equal(bks_record_file_open(&file, "a.bks", "game", NULL), BKS_OK);
        sink = bks_record_file_sink(&file);
        assert_int_equal(sink.write(sink.context, 0, "header tail", 11), BKS_ERR_IO);
        bks_record_file_close(&file);
        assert_int_equal(access("a.bks", F_OK), is_old == 0 ? -1 : 0);
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(unlink("a.bks"), 0);
}

static void a_child_process_does_not_inherit_the_file(void **state)
{
    (void)state;
    bks_record_file file;
    assert_int_equal(bks_record_file_open(&file, "a.bks", "game", NULL), BKS_OK);
    assert_true(fcntl(file.descriptor, F_GETFD) & FD_CLOEXEC);
    bks_record_file_close(&file);
}

int main(void)
{
    const bks_log_sink log = {.write = hear_log};
    (void)bks_log_set_sink(&log);
    const struct CMUnitTest tests[] = {
        IN_FOLDER(every_write_is_in_the_file_at_once),
        IN_FOLDER(an_older_file_is_kept_until_the_first_write),
        IN_FOLDER(a_file_without_a_byte_does_not_stay),
        IN_FOLDER(names_are_made_of_game_date_and_process_and_never_taken_twice),
        IN_FOLDER(an_unwritable_place_is_reported),
        IN_FOLDER(a_full_disk_is_reported),
        IN_FOLDER(write_that_is_cut_short_is_a_failure),
        IN_FOLDER(a_child_process_does_not_inherit_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
