// SPDX-License-Identifier: MIT

/// @file record_file.h
/// A file as the sink of a recording, as a match opens it for `record_path`: for peers, labs and
/// writers, which take any sink. Every write reaches the system before it returns, so a crash of
/// this process loses nothing that was written. An older file of the name is kept until the first
/// write; a file that nothing was written to does not stay.
///
///     bks_record_file file;
///     if (bks_record_file_open(&file, "match.bks", "tag", &error) != BKS_OK) …
///     config.record = bks_record_file_sink(&file);
///     …                                              // play, destroy the peer
///     bks_record_file_close(&file);
///     if (file.is_failed) …                          // the recording is not whole
///
/// Thread rule: a file belongs to one thread at a time.

#ifndef BACKSTITCH_RECORD_FILE_H
#define BACKSTITCH_RECORD_FILE_H

#include "backstitch/record.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Longest path, its terminating zero included.
#define BKS_RECORD_PATH_BYTES_MAX 4096

/// A file being written. Set by bks_record_file_open(), to be read only; {.descriptor = -1} is
/// closed.
typedef struct bks_record_file {
    int descriptor;                       ///< -1: closed
    bool is_new;                          ///< made by bks_record_file_open()
    bool is_written;                      ///< a write was whole: the file says what it is
    bool is_failed;                       ///< a write was not
    char path[BKS_RECORD_PATH_BYTES_MAX]; ///< "" when there is none
} bks_record_file;

/// Open the file.
/// @param file       receives it; closed on failure
/// @param path       NULL: GAME-DATE-TIME-PID.bks in the working folder, a name not yet taken
/// @param game_name  for that name; required when `path` is NULL
/// @param error      may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG (the path is too long or empty),
///         BKS_ERR_IO
BKS_API BKS_NODISCARD bks_status bks_record_file_open(bks_record_file *file, const char *path,
                                                      const char *game_name, bks_error *error);

/// Close it; a file without a whole write is removed if it was made by bks_record_file_open().
/// Closed already and NULL are allowed.
BKS_API void bks_record_file_close(bks_record_file *file);

/// The file as a sink; `file` must stay where it is.
/// @return the sink; for NULL one without `write`
BKS_API bks_sink bks_record_file_sink(bks_record_file *file);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_RECORD_FILE_H
