// SPDX-License-Identifier: MIT
//
// Processes that are started, and what is said of those that crash.

#include "back_ends.h"

#include <string.h>
#include <windows.h>

#include "base/child.h"
#include "base/crash.h"
#include "base/stop.h"
#include "base/tool.h"

static void a_program_that_is_not_there_leaves_nothing_behind(void)
{
    static child process;
    char name[] = "none";
    char *words[] = {name, NULL};
    DWORD before = 0, after = 0;
    CHECK(!child_start_program(&process, "none.exe", words)); // what is made once is made
    const int files = back_ends_temporary();
    CHECK(GetProcessHandleCount(GetCurrentProcess(), &before));
    tool_complaint_forget();
    CHECK(!child_start_program(&process, "none.exe", words));
    CHECK(strstr(tool_complaint(), "error 2 of Windows") != NULL);
    CHECK(process.pid == 0 && process.out < 0 && process.err < 0);
    CHECK(GetProcessHandleCount(GetCurrentProcess(), &after) && after == before);
    CHECK(back_ends_temporary() == files);
}

static void a_line_that_is_too_long_is_named(void)
{
    static child process;
    static char word[40000];
    char *words[] = {word, NULL};
    memset(word, 'a', sizeof(word) - 1);
    tool_complaint_forget();
    CHECK(!child_start_program(&process, "none.exe", words));
    CHECK(strstr(tool_complaint(), "error 206 of Windows") != NULL);
}

static void an_exception_has_a_name_or_its_code(void)
{
    char name[CRASH_NAME_BYTES];
    CHECK(crash_is(0xc0000005) && crash_is(0x80000003) && crash_is(STOP_ENDED));
    CHECK(!crash_is(0) && !crash_is(3) && !crash_is(0xffffffff) && !crash_is((uint32_t)-5));
    CHECK(strcmp(crash_name(0x80000003, name), "breakpoint") == 0);
    CHECK(strcmp(crash_name(0x80000002, name), "misaligned address") == 0);
    CHECK(strcmp(crash_name(0xc0000123, name), "exception 0xc0000123") == 0);
}

void back_ends_children(void)
{
    a_program_that_is_not_there_leaves_nothing_behind();
    a_line_that_is_too_long_is_named();
    an_exception_has_a_name_or_its_code();
}
