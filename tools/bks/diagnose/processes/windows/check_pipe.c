// SPDX-License-Identifier: MIT
//
// A request is a byte in a pipe, because closing the pipe ends a read. An answer is an event,
// because Windows can wait for an event and the end of a process at the same time.

#include "diagnose/processes/check_pipe.h"

#include <stdint.h>
#include <windows.h>

/// Convert the number of a handle to the handle: only its lower 32 bits are significant.
static HANDLE handle_of(int number)
{
    return (HANDLE)(intptr_t)number;
}

void check_pipe_begin(void)
{
    // Nothing to prepare: on Windows a broken pipe is only an error code.
}

bool check_pipe_make(check_pipe *asks, check_pipe *answers)
{
    SECURITY_ATTRIBUTES inherits = {.nLength = sizeof(inherits), .bInheritHandle = TRUE};
    HANDLE from = NULL;
    HANDLE to = NULL;
    HANDLE own = NULL;
    HANDLE event = CreateEventW(&inherits, FALSE, FALSE, NULL);
    const bool is_made = event != NULL && CreatePipe(&from, &to, NULL, 0) &&
                         SetHandleInformation(from, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT) &&
                         DuplicateHandle(GetCurrentProcess(), event, GetCurrentProcess(), &own, 0,
                                         FALSE, DUPLICATE_SAME_ACCESS);
    *asks = (check_pipe){.receives = (int)(intptr_t)own, .sends = (int)(intptr_t)to};
    *answers = (check_pipe){.receives = (int)(intptr_t)from, .sends = (int)(intptr_t)event};
    if (!is_made) {
        check_pipe_close(asks);
        check_pipe_close(answers);
    }
    return is_made;
}

void check_pipe_close(const check_pipe *end)
{
    (void)(end->receives == 0 || CloseHandle(handle_of(end->receives)));
    (void)(end->sends == 0 || CloseHandle(handle_of(end->sends)));
}

bool check_pipe_is_open(const check_pipe *end)
{
    DWORD flags = 0;
    return GetHandleInformation(handle_of(end->receives), &flags) &&
           GetHandleInformation(handle_of(end->sends), &flags);
}

bool check_pipe_ask(const check_pipe *asks)
{
    const char byte = 0;
    DWORD count = 0;
    return WriteFile(handle_of(asks->sends), &byte, 1, &count, NULL) && count == 1;
}

check_wait check_pipe_await(const check_pipe *asks, pid_t process, int timeout_ms)
{
    const HANDLE both[] = {handle_of(asks->receives), (HANDLE)(intptr_t)process};
    switch (WaitForMultipleObjects(2, both, FALSE, (DWORD)timeout_ms)) {
    case WAIT_OBJECT_0:
        return CHECK_ANSWERED;
    case WAIT_TIMEOUT:
        return CHECK_HANGS;
    default:
        return CHECK_GONE;
    }
}

bool check_pipe_answer(const check_pipe *answers)
{
    char byte = 0;
    DWORD count = 0;
    return SetEvent(handle_of(answers->sends)) &&
           ReadFile(handle_of(answers->receives), &byte, 1, &count, NULL) && count == 1;
}
