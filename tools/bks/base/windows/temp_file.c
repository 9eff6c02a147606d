// SPDX-License-Identifier: MIT

#include "base/windows/temp_file_windows.h"

#include <fcntl.h>
#include <io.h>
#include <stdbool.h>

static const DWORD sharing = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

/// The handle that takes the file with it.
static HANDLE make(wchar_t path[MAX_PATH])
{
    wchar_t folder[MAX_PATH];
    if (GetTempPathW(MAX_PATH, folder) == 0 || GetTempFileNameW(folder, L"bks", 0, path) == 0) {
        return INVALID_HANDLE_VALUE;
    }
    HANDLE file =
        CreateFileW(path, GENERIC_READ | GENERIC_WRITE | DELETE, sharing, NULL, OPEN_EXISTING,
                    FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
    if (file == INVALID_HANDLE_VALUE) {
        const DWORD cause = GetLastError();
        (void)DeleteFileW(path);
        SetLastError(cause);
    }
    return file;
}

static bool open_appender(const wchar_t *path, HANDLE *out)
{
    SECURITY_ATTRIBUTES inherits = {.nLength = sizeof(inherits), .bInheritHandle = TRUE};
    *out = CreateFileW(path, FILE_APPEND_DATA | SYNCHRONIZE, sharing, &inherits, OPEN_EXISTING,
                       FILE_ATTRIBUTE_TEMPORARY, NULL);
    return *out != INVALID_HANDLE_VALUE;
}

static void close_both(HANDLE file, HANDLE *appender)
{
    const DWORD cause = GetLastError();
    if (appender != NULL && *appender != INVALID_HANDLE_VALUE) {
        (void)CloseHandle(*appender);
        *appender = INVALID_HANDLE_VALUE;
    }
    if (file != INVALID_HANDLE_VALUE) {
        (void)CloseHandle(file);
    }
    SetLastError(cause);
}

int temp_file_open(HANDLE *out_appender)
{
    wchar_t path[MAX_PATH];
    if (out_appender != NULL) {
        *out_appender = INVALID_HANDLE_VALUE;
    }
    HANDLE file = make(path);
    int descriptor = -1;
    if (file != INVALID_HANDLE_VALUE &&
        (out_appender == NULL || open_appender(path, out_appender))) {
        descriptor = _open_osfhandle((intptr_t)file, _O_RDWR | _O_BINARY);
    }
    if (descriptor < 0) {
        close_both(file, out_appender);
    }
    return descriptor;
}
