// SPDX-License-Identifier: MIT

/// @file files.h
/// What a match does with files, for each kind of system in a file of its own. Nothing is buffered
/// in this process: what was written stays when it is killed. Paths are UTF-8.

#ifndef BKSI_FILES_H
#define BKSI_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Longest path, its terminating zero included.
#define BKSI_PATH_BYTES_MAX 4096

/// What a file is opened for. No child process inherits it.
typedef enum bksi_file_use {
    BKSI_FILE_READ,   ///< what is there
    BKSI_FILE_WRITE,  ///< write what is there; others may read it meanwhile
    BKSI_FILE_NEW,    ///< the same, made now; what is there is a failure
    BKSI_FILE_SECRET, ///< read and write, made when it is missing, for this user alone, where the
                      ///< disk keeps rights
} bksi_file_use;

/// @return the file; -1: bksi_file_cause() knows why
int bksi_file_open(const char *path, bksi_file_use use);

/// @return whether all that was written is kept
bool bksi_file_close(int file);

/// Remove a file, which may be open.
void bksi_file_remove(const char *path);

/// @param out_bytes  receives the size; 0 of what is no file of a disk
/// @param out_is_disk  may be NULL; receives whether it is one
bool bksi_file_size(int file, uint64_t *out_bytes, bool *out_is_disk);

/// Cut off all that is there. True also of what cannot be cut: a device or a pipe.
bool bksi_file_cut(int file);

/// Write all of it.
/// @param out_written  receives the bytes that were, also on failure
bool bksi_file_write(int file, uint64_t offset_bytes, const void *bytes, size_t count,
                     size_t *out_written);

/// Read all of it.
/// @return false: it failed, or the file has fewer
bool bksi_file_read(int file, uint64_t offset_bytes, void *bytes, size_t count);

/// Hold the file until it is closed, so that no other process can; this does not wait.
/// @param out_is_taken  receives whether another has it
bool bksi_file_lock(int file, bool *out_is_taken);

/// Why the last call failed: to be asked first thing after it.
int bksi_file_cause(void);

/// Whether it says that a file of the name is there.
bool bksi_file_is_there(int cause);

/// Whether it says that there is no room.
bool bksi_file_is_full(int cause);

#endif
