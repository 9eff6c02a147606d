// SPDX-License-Identifier: MIT

#define _GNU_SOURCE // makes the headers of the system declare flock()

#include "match/files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

int bksi_file_open(const char *path, bksi_file_use use)
{
    static const int flags[] = {
        [BKSI_FILE_READ] = O_RDONLY,
        [BKSI_FILE_WRITE] = O_WRONLY,
        [BKSI_FILE_NEW] = O_WRONLY | O_CREAT | O_EXCL,
        [BKSI_FILE_SECRET] = O_RDWR | O_CREAT | O_NONBLOCK | O_NOFOLLOW,
    };
    return open(path, flags[use] | O_CLOEXEC | O_NOCTTY, use == BKSI_FILE_SECRET ? 0600 : 0666);
}

bool bksi_file_close(int file)
{
    return close(file) == 0; // some network file systems report a full disk only on close
}

void bksi_file_remove(const char *path)
{
    (void)unlink(path);
}

bool bksi_file_size(int file, uint64_t *out_bytes, bool *out_is_disk)
{
    struct stat about;
    if (fstat(file, &about) != 0) {
        return false;
    }
    *out_bytes = (uint64_t)about.st_size;
    if (out_is_disk != NULL) {
        *out_is_disk = S_ISREG(about.st_mode);
    }
    return true;
}

const char *bksi_file_not_private(int file)
{
    struct stat about;
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) {
        return "it is no file";
    }
    if (about.st_uid != geteuid()) {
        return "it belongs to another user";
    }
    if (about.st_nlink > 1) {
        return "it has a second name, a hard link";
    }
    return (about.st_mode & 077) != 0 ? "others may read or write it: chmod 600" : NULL;
}

bool bksi_file_cut(int file)
{
    return ftruncate(file, 0) == 0 || errno == EINVAL;
}

bool bksi_file_write(int file, uint64_t offset_bytes, const void *bytes, size_t count,
                     size_t *out_written)
{
    const uint8_t *from = bytes;
    *out_written = 0;
    while (*out_written < count) {
        const ssize_t written = pwrite(file, from + *out_written, count - *out_written,
                                       (off_t)(offset_bytes + *out_written));
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return false;
        }
        *out_written += (size_t)written;
    }
    return true;
}

bool bksi_file_read(int file, uint64_t offset_bytes, void *bytes, size_t count)
{
    uint8_t *to = bytes;
    while (count > 0) {
        const ssize_t got = pread(file, to, count, (off_t)offset_bytes);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        to += got;
        offset_bytes += (uint64_t)got;
        count -= (size_t)got;
    }
    return true;
}

bool bksi_file_lock(int file, bool *out_is_taken)
{
    const bool is_locked = flock(file, LOCK_EX | LOCK_NB) == 0;
    *out_is_taken = !is_locked && errno == EWOULDBLOCK;
    return is_locked;
}

int bksi_file_cause(void)
{
    return errno;
}

bool bksi_file_is_there(int cause)
{
    return cause == EEXIST;
}

bool bksi_file_is_full(int cause)
{
    return cause == ENOSPC || cause == EDQUOT || cause == EFBIG;
}
