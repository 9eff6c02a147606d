// SPDX-License-Identifier: MIT

#include "base/child.h"

#include <io.h>
#include <stdio.h>
#include <string.h>
#include <windows.h>

#include "base/crash.h"
#include "base/path_windows.h"
#include "base/stop.h"
#include "base/system.h"
#include "base/tool.h"

enum { LINE_BYTES = 32768 };

static HANDLE handle_of(pid_t process)
{
    return (HANDLE)(intptr_t)process;
}

// ---- command line of a child ----

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

/// Append a word, quoted as the C run-time of Windows parses command lines: backslashes are special
/// only in front of a quote.
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

// ---- output of a child ----

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

// ---- starting and ending a child ----

/// Return the job object of all children. Because of it, they end when this process ends, even by a
/// crash.
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

static DWORD spawn(child *process, const char *path, char *text, STARTUPINFOW *start)
{
    static wchar_t wide_text[LINE_BYTES];
    wchar_t wide_path[BKSI_PATH_WIDE_MAX];
    PROCESS_INFORMATION made;
    if (!bksi_path_widen(path, wide_path) ||
        MultiByteToWideChar(CP_UTF8, 0, text, -1, wide_text, LINE_BYTES) == 0 ||
        !CreateProcessW(wide_path, wide_text, NULL, NULL, TRUE, CREATE_SUSPENDED, NULL, NULL, start,
                        &made)) {
        return GetLastError();
    }
    (void)AssignProcessToJobObject(job(), made.hProcess);
    (void)ResumeThread(made.hThread);
    (void)CloseHandle(made.hThread);
    process->pid = (pid_t)(intptr_t)made.hProcess;
    return ERROR_SUCCESS;
}

/// Open a child's stdin, stdout and stderr. The caller closes those that are open, also on failure.
static DWORD open_streams(child *process, STARTUPINFOW *start)
{
    SECURITY_ATTRIBUTES inherits = {.nLength = sizeof(inherits), .bInheritHandle = TRUE};
    start->hStdInput = CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE,
                                   &inherits, OPEN_EXISTING, 0, NULL);
    if (start->hStdInput == INVALID_HANDLE_VALUE) {
        return GetLastError();
    }
    process->out = system_temp_file(&start->hStdOutput);
    if (process->out < 0) {
        return GetLastError();
    }
    process->err = system_temp_file(&start->hStdError);
    return process->err < 0 ? GetLastError() : ERROR_SUCCESS;
}

static void close_theirs(const STARTUPINFOW *start)
{
    const HANDLE theirs[] = {start->hStdInput, start->hStdOutput, start->hStdError};
    for (size_t i = 0; i < sizeof(theirs) / sizeof(theirs[0]); i++) {
        if (theirs[i] != INVALID_HANDLE_VALUE) {
            (void)CloseHandle(theirs[i]);
        }
    }
}

bool child_start_program(child *process, const char *path, char *const *arguments)
{
    static line words;
    STARTUPINFOW start = {.cb = sizeof(start),
                          .dwFlags = STARTF_USESTDHANDLES,
                          .hStdInput = INVALID_HANDLE_VALUE,
                          .hStdOutput = INVALID_HANDLE_VALUE,
                          .hStdError = INVALID_HANDLE_VALUE};
    process->pid = 0;
    process->out = -1;
    process->err = -1;
    (void)fflush(NULL);
    DWORD cause = open_streams(process, &start);
    if (cause == ERROR_SUCCESS) {
        cause = write_line(&words, arguments) ? spawn(process, path, words.text, &start)
                                              : ERROR_FILENAME_EXCED_RANGE;
    }
    close_theirs(&start);
    if (cause != ERROR_SUCCESS) {
        child_close_streams(process);
        tool_complain("bks", "cannot start another process: error %lu of Windows", cause);
    }
    return cause == ERROR_SUCCESS;
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
    const bool is_exception = is_known && crash_is(status);
    process->status = is_known && !is_exception ? (int)status : -1;
    process->signal = is_exception ? (int)status : 0;
    process->has_ended = true;
    return true;
}

void child_ask_to_end(pid_t process)
{
    child_kill(process); // Windows cannot ask a process without a window to end, so kill it
}

void child_kill(pid_t process)
{
    (void)TerminateProcess(handle_of(process), STOP_ENDED);
}

void child_forget(pid_t process)
{
    (void)CloseHandle(handle_of(process));
}

void child_crash_text(int signal_number, char *out, size_t capacity)
{
    char name[CRASH_NAME_BYTES];
    (void)snprintf(out, capacity, "crashes (%s)", crash_name((uint32_t)signal_number, name));
}
