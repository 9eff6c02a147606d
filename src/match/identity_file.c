// SPDX-License-Identifier: MIT

#include "match/identity_file.h"

#include <sodium.h>
#include <stdio.h>

#include "base/cause.h"
#include "base/report.h"
#include "match/files.h"
#include "match/system.h"

static const char call[] = "bks_match_open";
static const char field[] = "identity_path";

static bks_status fail_io(const char *path, const char *what, bks_error *error)
{
    char cause[BKSI_CAUSE_BYTES];
    return bksi_fail(error, BKS_ERR_IO, call, field, "%s: cannot %s '%s': %s", field, what, path,
                     bksi_cause_text(bksi_file_cause(), cause));
}

/// Write a new secret while the file is locked, so that no other match sees a part of it.
static bks_status make_secret(int descriptor, const char *path, uint8_t secret[BKS_KEY_BYTES],
                              bks_error *error)
{
    bks_status status = bksi_system_random(secret, BKS_KEY_BYTES, error);
    if (status != BKS_OK) {
        return status;
    }
    size_t written = 0;
    if (!bksi_file_write(descriptor, 0, secret, BKS_KEY_BYTES, &written)) {
        status = fail_io(path, "write", error);
        // Empty the file, otherwise its wrong size would be refused later.
        (void)bksi_file_cut(descriptor);
    }
    return status;
}

static bks_status read_secret(int descriptor, const char *path, uint8_t secret[BKS_KEY_BYTES],
                              bks_error *error)
{
    uint64_t size = 0;
    bool is_disk = false;
    if (!bksi_file_size(descriptor, &size, &is_disk)) {
        return fail_io(path, "read", error);
    }
    if (size != 0 && (!is_disk || size != BKS_KEY_BYTES)) {
        return bksi_fail(error, BKS_ERR_DAMAGED, call, field,
                         "%s: '%s' is no identity, must be a file of %d bytes", field, path,
                         BKS_KEY_BYTES);
    }
    const char *why = is_disk ? bksi_file_not_private(descriptor) : NULL;
    if (why != NULL) {
        return bksi_fail(error, BKS_ERR_IO, call, field,
                         "%s: '%s' is no secret of yours, must be a file of yours alone: %s", field,
                         path, why);
    }
    if (size == 0) {
        return make_secret(descriptor, path, secret, error);
    }
    if (!bksi_file_read(descriptor, 0, secret, BKS_KEY_BYTES)) {
        return fail_io(path, "read", error);
    }
    return BKS_OK;
}

/// Open and lock an identity file.
/// @param is_taken  receives true if another match uses the file
static bks_status lock(bksi_identity_file *file, const char *path, bool *is_taken, bks_error *error)
{
    *is_taken = false;
    file->descriptor = bksi_file_open(path, BKSI_FILE_SECRET);
    if (file->descriptor < 0) {
        return fail_io(path, "open", error);
    }
    if (bksi_file_lock(file->descriptor, is_taken)) {
        return BKS_OK;
    }
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
    char name[BKSI_PATH_BYTES_MAX];
    bool is_taken = true;
    bks_status status = BKS_OK;
    for (uint32_t i = 1; i <= BKSI_IDENTITY_FILES_MAX && is_taken && status == BKS_OK; i++) {
        int bytes = i == 1 ? snprintf(name, sizeof(name), "%s", path)
                           : snprintf(name, sizeof(name), "%s.%u", path, i);
        if (bytes < 0 || (size_t)bytes >= sizeof(name)) {
            return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, field,
                             "%s is longer than %d bytes, must be a path", field,
                             BKSI_PATH_BYTES_MAX - 1);
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
        (void)bksi_file_close(file->descriptor);
        file->descriptor = -1;
    }
}
