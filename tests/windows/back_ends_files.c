// SPDX-License-Identifier: MIT

#include "back_ends.h"

#include <stdio.h>
#include <string.h>
#include <windows.h>
// after windows.h
#include <aclapi.h>

#include "backstitch/toolkit/writer.h"
#include "match/files.h"
#include "match/identity_file.h"
#include "match/record_file.h"

static char logged[512];

static void hear_log(void *context, bks_log_level level, const char *id, const char *text)
{
    (void)context, (void)level, (void)id;
    (void)snprintf(logged, sizeof(logged), "%s", text);
}

static bool write_text(bks_record_file *file, uint64_t offset, const char *text)
{
    const bks_sink sink = bks_record_file_sink(file);
    return sink.write(sink.context, offset, text, strlen(text)) == BKS_OK;
}

/// Read while another has it open.
static bool holds(const char *path, const char *text)
{
    uint8_t *bytes = NULL;
    size_t count = 0;
    const bks_allocator allocator = {0};
    return bksi_record_file_read(path, "path", &allocator, &bytes, &count, NULL) == BKS_OK &&
           count == strlen(text) && memcmp(bytes, text, count) == 0;
}

static bool is_there(const wchar_t *path)
{
    return GetFileAttributesW(path) != INVALID_FILE_ATTRIBUTES;
}

static void every_write_is_in_the_file_at_once(void)
{
    bks_record_file file;
    CHECK(bks_record_file_open(&file, "a.bks", "game", NULL) == BKS_OK);
    CHECK(write_text(&file, 0, "header tail") && holds("a.bks", "header tail"));
    CHECK(write_text(&file, 7, "record tail") && holds("a.bks", "header record tail"));
    bks_record_file_close(&file);
    bks_record_file_close(&file);
    CHECK(holds("a.bks", "header record tail"));
}

static void an_older_file_is_kept_until_the_first_write(void)
{
    bks_record_file file;
    CHECK(bks_record_file_open(&file, "a.bks", "game", NULL) == BKS_OK && !file.is_new);
    bks_record_file_close(&file);
    CHECK(holds("a.bks", "header record tail"));
    CHECK(bks_record_file_open(&file, "a.bks", "game", NULL) == BKS_OK);
    CHECK(write_text(&file, 0, "today's"));
    bks_record_file_close(&file);
    CHECK(holds("a.bks", "today's"));
    bksi_file_remove("a.bks");
    CHECK(!is_there(L"a.bks"));
}

static void a_file_without_a_byte_does_not_stay(void)
{
    bks_record_file file;
    CHECK(bks_record_file_open(&file, "a.bks", "game", NULL) == BKS_OK);
    CHECK(is_there(L"a.bks"));
    bks_record_file_close(&file);
    CHECK(!is_there(L"a.bks"));
}

static void a_path_is_utf_8(void)
{
    bks_record_file file;
    CHECK(bks_record_file_open(&file, "\xc3\xbc\xe2\x82\xac.bks", "game", NULL) == BKS_OK);
    CHECK(is_there(L"\u00fc\u20ac.bks"));
    bks_record_file_close(&file);
    CHECK(bks_record_file_open(&file, "\xff\xff.bks", "game", NULL) == BKS_ERR_IO);
}

static void names_are_never_taken_twice(void)
{
    bks_record_file one, other;
    CHECK(bks_record_file_open(&one, NULL, "../o dd", NULL) == BKS_OK);
    CHECK(bks_record_file_open(&other, NULL, "../o dd", NULL) == BKS_OK);
    CHECK(strncmp(one.path, "___o_dd-20", 10) == 0 && strcmp(one.path, other.path) != 0);
    bks_record_file_close(&one);
    bks_record_file_close(&other);
}

static void an_unwritable_place_is_named(void)
{
    bks_record_file file;
    bks_error error = {0};
    CHECK(bks_record_file_open(&file, "no/such/a.bks", "game", &error) == BKS_ERR_IO);
    CHECK(strstr(error.text, "cannot write 'no/such/a.bks': ") != NULL);
    printf("%s\n", error.text);
    CHECK(bks_record_file_open(&file, ".", "game", &error) == BKS_ERR_IO);
    CHECK(bks_record_file_open(&file, "", "game", &error) == BKS_ERR_BAD_CONFIG);
}

