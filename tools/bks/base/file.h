// SPDX-License-Identifier: MIT

/// @file file.h
/// Whole files in memory, and where the program keeps files of the user's, by the XDG Base
/// Directory Specification; on Windows in %APPDATA%.

#ifndef BKS_TOOL_FILE_H
#define BKS_TOOL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Read a file; errors go to stderr.
/// @param out    receives the bytes, NULL on failure; released with free()
/// @param count  receives their number
/// @return TOOL_OK, TOOL_DAMAGED
int file_read(const char *path, uint8_t **out, size_t *count);

/// Find the path FOLDER/bks/NAME.
/// @param variable, under_home  which folder: see system_user_folder()
/// @return false: there is no such folder, or it does not fit
bool user_file_path(const char *variable, const char *under_home, const char *name, char *path,
                    size_t capacity);

/// Make the folders above a file, those that are missing.
/// @param path  cut after the folder that cannot be made
/// @return false: errno says why
bool user_file_folders(char *path);

#endif
