// SPDX-License-Identifier: MIT

#include "base/child.h"

#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <string.h>
#include <windows.h>

#include "base/child_system.h"
#include "base/crash_windows.h"
#include "base/tool.h"

enum { LINE_BYTES = 32768 };

/// A status from here on is an exception's code that ended the process.
#define EXCEPTION_FIRST 0xc0000000u

static HANDLE handle_of(pid_t process)
{
    return (HANDLE)(intptr_t)process;
}

// ---- the command line ----

typedef struct line {
    char text[LINE_BYTES];
    size_t count;
    bool is_full;
} line;

static void put(line *to, char byte, size_t times)
{
    for (; times > 0; times--) {
        to->is_full |= to->count + 1 >= sizeof(to->text);
        to->text[to->is_full ? to->count : to->count++] = byte;
    }
}

/// As the run-time of the other process takes it apart: backslashes count in front of a quote
/// alone.
static void put_word(line *to, const char *word)
{
    size_t backslashes = 0;
    put(to, ' ', to->count > 0 ? 1 : 0);
    put(to, '"', 1);
    for (; *word != '\0'; word++) {
        const bool is_quote = *word == '"';
        put(to, '\\', is_quote ? backslashes + 1 : 0);
        put(to, *word, 1);
        backslashes = *word == '\\' ? backslashes + 1 : 0;
    }
    put(to, '\\', backslashes);
    put(to, '"', 1);
}

static bool write_line(line *to, char *const *arguments)
{
    *to = (line){0};
    for (; *arguments != NULL; arguments++) {
        put_word(to, *arguments);
    }
    to->text[to->count] = '\0';
    return !to->is_full;
}

// ---- what it writes ----

/// A file that vanishes with its last handle. Both ends have a place of their own in it, so that we
/// may read while the other process writes.
/// @param out_writer  receives the end that is inherited
/// @return our end, a descriptor; negative: there is none
static int open_gathering(HANDLE *out_writer)
{
    wchar_t folder[MAX_PATH];
    wchar_t path[MAX_PATH];
    const DWORD sharing = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    SECURITY_ATTRIBUTES inherits = {.nLength = sizeof(inherits), .bInheritHandle = TRUE};
    if (GetTempPathW(MAX_PATH, folder) == 0 || GetTempFileNameW(folder, L"bks", 0, path) == 0) {
        *out_writer = INVALID_HANDLE_VALUE;
        return -1;
    }
    *out_writer = CreateFileW(path, FILE_APPEND_DATA | SYNCHRONIZE, sharing, &inherits,
                              OPEN_EXISTING, FILE_ATTRIBUTE_TEMPORARY, NULL);
    HANDLE reader = CreateFileW(path, GENERIC_READ | DELETE, sharing, NULL, OPEN_EXISTING,
                                FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
    const int descriptor = reader != INVALID_HANDLE_VALUE
                               ? _open_osfhandle((intptr_t)reader, _O_RDONLY | _O_BINARY)
                               : -1;
    if (descriptor < 0 && reader != INVALID_HANDLE_VALUE) {
        (void)CloseHandle(reader);
    }
    return *out_writer != INVALID_HANDLE_VALUE ? descriptor : -1;
}

size_t child_peek(const child *process, char *out, size_t capacity)
{
    OVERLAPPED begin = {0};
    DWORD count = 0;
    if (!ReadFile((HANDLE)_get_osfhandle(process->err), out, (DWORD)(capacity - 1), &count,
                  &begin)) {
        count = 0;
    }
    out[count] = '\0';
    return count;
}

// ---- the process ----

/// All that are in it end with us, however we end.
static HANDLE job(void)
{
    static HANDLE all;
    if (all == NULL) {
        JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {.BasicLimitInformation.LimitFlags =
                                                           JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE};
        all = CreateJobObjectW(NULL, NULL);
        (void)SetInformationJobObject(all, JobObjectExtendedLimitInformation, &limits,
                                      sizeof(limits));
    }
    return all;
}

static bool spawn(child *process, const char *path, char *text, STARTUPINFOA *start)
{
    PROCESS_INFORMATION made;
    (void)SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX); // it inherits this
    if (!CreateProcessA(path, text, NULL, NULL, TRUE, CREATE_SUSPENDED, NULL, NULL, start, &made)) {
        return false;
    }
    (void)AssignProcessToJobObject(job(), made.hProcess);
    (void)ResumeThread(made.hThread);
    (void)CloseHandle(made.hThread);
    process->pid = (pid_t)(intptr_t)made.hProcess;
    return true;
}

bool child_start_program(child *process, const char *path, char *const *arguments)
{
    static line words;
    SECURITY_ATTRIBUTES inherits = {.nLength = sizeof(inherits), .bInheritHandle = TRUE};
    STARTUPINFOA start = {.cb = sizeof(start), .dwFlags = STARTF_USESTDHANDLES};
    process->out = open_gathering(&start.hStdOutput);
    process->err = open_gathering(&start.hStdError);
    start.hStdInput = CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE,
                                  &inherits, OPEN_EXISTING, 0, NULL);
    fflush(NULL);
    const bool is_started = process->out >= 0 && process->err >= 0 && path[0] != '\0' &&
                            write_line(&words, arguments) &&
                            spawn(process, path, words.text, &start);
    if (!is_started) {
        process->pid = 0;
        tool_complain("bks", "cannot start another process: error %lu of Windows", GetLastError());
    }
    const HANDLE theirs[] = {start.hStdInput, start.hStdOutput, start.hStdError};
    for (size_t i = 0; i < sizeof(theirs) / sizeof(theirs[0]); i++) {
        if (theirs[i] != INVALID_HANDLE_VALUE) {
            (void)CloseHandle(theirs[i]);
        }
    }
    return is_started;
}

bool child_has_ended(child *process)
{
    DWORD status = 0;
    if (process->has_ended) {
        return true;
    }
    if (WaitForSingleObject(handle_of(process->pid), 0) == WAIT_TIMEOUT) {
        return false;
    }
    const bool is_known = GetExitCodeProcess(handle_of(process->pid), &status);
    const bool is_exception = is_known && status >= EXCEPTION_FIRST;
    process->status = is_known && !is_exception ? (int)status : -1;
    process->signal = is_exception ? (int)status : 0;
    process->has_ended = true;
    return true;
}

void child_ask_to_end(pid_t process)
{
    child_kill(process); // there is no way to ask one without a window
}

void child_kill(pid_t process)
{
    (void)TerminateProcess(handle_of(process), CRASH_ENDED);
}

void child_forget(pid_t process)
{
    (void)CloseHandle(handle_of(process));
}

void child_crash_text(int signal_number, char *out, size_t capacity)
{
    (void)snprintf(out, capacity, "crashes (%s)", crash_name((uint32_t)signal_number));
}
