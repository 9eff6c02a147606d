// SPDX-License-Identifier: MIT

/// @file user_file.h
/// Where the program keeps files of the user's, by the XDG Base Directory Specification.

#ifndef BKS_TOOL_USER_FILE_H
#define BKS_TOOL_USER_FILE_H

#include <stdbool.h>
#include <stddef.h>

/// Find the path $VARIABLE/bks/NAME, or $HOME/UNDER_HOME/bks/NAME.
/// @param variable    such as "XDG_STATE_HOME"; a path that is not absolute is ignored
/// @param under_home  such as ".local/state"
/// @return false: there is neither, or it does not fit
bool user_file_path(const char *variable, const char *under_home, const char *name, char *path,
                    size_t capacity);

/// Make the folders above a file, those that are missing.
/// @param path  cut after the folder that cannot be made
/// @return false: errno says why
bool user_file_folders(char *path);

#endif
