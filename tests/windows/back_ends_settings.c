// SPDX-License-Identifier: MIT
//
// The player's program keeps settings in %APPDATA%.

#include "back_ends.h"

#include <direct.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "base/system.h"
#include "base/tool.h"
#include "screen/window/settings.h"

enum { TOO_LONG_BYTES = SETTINGS_BYTES_MAX + 1 };

static bool is_there(const wchar_t *path)
{
    return GetFileAttributesW(path) != INVALID_FILE_ATTRIBUTES;
}

static bool are_usual(const user_settings *settings)
{
    user_settings usual;
    settings_usual(&usual);
    return settings_same(settings, &usual);
}

/// Return true if loading writes a message.
static bool load_complains(user_settings *out)
{
    tool_complaint_forget();
    settings_load(out);
    return tool_complaint()[0] != '\0';
}

static void write_too_long(void)
{
    char text[TOO_LONG_BYTES];
    memset(text, '\n', sizeof(text));
    FILE *file = fopen("bks/settings", "wb");
    CHECK(file != NULL);
    if (file != NULL) {
        CHECK(fwrite(text, 1, sizeof(text), file) == sizeof(text));
        CHECK(fclose(file) == 0);
    }
}

static void settings_are_there_the_next_time(void)
{
    user_settings before, after;
    CHECK(!load_complains(&after) && are_usual(&after)); // none yet
    before = after;
    before.is_full_screen = true;
    CHECK(settings_save(&before));
    CHECK(is_there(L"bks/settings") && !is_there(L"bks/settings.new"));
    CHECK(!load_complains(&after) && settings_same(&after, &before));
    before.volume = 3;
    CHECK(settings_save(&before)); // in place of those
    CHECK(!load_complains(&after) && settings_same(&after, &before));
}

static void a_file_that_is_refused_is_kept_beside_the_new_one(void)
{
    user_settings out;
    system_face old;
    write_too_long();
    CHECK(load_complains(&out) && are_usual(&out));
    tool_complaint_forget();
    CHECK(settings_save(&out));
    CHECK(strstr(tool_complaint(), "it is now called settings.old") != NULL);
    CHECK(system_file_face("bks/settings.old", &old) && old.bytes == TOO_LONG_BYTES);
    CHECK(!load_complains(&out));
}

static void what_may_not_be_written_is_left_alone(void)
{
    user_settings out;
    settings_load(&out);
    out.is_full_screen = !out.is_full_screen;
    CHECK(SetFileAttributesW(L"bks/settings", FILE_ATTRIBUTE_READONLY));
    CHECK(!settings_save(&out));
    CHECK(strstr(tool_complaint(), "may not be written") != NULL);
    CHECK(SetFileAttributesW(L"bks/settings", FILE_ATTRIBUTE_NORMAL));
    user_settings kept;
    settings_load(&kept);
    CHECK(!settings_same(&kept, &out));
}

static void what_is_no_file_is_refused(void)
{
    user_settings out;
    CHECK(DeleteFileW(L"bks/settings") && CreateDirectoryW(L"bks/settings", NULL));
    CHECK(load_complains(&out) && are_usual(&out));
    CHECK(!settings_save(&out));
    CHECK(strstr(tool_complaint(), "is no file") != NULL);
    CHECK(RemoveDirectoryW(L"bks/settings"));
}

static void without_a_folder_it_is_named_what_says_where(void)
{
    user_settings out;
    CHECK(system_set_environment("APPDATA", NULL));
    settings_load(&out);
    CHECK(are_usual(&out) && !settings_save(&out));
    CHECK(strstr(tool_complaint(), "no folder for settings by APPDATA") != NULL);
}

void back_ends_settings(void)
{
    char here[MAX_PATH];
    CHECK(_getcwd(here, sizeof(here)) != NULL && system_set_environment("APPDATA", here));
    settings_are_there_the_next_time();
    a_file_that_is_refused_is_kept_beside_the_new_one();
    what_may_not_be_written_is_left_alone();
    what_is_no_file_is_refused();
    without_a_folder_it_is_named_what_says_where();
    CHECK(DeleteFileW(L"bks/settings.old") && RemoveDirectoryW(L"bks"));
}
