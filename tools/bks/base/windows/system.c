// SPDX-License-Identifier: MIT

#include "base/system.h"

#include <direct.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <windows.h>
// psapi.h needs windows.h before it.
#include <ntsecapi.h>

#include "base/path_windows.h"
#include "base/timer_windows.h"

/// UNITS_PER_S: units of a Windows file time in a second. UNITS_1970: the start of 1970 as a
/// Windows file time.
#define UNITS_PER_S INT64_C(10000000)
#define UNITS_1970  INT64_C(116444736000000000)

/// Environment variable that names the folder for programs' files of a user.
#define USER_FOLDER      "APPDATA"
#define USER_FOLDER_WIDE L"APPDATA"

static void turn_slashes(char *path)
{
    for (char *at = path; *at != '\0'; at++) {
        *at = *at == '\\' ? '/' : *at;
    }
}

static bool widen(const char *path, wchar_t out[BKSI_PATH_WIDE_MAX])
{
    const bool is_wide = bksi_path_widen(path, out);
    errno = is_wide ? errno : EINVAL;
    return is_wide;
}

void system_guard_streams(void)
{
    // Report failures by messages and exit statuses, not by a dialog box.
    (void)SetErrorMode(GetErrorMode() | SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);
    // Windows always opens stdin, stdout and stderr. Make files and pipes hold the same bytes as on
    // other systems.
    _fmode = _O_BINARY;
    (void)_setmode(_fileno(stdin), _O_BINARY);
    (void)_setmode(_fileno(stdout), _O_BINARY);
    (void)_setmode(_fileno(stderr), _O_BINARY);
    // Make a console show the colours of stdout as terminals do.
    DWORD mode = 0;
    HANDLE out = GetStdHandle(STD_OUTPUT_HANDLE);
    if (GetConsoleMode(out, &mode)) {
        (void)SetConsoleMode(out, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
        (void)SetConsoleOutputCP(CP_UTF8);
    }
}

void system_sleep_ns(uint64_t duration_ns)
{
    bksi_timer_sleep(duration_ns);
}

void system_program_path(char *out, size_t capacity)
{
    wchar_t wide[BKSI_PATH_WIDE_MAX];
    const DWORD length = GetModuleFileNameW(NULL, wide, BKSI_PATH_WIDE_MAX);
    out[0] = '\0';
    if (length > 0 && length < BKSI_PATH_WIDE_MAX) {
        (void)bksi_path_narrow(wide, out, capacity);
    }
    turn_slashes(out);
}

bool system_terminal_size(int descriptor, uint32_t *columns, uint32_t *rows)
{
    CONSOLE_SCREEN_BUFFER_INFO about;
    if (!GetConsoleScreenBufferInfo((HANDLE)_get_osfhandle(descriptor), &about)) {
        return false;
    }
    *columns = (uint32_t)(about.srWindow.Right - about.srWindow.Left + 1);
    *rows = (uint32_t)(about.srWindow.Bottom - about.srWindow.Top + 1);
    return true;
}

uint32_t system_processors(void)
{
    DWORD_PTR own = 0, all = 0;
    if (!GetProcessAffinityMask(GetCurrentProcess(), &own, &all)) {
        return 1;
    }
    const int count = __builtin_popcountll(own);
    return count > 1 ? (uint32_t)count : 1;
}

bool system_random(void *out, size_t count)
{
    const bool is_filled = RtlGenRandom(out, (ULONG)count);
    errno = is_filled ? errno : EIO;
    return is_filled;
}

bool system_make_folder(const char *path, bool is_private)
{
    (void)is_private; // a user's folder is private anyway
    const size_t length = strlen(path);
    wchar_t wide[BKSI_PATH_WIDE_MAX];
    if (length == 2 && path[1] == ':') {
        return true; // the root of a drive always exists
    }
    return widen(path, wide) && (_wmkdir(wide) == 0 || errno == EEXIST);
}

bool system_file_face(const char *path, system_face *out)
{
    wchar_t wide[BKSI_PATH_WIDE_MAX];
    WIN32_FILE_ATTRIBUTE_DATA about;
    if (!widen(path, wide) || !GetFileAttributesExW(wide, GetFileExInfoStandard, &about)) {
        return false;
    }
    const int64_t units = (int64_t)((uint64_t)about.ftLastWriteTime.dwHighDateTime << 32 |
                                    about.ftLastWriteTime.dwLowDateTime) -
                          UNITS_1970;
    *out = (system_face){
        .bytes = (int64_t)((uint64_t)about.nFileSizeHigh << 32 | about.nFileSizeLow),
        .written = {.tv_sec = (time_t)(units / UNITS_PER_S),
                    .tv_nsec = (long)(units % UNITS_PER_S * 100)},
        .is_file = (about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) == 0,
    };
    return true;
}

/// Open a file by its UTF-8 path, as the C function open() does.
static int open_wide(const char *path, int how)
{
    wchar_t wide[BKSI_PATH_WIDE_MAX];
    return widen(path, wide) ? _wopen(wide, how | _O_BINARY | _O_NOINHERIT, _S_IREAD | _S_IWRITE)
                             : -1;
}

FILE *system_open_update(const char *path)
{
    const int descriptor = open_wide(path, _O_RDWR | _O_CREAT);
    return descriptor >= 0 ? _fdopen(descriptor, "r+b") : NULL;
}

bool system_user_folder(const char *variable, const char *under_home, char *out, size_t capacity)
{
    (void)variable, (void)under_home;
    wchar_t wide[BKSI_PATH_WIDE_MAX];
    const DWORD length = GetEnvironmentVariableW(USER_FOLDER_WIDE, wide, BKSI_PATH_WIDE_MAX);
    if (length == 0 || length >= BKSI_PATH_WIDE_MAX || !bksi_path_narrow(wide, out, capacity)) {
        return false;
    }
    turn_slashes(out);
    return true;
}

const char *system_user_folder_by(const char *variable)
{
    (void)variable;
    return USER_FOLDER;
}

/// Return a path without its prefix `\\?\`, or `\\?\UNC\` for another machine's file.
static wchar_t *plain_form(wchar_t *path)
{
    static const wchar_t final[] = L"\\\\?\\";
    static const wchar_t other[] = L"\\\\?\\UNC\\";
    if (wcsncmp(path, other, wcslen(other)) == 0) {
        path += wcslen(other) - 2;
        path[0] = L'\\';
        return path;
    }
    return path + (wcsncmp(path, final, wcslen(final)) == 0 ? wcslen(final) : 0);
}

/// Return the path of an open file, with all links resolved.
static char *final_path(HANDLE file)
{
    enum { NARROW_BYTES = 3 * BKSI_PATH_WIDE_MAX };
    wchar_t wide[BKSI_PATH_WIDE_MAX];
    const DWORD length = GetFinalPathNameByHandleW(file, wide, BKSI_PATH_WIDE_MAX, 0);
    char *out = length > 0 && length < BKSI_PATH_WIDE_MAX ? malloc(NARROW_BYTES) : NULL;
    if (out != NULL) {
        (void)bksi_path_narrow(plain_form(wide), out, NARROW_BYTES);
        turn_slashes(out);
    }
    errno = out != NULL ? errno : EIO;
    return out;
}

char *system_real_path(const char *path)
{
    wchar_t wide[BKSI_PATH_WIDE_MAX];
    const DWORD sharing = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    HANDLE file = widen(path, wide) ? CreateFileW(wide, 0, sharing, NULL, OPEN_EXISTING,
                                                  FILE_FLAG_BACKUP_SEMANTICS, NULL)
                                    : INVALID_HANDLE_VALUE;
    if (file == INVALID_HANDLE_VALUE) {
        errno = ENOENT;
        return NULL;
    }
    char *real = final_path(file);
    (void)CloseHandle(file);
    return real;
}

bool system_is_there(const char *path)
{
    wchar_t wide[BKSI_PATH_WIDE_MAX];
    return widen(path, wide) && GetFileAttributesW(wide) != INVALID_FILE_ATTRIBUTES;
}

bool system_may_write(const char *path)
{
    wchar_t wide[BKSI_PATH_WIDE_MAX];
    return widen(path, wide) && _waccess(wide, 2) == 0;
}

int system_open_read(const char *path)
{
    return open_wide(path, _O_RDONLY);
}

int system_open_private(const char *path)
{
    return open_wide(path, _O_WRONLY | _O_CREAT | _O_TRUNC);
}

bool system_replace(const char *from, const char *to)
{
    wchar_t wide_from[BKSI_PATH_WIDE_MAX], wide_to[BKSI_PATH_WIDE_MAX];
    if (!widen(from, wide_from) || !widen(to, wide_to)) {
        return false;
    }
    if (MoveFileExW(wide_from, wide_to, MOVEFILE_REPLACE_EXISTING)) {
        return true;
    }
    const DWORD cause = GetLastError();
    const bool is_missing = cause == ERROR_FILE_NOT_FOUND || cause == ERROR_PATH_NOT_FOUND;
    errno = is_missing ? ENOENT : cause == ERROR_DISK_FULL ? ENOSPC : EACCES;
    return false;
}

void system_take_addresses(size_t bytes)
{
    // The call also takes a heap block and never frees it, because VirtualAlloc() does not change
    // the addresses of later heap blocks.
    static void *volatile kept;
    (void)VirtualAlloc(NULL, bytes, MEM_RESERVE, PAGE_NOACCESS);
    kept = malloc(bytes);
    (void)kept;
}

void system_take_place(uint64_t address)
{
    static const uintptr_t part = 65536; // mappings begin at multiples of 64 KiB
    (void)VirtualAlloc((void *)((uintptr_t)address / part * part), part, MEM_RESERVE,
                       PAGE_NOACCESS);
}

bool system_set_environment(const char *name, const char *value)
{
    return _putenv_s(name, value != NULL ? value : "") == 0;
}

// ---- temporary files ----

static const DWORD sharing = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

/// Make a temporary file that is deleted when its first handle is closed.
static HANDLE make_temp(wchar_t path[MAX_PATH])
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

int system_temp_file(HANDLE *out_appender)
{
    wchar_t path[MAX_PATH];
    if (out_appender != NULL) {
        *out_appender = INVALID_HANDLE_VALUE;
    }
    HANDLE file = make_temp(path);
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

FILE *system_memory_open(char **text, size_t *count)
{
    *text = NULL;
    *count = 0;
    // Windows keeps a temporary file in memory if it can.
    const int descriptor = system_temp_file(NULL);
    return descriptor >= 0 ? _fdopen(descriptor, "w+b") : NULL;
}

bool system_memory_close(FILE *file, char **text, size_t *count)
{
    fpos_t end = 0;
    const long bytes = fgetpos(file, &end) == 0 ? (long)end : -1;
    *text = bytes >= 0 ? malloc((size_t)bytes + 1) : NULL;
    rewind(file);
    const bool is_whole =
        *text != NULL && !ferror(file) && fread(*text, 1, (size_t)bytes, file) == (size_t)bytes;
    if (is_whole) {
        (*text)[bytes] = '\0';
        *count = (size_t)bytes;
    }
    (void)fclose(file);
    return is_whole;
}

int system_stderr_silence(void)
{
    return -1; // nothing to discard: on Windows no library of this program writes to stderr
}

void system_stderr_restore(int kept)
{
    (void)kept;
}

bool system_has_debugger(void)
{
    return IsDebuggerPresent();
}

void system_stop_in_debugger(void)
{
    DebugBreak();
}
