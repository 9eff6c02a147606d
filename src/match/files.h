// SPDX-License-Identifier: MIT

/// @file files.h
/// File operations of a match, implemented in one file for each system. Nothing is buffered in this
/// process, so written bytes survive when it is killed. Paths are UTF-8.

#ifndef BKSI_FILES_H
#define BKSI_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Longest path, its terminating zero included.
#define BKSI_PATH_BYTES_MAX 4096

/// Mode in which a file is opened. No child process inherits the file.
typedef enum bksi_file_use {
    BKSI_FILE_READ,   ///< read an existing file
    BKSI_FILE_WRITE,  ///< write an existing file; others may read it meanwhile
    BKSI_FILE_NEW,    ///< create and write a file; fail if it exists
    BKSI_FILE_SECRET, ///< read and write; create it if missing, readable by this user alone where
                      ///< the disk has permissions
} bksi_file_use;

/// @return the file; -1: see bksi_file_cause()
int bksi_file_open(const char *path, bksi_file_use use);

/// @return true if all written bytes are kept
bool bksi_file_close(int file);

/// Remove a file, which may be open.
void bksi_file_remove(const char *path);

/// @param out_bytes  receives the size; 0 for what is not a file on a disk
/// @param out_is_disk  may be NULL; receives true for a file on a disk
bool bksi_file_size(int file, uint64_t *out_bytes, bool *out_is_disk);

/// Truncate a file to nothing. Return true also for what cannot be truncated: a device or a pipe.
bool bksi_file_cut(int file);

/// Write all bytes.
/// @param out_written  receives the number of bytes written, also on failure
bool bksi_file_write(int file, uint64_t offset_bytes, const void *bytes, size_t count,
                     size_t *out_written);

/// Read all bytes.
/// @return false if it failed, or the file has fewer
bool bksi_file_read(int file, uint64_t offset_bytes, void *bytes, size_t count);

/// Lock a file against other processes until it is closed. This does not wait.
/// @param out_is_taken  receives true if another process holds the lock
bool bksi_file_lock(int file, bool *out_is_taken);

/// Return why the last call failed. Ask directly after that call.
int bksi_file_cause(void);

/// Return true if the cause is that the file exists.
bool bksi_file_is_there(int cause);

/// Return true if the cause is a full disk.
bool bksi_file_is_full(int cause);

#endif