static void what_cannot_be_cut_is_written(void)
{
    bks_record_file file;
    CHECK(bks_record_file_open(&file, "NUL", "game", NULL) == BKS_OK);
    CHECK(write_text(&file, 0, "nothing stays"));
    bks_record_file_close(&file);
}

static void a_write_that_fails_is_reported(void)
{
    bks_record_file file;
    CHECK(bks_record_file_open(&file, "a.bks", "game", NULL) == BKS_OK);
    CHECK(write_text(&file, 0, "header"));
    const int handle = file.descriptor;
    file.descriptor = bksi_file_open("a.bks", BKSI_FILE_READ); // cannot be written
    CHECK(!write_text(&file, 6, " record") && file.is_failed);
    CHECK(strstr(logged, "cannot write 'a.bks' at byte 6: ") != NULL);
    bks_record_file_close(&file);
    CHECK(bksi_file_close(handle));
    CHECK(holds("a.bks", "header"));
    bksi_file_remove("a.bks");
    CHECK(bksi_file_is_full(ERROR_DISK_FULL) && !bksi_file_is_full(ERROR_ACCESS_DENIED));
}

static void an_identity_is_one_match_s_at_a_time(void)
{
    static const uint8_t key[BKS_KEY_BYTES] = {1};
    uint8_t first[BKS_KEY_BYTES], second[BKS_KEY_BYTES], again[BKS_KEY_BYTES];
    bksi_identity_file one, other;
    CHECK(bksi_identity_file_open(&one, "me", key, first, NULL) == BKS_OK);
    CHECK(bksi_identity_file_open(&other, "me", key, second, NULL) == BKS_OK);
    CHECK(memcmp(first, second, sizeof(first)) != 0);
    CHECK(is_there(L"me") && is_there(L"me.2"));
    bksi_identity_file_close(&one);
    CHECK(bksi_identity_file_open(&one, "me", key, again, NULL) == BKS_OK);
    CHECK(memcmp(first, again, sizeof(first)) == 0);
    bksi_identity_file_close(&one);
    bksi_identity_file_close(&other);
    bksi_file_remove("me");
    bksi_file_remove("me.2");
}

/// Return true if everybody has rights to a file.
static bool is_for_everyone(const wchar_t *path)
{
    PSECURITY_DESCRIPTOR descriptor = NULL;
    ACL *list = NULL;
    uint8_t everyone[SECURITY_MAX_SID_SIZE];
    DWORD bytes = sizeof(everyone);
    CHECK(CreateWellKnownSid(WinWorldSid, NULL, everyone, &bytes));
    CHECK(GetNamedSecurityInfoW((wchar_t *)path, SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, NULL,
                                NULL, &list, NULL, &descriptor) == ERROR_SUCCESS);
    bool is_so = list == NULL;
    for (DWORD i = 0; list != NULL && i < list->AceCount; i++) {
        ACCESS_ALLOWED_ACE *entry = NULL;
        CHECK(GetAce(list, i, (void **)&entry));
        is_so |= entry->Header.AceType == ACCESS_ALLOWED_ACE_TYPE && entry->Mask != 0 &&
                 EqualSid(&entry->SidStart, everyone);
    }
    (void)LocalFree(descriptor);
    return is_so;
}

static void a_secret_is_for_its_user_alone(void)
{
    const int secret = bksi_file_open("secret", BKSI_FILE_SECRET);
    const int open = bksi_file_open("open", BKSI_FILE_NEW);
    CHECK(secret != -1 && open != -1);
    CHECK(!is_for_everyone(L"secret") && is_for_everyone(L"open"));
    CHECK(bksi_file_close(secret) && bksi_file_close(open));
    const int again = bksi_file_open("secret", BKSI_FILE_SECRET);
    CHECK(again != -1 && bksi_file_close(again));
    bksi_file_remove("secret");
    bksi_file_remove("open");
}

void back_ends_files(void)
{
    const bks_log_sink log = {.write = hear_log};
    (void)bks_log_set_sink(&log);
    every_write_is_in_the_file_at_once();
    an_older_file_is_kept_until_the_first_write();
    a_file_without_a_byte_does_not_stay();
    a_path_is_utf_8();
    names_are_never_taken_twice();
    an_unwritable_place_is_named();
    what_cannot_be_cut_is_written();
    a_write_that_fails_is_reported();
    an_identity_is_one_match_s_at_a_time();
    a_secret_is_for_its_user_alone();
}
