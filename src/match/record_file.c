// SPDX-License-Identifier: MIT

#define _POSIX_C_SOURCE 200809L

#include "match/record_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/report.h"

/// Matches of one game that one process may begin to record within one second.
#define NAMES_TRIED_MAX 100

static const char call[] = "match.record";

/// Make the file or open what is there; nothing is cut off yet.
static bool try_open(bks_record_file *file, bool must_be_new)
{
    int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY;
    file->descriptor = open(file->path, flags | O_CREAT | O_EXCL, 0666);
    file->is_new = file->descriptor >= 0;
    if (file->descriptor < 0 && errno == EEXIST && !must_be_new) {
        file->descriptor = open(file->path, flags);
    }
    return file->descriptor >= 0;
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

/// A game's name as part of a file name: what could lead elsewhere becomes '_'.
static void plain_name(const char *game_name, char out[32])
{
    size_t length = 0;
    for (; game_name[length] != '\0' && length < 31; length++) {
        out[length] = game_name[length];
        if (!is_plain(out[length])) {
            out[length] = '_';
        }
    }
    out[length] = '\0';
}

static bool open_default(bks_record_file *file, const char *game_name)
{
    char game[32];
    char date[32] = "";
    struct tm local;
    time_t now = time(NULL);
    plain_name(game_name, game);
    if (localtime_r(&now, &local) != NULL) {
        strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &local);
    }
    for (int i = 1; i <= NAMES_TRIED_MAX; i++) {
        char more[16] = "";
        if (i > 1) {
            snprintf(more, sizeof(more), "-%d", i);
        }
        snprintf(file->path, sizeof(file->path), "%s-%s-%jd%s.bks", game, date, (intmax_t)getpid(),
                 more);
        if (try_open(file, true)) {
            return true;
        }
        if (errno != EEXIST) {
            return false;
        }
    }
    return false;
}

bks_status bks_record_file_open(bks_record_file *file, const char *path, const char *game_name,
                                bks_error *error)
{
    if (file == NULL || (path == NULL && game_name == NULL)) {
        return bksi_fail_null(error, "bks_record_file_open", file == NULL ? "file" : "game_name");
    }
    *file = (bks_record_file){.descriptor = -1};
    if (path != NULL) {
        size_t length = strnlen(path, sizeof(file->path));
        if (length == 0 || length == sizeof(file->path)) {
            return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "record_path",
                             "record_path has %s bytes, must have 1..%zu",
                             length == 0 ? "0" : "too many", sizeof(file->path) - 1);
        }
        memcpy(file->path, path, length + 1);
    }
    if (path != NULL ? !try_open(file, false) : !open_default(file, game_name)) {
        int cause = errno;
        bks_status status = bksi_fail(error, BKS_ERR_IO, call, "record_path",
                                      "cannot write '%s': %s", file->path, strerror(cause));
        file->path[0] = '\0';
        return status;
    }
    return BKS_OK;
}

void bks_record_file_close(bks_record_file *file)
{
    if (file == NULL || file->descriptor < 0) {
        return;
    }
    if (file->is_new && !file->is_written) {
        unlink(file->path);
    }
    if (close(file->descriptor) != 0) {
        // Some network file systems report a full disk only here.
        bksi_log(BKS_LOG_ERROR, call, "cannot close '%s': %s", file->path, strerror(errno));
    }
    file->descriptor = -1;
}

static bks_status fail_write(bks_record_file *file, uint64_t offset_bytes)
{
    const int cause = errno;
    const bool is_full = cause == ENOSPC || cause == EDQUOT || cause == EFBIG;
    file->is_failed = true;
    return bksi_fail(NULL, BKS_ERR_IO, call, NULL, "cannot write '%s' at byte %" PRIu64 ": %s%s",
                     file->path, offset_bytes, strerror(cause),
                     is_full ? "; make room, or record elsewhere" : "");
}

static bks_status file_write(void *context, uint64_t offset_bytes, const void *bytes, size_t count)
{
    bks_record_file *file = context;
    const uint8_t *next = bytes;
    // EINVAL: a device or pipe, which cannot be cut.
    if (!file->is_written && ftruncate(file->descriptor, 0) != 0 && errno != EINVAL) {
        return fail_write(file, 0);
    }
    while (count > 0) {
        ssize_t written = pwrite(file->descriptor, next, count, (off_t)offset_bytes);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return fail_write(file, offset_bytes);
        }
        next += written;
        offset_bytes += (uint64_t)written;
        count -= (size_t)written;
    }
    file->is_written = true;
    return BKS_OK;
}

bks_sink bks_record_file_sink(bks_record_file *file)
{
    if (file == NULL) {
        (void)bksi_fail_null(NULL, "bks_record_file_sink", "file");
        return (bks_sink){0};
    }
    return (bks_sink){.write = file_write, .context = file};
}

static bool read_all(int descriptor, uint8_t *bytes, size_t count)
{
    while (count > 0) {
        ssize_t got = read(descriptor, bytes, count);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        bytes += got;
        count -= (size_t)got;
    }
    return true;
}

bks_status bksi_record_file_read(const char *path, const char *field,
                                 const bks_allocator *allocator, uint8_t **out, size_t *out_count,
                                 bks_error *error)
{
    *out = NULL;
    *out_count = 0;
    struct stat about;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    bool is_read = descriptor >= 0 && fstat(descriptor, &about) == 0;
    size_t count = is_read ? (size_t)about.st_size : 0;
    uint8_t *bytes = count > 0 ? bksi_alloc(allocator, count, 16) : NULL;
    is_read = is_read && (bytes == NULL || read_all(descriptor, bytes, count));
    int cause = errno;
    if (descriptor >= 0) {
        close(descriptor);
    }
    if (!is_read) {
        if (bytes != NULL) {
            bksi_free(allocator, bytes, count);
        }
        return bksi_fail(error, BKS_ERR_IO, call, field, "%s: cannot read '%s': %s", field, path,
                         strerror(cause));
    }
    if (bytes == NULL && count > 0) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, call, field,
                         "no memory for the %zu bytes "
                         "of '%s'",
                         count, path);
    }
    *out = bytes;
    *out_count = count;
    return BKS_OK;
}
