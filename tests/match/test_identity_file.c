// SPDX-License-Identifier: MIT

#define _POSIX_C_SOURCE 200809L // mkdtemp

#include "match/identity_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "support/folder.h"

static const uint8_t one_key[BKS_KEY_BYTES] = {1};
static const uint8_t other_key[BKS_KEY_BYTES] = {2};

static void take(bksi_identity_file *file, const char *path, const uint8_t *key, uint8_t *out)
{
    memset(out, 0, BKS_KEY_BYTES);
    assert_int_equal(bksi_identity_file_open(file, path, key, out, NULL), BKS_OK);
}

static void it_is_made_once_and_differs_from_match_to_match(void **state)
{
    (void)state;
    bksi_identity_file file;
    uint8_t first[BKS_KEY_BYTES];
    uint8_t again[BKS_KEY_BYTES];
    uint8_t other[BKS_KEY_BYTES];
    take(&file, "me", one_key, first);
    struct stat about;
    assert_int_equal(stat("me", &about), 0);
    assert_int_equal(about.st_size, BKS_KEY_BYTES);
    assert_int_equal(about.st_mode & 0777, 0600);
    bksi_identity_file_close(&file);
    bksi_identity_file_close(&file);
    take(&file, "me", one_key, again);
    bksi_identity_file_close(&file);
    take(&file, "me", other_key, other);
    bksi_identity_file_close(&file);
    assert_memory_equal(first, again, BKS_KEY_BYTES);
    assert_memory_not_equal(first, other, BKS_KEY_BYTES);
    assert_int_equal(unlink("me"), 0);
}

static void none_is_kept_without_a_path(void **state)
{
    (void)state;
    bksi_identity_file file;
    uint8_t first[BKS_KEY_BYTES];
    uint8_t second[BKS_KEY_BYTES];
    take(&file, NULL, one_key, first);
    take(&file, NULL, one_key, second);
    assert_int_equal(file.descriptor, -1);
    assert_memory_not_equal(first, second, BKS_KEY_BYTES);
}

static void matches_at_the_same_time_have_their_own(void **state)
{
    (void)state;
    static bksi_identity_file files[BKSI_IDENTITY_FILES_MAX];
    static uint8_t secrets[BKSI_IDENTITY_FILES_MAX][BKS_KEY_BYTES];
    for (uint32_t i = 0; i < BKSI_IDENTITY_FILES_MAX; i++) {
        take(&files[i], "me", one_key, secrets[i]);
        for (uint32_t k = 0; k < i; k++) {
            assert_memory_not_equal(secrets[k], secrets[i], BKS_KEY_BYTES);
        }
    }
    bksi_identity_file late;
    uint8_t secret[BKS_KEY_BYTES];
    bks_error error = {0};
    assert_int_equal(bksi_identity_file_open(&late, "me", one_key, secret, &error), BKS_ERR_IO);
    assert_string_equal(error.field, "identity_path");
    bksi_identity_file_close(&files[4]); // as when its program was killed
    take(&late, "me", one_key, secret);
    assert_memory_equal(secret, secrets[4], BKS_KEY_BYTES);
    bksi_identity_file_close(&late);
    for (uint32_t i = 0; i < BKSI_IDENTITY_FILES_MAX; i++) {
        bksi_identity_file_close(&files[i]);
        char name[16] = "me";
        if (i > 0) {
            (void)snprintf(name, sizeof(name), "me.%u", i + 1);
        }
        assert_int_equal(unlink(name), 0);
    }
}

static void what_is_no_identity_is_refused(void **state)
{
    (void)state;
    static char longest[5000];
    memset(longest, 'x', sizeof(longest) - 1);
    FILE *text = fopen("text", "w");
    assert_non_null(text);
    fputs("hello", text);
    assert_int_equal(fclose(text), 0);
    const struct {
        const char *path;
        bks_status status;
    } cases[] = {{"text", BKS_ERR_DAMAGED},
                 {"missing/me", BKS_ERR_IO},
                 {".", BKS_ERR_IO},
                 {"", BKS_ERR_IO},
                 {longest, BKS_ERR_BAD_CONFIG}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bksi_identity_file file;
        uint8_t secret[BKS_KEY_BYTES];
        bks_error error = {0};
        assert_int_equal(bksi_identity_file_open(&file, cases[i].path, one_key, secret, &error),
                         cases[i].status);
        assert_string_equal(error.field, "identity_path");
        assert_int_equal(file.descriptor, -1);
    }
    assert_int_equal(unlink("text"), 0);
}

static void refuse(const char *path, const char *why)
{
    bksi_identity_file file;
    uint8_t secret[BKS_KEY_BYTES];
    bks_error error = {0};
    assert_int_equal(bksi_identity_file_open(&file, path, one_key, secret, &error), BKS_ERR_IO);
    assert_string_equal(error.field, "identity_path");
    assert_non_null(strstr(error.text, why));
    assert_int_equal(file.descriptor, -1);
}

static void a_secret_that_is_not_this_users_alone_is_refused(void **state)
{
    (void)state;
    bksi_identity_file file;
    uint8_t secret[BKS_KEY_BYTES];
    take(&file, "me", one_key, secret);
    bksi_identity_file_close(&file);
    assert_int_equal(chmod("me", 0640), 0);
    refuse("me", "chmod 600");
    assert_int_equal(chmod("me", 0602), 0);
    refuse("me", "chmod 600");
    assert_int_equal(chmod("me", 0600), 0);
    assert_int_equal(link("me", "other"), 0);
    refuse("me", "hard link");
    assert_int_equal(unlink("other"), 0);
    assert_int_equal(symlink("me", "other"), 0);
    refuse("other", "open");
    assert_int_equal(unlink("other"), 0);
    take(&file, "me", one_key, secret);
    bksi_identity_file_close(&file);
    assert_int_equal(unlink("me"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(it_is_made_once_and_differs_from_match_to_match),
        IN_FOLDER(none_is_kept_without_a_path),
        IN_FOLDER(matches_at_the_same_time_have_their_own),
        IN_FOLDER(what_is_no_identity_is_refused),
        IN_FOLDER(a_secret_that_is_not_this_users_alone_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
