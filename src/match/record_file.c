// SPDX-License-Identifier: MIT

#include "match/record_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "backstitch/toolkit/writer.h"
#include "base/cause.h"
#include "base/memory.h"
#include "base/report.h"
#include "match/files.h"
#include "match/system.h"

/// Number of names tried for a new file. One process cannot begin that many recordings of one game
/// within a second.
#define NAMES_TRIED_MAX 100

static const char call[] = "match.record";

/// Create or open the file of a recording without truncating it.
static bool try_open(bks_record_file *file, bool must_be_new)
{
    file->descriptor = bksi_file_open(file->path, BKSI_FILE_NEW);
    file->is_new = file->descriptor >= 0;
    if (file->descriptor < 0 && !must_be_new && bksi_file_is_there(bksi_file_cause())) {
        file->descriptor = bksi_file_open(file->path, BKSI_FILE_WRITE);
    }
    return file->descriptor >= 0;
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

/// Make a game's name safe for a file name: other characters become '_'.
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
    plain_name(game_name, game);
    if (bksi_local_time(&local)) {
        strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &local);
    }
    for (int i = 1; i <= NAMES_TRIED_MAX; i++) {
        char more[16] = "";
        if (i > 1) {
            snprintf(more, sizeof(more), "-%d", i);
        }
        snprintf(file->path, sizeof(file->path), "%s-%s-%jd%s.bks", game, date,
                 bksi_process_number(), more);
        if (try_open(file, true)) {
            return true;
        }
        if (!bksi_file_is_there(bksi_file_cause())) {
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
        const char *end = memchr(path, '\0', sizeof(file->path));
        const size_t length = end != NULL ? (size_t)(end - path) : sizeof(file->path);
        if (length == 0 || length == sizeof(file->path)) {
            return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "record_path",
                             "record_path has %s bytes, must have 1..%zu",
                             length == 0 ? "0" : "too many", sizeof(file->path) - 1);
        }
        memcpy(file->path, path, length + 1);
    }
    if (path != NULL ? !try_open(file, false) : !open_default(file, game_name)) {
        char cause[BKSI_CAUSE_BYTES];
        bks_status status =
            bksi_fail(error, BKS_ERR_IO, call, "record_path", "cannot write '%s': %s", file->path,
                      bksi_cause_text(bksi_file_cause(), cause));
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
        bksi_file_remove(file->path);
    }
    if (!bksi_file_close(file->descriptor)) {
        char cause[BKSI_CAUSE_BYTES];
        bksi_log(BKS_LOG_ERROR, call, "cannot close '%s': %s", file->path,
                 bksi_cause_text(bksi_file_cause(), cause));
    }
    file->descriptor = -1;
}

static bks_status fail_write(bks_record_file *file, uint64_t offset_bytes)
{
    const int cause = bksi_file_cause();
    char text[BKSI_CAUSE_BYTES];
    file->is_failed = true;
    return bksi_fail(NULL, BKS_ERR_IO, call, NULL, "cannot write '%s' at byte %" PRIu64 ": %s%s",
                     file->path, offset_bytes, bksi_cause_text(cause, text),
                     bksi_file_is_full(cause) ? "; make room, or record elsewhere" : "");
}

static bks_status file_write(void *context, uint64_t offset_bytes, const void *bytes, size_t count)
{
    bks_record_file *file = context;
    size_t written = 0;
    if (!file->is_written && !bksi_file_cut(file->descriptor)) {
        return fail_write(file, 0);
    }
    if (!bksi_file_write(file->descriptor, offset_bytes, bytes, count, &written)) {
        return fail_write(file, offset_bytes + written);
    }
    file->is_written = true;
    return BKS_OK;
}

bks_sink bks_record_file_sink(bks_record_file *file)
{
    BKSI_REFUSE_NULL_OR((bks_sink){0}, file);
    return (bks_sink){.write = file_write, .context = file};
}

bks_status bksi_record_file_read(const char *path, const char *field,
                                 const bks_allocator *allocator, uint8_t **out, size_t *out_count,
                                 bks_error *error)
{
    *out = NULL;
    *out_count = 0;
    uint64_t size = 0;
    const int file = bksi_file_open(path, BKSI_FILE_READ);
    bool is_read = file >= 0 && bksi_file_size(file, &size, NULL);
    const size_t count = size < SIZE_MAX ? (size_t)size : SIZE_MAX;
    uint8_t *bytes = count > 0 ? bksi_alloc(allocator, count, 16) : NULL;
    is_read = is_read && (bytes == NULL || bksi_file_read(file, 0, bytes, count));
    const int cause = bksi_file_cause();
    if (file >= 0) {
        (void)bksi_file_close(file);
    }
    if (!is_read) {
        char text[BKSI_CAUSE_BYTES];
        if (bytes != NULL) {
            bksi_free(allocator, bytes, count);
        }
        return bksi_fail(error, BKS_ERR_IO, call, field, "%s: cannot read '%s': %s", field, path,
                         bksi_cause_text(cause, text));
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
