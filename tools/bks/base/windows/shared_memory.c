// SPDX-License-Identifier: MIT

#include "base/shared_memory.h"

#include <stdint.h>
#include <windows.h>

/// Handles have 32 bits that count.
static HANDLE handle_of(int number)
{
    return (HANDLE)(intptr_t)number;
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
