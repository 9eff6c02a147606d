// SPDX-License-Identifier: MIT

#define _GNU_SOURCE // flock

#include "match/identity_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/report.h"
#include "match/system.h"

static const char call[] = "bks_match_open";
static const char field[] = "identity_path";

static bks_status fail_io(const char *path, const char *what, bks_error *error)
{
    return bksi_fail(error, BKS_ERR_IO, call, field, "%s: cannot %s '%s': %s", field, what, path,
                     strerror(errno));
}

/// A new file gets its bytes under the lock, so no other match sees a part of them.
static bks_status make_secret(int descriptor, const char *path, uint8_t secret[BKS_KEY_BYTES],
                              bks_error *error)
{
    bks_status status = bksi_system_random(secret, BKS_KEY_BYTES, error);
    if (status != BKS_OK) {
        return status;
    }
    if (pwrite(descriptor, secret, BKS_KEY_BYTES, 0) != BKS_KEY_BYTES) {
        status = fail_io(path, "write", error);
        int cut = ftruncate(descriptor, 0); // else it would be refused for its size
        (void)cut;
    }
    return status;
}

static bks_status read_secret(int descriptor, const char *path, uint8_t secret[BKS_KEY_BYTES],
                              bks_error *error)
{
    struct stat about;
    if (fstat(descriptor, &about) != 0) {
        return fail_io(path, "read", error);
    }
    if (about.st_size == 0) {
        return make_secret(descriptor, path, secret, error);
    }
    if (!S_ISREG(about.st_mode) || about.st_size != BKS_KEY_BYTES) {
        return bksi_fail(error, BKS_ERR_DAMAGED, call, field,
                         "%s: '%s' is no identity, must be a file of %d bytes", field, path,
                         BKS_KEY_BYTES);
    }
    if (pread(descriptor, secret, BKS_KEY_BYTES, 0) != BKS_KEY_BYTES) {
        return fail_io(path, "read", error);
    }
    return BKS_OK;
}

/// Open and lock one file.
/// @param is_taken  receives whether another match uses it
static bks_status lock(bksi_identity_file *file, const char *path, bool *is_taken, bks_error *error)
{
    *is_taken = false;
    file->descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
    if (file->descriptor < 0) {
        return fail_io(path, "open", error);
    }
    if (flock(file->descriptor, LOCK_EX | LOCK_NB) == 0) {
        return BKS_OK;
    }
    *is_taken = errno == EWOULDBLOCK;
    bks_status status = *is_taken ? BKS_OK : fail_io(path, "lock", error);
    bksi_identity_file_close(file);
    return status;
}

bks_status bksi_identity_file_open(bksi_identity_file *file, const char *path,
                                   const uint8_t key[BKS_KEY_BYTES], uint8_t out[BKS_KEY_BYTES],
                                   bks_error *error)
{
    file->descriptor = -1;
    if (path == NULL) {
        return bksi_system_random(out, BKS_KEY_BYTES, error);
    }
    char name[PATH_MAX];
    bool is_taken = true;
    bks_status status = BKS_OK;
    for (uint32_t i = 1; i <= BKSI_IDENTITY_FILES_MAX && is_taken && status == BKS_OK; i++) {
        int bytes = i == 1 ? snprintf(name, sizeof(name), "%s", path)
                           : snprintf(name, sizeof(name), "%s.%u", path, i);
        if (bytes < 0 || (size_t)bytes >= sizeof(name)) {
            return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, field,
                             "%s is longer than %d bytes, must be a path", field, PATH_MAX - 1);
        }
        status = lock(file, name, &is_taken, error);
    }
    if (status == BKS_OK && is_taken) {
        return bksi_fail(error, BKS_ERR_IO, call, field,
                         "%s: '%s' and the %d files after it are in use by other matches", field,
                         path, BKSI_IDENTITY_FILES_MAX - 1);
    }
    uint8_t secret[BKS_KEY_BYTES];
    status = status == BKS_OK ? read_secret(file->descriptor, name, secret, error) : status;
    if (status == BKS_OK) {
        (void)crypto_generichash(out, BKS_KEY_BYTES, key, BKS_KEY_BYTES, secret, sizeof(secret));
    } else {
        bksi_identity_file_close(file);
    }
    sodium_memzero(secret, sizeof(secret));
    return status;
}

void bksi_identity_file_close(bksi_identity_file *file)
{
    if (file->descriptor >= 0) {
        (void)close(file->descriptor);
        file->descriptor = -1;
    }
}
