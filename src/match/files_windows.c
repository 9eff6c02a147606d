// SPDX-License-Identifier: MIT
//
// File operations by Win32 alone. The C run-time would lose its buffer when the process is killed,
// and it reports "invalid argument" for a full disk after writing a part.

#include "match/files.h"

#include <windows.h>

#include "base/path_windows.h"

#ifndef ERROR_DISK_QUOTA_EXCEEDED
#define ERROR_DISK_QUOTA_EXCEEDED 1295
#endif

/// Offset of the byte that is locked. It is beyond the end of every file, because locked bytes
/// cannot be read.
#define LOCK_OFFSET_HIGH 0x7fffffffu

/// Maximum number of bytes of one Win32 call, which counts in 32 bits.
#define PIECE_BYTES_MAX ((size_t)1 << 30)

/// Convert a file to a handle. Only the lowest 32 bits of a handle count, so a handle fits an int.
static HANDLE handle_of(int file)
{
    return (HANDLE)(intptr_t)file;
}

static int file_of(HANDLE handle)
{
    return (int)(intptr_t)handle;
}

/// Security descriptor that allows everything to this user alone and inherits nothing.
typedef struct owner_only {
    SECURITY_DESCRIPTOR descriptor;
    union {
        ACL list;
        uint8_t bytes[256];
    } rights;
    union {
        TOKEN_USER user;
        uint8_t bytes[256];
    } own;
} owner_only;

static bool say_owner_only(owner_only *out)
{
    HANDLE token = NULL;
    DWORD bytes = 0;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token)) {
        return false;
    }
    const bool is_known =
        GetTokenInformation(token, TokenUser, &out->own, sizeof(out->own), &bytes);
    (void)CloseHandle(token);
    return is_known && InitializeAcl(&out->rights.list, sizeof(out->rights), ACL_REVISION) &&
           AddAccessAllowedAce(&out->rights.list, ACL_REVISION, FILE_ALL_ACCESS,
                               out->own.user.User.Sid) &&
           InitializeSecurityDescriptor(&out->descriptor, SECURITY_DESCRIPTOR_REVISION) &&
           SetSecurityDescriptorDacl(&out->descriptor, TRUE, &out->rights.list, FALSE) &&
           SetSecurityDescriptorControl(&out->descriptor, SE_DACL_PROTECTED, SE_DACL_PROTECTED);
}

int bksi_file_open(const char *path, bksi_file_use use)
{
    static const struct {
        DWORD access;
        DWORD making;
    } modes[] = {
        [BKSI_FILE_READ] = {GENERIC_READ, OPEN_EXISTING},
        [BKSI_FILE_WRITE] = {GENERIC_WRITE, OPEN_EXISTING},
        [BKSI_FILE_NEW] = {GENERIC_WRITE, CREATE_NEW},
        [BKSI_FILE_SECRET] = {GENERIC_READ | GENERIC_WRITE, OPEN_ALWAYS},
    };
    // Let others read and remove a recording while it is written, as other systems do.
    const DWORD sharing = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    wchar_t wide[BKSI_PATH_WIDE_MAX];
    owner_only owner;
    SECURITY_ATTRIBUTES secret = {.nLength = sizeof(secret),
                                  .lpSecurityDescriptor = &owner.descriptor};
    const bool is_secret = use == BKSI_FILE_SECRET;
    if (!bksi_path_widen(path, wide) || (is_secret && !say_owner_only(&owner))) {
        return -1;
    }
    return file_of(CreateFileW(wide, modes[use].access, sharing, is_secret ? &secret : NULL,
                               modes[use].making, FILE_ATTRIBUTE_NORMAL, NULL));
}

bool bksi_file_close(int file)
{
    return CloseHandle(handle_of(file));
}

void bksi_file_remove(const char *path)
{
    wchar_t wide[BKSI_PATH_WIDE_MAX];
    if (bksi_path_widen(path, wide)) {
        (void)DeleteFileW(wide);
    }
}

bool bksi_file_size(int file, uint64_t *out_bytes, bool *out_is_disk)
{
    const bool is_disk = GetFileType(handle_of(file)) == FILE_TYPE_DISK;
    LARGE_INTEGER size = {.QuadPart = 0};
    if (is_disk && !GetFileSizeEx(handle_of(file), &size)) {
        return false;
    }
    *out_bytes = (uint64_t)size.QuadPart;
    if (out_is_disk != NULL) {
        *out_is_disk = is_disk;
    }
    return true;
}

const char *bksi_file_not_private(int file)
{
    (void)file;
    return NULL; // its folder's access list protects it
}

bool bksi_file_cut(int file)
{
    const LARGE_INTEGER begin = {.QuadPart = 0};
    return GetFileType(handle_of(file)) != FILE_TYPE_DISK ||
           (SetFilePointerEx(handle_of(file), begin, NULL, FILE_BEGIN) &&
            SetEndOfFile(handle_of(file)));
}

static OVERLAPPED place(uint64_t offset_bytes)
{
    return (OVERLAPPED){.Offset = (DWORD)offset_bytes, .OffsetHigh = (DWORD)(offset_bytes >> 32)};
}

static DWORD piece(size_t count)
{
    return (DWORD)(count < PIECE_BYTES_MAX ? count : PIECE_BYTES_MAX);
}

bool bksi_file_write(int file, uint64_t offset_bytes, const void *bytes, size_t count,
                     size_t *out_written)
{
    const uint8_t *from = bytes;
    *out_written = 0;
    while (*out_written < count) {
        OVERLAPPED at = place(offset_bytes + *out_written);
        DWORD written = 0;
        const bool is_fine = WriteFile(handle_of(file), from + *out_written,
                                       piece(count - *out_written), &written, &at);
        *out_written += written;
        if (is_fine && written == 0) {
            SetLastError(ERROR_DISK_FULL);
        }
        if (!is_fine || written == 0) {
            return false;
        }
    }
    return true;
}

bool bksi_file_read(int file, uint64_t offset_bytes, void *bytes, size_t count)
{
    uint8_t *to = bytes;
    while (count > 0) {
        OVERLAPPED at = place(offset_bytes);
        DWORD got = 0;
        if (!ReadFile(handle_of(file), to, piece(count), &got, &at) || got == 0) {
            return false;
        }
        to += got;
        offset_bytes += got;
        count -= got;
    }
    return true;
}

bool bksi_file_lock(int file, bool *out_is_taken)
{
    OVERLAPPED at = {.OffsetHigh = LOCK_OFFSET_HIGH};
    const bool is_locked = LockFileEx(
        handle_of(file), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at);
    const DWORD cause = is_locked ? ERROR_SUCCESS : GetLastError();
    *out_is_taken = cause == ERROR_LOCK_VIOLATION || cause == ERROR_IO_PENDING;
    return is_locked;
}

int bksi_file_cause(void)
{
    return (int)GetLastError();
}

bool bksi_file_is_there(int cause)
{
    return cause == ERROR_FILE_EXISTS || cause == ERROR_ALREADY_EXISTS;
}

bool bksi_file_is_full(int cause)
{
    return cause == ERROR_DISK_FULL || cause == ERROR_HANDLE_DISK_FULL ||
           cause == ERROR_FILE_TOO_LARGE || cause == ERROR_DISK_QUOTA_EXCEEDED;
}
