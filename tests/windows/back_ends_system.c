// SPDX-License-Identifier: MIT
//
// What the program asks of the system. Links of Windows are not to be had under wine, so that where
// system_real_path() leads through one is not tested.

#include "back_ends.h"

#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "base/process.h"
#include "base/system.h"

#define FOLDER      "\xc3\xbc\xe2\x82\xac"
#define FOLDER_WIDE L"\u00fc\u20ac"

static bool is_there(const wchar_t *path)
{
    return GetFileAttributesW(path) != INVALID_FILE_ATTRIBUTES;
}

static void paths_are_utf_8(void)
{
    system_face face;
    CHECK(system_make_folder(FOLDER, false) && system_make_folder(FOLDER, false));
    CHECK(is_there(FOLDER_WIDE) && system_is_there(FOLDER));
    FILE *file = system_open_update(FOLDER "/a");
    CHECK(file != NULL && fputs("text", file) >= 0 && fclose(file) == 0);
    CHECK(system_file_face(FOLDER "/a", &face) && face.bytes == 4 && face.is_file);
    CHECK(system_may_write(FOLDER "/a") && system_replace(FOLDER "/a", FOLDER "/b"));
    CHECK(is_there(FOLDER_WIDE L"/b") && !is_there(FOLDER_WIDE L"/a"));
    const int descriptor = system_open_read(FOLDER "/b");
    CHECK(descriptor >= 0 && _close(descriptor) == 0);
    CHECK(!system_is_there("\xff") && !system_make_folder("\xff", false)); // no UTF-8
}

static void a_real_path_is_whole_and_plain(void)
{
    char *real = system_real_path(FOLDER "/../" FOLDER "/b");
    static const char end[] = "/bks-back-ends/" FOLDER "/b";
    CHECK(real != NULL && strlen(real) > strlen(end) && real[1] == ':' && real[2] == '/');
    CHECK(real != NULL && strcmp(real + strlen(real) - strlen(end), end) == 0);
    free(real);
    char *folder = system_real_path(FOLDER);
    CHECK(folder != NULL);
    free(folder);
    CHECK(system_real_path(FOLDER "/none") == NULL);
    CHECK(DeleteFileW(FOLDER_WIDE L"/b") && RemoveDirectoryW(FOLDER_WIDE));
}

int back_ends_temporary(void)
{
    wchar_t path[MAX_PATH + 16];
    WIN32_FIND_DATAW found;
    const DWORD length = GetTempPathW(MAX_PATH, path);
    (void)wcscpy(path + length, L"bks*.tmp");
    int count = 0;
    HANDLE search = FindFirstFileW(path, &found);
    if (search != INVALID_HANDLE_VALUE) {
        do {
            count++;
        } while (FindNextFileW(search, &found));
        (void)FindClose(search);
    }
    return count;
}

static void a_file_in_memory_lies_among_temporary_ones(void)
{
    char *text = NULL;
    size_t count = 0;
    const int before = back_ends_temporary();
    FILE *file = system_memory_open(&text, &count);
    CHECK(file != NULL && back_ends_temporary() == before + 1);
    CHECK(file != NULL && fputs("written", file) >= 0 && system_memory_close(file, &text, &count));
    CHECK(count == 7 && text != NULL && strcmp(text, "written") == 0);
    free(text);
    CHECK(back_ends_temporary() == before);
}

static DWORD state_of(const void *place)
{
    MEMORY_BASIC_INFORMATION about = {0};
    CHECK(VirtualQuery(place, &about, sizeof(about)) == sizeof(about));
    return about.State;
}

static void shared_memory_takes_what_is_made_ready(void)
{
    const size_t bytes = (size_t)1 << 32;
    const size_t at = (size_t)3 << 30;
    const int number = shared_memory_make(bytes);
    uint8_t *one = shared_memory_map(number, bytes);
    uint8_t *other = shared_memory_map(number, bytes);
    if (!CHECK(number >= 0 && one != NULL && other != NULL)) {
        return;
    }
    CHECK(state_of(one) == MEM_RESERVE && state_of(one + at) == MEM_RESERVE);
    CHECK(shared_memory_ready(one + at, 4096) && state_of(one + at) == MEM_COMMIT);
    one[at] = 7;
    CHECK(shared_memory_ready(one + at, 4096) && one[at] == 7 && other[at] == 7);
    CHECK(state_of(one) == MEM_RESERVE);
    shared_memory_unmap(other, bytes);
    shared_memory_unmap(one, bytes);
    shared_memory_close(number);
}

void back_ends_system(void)
{
    paths_are_utf_8();
    a_real_path_is_whole_and_plain();
    a_file_in_memory_lies_among_temporary_ones();
    shared_memory_takes_what_is_made_ready();
}
