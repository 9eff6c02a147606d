// SPDX-License-Identifier: MIT

/// @file file.h
/// Reads whole files into memory, and finds the folders for the user's files by the XDG Base
/// Directory Specification, on Windows in %APPDATA%.

#ifndef BKS_TOOL_FILE_H
#define BKS_TOOL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Read a file into memory. Errors go to stderr.
/// @param out    receives the bytes, NULL on failure; release with free()
/// @param count  receives the number of bytes
/// @return TOOL_OK, or TOOL_DAMAGED on failure
int file_read(const char *path, uint8_t **out, size_t *count);

/// Write the path FOLDER/bks/NAME into `path`.
/// @param variable, under_home  as in system_user_folder(), which finds FOLDER
/// @return false if there is no such folder, or the path does not fit
bool user_file_path(const char *variable, const char *under_home, const char *name, char *path,
                    size_t capacity);

/// Make the missing folders of a file's path.
/// @param path  on failure, cut after the folder that cannot be made
/// @return false on failure; errno says why
bool user_file_folders(char *path);

#endif
