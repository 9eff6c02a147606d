// SPDX-License-Identifier: MIT
//
// back_ends.exe: the library's files, sockets, time and chance, and the program's settings, as they
// are on Windows.

#include "back_ends.h"

#include <stdio.h>
#include <string.h>
#include <windows.h>

#include "base/cause.h"
#include "match/system.h"

#define MS 1000000ull

static int checked;
static int failed;

bool back_ends_check(bool is_so, const char *what, const char *file, int line)
{
    checked++;
    if (!is_so) {
        failed++;
        printf("%s:%d: not so: %s\n", file, line, what);
    }
    return is_so;
}

static void a_sleep_is_as_long_as_asked_and_not_a_system_tick(void)
{
    uint64_t shortest = UINT64_MAX;
    for (int i = 0; i < 50; i++) {
        const uint64_t begin = bksi_clock_ns();
        bksi_sleep_ns(2 * MS);
        const uint64_t took = bksi_clock_ns() - begin;
        shortest = took < shortest ? took : shortest;
    }
    CHECK(shortest >= 2 * MS && shortest < 8 * MS); // a tick of the system has 15.6
    printf("2 ms asked, at least %.3f slept\n", (double)shortest / MS);
}

static void random_bytes_are_never_the_same(void)
{
    uint8_t one[32] = {0}, other[32] = {0};
    CHECK(bksi_system_random(one, sizeof(one), NULL) == BKS_OK);
    CHECK(bksi_system_random(other, sizeof(other), NULL) == BKS_OK);
    CHECK(memcmp(one, other, sizeof(one)) != 0);
}

static void an_error_of_the_system_is_a_sentence(void)
{
    char text[BKSI_CAUSE_BYTES];
    CHECK(strlen(bksi_cause_text(ERROR_ACCESS_DENIED, text)) > 5);
    CHECK(text[strlen(text) - 1] != '.' && strchr(text, '\n') == NULL);
    CHECK(strcmp(bksi_cause_text(98765, text), "error 98765") == 0);
}

int main(void)
{
    wchar_t folder[MAX_PATH];
    if (GetTempPathW(MAX_PATH, folder) == 0 || !SetCurrentDirectoryW(folder) ||
        !CreateDirectoryW(L"bks-back-ends", NULL) || !SetCurrentDirectoryW(L"bks-back-ends")) {
        printf("no folder for files: error %lu\n", GetLastError());
        return 1;
    }
    a_sleep_is_as_long_as_asked_and_not_a_system_tick();
    random_bytes_are_never_the_same();
    an_error_of_the_system_is_a_sentence();
    back_ends_files();
    back_ends_sockets();
    back_ends_settings();
    back_ends_system();
    back_ends_children();
    CHECK(SetCurrentDirectoryW(L"..") && RemoveDirectoryW(L"bks-back-ends")); // all is removed
    printf("%d of %d checks failed\n", failed, checked);
    return failed > 0;
}
