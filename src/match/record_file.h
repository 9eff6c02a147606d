// SPDX-License-Identifier: MIT

/// @file record_file.h
/// The file a recording goes to. Every write reaches the system before it returns, so a crash of
/// this process loses nothing that was written. An older file of the name is kept until the first
/// write; a file that nothing was written to does not stay.

#ifndef BKSI_RECORD_FILE_H
#define BKSI_RECORD_FILE_H

#include "backstitch/record.h"

/// Longest path, its terminating zero included.
#define BKSI_RECORD_PATH_BYTES_MAX 4096

typedef struct bksi_record_file {
    int descriptor;                        ///< -1: closed
    bool is_new;                           ///< made by us
    bool is_written;                       ///< a write was whole: the file says what it is
    bool is_failed;                        ///< a write was not
    char path[BKSI_RECORD_PATH_BYTES_MAX]; ///< "" when there is none
} bksi_record_file;

/// Open the file.
/// @param path       NULL: GAME-DATE-TIME-PID.bks in the working folder, a name not yet taken
/// @param game_name  for that name
/// @return BKS_OK, BKS_ERR_BAD_CONFIG (the path is too long or empty), BKS_ERR_IO
bks_status bksi_record_file_open(bksi_record_file *file, const char *path, const char *game_name,
                                 bks_error *error);

/// Close it; a file without a whole write is removed if it was made by us. Closed already is
/// allowed.
void bksi_record_file_close(bksi_record_file *file);

/// Read a whole file.
/// @param field  of the config, that names it
/// @param out    receives `out_count` bytes of memory from the allocator; NULL on failure
/// @return BKS_OK, BKS_ERR_IO, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_record_file_read(const char *path, const char *field,
                                 const bks_allocator *allocator, uint8_t **out, size_t *out_count,
                                 bks_error *error);

/// The file as a sink; `file` must stay where it is.
bks_sink bksi_record_file_sink(bksi_record_file *file);

#endif
