// SPDX-License-Identifier: MIT

#include "base/process_time.h"

#include <windows.h>

#include "base/tool.h"

static uint64_t units_of(const FILETIME *time)
{
    return (uint64_t)time->dwHighDateTime << 32 | time->dwLowDateTime;
}

static uint64_t taken_ns(HANDLE process)
{
    FILETIME begun, ended, by_system, by_itself;
    return GetProcessTimes(process, &begun, &ended, &by_system, &by_itself)
               ? 100 * (units_of(&by_system) + units_of(&by_itself))
               : 0;
}

uint64_t process_time_now_ns(void)
{
    return tool_clock_ns(NULL);
}

uint64_t process_time_own_ns(void)
{
    return taken_ns(GetCurrentProcess());
}

/// Wine says a thirtieth of what another process took.
static bool is_wine(void)
{
    return GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "wine_get_version") != NULL;
}

uint64_t process_time_ns(pid_t process)
{
    return is_wine() ? 0 : taken_ns((HANDLE)(intptr_t)process);
}

bool process_time_rests(pid_t process)
{
    (void)process;
    return true;
}
