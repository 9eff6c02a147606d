// SPDX-License-Identifier: MIT

#include "base/process.h"

#include <stdint.h>
#include <windows.h>

#include "base/tool.h"

static DWORD_PTR all;

void processors_keep(void)
{
    DWORD_PTR of_system = 0;
    if (!GetProcessAffinityMask(GetCurrentProcess(), &all, &of_system)) {
        all = 0;
    }
}

bool processors_use(bool is_one, bool others)
{
    (void)others; // `others` is ignored: Windows always binds all threads of the process
    const DWORD_PTR first = all & (~all + 1);
    return all != first && SetProcessAffinityMask(GetCurrentProcess(), is_one ? first : all);
}

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

/// Return true under Wine, which reports a thirtieth of the processor time that another process
/// took.
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

/// Convert the number of a handle to the handle: only its lower 32 bits are significant.
static HANDLE handle_of(int number)
{
    return (HANDLE)(intptr_t)number;
}

size_t process_read(pid_t process, uint64_t address, void *out, size_t bytes)
{
    (void)process;
    (void)address;
    (void)out;
    (void)bytes;
    return 0;
}

int shared_memory_make(size_t bytes)
{
    SECURITY_ATTRIBUTES inherits = {.nLength = sizeof(inherits), .bInheritHandle = TRUE};
    HANDLE section =
        CreateFileMappingW(INVALID_HANDLE_VALUE, &inherits, PAGE_READWRITE | SEC_RESERVE,
                           (DWORD)((uint64_t)bytes >> 32), (DWORD)(uint64_t)bytes, NULL);
    return section != NULL ? (int)(intptr_t)section : -1;
}

void *shared_memory_map(int number, size_t bytes)
{
    return MapViewOfFile(handle_of(number), FILE_MAP_WRITE, 0, 0, bytes);
}

bool shared_memory_ready(void *place, size_t bytes)
{
    return VirtualAlloc(place, bytes, MEM_COMMIT, PAGE_READWRITE) != NULL;
}

void shared_memory_unmap(void *memory, size_t bytes)
{
    (void)bytes;
    (void)UnmapViewOfFile(memory);
}

bool shared_memory_is_open(int number)
{
    DWORD flags = 0;
    return GetHandleInformation(handle_of(number), &flags);
}

void shared_memory_close(int number)
{
    (void)CloseHandle(handle_of(number));
}
