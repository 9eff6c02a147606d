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
    BKSI_FILE_READ,  ///< read an existing file
    BKSI_FILE_WRITE, ///< write an existing file; others may read it meanwhile
    BKSI_FILE_NEW,   ///< create and write a file; fail if it exists
    /// Read and write; create it if missing, readable by this user alone where the disk has
    /// permissions. A symbolic link is not followed.
    BKSI_FILE_SECRET,
} bksi_file_use;

/// Open a file.
/// @return the file; -1: failed, and bksi_file_cause() tells why
int bksi_file_open(const char *path, bksi_file_use use);

/// Close a file.
/// @return true if all written bytes were stored
bool bksi_file_close(int file);

/// Remove a file, even while it is open.
void bksi_file_remove(const char *path);

/// Get the size of a file.
/// @param out_bytes    receives the size; 0 for a device or a pipe
/// @param out_is_disk  may be NULL; receives true for a file on a disk
bool bksi_file_size(int file, uint64_t *out_bytes, bool *out_is_disk);

/// Return NULL if a file belongs to this user alone, else the reason that it does not. Where files
/// have no owner, return NULL.
const char *bksi_file_not_private(int file);

/// Truncate a file to nothing. Return true for a device or a pipe too, which cannot be truncated.
bool bksi_file_cut(int file);

/// Write `count` bytes at an offset.
/// @param out_written  receives the number of bytes written, even on failure
bool bksi_file_write(int file, uint64_t offset_bytes, const void *bytes, size_t count,
                     size_t *out_written);

/// Read `count` bytes at an offset.
/// @return false if reading failed, or the file has fewer bytes
bool bksi_file_read(int file, uint64_t offset_bytes, void *bytes, size_t count);

/// Lock a file against other processes until it is closed. Do not wait for the lock.
/// @param out_is_taken  receives true if another process holds the lock
bool bksi_file_lock(int file, bool *out_is_taken);

/// Get the system's error number of the last call that failed. Call it directly after that call.
int bksi_file_cause(void);

/// Return true if a cause is that the file already exists.
bool bksi_file_is_there(int cause);

/// Return true if a cause is a full disk.
bool bksi_file_is_full(int cause);

#endif
